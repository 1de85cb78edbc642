import { constants, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Random } from '../kernel/clock.ts';
import { ServiceError, isServiceError } from '../kernel/errors.ts';
import {
  KEY_LENGTH,
  keyIdOf,
  type KeyRegistration,
  type KeySource,
  neededKeys,
  type NewKey,
  type RegisteredKey,
  sealingKey,
  type Vault,
  opensCanary,
  sealCanary,
  SecretVault,
  assertHolds,
  notReady,
} from './vault.ts';

interface KeyFile {
  /** The current key first. At least one. */
  readonly keys: readonly Buffer[];
  /** Faults that operators should correct, in words for the log. */
  readonly warnings: readonly string[];
}

const MAX_BYTES = 64 * 1024;
const WRITABLE_BY_OTHERS = 0o022;
const READABLE_BY_ALL = 0o004;
const READABLE_BY_GROUP = 0o040;

/**
 * Reads a key file: text, a base64 key of 32 bytes a line, the current one first, `#` begins a comment. A file that
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
    return { keys, warnings: readabilityWarnings(file, stats) };
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
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(fileText(key));
      await handle.sync();
    } catch (error) {
      // The new file is incomplete: left behind, it would prevent the next start.
      await unlink(file);
      throw error;
    } finally {
      await handle.close();
    }
    await syncFolder(dirname(file));
  } catch (cause) {
    throw unusable(file, `it cannot be made (${reasonOf(cause)})`, cause);
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

function readabilityWarnings(file: string, stats: Stats): readonly string[] {
  return isReadableByOthers(stats)
    ? [
        `the key file ${file} can be read by others (mode ${(stats.mode & 0o777).toString(8)}); chmod go-r mends that, for a mounted Secret defaultMode: 0440`,
      ]
    : [];
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

/**
 * Adds a new key at the end of a key file. The present content stays, byte for byte, and so do owner and mode. A
 * concurrent reader, or one after a power failure, reads either the old or the new file.
 * @throws ServiceError 'key.unavailable' that names the file
 */
export async function appendKey(file: string, random: Random): Promise<Buffer> {
  const key = random.bytes(KEY_LENGTH);
  await replace(file, (text) => `${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${keyLines(key)}`);
  const written = await readKeyFile(file);
  if (written?.keys.some((one) => one.equals(key)) !== true) {
    throw unusable(file, 'the new key is not in it after it was written');
  }
  return key;
}

/**
 * Removes a key from a key file, with the comment that names it.
 * @returns false when it did not exist
 * @throws ServiceError 'key.unavailable' that names the file; also when it holds no other key
 */
export async function removeKey(file: string, keyId: string): Promise<boolean> {
  const found = await readKeyFile(file);
  if (found?.keys.some((key) => keyIdOf(key) === keyId) !== true) {
    return false;
  }
  if (found.keys.length === 1) {
    throw unusable(file, `it holds no other key than ${keyId}`);
  }
  await replace(file, (text) =>
    text
      .split('\n')
      .filter((line) => !holdsKey(line, keyId) && line.trim() !== `# Key ${keyId}`)
      .join('\n'),
  );
  return true;
}

function holdsKey(line: string, keyId: string): boolean {
  const content = line.replace(/#.*$/, '').trim();
  return content !== '' && keyIdOf(Buffer.from(content, 'base64')) === keyId;
}

/** Replaces the file by a new one under its name, so that there is never a half-written one. */
async function replace(file: string, change: (text: string) => string): Promise<void> {
  try {
    // The target itself, if the path is a link.
    const target = await realpath(file);
    const beside = `${target}.new`;
    const { uid, gid, mode } = await stat(target);
    const text = change(await readFile(target, 'utf8'));
    // A file that a crash has left is unused.
    await unlink(beside).catch(() => undefined);
    const handle = await open(beside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      await fill(handle, text, { uid, gid, mode });
    } catch (error) {
      await unlink(beside);
      throw error;
    } finally {
      await handle.close();
    }
    await rename(beside, target);
    await syncFolder(dirname(target));
  } catch (cause) {
    throw unusable(file, `it cannot be written (${reasonOf(cause)})`, cause);
  }
}

/** Writes the file with the former owner and mode: the server must still be able to read it, even if root wrote it. */
async function fill(
  handle: FileHandle,
  text: string,
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== uid || made.gid !== gid) {
    await handle.chown(uid, gid);
  }
  await handle.chmod(mode & 0o777);
  await handle.writeFile(text);
  await handle.sync();
}

/** The key file as the operating system shows it. */
export interface KeyFileAccess {
  readonly path: string;
  /** Permission bits; undefined: there is no such file, or it cannot be looked at. */
  readonly mode: number | undefined;
  readonly isReadableByOthers: boolean;
  /** Permission bits of its folder; undefined as above. */
  readonly folderMode: number | undefined;
  /** The ids of its keys; undefined if it cannot be read. */
  readonly keyIds: readonly string[] | undefined;
}

const PERMISSIONS = 0o7777;

