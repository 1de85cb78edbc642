import { base64 } from '@scure/base';
import {
  MIN_ROUNDS,
  measuredRounds,
  MAX_ROUNDS,
  type PassphraseCost,
  passphraseKey,
} from './passphrase-key.ts';
import { readBackupContent } from './backup-content.ts';
import { type Bytes, randomBytes, seal, unseal, utf8 } from './sealing.ts';
import { type BackupContent, VaultError } from './vault.ts';

/** The largest file that is read, in bytes: thousands of tokens. */
export const MAX_BACKUP_BYTES = 5_000_000;

const FORMAT = 'tankeeper-backup';
const VERSION = 1;
const KDF = 'PBKDF2-HMAC-SHA256';
const CIPHER = 'AES-256-GCM';

/** The members of the file before its content; all of them are authenticated with it. */
type Header = PassphraseCost;

/** @returns the JSON text of a backup file */
export async function writeBackup(
  content: BackupContent,
  passphrase: string,
  stopwatch: () => number,
): Promise<string> {
  const header: Header = { salt: randomBytes(16), rounds: await measuredRounds(stopwatch) };
  const key = await passphraseKey(passphrase, header);
  const sealed = await seal(key, utf8(JSON.stringify(content)), contextOf(header));
  const file = {
    format: FORMAT,
    version: VERSION,
    kdf: { name: KDF, rounds: header.rounds, salt: base64.encode(header.salt) },
    cipher: CIPHER,
    content: base64.encode(sealed),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/**
 * Reads a backup file.
 * @throws VaultError 'backup-too-large', 'backup-invalid', 'backup-newer', 'backup-passphrase'
 */
export async function readBackup(text: string, passphrase: string): Promise<BackupContent> {
  if (text.length > MAX_BACKUP_BYTES) {
    throw new VaultError('backup-too-large');
  }
  const { sealed, ...header } = readFile(text);
  const plain = await unseal(await passphraseKey(passphrase, header), sealed, contextOf(header));
  if (plain === null) {
    throw new VaultError('backup-passphrase');
  }
  return readBackupContent(new TextDecoder().decode(plain));
}

function contextOf({ salt, rounds }: Header): string {
  return `${FORMAT} ${VERSION} ${KDF} ${rounds} ${base64.encode(salt)} ${CIPHER}`;
}

function readFile(text: string): Header & { readonly sealed: Bytes } {
  const file = parsed(text);
  if (file.format !== FORMAT || typeof file.version !== 'number') {
    throw new VaultError('backup-invalid');
  }
  if (file.version > VERSION) {
    throw new VaultError('backup-newer');
  }
  const kdf = membersOf(file.kdf);
  if (kdf.name !== KDF || file.cipher !== CIPHER) {
    throw new VaultError('backup-invalid');
  }
  return {
    salt: decoded(kdf.salt, 16, 64),
    rounds: checkedRounds(kdf.rounds),
    sealed: decoded(file.content, 12 + 16, MAX_BACKUP_BYTES),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text));
  } catch (cause) {
    throw new VaultError('backup-invalid', { cause });
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) {
    throw new VaultError('backup-invalid');
  }
  return value as Readonly<Record<string, unknown>>;
}

/** Few rounds would tell that somebody else has made the file; too many would hang the phone. */
function checkedRounds(rounds: unknown): number {
  if (!Number.isInteger(rounds) || Number(rounds) < MIN_ROUNDS || Number(rounds) > MAX_ROUNDS) {
    throw new VaultError('backup-invalid');
  }
  return Number(rounds);
}

function decoded(value: unknown, min: number, max: number): Bytes {
  try {
    const bytes = new Uint8Array(base64.decode(String(value)));
    if (bytes.length >= min && bytes.length <= max) {
      return bytes;
    }
  } catch (cause) {
    throw new VaultError('backup-invalid', { cause });
  }
  throw new VaultError('backup-invalid');
}
