import { constants, type Stats } from 'node:fs';
import {
  appendFile,
  type FileHandle,
  mkdir,
  open,
  readFile,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Random } from '../kernel/clock.ts';
import { ServiceError, isServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import {
  type FoundKeys,
  KEY_LENGTH,
  keyIdOf,
  type KeySource,
  neededKeys,
  newKey,
  keysNotReady,
  type RegisteredKey,
} from './vault.ts';

interface KeyFile {
  /** In the order of their lines: the newest last. At least one. */
  readonly keys: readonly Buffer[];
  /** Faults that operators should correct, in words for the log. */
  readonly warnings: readonly string[];
}

const MAX_BYTES = 64 * 1024;
const WRITABLE_BY_OTHERS = 0o022;
const READABLE_BY_ALL = 0o004;
const READABLE_BY_GROUP = 0o040;

/**
 * Reads a key file: text, a base64 key of 32 bytes a line, the newest last, `#` begins a comment. A file that
 * others may write is refused, as they could add their own key; a file that others may read is used with a warning, as
 * mounted secrets of containers often are.
 * @returns undefined when there is no such file
 * @throws ServiceError 'key.unavailable' that names the file and its fault, never its content
 */
export async function readKeyFile(file: string): Promise<KeyFile | undefined> {
  const handle = await openForReading(file);
  if (handle === undefined) {
    return undefined;
  }
  try {
    const stats = await handle.stat();
    assertFile(stats, file);
    const keys = readKeys(await handle.readFile('utf8'), file);
    const warning = `the key file ${file} can be read by others (mode ${(stats.mode & 0o777).toString(8)}); chmod go-r mends that, for a mounted Secret defaultMode: 0440`;
    return { keys, warnings: isReadableByOthers(stats) ? [warning] : [] };
  } finally {
    await handle.close();
  }
}

/**
 * Makes a key and a file that only its owner may read; also its folder if that does not exist.
 * @throws ServiceError 'key.unavailable' when it cannot be written, or exists already: nothing is ever overwritten
 */
export async function createKeyFile(file: string, random: Random): Promise<Buffer> {
  const key = random.bytes(KEY_LENGTH);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, fileText(key), { flag: 'wx', mode: 0o600, flush: true }).catch(
      async (error: unknown) => {
        if (reasonOf(error) !== 'EEXIST') {
          // The new file may be incomplete: left behind, it would prevent the next start.
          await unlink(file).catch(() => undefined);
        }
        throw error;
      },
    );
    await syncFolder(dirname(file));
  } catch (cause) {
    throw unusable(file, `it cannot be made (${reasonOf(cause)})`, cause);
  }
  return key;
}

/**
 * Adds a new key at the end of a key file, durably, and reads it back.
 * @throws ServiceError 'key.unavailable' that names the file
 */
export async function appendKey(file: string, random: Random): Promise<Buffer> {
  const key = random.bytes(KEY_LENGTH);
  try {
    const text = await readFile(file, 'utf8');
    await appendFile(file, `${text.endsWith('\n') ? '' : '\n'}${keyLines(key)}`, { flush: true });
  } catch (cause) {
    throw unusable(file, `it cannot be written (${reasonOf(cause)})`, cause);
  }
  const written = await readKeyFile(file);
  if (written?.keys.some((one) => one.equals(key)) !== true) {
    throw unusable(file, 'the new key is not in it after it was written');
  }
  return key;
}

async function openForReading(file: string): Promise<FileHandle | undefined> {
  try {
    // Without O_NONBLOCK, a named pipe would block the start for ever.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    if (reasonOf(cause) === 'ENOENT') {
      return undefined;
    }
    throw unusable(file, `it cannot be opened (${reasonOf(cause)})`, cause);
  }
}

function assertFile(stats: Stats, file: string): void {
  const mode = stats.mode & 0o777;
  if (!stats.isFile()) {
    throw unusable(file, 'it is not a regular file');
  }
  if ((mode & WRITABLE_BY_OTHERS) !== 0) {
    throw unusable(file, `others may write it (mode ${mode.toString(8)}); chmod go-w mends that`);
  }
  if (stats.size > MAX_BYTES) {
    throw unusable(file, `it has more than ${MAX_BYTES} bytes`);
  }
}

/**
 * @param user the user of this process; another's file may be given to it by its group, as Kubernetes does with a Secret
 * @returns whether others may read the file
 */
export function isReadableByOthers(
  { mode, uid }: Pick<Stats, 'mode' | 'uid'>,
  user: number | undefined = process.getuid?.(),
): boolean {
  return (mode & READABLE_BY_ALL) !== 0 || ((mode & READABLE_BY_GROUP) !== 0 && uid === user);
}

