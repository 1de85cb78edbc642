import { ServiceError } from '../../kernel/errors.ts';
import { decodeUtf8, type QueryEntry } from './query-string.ts';

/**
 * Reads a flat object of texts, numbers and booleans; null counts as not given.
 * @throws ServiceError 'request.malformed'
 */
export function parseJson(body: Buffer): QueryEntry[] {
  const value = parseAnyJson(decodeUtf8(body));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('request.malformed', 'The JSON body must be an object');
  }
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    member === null ? [] : [[name, jsonText(name, member)] as const],
  );
}

function parseAnyJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('request.malformed', 'The body is not JSON', { cause, syntax: 'json' });
  }
}

function jsonText(name: string, member: unknown): string {
  if (typeof member === 'string') {
    return member;
  }
  // A longer whole number would have lost digits in a floating point number.
  if (
    typeof member === 'boolean' ||
    (typeof member === 'number' && Math.abs(member) <= Number.MAX_SAFE_INTEGER)
  ) {
    return String(member);
  }
  throw new ServiceError(
    'request.malformed',
    `The member '${name.slice(0, 50)}' of the JSON body must be a text, a boolean or a number of at most 15 digits`,
  );
}
