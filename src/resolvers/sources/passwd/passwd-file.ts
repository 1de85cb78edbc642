import type { DirectoryPasswords } from '../directory-password.ts';
import {
  type DirectoryUser,
  type Examination,
  ResolverUnavailable,
  type UserSearch,
  type UserSource,
  matchesUser,
} from '../../user-source.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Semaphore, withTimeLimit } from '../../../kernel/bounded-work.ts';
import { type PasswdContent, PasswdFault, passwdLogin, readPasswd } from './passwd-content.ts';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import type { FileBounds } from '../file-bounds.ts';
import { meantBy } from '../../resolver-lookup.ts';

/** The content, and the state of the file that it was read from. */
interface PasswdReading {
  readonly stamp: string;
  readonly content: PasswdContent;
}

const MAX_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 3;

/**
 * The users of a passwd file, read again whenever the file changes. Answers are always from the present file: once it
 * is gone or broken, its former content is not used, as a user may have been removed.
 *
 * A file on another machine's file system may hang. It is read once at a time, and no request waits longer than the
 * time limit, or at all while it is known to hang.
 */
export class PasswdFile implements UserSource {
  readonly #resolver: string;
  readonly #fileName: string;
  readonly #passwords: Pick<DirectoryPasswords, 'verify'>;
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #fileReads: Semaphore;
  readonly #bounds: FileBounds | undefined;
  #last: PasswdReading | undefined;
  #reading: Promise<PasswdReading> | undefined;
  #next: Promise<PasswdReading> | undefined;
  #hangs = false;
  #reported = '';

  /**
   * @param dependencies `resolver` its name, for messages; `timeoutMs` in milliseconds; `fileReads` bounds how many of
   *   the process's few threads for files and password hashes read files of resolvers; `bounds` the allowed folders,
   *   undefined: any
   */
  constructor(dependencies: {
    readonly resolver: string;
    readonly fileName: string;
    readonly passwords: Pick<DirectoryPasswords, 'verify'>;
    readonly log: Log;
    readonly timeoutMs: number;
    readonly fileReads: Semaphore;
    readonly bounds?: FileBounds | undefined;
  }) {
    this.#resolver = dependencies.resolver;
    this.#fileName = dependencies.fileName;
    this.#passwords = dependencies.passwords;
    this.#log = dependencies.log;
    this.#timeoutMs = dependencies.timeoutMs;
    this.#fileReads = dependencies.fileReads;
    this.#bounds = dependencies.bounds;
  }

  async findByLogin(login: string): Promise<DirectoryUser | undefined> {
    const { byLogin, unreadLogins } = await this.#readContent();
    const key = passwdLogin(login);
    const alike = byLogin.get(key) ?? [];
    const exact = alike.filter((account) => account.login === login);
    if (exact.length > 1) {
      throw this.#unavailable(new PasswdFault('several of its lines have the same login'));
    }
    const unread = unreadLogins.get(key);
    if (unread?.has(login) === true || (unread !== undefined && exact.length === 0)) {
      // Nobody of another resolver may be taken in the place of the user of this line.
      throw this.#unavailable(new PasswdFault('the line of that login is passed over'));
    }
    return meantBy(login, alike)?.user;
  }

  async findById(userId: string): Promise<DirectoryUser | undefined> {
    return (await this.#readContent()).byId.get(userId)?.user;
  }

  async list(search?: UserSearch): Promise<readonly DirectoryUser[]> {
    const { accounts } = await this.#readContent();
    if (search === undefined) {
      return accounts.map(({ user }) => user);
    }
    const users: DirectoryUser[] = [];
    for (const { user } of accounts) {
      if (users.length < search.limit && matchesUser(user, search.conditions)) {
        users.push(user);
      }
    }
    return users;
  }

  async count(): Promise<number> {
    return (await this.#readContent()).accounts.length;
  }

  async examine(): Promise<Examination> {
    const { accounts, byId, passedOver } = await this.#readContent();
    const shared = new Set<string>();
    for (const account of accounts) {
      if (byId.get(account.userId) !== account) {
        shared.add(account.userId);
      }
    }
    const users = accounts.length;
    // Beside the further accounts of a shared id, its first one.
    const sharingId = users - byId.size + shared.size;
    const found = { entries: users, users, withoutId: 0, withoutLogin: 0, sharingId };
    return passedOver.lines === 0 ? found : { ...found, passedOver };
  }

  /** Verifies the second field; a file that has its passwords elsewhere (`x`) has none here. */
  async checkPassword(userId: string, password: string): Promise<boolean> {
    const stored = (await this.#readContent()).byId.get(userId)?.password ?? null;
    const verdict = await this.#passwords.verify(stored, password);
    if (verdict === 'unknown') {
      this.#log.warn('A resolver keeps a password in a form that is not verified', {
        resolver: this.#resolver,
      });
    }
    return verdict === 'match';
  }

  async #readContent(): Promise<PasswdContent> {
    try {
      if (this.#hangs) {
        throw this.#late();
      }
      return (await withTimeLimit(this.#timeoutMs, this.#read(), () => this.#late())).content;
    } catch (cause) {
      throw this.#unavailable(cause);
    }
  }

  /** A call during a read waits for the next one: the file may have changed since this one began. */
  #read(): Promise<PasswdReading> {
    if (this.#reading === undefined) {
      return this.#readNow();
    }
    const again = (): Promise<PasswdReading> => this.#readNow();
    this.#next ??= this.#reading.then(again, again);
    return this.#next;
  }

  #readNow(): Promise<PasswdReading> {
    this.#next = undefined;
    const reading = this.#fileReads.run(() => readPasswdFile(this.#fileName, this.#last, this.#bounds));
    this.#reading = reading;
    const seen = (reading: PasswdReading | undefined): void => {
      this.#report(reading);
      this.#last = reading;
      this.#hangs = false;
      this.#reading = undefined;
    };
    reading.then(seen, () => {
      seen(undefined);
    });
    return reading;
  }

