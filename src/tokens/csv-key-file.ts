import { base32nopad } from '@scure/base';
import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { ServiceError } from '../kernel/errors.ts';
import { type ImportedKey, type KeyFileReader, wrongFile, wrongShape } from './key-file.ts';
import { MAX_STORED_COUNTER } from './token.ts';

const MAX_KEYS = 100_000;
/** Characters of a line. */
const MAX_LINE = 16_384;
/** The names of RFC 6030 §10 and of the OCRA profile begin with it. */
const ALGORITHM = 'urn:ietf:params:xml:ns:keyprov:pskc:';
/** A formula, a number as a spreadsheet shows it, or a column too narrow for it: the serial is another one. */
const REWRITTEN = /^(?:[=']|\d+(?:[.,]\d+)?E[+-]\d+$|#+$)/i;

const cell = z
  .string()
  .trim()
  .transform((value) => (value === '' ? undefined : value))
  .optional();
/** Blanks may belong to a PIN. */
const pin = z
  .string()
  .transform((value) => (value === '' ? undefined : value))
  .optional();

const row = z.strictObject({
  serial: z
    .string()
    .trim()
    .refine((value) => !REWRITTEN.test(value), {
      error: 'a spreadsheet has rewritten it: give the column the format text and fill it in anew',
    }),
  key: z
    .string()
    .trim()
    .regex(/^(?:[0-9a-f]{2})+$/i, 'must be hexadecimal digits, an even number of them')
    .transform((value) => Buffer.from(value, 'hex'))
    .optional(),
  key_base32: z.string().transform(base32Key).optional(),
  type: cell,
  suite: cell,
  otplen: cell,
  timestep: cell,
  hashlib: cell,
  counter: cell
    .refine((value = '0') => /^\d{1,19}$/.test(value) && BigInt(value) <= MAX_STORED_COUNTER, {
      error: 'must be a whole number below 2^63',
    })
    .transform((value) => (value === undefined ? undefined : BigInt(value))),
  description: cell,
  pin,
  ocra_pin: pin,
  user: cell,
  realm: cell,
});
type Row = z.output<typeof row>;
const COLUMNS = Object.keys(row.shape);
/** Those of a table without a header line, as LinOTP documents it. */
const OATH_COLUMNS = ['serial', 'key', 'type', 'otplen', 'timestep', 'hashlib'];
/** Its first line: a serial and a key. */
const OATH_LINE = /^[^,;\t]+[,;\t]\s*"?(?:[0-9a-f]{2}){10,}"?\s*(?:[,;\t]|$)/i;
/** The hash function of its lines that name none, by the bytes of the key; else sha1. */
const OATH_HASHES: Readonly<Record<number, string>> = { 32: 'sha256', 64: 'sha512' };

/**
 * Reads tables of keys in CSV (RFC 4180) with a header line, or without one in the order of `OATH_COLUMNS`. The separator
 * is a comma; a semicolon or a tabulator, if the first line has no comma.
 */
export const csvKeyFileReader: KeyFileReader = {
  read: (text, { preSharedKey, password }) => {
    if (preSharedKey !== undefined || password !== undefined) {
      throw new ServiceError(
        'key-file.secret',
        'A CSV file is not encrypted: leave the key and password out',
      );
    }
    const [first = ''] = text.replace(/^[\ufeff\r\n]+/, '').split(/[\r\n]/, 1);
    const isOath = OATH_LINE.test(first);
    const records = recordsOf(text, first, isOath);
    if (records.length === 0 || records.length > MAX_KEYS) {
      throw wrongFile(`there must be a header line and 1 to ${MAX_KEYS} lines with keys`);
    }
    const places = records.map(({ info }) => `line ${info.lines}`);
    const rows = z.array(row).safeParse(records.map(({ record }) => record));
    if (!rows.success) {
      throw wrongShape(rows.error, ([index, ...column]) => [places[Number(index)], ...column].join(', '));
    }
    return Promise.resolve(
      rows.data.map((each, index) => keyOf(isOath ? oathRow(each) : each, places[index] ?? '')),
    );
  },
};

function keyOf({ key, key_base32, type = 'ocra', ocra_pin, ...rest }: Row, place: string): ImportedKey {
  const secret = key ?? key_base32 ?? Buffer.alloc(0);
  return { ...rest, place, algorithm: ALGORITHM + type.toLowerCase(), secret, ocraPin: ocra_pin };
}

/** An OCRA key has its suite in place of the digits. */
function oathRow({ type = 'hotp', otplen, ...line }: Row): Row {
  const { hashlib = OATH_HASHES[line.key?.length ?? 0] } = line;
  return type.toLowerCase() === 'ocra'
    ? { ...line, type, suite: otplen }
    : { ...line, type, otplen, hashlib };
}

/** A record, and the line that it ends in. */
interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

function recordsOf(text: string, first: string, isOath: boolean): readonly CsvRecord[] {
  try {
    return parse(text, {
      bom: true,
      columns: isOath ? OATH_COLUMNS : columnsOf,
      relax_column_count_less: isOath,
      delimiter: [',', ';', '\t'].find((separator) => first.includes(separator)) ?? ',',
      info: true,
      max_record_size: MAX_LINE,
      skip_empty_lines: true,
    }) as unknown as readonly CsvRecord[];
  } catch (error) {
    if (error instanceof CsvError) {
      // The message of the library may repeat a field, which may be a key.
      throw wrongFile(
        `line ${Number(error.lines)} is not CSV (RFC 4180), has other fields than the header, or is too long`,
      );
    }
    throw error;
  }
}

function columnsOf(header: readonly string[]): string[] {
  const columns = header.map((name) => name.trim().toLowerCase());
  const isKnown = columns.every((name, index) => COLUMNS.includes(name) && columns.indexOf(name) === index);
  if (!isKnown || !columns.includes('serial') || columns.includes('key') === columns.includes('key_base32')) {
    throw wrongFile(
      `the header needs the columns serial and either key or key_base32, and may have, each once, ${COLUMNS.join(', ')}`,
    );
  }
  return columns;
}

/** Blanks between groups, lower case and the padding are what people and programs write. */
function base32Key(value: string, context: z.RefinementCtx<string>): Buffer {
  try {
    return Buffer.from(base32nopad.decode(value.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase()));
  } catch {
    context.addIssue('must be base32 (RFC 4648)');
    return z.NEVER;
  }
}
