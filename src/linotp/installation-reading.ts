import {
  faultOfLength,
  importRefused,
  type LinotpSource,
  shortened,
  type SourceRow,
  textOf,
  wholeOf,
} from './linotp-source.ts';
import { type EncryptionKey, UnreadableSecret } from './secrets.ts';

/** The encoding of the texts of a database; `auto` finds out. */
export type TextEncoding = 'auto' | 'utf8' | 'double-utf8';

/** The small tables of a LinOTP database, and what tells how to read the others. */
export interface LinotpInstallation {
  readonly config: ConfigTable;
  /** Names of realms by their ids, in lower case. */
  readonly realmNames: ReadonlyMap<number, string>;
  readonly users: readonly SourceRow[];
  readonly repair: TextRepair;
  /** The same for binary columns, which no connection encodes twice. */
  readonly repairBinary: TextRepair;
  /** Differences from an ordinary database, for people. */
  readonly notes: readonly string[];
}

/** 2.x without a version, up to 3.2.3 (LinOTP 3.4.4). */
const KNOWN_MODELS = /^(?:|2\.\d+(?:\.\d+)*|3\.[0-2](?:\.\d+)*)$/;
const MODEL = 'linotp.sql_data_model_version';
const SECRET_KEY = 'linotp.SecretKey.Partition.0';
const SECRET_KEY_BYTES = 64;
/** Tokens that are tried with a database that has no other known secret. */
const TRIED_TOKENS = 20;
/** Text columns of Token that people write. */
const WRITTEN = ['linotptokendesc', 'linotptokeninfo', 'linotpuserid', 'linotptokenserialnumber'];

/**
 * Reads the small tables, and proves that the key file belongs to the database.
 * @throws ServiceError 'import.refused' for another database, an unknown version, another key file
 */
export async function readInstallation(
  source: LinotpSource,
  encryptionKey: EncryptionKey,
  encoding: TextEncoding,
): Promise<LinotpInstallation> {
  if (!source.has('Token') || !source.has('Config')) {
    throw importRefused('This is not a database of LinOTP: it has no tables Token and Config');
  }
  const configRows = await allRows(source.rows('Config'));
  const raw = (key: string): string =>
    textOf(configRows.find((row) => textOf(row, 'key') === key) ?? {}, 'value').trim();
  assertModel(raw(MODEL));
  const isEscaped = raw('linotp.uencode_data').toLowerCase() === 'true';
  const isDouble = await isDoubleUtf8(source, configRows, encoding);
  const unescape = isEscaped ? undoUnicodeEscapes : unchanged;
  const repair: TextRepair = isDouble ? (text) => unescape(repairDoubleUtf8(text)) : unescape;
  const config = readConfigTable(configRows, encryptionKey, repair);
  await assertKey(source, config, encryptionKey);
  return {
    config,
    realmNames: new Map(
      (await allRows(source.rows('Realm'))).map((row) => [
        wholeOf(row, 'id') ?? 0,
        repair(textOf(row, 'name')).trim().toLowerCase(),
      ]),
    ),
    users: await allRows(source.rows('imported_user')),
    repair,
    repairBinary: unescape,
    notes: [
      ...(isDouble ? ['The texts of the database are encoded twice (latin1 connection): undone'] : []),
      ...(isEscaped ? ['The texts of the database are escaped (uencode_data): undone'] : []),
    ],
  };
}

function assertModel(version: string): void {
  if (!KNOWN_MODELS.test(version)) {
    throw importRefused(
      `The version ${version.slice(0, 40)} of the database is unknown: 2.x to 3.2 can be imported (LinOTP up to 3.4)`,
    );
  }
}

/** Only connections to MySQL have encoded texts twice. */
async function isDoubleUtf8(
  source: LinotpSource,
  configRows: readonly SourceRow[],
  encoding: TextEncoding,
): Promise<boolean> {
  if (encoding !== 'auto' || source.dialect !== 'mysql') {
    return encoding === 'double-utf8';
  }
  // All texts with other characters than ASCII must have been encoded twice, and there must be one.
  let foreign = 0;
  const isOnce = (text: string): boolean => {
    const isForeign = /\P{ASCII}/u.test(text);
    foreign += isForeign ? 1 : 0;
    return isForeign && decodedTwice(text) === undefined;
  };
  if (configRows.some((row) => isOnce(textOf(row, 'value')))) {
    return false;
  }
  for await (const rows of source.rows('Token')) {
    if (rows.some((row) => WRITTEN.some((column) => isOnce(textOf(row, column))))) {
      return false;
    }
  }
  return foreign > 0;
}

