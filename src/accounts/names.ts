import { ServiceError } from '../kernel/errors.ts';
import { plainResolverName } from './policy/policy-users.ts';

/**
 * @returns the realm's name as it is kept: trimmed, lower-case
 * @throws ServiceError 'parameter.invalid'
 */
export function readRealmName(text: string): string {
  const name = text.trim().toLowerCase();
  return fitting(
    name,
    /^[a-z0-9_][a-z0-9._-]{0,254}$/,
    'A realm has 1 to 255 letters a to z, digits, dots, dashes and underscores',
  );
}

/**
 * @returns the resolver's name, case kept, without the class that LinOTP's notation puts in front
 * @throws ServiceError 'parameter.invalid'
 */
export function readResolverName(text: string): string {
  return fitting(
    plainResolverName(text),
    /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/,
    'A resolver has 1 to 255 letters A to Z, digits, dots, dashes and underscores',
  );
}

/**
 * A colon would end it in HTTP Basic, and in a policy a comma, an exclamation mark or an asterisk would be read as more.
 * @returns the name of an administrator as it is kept: trimmed, Unicode composed
 * @throws ServiceError 'administrator.invalid'
 */
export function readAdministratorName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._@+-]{0,127}$/u.test(name)) {
    throw new ServiceError(
      'administrator.invalid',
      'An administrator has 1 to 128 letters, digits and any of . _ @ + -, and begins with a letter or a digit',
    );
  }
  return name;
}

/**
 * @returns the label, trimmed: what people call an API token
 * @throws ServiceError 'administrator.invalid'
 */
export function readApiTokenName(text: string): string {
  const name = text.trim();
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._@+-]{0,127}$/u.test(name)) {
    throw new ServiceError(
      'administrator.invalid',
      'The name of an API token has 1 to 128 letters, digits, blanks and any of . _ @ + -',
    );
  }
  return name;
}

/**
 * @returns the login of a managed user, trimmed, case kept
 * @throws ServiceError 'parameter.invalid'
 */
export function readLogin(text: string): string {
  return fitting(
    text.trim(),
    /^[^\p{Cc}\p{Cf}\p{Cs},:*!]{1,255}$/u,
    'A login has 1 to 255 characters, none of , : * ! and none that is invisible',
  );
}

/** @returns whether a token can have this serial: printable ASCII, 1 to 64 characters, no blank, no asterisk */
export function isSerial(text: string): boolean {
  return /^[\x21-\x29\x2b-\x7e]{1,64}$/.test(text);
}

/**
 * @param what names the text in the message
 * @returns the text, trimmed
 * @throws ServiceError 'parameter.invalid' when it is longer than `most` or holds control characters
 */
export function readPlainText(text: string, what: string, most: number): string {
  const plain = text.trim();
  if (plain.length > most || /\p{Cc}|\p{Cs}/u.test(plain)) {
    throw new ServiceError(
      'parameter.invalid',
      `The ${what} has at most ${most} characters, none of them a control character`,
    );
  }
  return plain;
}

function fitting(name: string, form: RegExp, message: string): string {
  if (!form.test(name)) {
    throw new ServiceError('parameter.invalid', message);
  }
  return name;
}