function readKeys(text: string, file: string): readonly Buffer[] {
  const keys = new Map<string, Buffer>();
  text.split('\n').forEach((line, index) => {
    const content = line.replace(/#.*$/, '').trim();
    if (content === '') {
      return;
    }
    // 32 bytes are 43 characters and one of padding.
    if (!/^[A-Za-z0-9+/]{43}=$/.test(content)) {
      throw unusable(file, `its line ${index + 1} is not a base64 key of ${KEY_LENGTH} bytes`);
    }
    const key = Buffer.from(content, 'base64');
    keys.set(keyIdOf(key), key);
  });
  if (keys.size === 0) {
    throw unusable(file, 'it holds no key');
  }
  return [...keys.values()];
}

/** @returns the lines of one key: a comment with its id, and the key */
function keyLines(key: Buffer): string {
  return `# Key ${keyIdOf(key)}\n${key.toString('base64')}\n`;
}

function fileText(key: Buffer): string {
  return [
    "# Seals the secrets in tankeeper's database: who has it can read them, without it nobody can.",
    '# Keep a copy in a safe place, and not with the backups of the database.',
    keyLines(key),
  ].join('\n');
}

/** Makes the file's entry in its folder durable, so that it survives a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown fault';
}

/** @returns a ServiceError 'key.unavailable' with file and reason */
function unusable(file: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('key.unavailable', `The key file ${file} cannot be used: ${reason}`, { cause });
}

/** The key file as the operating system shows it. */
export interface KeyFileAccess {
  readonly path: string;
  /** Permission bits; undefined: there is no such file, or it cannot be looked at. */
  readonly mode: number | undefined;
  readonly isReadableByOthers: boolean;
  /** Permission bits of its folder; undefined as above. */
  readonly folderMode: number | undefined;
}

const PERMISSIONS = 0o7777;

/** @returns the permissions of a key file and of its folder */
export async function readKeyFileAccess(path: string): Promise<KeyFileAccess> {
  const [stats, folder] = await Promise.all([statsOf(path), statsOf(dirname(path))]);
  return {
    path,
    mode: stats === undefined ? undefined : stats.mode & PERMISSIONS,
    isReadableByOthers: stats !== undefined && isReadableByOthers(stats),
    folderMode: folder === undefined ? undefined : folder.mode & PERMISSIONS,
  };
}

async function statsOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/** The keys of an installation without a hardware module: a key file. */
export class KeyFileKeys implements KeySource {
  readonly place: string;
  readonly #file: string;
  readonly #random: Random;

  constructor({ file, random }: { readonly file: string; readonly random: Random }) {
    this.place = `the key file ${file}`;
    this.#file = file;
    this.#random = random;
  }

  /** A database without keys gets the newest of the file; where there is no file either, one is made. */
  async open(registered: readonly RegisteredKey[], log: Log): Promise<FoundKeys> {
    const file = this.#file;
    const found = await readKeyFile(file);
    assertHolds(file, found?.keys, neededKeys(registered));
    found?.warnings.forEach((warning) => {
      log.warn(warning);
    });
    const keys = found?.keys ?? [await createKeyFile(file, this.#random)];
    if (found === undefined) {
      log.info(
        'A new encryption key was made: keep a copy of the key file in a safe place, apart from the database',
      );
    }
    if (registered.length === 0) {
      return { keys, added: keys.slice(-1).map((key) => newKey(key, this.#random)) };
    }
    for (const keyId of keys.map(keyIdOf).filter((id) => !isAmong(registered, id))) {
      log.warn(
        `the key file ${file} holds the key ${keyId}, which the database does not know; 'tankeeper key add' registers it`,
      );
    }
    return { keys, added: [] };
  }

  async read(): Promise<readonly Uint8Array[]> {
    try {
      const found = await readKeyFile(this.#file);
      if (found === undefined) {
        throw keysNotReady('the key file is missing', this.#file);
      }
      return found.keys;
    } catch (error) {
      // The message about an unusable key file names its path.
      throw isServiceError(error, 'key.unavailable')
        ? keysNotReady('the key file cannot be used', error.message, error)
        : error;
    }
  }

  async provide(registered: readonly RegisteredKey[]): ReturnType<KeySource['provide']> {
    const found = await readKeyFile(this.#file);
    if (found === undefined) {
      throw unusable(this.#file, 'it is missing');
    }
    const waiting = found.keys.find((key) => !isAmong(registered, keyIdOf(key)));
    const key = waiting ?? (await appendKey(this.#file, this.#random));
    return { ...newKey(key, this.#random), isMade: waiting === undefined };
  }
}

function isAmong(registered: readonly RegisteredKey[], id: string): boolean {
  return registered.some(({ keyId }) => keyId === id);
}

/** @throws ServiceError 'key.unavailable' that names the file, and the needed and found keys */
function assertHolds(
  file: string,
  keys: readonly Buffer[] | undefined,
  needed: readonly RegisteredKey[],
): void {
  const found = (keys ?? []).map(keyIdOf);
  const missing = needed.map(({ keyId }) => keyId).filter((keyId) => !found.includes(keyId));
  if (missing.length > 0) {
    throw new ServiceError(
      'key.unavailable',
      `The database needs the encryption ${listKeys(missing)}, and ` +
        (keys === undefined
          ? `there is no key file ${file}. ${wayOut(needed)}; nothing was written.`
          : `the key file ${file} holds the ${listKeys(found)}. Nothing was written.`),
    );
  }
}

/** Suggests a remedy for a missing file: keys wrapped by a security module still exist. */
function wayOut(registered: readonly RegisteredKey[]): string {
  const by = registered.find(({ wrapped }) => wrapped !== undefined)?.wrapped?.by;
  return by === undefined
    ? 'Restore it from its safe copy'
    : `What is needed is wrapped by ${by}: set SECURITY_MODULE=pkcs11`;
}

function listKeys(keyIds: readonly string[]): string {
  return `${keyIds.length === 1 ? 'key' : 'keys'} ${keyIds.join(', ')}`;
}
