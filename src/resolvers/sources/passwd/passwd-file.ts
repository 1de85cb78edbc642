import { verifyStored } from '../directory-password.ts';
import type { PasswordHasher } from '../../../users/password-hash.ts';
import {
  type DirectoryUser,
  type Examination,
  ResolverUnavailable,
  type UserSearch,
  type UserSource,
  countSharing,
  matchesUser,
} from '../../user-source.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Semaphore, withTimeLimit } from '../../../kernel/bounded-work.ts';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import type { FileBounds } from '../file-bounds.ts';
import { meantBy } from '../../resolver-lookup.ts';
import { isUtf8 } from 'node:buffer';
import { composed } from '../../../kernel/text.ts';

/** The content, and the state of the file that it was read from. */
interface PasswdReading {
  readonly stamp: string;
  readonly content: PasswdContent;
}

const MAX_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 3;
const EVERYBODY: UserSearch = { conditions: [], limit: Infinity };

/**
 * The users of a passwd file, read again whenever the file changes. Answers are always from the present file: once it
 * is gone or broken, its former content is not used, as a user may have been removed.
 *
 * A file on another machine's file system may hang. It is read once at a time, and no request waits longer than the
 * time limit, or at all while it is known to hang.
 */
export class PasswdFile implements UserSource {
  readonly #deps;
  #last: PasswdReading | undefined;
  #reading: Promise<PasswdReading> | undefined;
  #next: Promise<PasswdReading> | undefined;
  #hangs = false;
  #reported = '';

  constructor(dependencies: {
    /** Its name, for messages. */
    readonly resolver: string;
    readonly fileName: string;
    readonly hasher: PasswordHasher;
    readonly log: Log;
    readonly timeoutMs: number;
    /** Bounds how many of the process's few threads for files and password hashes read files of resolvers. */
    readonly fileReads: Semaphore;
    /** The allowed folders; undefined: any. */
    readonly bounds?: FileBounds | undefined;
  }) {
    this.#deps = dependencies;
  }

  async findByLogin(login: string): Promise<DirectoryUser | undefined> {
    const { byLogin, unreadLogins } = await this.#readContent();
    const key = passwdLogin(login);
    if (unreadLogins.has(key)) {
      // Nobody of another resolver may be taken in the place of the user of this line.
      throw this.#unavailable(new PasswdFault('the line of that login is passed over'));
    }
    const alike = byLogin.get(key) ?? [];
    const exact = alike.filter((account) => account.login === login);
    if (exact.some(({ userId }) => userId !== exact[0]?.userId)) {
      throw this.#unavailable(new PasswdFault('several of its lines have the same login'));
    }
    const account = meantBy(login, alike);
    return account && userOf(account);
  }