/** A wrong key would make every secret unreadable, so nothing is read with it. */
async function assertKey(
  source: LinotpSource,
  config: ConfigTable,
  encryptionKey: EncryptionKey,
): Promise<void> {
  const known = config.get(SECRET_KEY);
  const opens =
    known === undefined
      ? await opensSomeToken(source, encryptionKey)
      : known.fault === undefined && Buffer.from(known.value, 'base64').length === SECRET_KEY_BYTES;
  if (!opens) {
    throw importRefused(
      'The key file does not open this database: it is not the plain encKey of this installation. If it is wrapped ' +
        'under a password, unwrap it first. If the keys are in a hardware security module, they cannot leave it: ' +
        'switch LinOTP to the default security module first, or enrol the tokens anew',
    );
  }
}

async function opensSomeToken(source: LinotpSource, encryptionKey: EncryptionKey): Promise<boolean> {
  let tried = 0;
  for await (const rows of source.rows('Token')) {
    const encrypted = rows.filter(
      (row) => textOf(row, 'linotpkeyenc') !== '' && textOf(row, 'linotpkeyiv').length === 32,
    );
    for (const row of encrypted) {
      if (opensToken(row, encryptionKey)) {
        return true;
      }
      tried += 1;
      if (tried >= TRIED_TOKENS) {
        return false;
      }
    }
  }
  return tried === 0;
}

function opensToken(row: SourceRow, encryptionKey: EncryptionKey): boolean {
  try {
    encryptionKey.decrypt('token', textOf(row, 'linotpkeyiv'), textOf(row, 'linotpkeyenc'));
    return true;
  } catch (error) {
    if (error instanceof UnreadableSecret) {
      return false;
    }
    throw error;
  }
}

async function allRows(batches: AsyncIterable<readonly SourceRow[]>): Promise<readonly SourceRow[]> {
  const all: (readonly SourceRow[])[] = [];
  for await (const batch of batches) {
    all.push(batch);
  }
  return all.flat();
}

/** A value of LinOTP's table Config, joined and decrypted. */
export interface ConfigValue {
  /** With the prefix `linotp.`. */
  readonly key: string;
  readonly value: string;
  /** Empty: none is given. */
  readonly type: string;
  readonly description: string;
  readonly isSecret: boolean;
  /** The reason for which the value could not be read; the value is then empty. */
  readonly fault?: string;
}

export type ConfigTable = ReadonlyMap<string, ConfigValue>;

type StoredValue = Omit<ConfigValue, 'isSecret'>;

/** Types of encrypted values. The form of a value proves nothing: one constant looks encrypted and is not. */
const SECRET_TYPES = ['encrypted_data', 'password'];
/** Part i of N of a long value: `key__[i:N]`. */
const PART = /^(.*)__\[(\d+):(\d+)\]$/s;

/** @returns the values by key: long ones joined, encrypted ones decrypted */
function readConfigTable(
  rows: readonly SourceRow[],
  encryptionKey: EncryptionKey,
  repair: TextRepair,
): ConfigTable {
  const stored = rows.map((row) => readRow(row, repair));
  const parts = new Map<string, StoredValue[]>();
  const whole: StoredValue[] = [];
  for (const one of stored) {
    const key = PART.exec(one.key)?.[1];
    if (key === undefined) {
      whole.push(one);
    } else {
      parts.set(key, [...(parts.get(key) ?? []), one]);
    }
  }
  const joined = whole.map((one) => join(one, parts.get(one.key) ?? []));
  return new Map(joined.map((one) => [one.key, decrypt(one, encryptionKey)]));
}

