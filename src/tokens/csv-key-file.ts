import { base32nopad } from '@scure/base';
import { CsvError, parse } from 'csv-parse/sync';
import type { ImportedKey, KeyFileReader, UnreadableKey } from './key-file.ts';
import { ServiceError } from '../kernel/errors.ts';
import { csvText, formulaText } from '../kernel/text.ts';
import { MAX_STORED_COUNTER } from './token.ts';

const COLUMNS = [
  'serial',
  'key',
  'key_base32',
  'type',
  'suite',
  'counter',
  'description',
  'pin',
  'ocra_pin',
  'user',
  'realm',
] as const;
type Column = (typeof COLUMNS)[number];
type KeyRow = Readonly<Partial<Record<Column, string>>>;

const MAX_KEYS = 100_000;
/** Characters of a line. */
const MAX_LINE = 16_384;
/** The names of RFC 6030 §10 and of the OCRA profile begin with it. */
const ALGORITHM = 'urn:ietf:params:xml:ns:keyprov:pskc:';

/** A record, and the line that it ends in. */
interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads tables of keys in CSV (RFC 4180) with a header line. The separator is a comma; a semicolon or a tabulator, if
 * the header has no comma. A wrong line is returned with its fault; a wrong table is refused.
 */
export const csvKeyFileReader: KeyFileReader = {
  read: (text, { preSharedKey, password }) => {
    if (preSharedKey !== undefined || password !== undefined) {
      throw new ServiceError(
        'key-file.secret',
        'A CSV file is not encrypted: leave the key and password out',
      );
    }
    const [head, ...records] = recordsOf(text);
    if (head === undefined || records.length === 0 || records.length > MAX_KEYS) {
      throw invalid(1, `there must be a header line and 1 to ${MAX_KEYS} lines with keys`);
    }
    const columns = columnsOf(head);
    const separator = separatorOf(text);
    return Promise.resolve(records.map((record) => readRecord(record, columns, separator)));
  },
};