  /** Logs what is passed over, once as long as it stays the same. */
  #report(reading: PasswdReading | undefined): void {
    const { lines, first } = reading?.content.passedOver ?? { lines: 0, first: [] };
    const report = `${lines}: ${first.join(', ')}`;
    if (lines > 0 && report !== this.#reported) {
      this.#log.warn('Lines of a passwd file are no accounts, and are passed over', {
        resolver: this.#resolver,
        count: lines,
        reason: first.join(', '),
      });
    }
    this.#reported = reading === undefined ? this.#reported : report;
  }

  #late(): PasswdFault {
    this.#hangs = true;
    return new PasswdFault(`it did not answer within ${this.#timeoutMs / 1000} seconds`);
  }

  #unavailable(cause: unknown): ResolverUnavailable {
    return new ResolverUnavailable({
      resolver: this.#resolver,
      reason: `its file cannot be used, ${reasonOf(cause)}`,
      cause,
      detail: `passwd file ${this.#fileName}`,
    });
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof PasswdFault) {
    return cause.message;
  }
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown fault';
  return code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${code})`;
}

/**
 * Reads the file, unless it has not changed since the last read. Reads again if it was changed or replaced meanwhile:
 * the result must be neither half of it nor an older version.
 * @param bounds the allowed folders; undefined: any
 * @throws PasswdFault, or the error of the file system
 */
export async function readPasswdFile(
  fileName: string,
  last: PasswdReading | undefined,
  bounds?: FileBounds,
): Promise<PasswdReading> {
  assertInside((await bounds?.holds(fileName)) ?? true);
  let stamp = await stampNow(fileName);
  if (last?.stamp === stamp) {
    return last;
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const read = await readOnce(fileName, bounds);
    const before = stamp;
    stamp = await stampNow(fileName);
    if (stamp === before) {
      return { stamp, content: read() };
    }
  }
  throw new PasswdFault('it changes while it is being read');
}

/** @returns a function that returns the content or throws its fault; it is valid only if the file has not changed */
async function readOnce(fileName: string, bounds: FileBounds | undefined): Promise<() => PasswdContent> {
  // Without O_NONBLOCK, opening a named pipe would never end.
  const handle = await open(fileName, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    // Links may have changed a moment ago: the real path of the opened file decides.
    assertInside((await bounds?.contains(await placeOfOpen(handle, fileName))) ?? true);
    assertUsable(await handle.stat({ bigint: true }));
    const chunks = handle.createReadStream({ autoClose: false, start: 0 }) as AsyncIterable<Buffer>;
    const content = await readPasswd(chunks, MAX_BYTES);
    return () => content;
  } catch (error) {
    return () => {
      throw error;
    };
  } finally {
    await handle.close();
  }
}

/**
 * @returns the real path of an open file, whatever its name leads to by now; without /proc, the path that its name
 *   leads to
 */
async function placeOfOpen({ fd }: FileHandle, fileName: string): Promise<string> {
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(fileName));
}

function assertInside(isInside: boolean): void {
  if (!isInside) {
    throw new PasswdFault('it was named over HTTP and is not below a folder that RESOLVER_FILE_DIRS names');
  }
}

async function stampNow(fileName: string): Promise<string> {
  const stats = await stat(fileName, { bigint: true });
  assertUsable(stats);
  return stampOf(stats);
}

function assertUsable(stats: BigIntStats): void {
  if (!stats.isFile()) {
    throw new PasswdFault('it is not a regular file');
  }
  if (stats.size > MAX_BYTES) {
    throw new PasswdFault(`it has more than ${MAX_BYTES} bytes`);
  }
}

/** Inode, size and times: at least one changes with every change of the file. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