function readRow(row: SourceRow, repair: TextRepair): StoredValue {
  const key = repair(textOf(row, 'key'));
  const fault = faultOfLength(row, { key: MAX_KEY_LENGTH });
  if (fault !== undefined) {
    // A key that is too long belongs to nothing: not to the resolver or the policy that it begins with.
    const known = key.length > MAX_KEY_LENGTH ? `…${shortened(key)}` : key;
    return { key: known, value: '', type: '', description: '', fault };
  }
  return {
    key,
    value: repair(textOf(row, 'value')),
    type: textOrEmpty(textOf(row, 'type')),
    description: textOrEmpty(repair(textOf(row, 'description'))),
  };
}

/** Of LinOTP's column. */
const MAX_KEY_LENGTH = 255;

/** LinOTP stores an absent text as its Python name. */
function textOrEmpty(text: string): string {
  return text === 'None' ? '' : text;
}

/** The last part has the type and the description of the value. */
function join(first: StoredValue, parts: readonly StoredValue[]): StoredValue {
  if (first.type !== 'C' || !/^0:\d+$/.test(first.description)) {
    return first;
  }
  const inOrder = [...parts].sort((one, other) => placeOf(one) - placeOf(other));
  const value = [first, ...inOrder].map((one) => one.value).join('');
  const { type = '', description = '' } = inOrder.at(-1) ?? {};
  const fault = faultOfParts(inOrder, Number(first.description.slice(2)), value.length);
  return fault === undefined
    ? { key: first.key, value, type, description }
    : { key: first.key, value: '', type, description, fault };
}

/** @param expected the number of parts after the first one */
function faultOfParts(parts: readonly StoredValue[], expected: number, length: number): string | undefined {
  const last = parts.at(-1);
  const isComplete = last !== undefined && placeOf(last) === expected && parts.length === expected;
  if (!isComplete) {
    return `parts of the long value are missing: ${parts.length} of ${expected}`;
  }
  const fault = parts.find((one) => one.fault !== undefined)?.fault;
  return (
    fault ?? (length > MAX_JOINED_LENGTH ? `it has more than ${MAX_JOINED_LENGTH} characters` : undefined)
  );
}

/** The longest value that is read here is a certificate. */
const MAX_JOINED_LENGTH = 262_144;

function placeOf({ key }: StoredValue): number {
  return Number(PART.exec(key)?.[2] ?? 0);
}

function decrypt(one: StoredValue, encryptionKey: EncryptionKey): ConfigValue {
  const isSecret = SECRET_TYPES.includes(one.type);
  if (one.fault !== undefined || !isSecret) {
    return { ...one, isSecret };
  }
  try {
    return {
      ...one,
      isSecret,
      value: encryptionKey.decryptPair('configuration', one.value).toString('utf8'),
    };
  } catch (error) {
    if (error instanceof UnreadableSecret) {
      return { ...one, isSecret, value: '', fault: `does not decrypt: ${error.message}` };
    }
    throw error;
  }
}

/** Undoes an encoding of texts that depends on the whole database. */
export type TextRepair = (text: string) => string;

/** The characters of the bytes 80 to 9F in Windows-1252, undefined ones as themselves. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const FIRST_SPECIAL = 0x80;

const unchanged: TextRepair = (text) => text;

/**
 * Undoes UTF-8 that a latin1 connection encoded a second time (`Ã¼` for `ü`), the old default of MySQL.
 * @returns undefined for a text that was not encoded twice; an ASCII text is its own repair
 */
function decodedTwice(text: string): string | undefined {
  const bytes: number[] = [];
  for (const character of text) {
    const special = WINDOWS_1252.indexOf(character);
    const code = special < 0 ? (character.codePointAt(0) ?? 0) : FIRST_SPECIAL + special;
    if (code > 0xff) {
      return undefined;
    }
    bytes.push(code);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** Undoes the second encoding. Leaves texts that were encoded once. */
const repairDoubleUtf8: TextRepair = (text) => decodedTwice(text) ?? text;

/** Undoes `linotp.uencode_data`: the text is the inside of a JSON string. */
const undoUnicodeEscapes: TextRepair = (text) => {
  if (!text.includes('\\')) {
    return text;
  }
  try {
    const parsed: unknown = JSON.parse(`"${text}"`);
    return typeof parsed === 'string' ? parsed : text;
  } catch {
    return text;
  }
};
