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
/** The longest line in bytes: several times the longest row. */
const MAX_LINE_LENGTH = 64 * 1_048_576;
const LINE_FEED = 10;
/** The beginning of an error of the age library, whose errors have no codes. */
const NO_IDENTITY_MATCHED = 'no identity matched';

/**
 * Compresses backups (gzip) and encrypts them in the age format (age-encryption.org/v1), which the age command reads,
 * too. Text passes in lines without their ends, which the encryption adds and removes. Each chunk of 64 KiB is authenticated, with its place and whether it is the last one.
 */
export class BackupCipher {
  /** @throws ServiceError 'parameter.invalid' if a recipient is none */
  assertLock(lock: BackupLock): void {
    encrypterFor(lock);
  }

  /** @throws ServiceError as `assertLock` */
  async *encrypt(lines: AsyncIterable<string>, lock: BackupLock): AsyncGenerator<Uint8Array> {
    const encrypter = encrypterFor(lock);
    const compressed = streamOf(encodeLines(lines)).pipeThrough(new CompressionStream('gzip'));
    yield* await encrypter.encrypt(compressed as ReadableStream<Uint8Array>);
  }

  /** @throws ServiceError 'backup.invalid' if it does not open, or was changed or cut off; 'parameter.invalid' */
  async *decrypt(bytes: AsyncIterable<Uint8Array>, unlock: BackupUnlock): AsyncGenerator<string> {
    const decrypter = decrypterFor(unlock);
    const file = new BackupSource(bytes);
    try {
      const plain = await openWith(decrypter, await fromMagic(file.read()), unlock);
      const opened = streamOf(chunksOf(plain, 'it was changed or cut off'));
      const text = opened.pipeThrough(new DecompressionStream('gzip')) as ReadableStream<Uint8Array>;
      yield* linesOf(chunksOf(text, 'what it holds is no backup'));
    } catch (error) {
      throw file.fault ?? error;
    }
  }
}

/** Reads a file, and keeps the fault of the reading: it passes through streams that make another one of it. */
class BackupSource {
  readonly #bytes: AsyncIterable<Uint8Array>;
  #fault: unknown;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes;
  }

  get fault(): unknown {
    return this.#fault;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#bytes;
    } catch (error) {
      this.#fault = error;
      throw error;
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

async function* encodeLines(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) {
    const bytes = Buffer.from(`${line}\n`, 'utf8');
    if (bytes.length > MAX_LINE_LENGTH) {
      throw new Error(
        `a line of the backup is longer than ${MAX_LINE_LENGTH} bytes: it could not be restored`,
      );
    }
    yield bytes;
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

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let pending: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      yield decode(decoder, [...pending, chunk.subarray(from, end)]);
      pending = [];
      length = 0;
      from = end + 1;
    }
    pending.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_LENGTH) {
      throw backupInvalid('one of its lines is too long');
    }
  }
  if (length > 0) {
    throw backupInvalid('it ends too early');
  }
}

function decode(decoder: { decode(bytes: Uint8Array): string }, parts: readonly Uint8Array[]): string {
  try {
    return decoder.decode(Buffer.concat(parts));
  } catch (cause) {
    throw backupInvalid('it is no text in UTF-8', cause);
  }
}

function streamOf(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return ReadableStream.from(bytes);
}
