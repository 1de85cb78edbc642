import { Decrypter, Encrypter } from 'age-encryption';
import { CompressionStream, DecompressionStream, ReadableStream } from 'node:stream/web';
import { backupInvalid } from './backup-format.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';

/**
 * The encryption of a backup: by one passphrase, or for the holders of the secret halves of age recipients (`age1…`).
 */
export type BackupLock = { readonly passphrase: string } | { readonly recipients: readonly string[] };

/** The secrets that open a backup: its passphrase, or age identities (`AGE-SECRET-KEY-1…`), one of which must fit. */
export type BackupUnlock = { readonly passphrase: string } | { readonly identities: readonly string[] };

/** The first bytes of an age file. */
const MAGIC = 'age-encryption.org/v1\n';
/** The beginning of an error of the age library, whose errors have no codes. */
const NO_IDENTITY_MATCHED = 'no identity matched';

/**
 * Compresses backups (gzip) and encrypts them in the age format (age-encryption.org/v1), which the age command reads,
 * too. Each chunk of 64 KiB is authenticated, with its place and whether it is the last one.
 */
export class BackupCipher {
  /** @throws ServiceError 'parameter.invalid' if a recipient is none */
  assertLock(lock: BackupLock): void {
    encrypterFor(lock);
  }

  /** @throws ServiceError as `assertLock` */
  async *encrypt(plain: AsyncIterable<Uint8Array>, lock: BackupLock): AsyncGenerator<Uint8Array> {
    const encrypter = encrypterFor(lock);
    const compressed = streamOf(plain).pipeThrough(new CompressionStream('gzip'));
    yield* await encrypter.encrypt(compressed as ReadableStream<Uint8Array>);
  }

  /** @throws ServiceError 'backup.invalid' if it does not open, or was changed or cut off; 'parameter.invalid' */
  async *decrypt(bytes: AsyncIterable<Uint8Array>, unlock: BackupUnlock): AsyncGenerator<Uint8Array> {
    const decrypter = decrypterFor(unlock);
    // Kept, as the streams that it passes through make another one of it.
    let readFault: unknown;
    const file = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield* bytes;
      } catch (error) {
        readFault = error;
        throw error;
      }
    };
    try {
      const plain = await openWith(decrypter, await fromMagic(file()), unlock);
      const opened = streamOf(chunksOf(plain, 'it was changed or cut off'));
      const content = opened.pipeThrough(new DecompressionStream('gzip')) as ReadableStream<Uint8Array>;
      yield* chunksOf(content, 'what it holds is no backup');
    } catch (error) {
      throw readFault ?? error;
    }
  }
}

function encrypterFor(lock: BackupLock): Encrypter {
  const encrypter = new Encrypter();
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase);
    return encrypter;
  }
  for (const recipient of lock.recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      // Without the cause, and the secret half of a key pair is not quoted.
      const name = /^\s*AGE-SECRET-KEY/i.test(recipient) ? 'A secret key' : `'${recipient}'`;
      throw new ServiceError('parameter.invalid', `${name} is no recipient of age (age1…)`);
    }
  }
  return encrypter;
}

function decrypterFor(unlock: BackupUnlock): Decrypter {
  const decrypter = new Decrypter();
  if ('passphrase' in unlock) {
    decrypter.addPassphrase(unlock.passphrase);
    return decrypter;
  }
  for (const identity of unlock.identities) {
    try {
      decrypter.addIdentity(identity);
    } catch {
      // Without the cause: it may quote the secret.
      throw new ServiceError('parameter.invalid', 'The identity is none of age (AGE-SECRET-KEY-1…)');
    }
  }
  return decrypter;
}

/** @throws ServiceError 'backup.invalid' */
async function openWith(
  decrypter: Decrypter,
  source: AsyncIterable<Uint8Array>,
  unlock: BackupUnlock,
): Promise<ReadableStream<Uint8Array>> {
  try {
    return await decrypter.decrypt(streamOf(source));
  } catch (error) {
    if (isServiceError(error)) {
      throw error;
    }
    const isOther = error instanceof Error && error.message.startsWith(NO_IDENTITY_MATCHED);
    const reason =
      'passphrase' in unlock
        ? 'the passphrase is wrong, or it was encrypted for a recipient'
        : 'the identity is none of its recipients, or it was encrypted by a passphrase';
    throw backupInvalid(isOther ? reason : 'its first lines were changed or cut off', error);
  }
}

/** Looks at the beginning of a file: the age library reads a foreign one to its first line end, however far that is. */
async function fromMagic(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const pieces = bytes[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < MAGIC.length) {
    const next = await pieces.next();
    if (next.done === true) {
      break;
    }
    start = Buffer.concat([start, next.value]);
  }
  if (start.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    await pieces.return?.();
    throw backupInvalid('the file is no backup of tankeeper: it is not of the age format');
  }
  return withStart(start, pieces);
}

async function* withStart(start: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield start;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      yield next.value;
    }
  } finally {
    await pieces.return?.();
  }
}

/** @throws ServiceError 'backup.invalid' with this reason for faults of the stream itself */
async function* chunksOf(stream: AsyncIterable<Uint8Array>, reason: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw isServiceError(error) ? error : backupInvalid(reason, error);
  }
}

function streamOf(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return ReadableStream.from(bytes);
}
