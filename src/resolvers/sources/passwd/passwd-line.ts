import type { DirectoryUser } from '../../user-source.ts';

/** The content of a line of a passwd file: an account, nothing, or a fault (in words that quote nothing). */
export type PasswdLine =
  | { readonly kind: 'account'; readonly account: PasswdAccount }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'broken'; readonly reason: string };

const FIELDS = 7;

/**
 * An account of a passwd file. Fields other than login and id are parsed on use: of a large file that changes, few are
 * ever used.
 */
export class PasswdAccount {
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

  /** The password field: a hash, or a mark that locks the account. */
  get password(): string {
    return this.#field(1);
  }

  #field(index: number): string {
    return this.#line.split(':', index + 1)[index] ?? '';
  }
}

/**
 * Reads a line as `login:password:id:group:gecos:home:shell` (passwd(5)), gecos as LinOTP's files have it:
 * `Name Surname,room,phone,phone 2,e-mail`. Blank lines and those that begin with `#` are ignored.
 */
export function readPasswdLine(line: string): PasswdLine {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.startsWith('#') || text.trim() === '') {
    return { kind: 'nothing' };
  }
  const fields = text.split(':');
  if (fields.length !== FIELDS) {
    return { kind: 'broken', reason: `it has ${fields.length} fields instead of ${FIELDS}` };
  }
  const [login = '', , userId = ''] = fields;
  const reason = faultOf(text, login, userId);
  return reason === undefined
    ? { kind: 'account', account: new PasswdAccount(login, userId, text) }
    : { kind: 'broken', reason };
}

function faultOf(text: string, login: string, userId: string): string | undefined {
  if (login.trim() === '' || userId.trim() === '') {
    return 'it has no login or no user id';
  }
  return /[^\P{Cc}\t]/u.test(text) ? 'it holds control characters' : undefined;
}

function readGecos(gecos: string): Omit<DirectoryUser, 'login' | 'userId'> {
  const [name = '', , phone = '', otherPhone = '', email = ''] = gecos.split(',').map((part) => part.trim());
  const [givenName = '', ...surnames] = name.split(/\s+/);
  return { givenName, surname: surnames.join(' '), phone: phone === '' ? otherPhone : phone, email };
}
