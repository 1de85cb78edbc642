import type { DirectoryUser } from '../accounts/ports.ts';

/** What a line of a passwd file says: a user, nothing, or what is wrong with it (in words that quote nothing). */
export type PasswdLine =
  | { readonly kind: 'user'; readonly user: DirectoryUser; readonly password: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'broken'; readonly reason: string };

const FIELDS = 7;

/**
 * Reads a line as `login:password:id:group:gecos:home:shell` (passwd(5)), gecos as LinOTP's files have it:
 * `Name Surname,room,phone,phone 2,e-mail`. Blank lines and those that begin with `#` say nothing.
 */
export function readPasswdLine(line: string): PasswdLine {
  const text = line.replace(/\r$/, '');
  if (text.trim() === '' || text.startsWith('#')) {
    return { kind: 'nothing' };
  }
  const fields = text.split(':');
  if (fields.length !== FIELDS) {
    return { kind: 'broken', reason: `it has ${fields.length} fields instead of ${FIELDS}` };
  }
  const [login = '', password = '', userId = '', , gecos = ''] = fields;
  const reason = faultOf(text, login, userId);
  return reason === undefined
    ? { kind: 'user', user: { login, userId, ...readGecos(gecos) }, password }
    : { kind: 'broken', reason };
}

function faultOf(text: string, login: string, userId: string): string | undefined {
  if (login.trim() === '' || userId.trim() === '') {
    return 'it has no login or no user id';
  }
  return /\p{Cc}/u.test(text.replaceAll('\t', ' ')) ? 'it holds control characters' : undefined;
}

function readGecos(gecos: string): Omit<DirectoryUser, 'login' | 'userId'> {
  const [name = '', , phone = '', otherPhone = '', email = ''] = gecos.split(',').map((part) => part.trim());
  const [givenName = '', ...surnames] = name.split(/\s+/);
  return { givenName, surname: surnames.join(' '), phone: phone === '' ? otherPhone : phone, email };
}
