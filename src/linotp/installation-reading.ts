import { importRefused } from './import-refused.ts';
import { readConfigTable, type ConfigTable } from './config-table.ts';
import { type EncryptionKey, UnreadableSecret } from './encryption-key.ts';
import { readRealmTable } from './realm-mapping.ts';
import { type LinotpSource, type SourceRow, textOf } from './linotp-source.ts';
import {
  DoubleUtf8Detector,
  repairDoubleUtf8,
  type TextRepair,
  unchanged,
  undoUnicodeEscapes,
} from './text-repair.ts';

/** The encoding of the texts of a database; `auto` finds out. */
export type TextEncoding = 'auto' | 'utf8' | 'double-utf8';

/** The small tables of a LinOTP database, and what tells how to read the others. */
export interface LinotpInstallation {
  readonly config: ConfigTable;
  /** Names of realms by their ids. */
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
    realmNames: readRealmTable(await allRows(source.rows('Realm')), repair),
    users: await allRows(source.rows('imported_user')),
    repair,
    repairBinary: unescape,
    notes: [
      ...source.notes,
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
  const detector = new DoubleUtf8Detector();
  for (const row of configRows) {
    detector.note(textOf(row, 'value'));
  }
  for await (const rows of source.rows('Token')) {
    for (const row of rows) {
      for (const column of WRITTEN) {
        detector.note(textOf(row, column));
      }
    }
  }
  return detector.isDouble;
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
    for (const row of rows.filter((one) => isEncrypted(one))) {
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

function isEncrypted(row: SourceRow): boolean {
  return textOf(row, 'linotpkeyenc') !== '' && textOf(row, 'linotpkeyiv').length === 32;
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