  async findById(userId: string): Promise<DirectoryUser | undefined> {
    const account = (await this.#readContent()).byId.get(userId);
    return account && userOf(account);
  }

  async list({ conditions, limit }: UserSearch = EVERYBODY): Promise<readonly DirectoryUser[]> {
    const users: DirectoryUser[] = [];
    for (const account of (await this.#readContent()).accounts) {
      if (users.length >= limit) {
        break;
      }
      const user = userOf(account);
      if (matchesUser(user, conditions)) {
        users.push(user);
      }
    }
    return users;
  }

  async count(): Promise<number> {
    return (await this.#readContent()).accounts.length;
  }

  async examine(): Promise<Examination> {
    const { accounts, passedOver } = await this.#readContent();
    const users = accounts.length;
    const sharingId = countSharing(accounts.map(({ userId }) => userId));
    const found = { entries: users, users, withoutId: 0, withoutLogin: 0, sharingId };
    return passedOver.lines === 0 ? found : { ...found, passedOver };
  }

  /** Verifies the second field; a file that has its passwords elsewhere (`x`) has none here. */
  async checkPassword(userId: string, password: string): Promise<boolean> {
    const account = (await this.#readContent()).byId.get(userId);
    const stored = account === undefined ? null : passwordOf(account);
    const verdict = await verifyStored(this.#deps.hasher, stored, password);
    if (verdict === 'unknown') {
      this.#deps.log.warn('A resolver keeps a password in a form that is not verified', {
        resolver: this.#deps.resolver,
      });
    }
    return verdict === 'match';
  }

  async #readContent(): Promise<PasswdContent> {
    try {
      if (this.#hangs) {
        throw this.#late();
      }
      return (await withTimeLimit(this.#deps.timeoutMs, this.#read(), () => this.#late())).content;
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
    const reading = this.#deps.fileReads.run(() =>
      readPasswdFile(this.#deps.fileName, this.#last, this.#deps.bounds),
    );
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
      this.#deps.log.warn('Lines of a passwd file are no accounts, and are passed over', {
        resolver: this.#deps.resolver,
        count: lines,
        reason: first.join(', '),
      });
    }
    this.#reported = reading === undefined ? this.#reported : report;
  }

  #late(): PasswdFault {
    this.#hangs = true;
    return new PasswdFault(`it did not answer within ${this.#deps.timeoutMs / 1000} seconds`);
  }

  #unavailable(cause: unknown): ResolverUnavailable {
    return new ResolverUnavailable({
      resolver: this.#deps.resolver,
      reason: `its file cannot be used, ${reasonOf(cause)}`,
      cause,
      detail: `passwd file ${this.#deps.fileName}`,
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
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const stamp = await stampNow(fileName);
    if (last?.stamp === stamp) {
      return last;
    }
    const read = await readOnce(fileName, bounds);
    if ((await stampNow(fileName)) === stamp) {
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

/** @returns inode, size and times: at least one changes with every change of the file */
async function stampNow(fileName: string): Promise<string> {
  const stats = await stat(fileName, { bigint: true });
  assertUsable(stats);
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

function assertUsable(stats: BigIntStats): void {
  if (!stats.isFile()) {
    throw new PasswdFault('it is not a regular file');
  }
  if (stats.size > MAX_BYTES) {
    throw new PasswdFault(`it has more than ${MAX_BYTES} bytes`);
  }
}

/** @returns the form in which logins are compared: as Unix does, case tells them apart */
function passwdLogin(login: string): string {
  return composed(login.trim());
}

/** The reason for which a file is refused, in words that quote nothing of it. */
export class PasswdFault extends Error {
  override readonly name = 'PasswdFault';
}

/** Of passwd(5). Lines of shadow(5) and master.passwd(5) have more: nobody must be able to try out their hashes here. */
const FIELDS = 7;
/** As LinOTP reads a line: what is behind the names may be missing. */
const MIN_FIELDS = 5;
const NUMBER = /^-?\d+$/;
/** A value that is set, as in `.env`, or a colon that is no separator, as in `.pgpass`: secrets may stand there. */
const FOREIGN = /^[^:]*=|\\:/;
/** In place of a password: locks the account. */
const LOCKED = '*';
/** Of NIS, `+::::::`, `+@group`, `-user`: accounts that are kept elsewhere. A login may be a phone number, `+49…`. */
const NIS = /^(?:-|\+(?!\d))/;
const MAX_REPORTED = 5;
const MAX_LINE_LENGTH = 64 * 1024;
const NEWLINE = 0x0a;

/** An account of a passwd file. Its other fields are parsed on use: of a large file that changes, few are ever used. */
interface PasswdAccount {
  readonly login: string;
  readonly userId: string;
  readonly line: string;
  /** Once it was asked for. */
  user?: DirectoryUser;
}

function userOf(account: PasswdAccount): DirectoryUser {
  const { login, userId, line } = account;
  return (account.user ??= { login, userId, ...readGecos(fieldsOf(line)[4] ?? '') });
}

/** @returns the password field: a hash, or a mark that locks the account, as a line without all fields always does */
function passwordOf({ line }: PasswdAccount): string {
  const fields = fieldsOf(line);
  return fields.length < FIELDS ? LOCKED : (fields[1] ?? LOCKED);
}

function fieldsOf(line: string): readonly string[] {
  return line.split(':', FIELDS + 1);
}

export interface PasswdContent {
  /** In the order of the file. */
  readonly accounts: PasswdAccount[];
  /** Accounts by `passwdLogin`: several where logins differ in their Unicode form only, or not at all. */
  readonly byLogin: Map<string, PasswdAccount[]>;
  /** Accounts by id; of several that share an id, as Unix allows, the first one. */
  readonly byId: Map<string, PasswdAccount>;
  /** Lines that are no accounts; the first of them as `line 7`, quoting nothing. */
  readonly passedOver: { lines: number; readonly first: string[] };
  /** Their logins by `passwdLogin`: whose these are is unknown. */
  readonly unreadLogins: Set<string>;
}

/**
 * Reads `login:password:id:group:gecos:home:shell` (passwd(5)), gecos as LinOTP's files have it:
 * `Name Surname,room,phone,phone 2,e-mail`. Blank lines and comments (`#`) are ignored, and lines that are no account
 * passed over.
 * @param chunks the file's bytes: UTF-8, and lines that are not in Latin-1
 * @param limit the most bytes to read
 * @throws PasswdFault for a file that is too large, or that is none of accounts
 */
export async function readPasswd(chunks: AsyncIterable<Buffer>, limit: number): Promise<PasswdContent> {
  const content: PasswdContent = {
    accounts: [],
    byLogin: new Map(),
    byId: new Map(),
    passedOver: { lines: 0, first: [] },
    unreadLogins: new Set(),
  };
  let number = 0;
  for await (const block of blocksOfLines(chunks, limit)) {
    for (const line of linesOf(block)) {
      number += 1;
      addLine(content, line, number);
    }
  }
  if (content.accounts.length === 0 && content.passedOver.lines > 0) {
    throw new PasswdFault('it has no account');
  }
  return content;
}

function addLine(content: PasswdContent, written: string, number: number): void {
  const line = (number === 1 ? written.replace(/^\uFEFF/, '') : written).replace(/\r$/, '');
  if (line.startsWith('#') || line.trim() === '') {
    return;
  }
  const fields = fieldsOf(line);
  const [login = '', , userId = ''] = fields;
  if (!isAccount(line, fields)) {
    content.passedOver.lines += 1;
    if (content.passedOver.first.length < MAX_REPORTED) {
      content.passedOver.first.push(`line ${number}`);
    }
    content.unreadLogins.add(passwdLogin(login));
    return;
  }
  const account = { login, userId, line };
  content.accounts.push(account);
  const alike = content.byLogin.get(passwdLogin(login));
  if (alike === undefined) {
    content.byLogin.set(passwdLogin(login), [account]);
  } else {
    alike.push(account);
  }
  if (!content.byId.has(userId)) {
    content.byId.set(userId, account);
  }
}

function isAccount(line: string, fields: readonly string[]): boolean {
  const [login = '', , userId = ''] = fields;
  return (
    fields.length >= MIN_FIELDS &&
    fields.length <= FIELDS &&
    login.trim() !== '' &&
    userId.trim() !== '' &&
    areIds(fields) &&
    ![NIS, FOREIGN, /[^\P{Cc}\t]/u].some((pattern) => pattern.test(line))
  );
}

/** Some files have names in place of one of the numbers; lines of other files, mostly in place of both. */
function areIds(fields: readonly string[]): boolean {
  const [, , userId = '', group = ''] = fields;
  const [isNumber, isGroup] = [NUMBER.test(userId), group === '' || NUMBER.test(group)];
  return fields.length < FIELDS ? isNumber && isGroup : isNumber || isGroup;
}

function readGecos(gecos: string): Omit<DirectoryUser, 'login' | 'userId'> {
  const [name = '', , phone = '', otherPhone = '', email = ''] = gecos.split(',').map((part) => part.trim());
  const [givenName = '', ...surnames] = name.split(/\s+/);
  return { givenName, surname: surnames.join(' '), phone: phone === '' ? otherPhone : phone, email };
}

/** Joins chunks to whole lines, many lines at a time: one at a time takes a multiple of the time. */
async function* blocksOfLines(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > limit) {
      throw new PasswdFault(`it has more than ${limit} bytes`);
    }
    rest = Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf(NEWLINE);
    if (end >= 0) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE_LENGTH) {
      throw new PasswdFault(`it has a line of more than ${MAX_LINE_LENGTH} bytes`);
    }
  }
  if (rest.length > 0) {
    yield rest;
  }
}

function linesOf(block: Buffer): readonly string[] {
  if (isUtf8(block)) {
    return block.toString('utf8').split('\n');
  }
  // Split as bytes, which are letters of Latin-1: a file may be in both, line by line.
  const lines = block.toString('latin1').split('\n');
  return lines.map((line) => {
    const bytes = Buffer.from(line, 'latin1');
    return isUtf8(bytes) ? bytes.toString('utf8') : line;
  });
}