/** @returns the permissions of a key file and of its folder, and the ids of its keys */
export async function readKeyFileAccess(path: string): Promise<KeyFileAccess> {
  const [stats, folder, keyIds] = await Promise.all([
    statsOf(path),
    statsOf(dirname(path)),
    readKeyFile(path).then(
      (file) => file?.keys.map(keyIdOf),
      () => undefined,
    ),
  ]);
  return {
    path,
    mode: stats === undefined ? undefined : stats.mode & PERMISSIONS,
    isReadableByOthers: stats !== undefined && isReadableByOthers(stats),
    folderMode: folder === undefined ? undefined : folder.mode & PERMISSIONS,
    keyIds,
  };
}

async function statsOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

export interface OpenedVault {
  readonly vault: SecretVault;
  /** True if the key file was made just now. */
  readonly created: boolean;
  /** Faults that operators should correct, in words for the log. */
  readonly warnings: readonly string[];
}

/**
 * Opens the vault with the keys of the file, after a check that they are the keys of this database. A database without
 * any gets the first key of the file; where there is no file either, one is made. Nothing is ever overwritten, and
 * where a key is missing nothing is written at all: a new key beside old secrets would hide the loss. The database
 * names the sealing key, so that no server seals with a key that others do not have yet.
 * @throws ServiceError 'key.unavailable' that names the file and the ids of the needed and found keys
 */
export async function openVault(options: {
  readonly keyFile: string;
  readonly registry: KeyRegistration;
  readonly random: Random;
}): Promise<OpenedVault> {
  return options.registry.withRegistration(async (registry) => {
    const registered = await registry.registered();
    const opened = await openKeys(options.keyFile, neededKeys(registered), options.random);
    assertKeysOf(neededKeys(registered), opened.vault, options.keyFile);
    if (registered.length === 0) {
      await registry.register(opened.vault.currentKeyId, sealCanary(opened.vault));
      return opened;
    }
    const unknown = opened.vault.keyIds.filter((id) => registered.every(({ keyId }) => keyId !== id));
    return {
      ...opened,
      vault: opened.vault.withKeys([], sealingKey(registered)),
      warnings: [...opened.warnings, ...unknown.map((keyId) => unknownText(keyId, options.keyFile))],
    };
  });
}

function unknownText(keyId: string, file: string): string {
  return `the key file ${file} holds the key ${keyId}, which the database does not know; 'tankeeper keys add' registers it`;
}

async function openKeys(
  file: string,
  registered: readonly RegisteredKey[],
  random: Random,
): Promise<OpenedVault> {
  const found = await readKeyFile(file);
  if (found !== undefined) {
    return {
      vault: new SecretVault({ keys: found.keys, random }),
      created: false,
      warnings: found.warnings,
    };
  }
  if (registered.length > 0) {
    throw new ServiceError(
      'key.unavailable',
      `The database needs the encryption ${listKeys(registered.map(({ keyId }) => keyId))}, ` +
        `and there is no key file ${file}. ${wayOut(registered)}; nothing was written.`,
    );
  }
  const key = await createKeyFile(file, random);
  return { vault: new SecretVault({ keys: [key], random }), created: true, warnings: [] };
}

function assertKeysOf(registered: readonly RegisteredKey[], vault: SecretVault, file: string): void {
  const missing = registered.map(({ keyId }) => keyId).filter((keyId) => !vault.keyIds.includes(keyId));
  if (missing.length > 0) {
    throw new ServiceError(
      'key.unavailable',
      `The database needs the encryption ${listKeys(missing)}, and the key file ${file} ` +
        `holds the ${listKeys(vault.keyIds)}. Nothing was written.`,
    );
  }
  for (const key of registered) {
    if (!opensCanary(vault, key)) {
      throw new ServiceError(
        'key.unavailable',
        `The encryption key ${key.keyId} in the key file ${file} does not open what the database keeps to try it: ` +
          'the database was altered. Nothing was written.',
      );
    }
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

  async fetch(): Promise<readonly Buffer[]> {
    return (await readKeyFile(this.#file))?.keys ?? [];
  }

  async freshVault(inUse: readonly string[]): Promise<Pick<Vault, 'open'>> {
    const vault = new SecretVault({ keys: await this.#readKeys(), random: this.#random });
    assertHolds(vault, inUse);
    return vault;
  }

  /** An unregistered key of the file comes first: it was put there by hand, or by an attempt that was interrupted. */
  async provide(registered: readonly RegisteredKey[]): Promise<NewKey> {
    const found = await readKeyFile(this.#file);
    if (found === undefined) {
      throw unusable(this.#file, 'it is missing');
    }
    const waiting = found.keys.find((key) => registered.every(({ keyId }) => keyId !== keyIdOf(key)));
    const key = waiting ?? (await appendKey(this.#file, this.#random));
    const canary = sealCanary(new SecretVault({ keys: [key], random: this.#random }));
    return { keyId: keyIdOf(key), canary, isMade: waiting === undefined };
  }

  remove(keyId: string): Promise<boolean> {
    return removeKey(this.#file, keyId);
  }

  async #readKeys(): Promise<readonly Buffer[]> {
    try {
      const found = await readKeyFile(this.#file);
      if (found === undefined) {
        throw notReady('the key file is missing', this.#file);
      }
      return found.keys;
    } catch (error) {
      // The message about an unusable key file names its path.
      throw isServiceError(error, 'key.unavailable')
        ? notReady('the key file cannot be used', error.message, error)
        : error;
    }
  }
}
