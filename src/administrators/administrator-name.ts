import { ServiceError } from '../kernel/errors.ts';
import { plainName } from '../kernel/text.ts';

/**
 * A colon would end it in HTTP Basic, and in a policy a comma, an exclamation mark or an asterisk would be read as more.
 * @returns the name of an administrator as it is kept (see `plainName`)
 * @throws ServiceError 'administrator.invalid'
 */
export function readAdministratorName(text: string): string {
  const name = plainName(text);
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._@+-]{0,127}$/u.test(name)) {
    throw new ServiceError(
      'administrator.invalid',
      'An administrator has 1 to 128 letters, digits and any of . _ @ + -, and begins with a letter or a digit',
    );
  }
  return name;
}

/**
 * @returns the label as it is kept: what people call an API token
 * @throws ServiceError 'administrator.invalid'
 */
export function readApiTokenName(text: string): string {
  const name = plainName(text);
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._@+-]{0,127}$/u.test(name)) {
    throw new ServiceError(
      'administrator.invalid',
      'The name of an API token has 1 to 128 letters, digits, blanks and any of . _ @ + -',
    );
  }
  return name;
}
