import { isUtf8 } from 'node:buffer';
import { composed } from '../../../kernel/text.ts';
import type { DirectoryUser } from '../../user-source.ts';

/** @returns the form in which logins are compared: as Unix does, case tells them apart */
export function passwdLogin(login: string): string {
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

/**
 * An account of a passwd file. Fields other than login and id are parsed on use: of a large file that changes, few are
 * ever used.
 */
class PasswdAccount {
  readonly login: string;
  readonly userId: string;
  readonly #line: string;
  #user: DirectoryUser | undefined;

  constructor(login: string, userId: string, line: string) {
    this.login = login;
    this.userId = userId;
    this.#line = line;
  }

  get user(): DirectoryUser {
    this.#user ??= { login: this.login, userId: this.userId, ...readGecos(this.#field(4)) };
    return this.#user;
  }

  /** The password field: a hash, or a mark that locks the account, as a line without all fields always does. */
  get password(): string {
    return fieldsOf(this.#line) < FIELDS ? LOCKED : this.#field(1);
  }

  #field(index: number): string {
    return this.#line.split(':', index + 1)[index] ?? '';
  }
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
  const content = new PasswdContent();
  for await (const block of blocksOfLines(chunks, limit)) {
    for (const line of linesOf(block)) {
      content.add(line);
    }
  }
  if (content.accounts.length === 0 && content.passedOver.lines > 0) {
    throw new PasswdFault(`it has no account: ${content.passedOver.first[0] ?? ''}`);
  }
  return content;
}

export class PasswdContent {
  /** In the order of the file. */
  readonly accounts: PasswdAccount[] = [];
  /** Accounts by `passwdLogin`: several where logins differ in their Unicode form only, or not at all. */
  readonly byLogin = new Map<string, PasswdAccount[]>();
  /** Accounts by id; of several that share an id, as Unix allows, the first one. */
  readonly byId = new Map<string, PasswdAccount>();
  /** Lines that are no accounts of this file; the first of them as `line 7 has more than 7 fields`, quoting nothing. */
  readonly passedOver = { lines: 0, first: [] as string[] };
  /** Their logins by `passwdLogin`: whose these are is unknown. */
  readonly unreadLogins = new Map<string, Set<string>>();
  /** `login:id` of the accounts that are not the first of their login. */
  readonly #further = new Set<string>();
  #number = 0;

  add(line: string): void {
    this.#number += 1;
    const text = (this.#number === 1 ? line.replace(/^\uFEFF/, '') : line).replace(/\r$/, '');
    if (text.startsWith('#') || text.trim() === '') {
      return;
    }
    const [login = '', , userId = ''] = text.split(':', 3);
    const fault = faultOf(text, login, userId);
    if (fault !== undefined) {
      this.#passOver(fault);
      this.#keepUnread(login);
    } else if (this.#isRepetition(login, userId)) {
      this.#passOver('repeats an earlier one');
    } else {
      this.#keep(new PasswdAccount(login, userId, text));
    }
  }

  #passOver(reason: string): void {
    this.passedOver.lines += 1;
    if (this.passedOver.first.length < MAX_REPORTED) {
      this.passedOver.first.push(`line ${this.#number} ${reason}`);
    }
  }

  #keepUnread(login: string): void {
    const key = passwdLogin(login);
    const alike = this.unreadLogins.get(key);
    if (alike === undefined) {
      this.unreadLogins.set(key, new Set([login]));
    } else {
      alike.add(login);
    }
  }

  #keep(account: PasswdAccount): void {
    this.accounts.push(account);
    const key = passwdLogin(account.login);
    const alike = this.byLogin.get(key);
    if (alike === undefined) {
      this.byLogin.set(key, [account]);
    } else {
      alike.push(account);
      this.#further.add(`${account.login}:${account.userId}`);
    }
    if (!this.byId.has(account.userId)) {
      this.byId.set(account.userId, account);
    }
  }

  /** Another id makes it another user: then neither is taken for the other. */
  #isRepetition(login: string, userId: string): boolean {
    const first = this.byLogin.get(passwdLogin(login))?.[0];
    return (
      (first?.login === login && first.userId === userId) ||
      (first !== undefined && this.#further.has(`${login}:${userId}`))
    );
  }
}

/** @returns the reason for which a line is passed over; undefined: it is an account */
function faultOf(text: string, login: string, userId: string): string | undefined {
  if (NIS.test(text)) {
    return 'is for accounts of NIS';
  }
  const fields = text.split(':', FIELDS + 1);
  if (fields.length < MIN_FIELDS) {
    return `has fewer than ${MIN_FIELDS} fields`;
  }
  if (fields.length > FIELDS) {
    return `has more than ${FIELDS} fields`;
  }
  if (login.trim() === '' || userId.trim() === '') {
    return 'has no login or no user id';
  }
  if (FOREIGN.test(text) || !areIds(fields)) {
    return 'is no line of a passwd file';
  }
  return /[^\P{Cc}\t]/u.test(text) ? 'holds control characters' : undefined;
}

/** Some files have names in place of one of the numbers; lines of other files, mostly in place of both. */
function areIds(fields: readonly string[]): boolean {
  const [, , userId = '', group = ''] = fields;
  const [isNumber, isGroup] = [NUMBER.test(userId), group === '' || NUMBER.test(group)];
  return fields.length < FIELDS ? isNumber && isGroup : isNumber || isGroup;
}

function fieldsOf(text: string): number {
  return text.split(':', FIELDS).length;
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
