import { ServiceError } from '../kernel/errors.ts';

/** A parameter as it was given: name and value. Names may repeat. */
export type Entry = readonly [name: string, value: string];

/**
 * Reads `application/x-www-form-urlencoded` (https://url.spec.whatwg.org/#urlencoded-parsing), but strictly: what is
 * not well-formed is refused and never guessed, as a guess would be another value than the sender meant.
 * @throws ServiceError 'request.malformed' for a broken percent sequence or broken UTF-8
 */
export function parseQueryString(text: string): Entry[] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1
        ? ([decode(pair), ''] as const)
        : ([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))] as const);
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new ServiceError('request.malformed', 'A parameter is not percent-encoded UTF-8', { cause });
  }
}

/**
 * @returns the text that the bytes are
 * @throws ServiceError 'request.malformed' where they are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServiceError('request.malformed', 'The request is not in UTF-8', { cause });
  }
}
