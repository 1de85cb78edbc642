import { ServiceError } from './errors.ts';

/**
 * @param what names the text in the message
 * @returns the text, trimmed
 * @throws ServiceError 'parameter.invalid' if it is longer than `max` or holds control characters
 */
export function readPlainText(text: string, what: string, max: number): string {
  const plain = text.trim();
  if (plain.length > max || /\p{Cc}|\p{Cs}/u.test(plain)) {
    throw new ServiceError(
      'parameter.invalid',
      `The ${what} has at most ${max} characters, none of them a control character`,
    );
  }
  return plain;
}

/**
 * @returns the text
 * @throws ServiceError 'parameter.invalid' with the message if it does not match `form`
 */
export function requireForm(text: string, form: RegExp, message: string): string {
  if (!form.test(text)) {
    throw new ServiceError('parameter.invalid', message);
  }
  return text;
}