const SEPARATORS = [',', ';', '\t'];
/** What a spreadsheet makes of a long row of digits, in any language: 1.23E+12, or #### where the column is narrow. */
const SPREADSHEET_NUMBER = /^(?:[+-]?\d+(?:[.,]\d+E[+-]?|E[+-])\d+|#{3,})$/i;
/** It keeps 15 digits of a number and fills up with zeros. */
const ROUNDED_KEY = /^\d{15}0{8,}$/;

/** @returns the separator of the header; a comma where there is none */
function separatorOf(text: string): string {
  const [first = ''] = text.replace(/^[\ufeff\r\n]+/, '').split(/[\r\n]/, 1);
  return SEPARATORS.find((separator) => first.includes(separator)) ?? ',';
}

function recordsOf(text: string): readonly CsvRecord[] {
  const separator = separatorOf(text);
  // `="0012345"`, as spreadsheets write a text: the quotation marks are those of the field. Quoted fields are skipped.
  const field = new RegExp(`(^\\ufeff?|[\\r\\n${separator}])=?("(?:[^"]|""){0,${MAX_LINE}}")`, 'g');
  try {
    const records = parse(text.replace(field, '$1$2'), {
      bom: true,
      delimiter: separator,
      info: true,
      max_record_size: MAX_LINE,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as readonly CsvRecord[];
    return records;
  } catch (error) {
    if (error instanceof CsvError) {
      // The message of the library may repeat a field, which may be a key.
      const line = typeof error.lines === 'number' ? error.lines : 1;
      throw invalid(line, FAULTS[error.code] ?? 'it is not CSV (RFC 4180)');
    }
    throw error;
  }
}

const FAULTS: Readonly<Partial<Record<string, string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a separator must follow a closing quotation mark',
  INVALID_OPENING_QUOTE: 'a quotation mark within a field: enclose the field in them, and double it',
  CSV_MAX_RECORD_SIZE: `a line has more than ${MAX_LINE} characters`,
};

function columnsOf({ record, info }: CsvRecord): readonly Column[] {
  if (/^sep=/i.test(record[0]?.trim() ?? '')) {
    throw invalid(
      info.lines,
      `'sep=' is a note for spreadsheets: take the line out, the header must be first`,
    );
  }
  const columns = record.map(csvText).map((text, index) => {
    if (text.trim() === '') {
      throw invalid(
        info.lines,
        `column ${index + 1} of the header has no name: name it, or take out its separator in every line`,
      );
    }
    const column = COLUMNS.find((known) => known === text.trim().toLowerCase());
    if (column === undefined) {
      throw invalid(info.lines, `the header has an unknown column; known are ${COLUMNS.join(', ')}`);
    }
    return column;
  });
  if (new Set(columns).size < columns.length) {
    throw invalid(info.lines, 'the header has a column twice');
  }
  if (!columns.includes('serial') || columns.includes('key') === columns.includes('key_base32')) {
    throw invalid(info.lines, 'the header needs the columns serial and either key or key_base32');
  }
  return columns;
}

function readRecord(
  { record, info }: CsvRecord,
  columns: readonly Column[],
  separator: string,
): ImportedKey | UnreadableKey {
  const place = `line ${info.lines}`;
  // No table of ours has PINs: an apostrophe in one is the user's.
  const row = Object.fromEntries(
    columns.map((column, index) => {
      const cell = record[index] ?? '';
      return [column, column === 'pin' || column === 'ocra_pin' ? formulaText(cell) : csvText(cell)];
    }),
  );
  const serial = (row.serial ?? '').trim();
  try {
    assertFields(record, columns, separator);
    assertAsTyped(row);
    return { place, serial, ...readKey(row) };
  } catch (error) {
    if (error instanceof FaultyLine) {
      return { place, serial, fault: error.message };
    }
    throw error;
  }
}

/** @throws FaultyLine for a line of other fields than the header has, with what it comes from where that is plain */
function assertFields(record: readonly string[], columns: readonly Column[], separator: string): void {
  if (record.every((text) => text.trim() === '')) {
    throw new FaultyLine('it has nothing but separators: take it out');
  }
  if (record.length === columns.length) {
    return;
  }
  const fields = `it has ${record.length} fields, the header ${columns.length}`;
  if (record.slice(columns.length).some((text) => text.trim() !== '')) {
    throw new FaultyLine(`${fields}: enclose a field that has the separator in quotation marks`);
  }
  if (record.length > columns.length) {
    throw new FaultyLine(`${fields}: take out the separators at its end`);
  }
  const other = SEPARATORS.find((each) => each !== separator && record[0]?.includes(each) === true);
  throw new FaultyLine(
    other === undefined
      ? fields
      : `${fields}: separate it as the header, by ${nameOf(separator)}, not by ${nameOf(other)}`,
  );
}

function nameOf(separator: string): string {
  return separator === '\t' ? 'a tabulator' : `'${separator}'`;
}

/** A spreadsheet loses digits of long numbers: no such value can be put right here. */
function assertAsTyped(row: KeyRow): void {
  const rewritten = COLUMNS.find((column) => {
    const text = row[column]?.trim() ?? '';
    const isRounded = column === 'key' && ROUNDED_KEY.test(text);
    return isRounded || (column !== 'description' && SPREADSHEET_NUMBER.test(text));
  });
  if (rewritten !== undefined) {
    throw new FaultyLine(
      `a spreadsheet has made a number of the ${rewritten}, such as 1.23E+12: ` +
        'give the column the format text, fill it in from the original and export it anew',
    );
  }
}

class FaultyLine extends Error {}

function readKey(row: KeyRow): Omit<ImportedKey, 'place' | 'serial'> {
  const text = (column: Column): string | undefined => {
    const value = row[column]?.trim() ?? '';
    return value === '' ? undefined : value;
  };
  const base32 = text('key_base32');
  return {
    algorithm: ALGORITHM + (text('type') ?? 'ocra').toLowerCase(),
    suite: text('suite'),
    secret: base32 === undefined ? hexKey(text('key') ?? '') : base32Key(base32),
    counter: counterOf(text('counter')),
    ...withoutEmpty({
      description: text('description'),
      user: text('user'),
      realm: text('realm'),
      // Blanks may belong to a PIN.
      pin: row.pin,
      ocraPin: row.ocra_pin,
    }),
  };
}

function withoutEmpty<Name extends string>(
  texts: Readonly<Record<Name, string | undefined>>,
): Partial<Record<Name, string>> {
  const filled = Object.entries(texts).filter(([, text]) => text !== undefined && text !== '');
  return Object.fromEntries(filled) as Partial<Record<Name, string>>;
}

function hexKey(text: string): Buffer {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) {
    throw new FaultyLine('the key must be hexadecimal digits, an even number of them');
  }
  return Buffer.from(text, 'hex');
}

/** Blanks between groups, lower case and the padding are what people and programs write. */
function base32Key(text: string): Buffer {
  try {
    return Buffer.from(base32nopad.decode(text.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase()));
  } catch {
    throw new FaultyLine('the key must be base32 (RFC 4648)');
  }
}

function counterOf(text: string | undefined): bigint | undefined {
  if (text === undefined) {
    return undefined;
  }
  const counter = /^\d{1,19}$/.test(text) ? BigInt(text) : MAX_STORED_COUNTER + 1n;
  if (counter > MAX_STORED_COUNTER) {
    throw new FaultyLine('the counter must be a whole number below 2^63');
  }
  return counter;
}

function invalid(line: number, message: string): ServiceError {
  return new ServiceError('key-file.invalid', `The key file is wrong in line ${line}: ${message}`);
}
