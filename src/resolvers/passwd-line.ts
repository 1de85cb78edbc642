import type { DirectoryUser } from '../accounts/ports.ts';

/** What a line of a passwd file says: a user, nothing, or what is wrong with it (in words that quote nothing). */
export type PasswdLine =
  | { readonly kind: 'user'; readonly user: DirectoryUser }
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
  const [login = '', , userId = '', , gecos = ''] = fields;
  if (login.trim() === '' || userId.trim() === '') {
    return { kind: 'broken', reason: 'it has no login or no user id' };
  }
  if (/\p{Cc}/u.test(text.replaceAll('\t', ' '))) {
    return { kind: 'broken', reason: 'it holds control characters' };
  }
  return { kind: 'user', user: { login, userId, ...readGecos(gecos) } };
}

function readGecos(gecos: string): Omit<DirectoryUser, 'login' | 'userId'> {
  const [name = '', , phone = '', otherPhone = '', email = ''] = gecos.split(',').map((part) => part.trim());
  const [givenName = '', ...surnames] = name.split(/\s+/);
  return { givenName, surname: surnames.join(' '), phone: phone === '' ? otherPhone : phone, email };
}
