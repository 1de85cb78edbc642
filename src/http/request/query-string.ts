import { TextDecoder } from 'node:util';
import { ServiceError } from '../../kernel/errors.ts';

/** A parameter as given: name and value. Names may repeat. */
export type QueryEntry = readonly [name: string, value: string];

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
// Each keeps no state between texts; a new one for each text would cost more than the decoding.
const FORM_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BODY_DECODER = new TextDecoder('utf-8', { fatal: true });
const NOT_ENCODED = 'A parameter is not percent-encoded UTF-8';

/**
 * Reads the query string of an URL.
 * @param max parameters; further ones are refused before they are decoded
 * @throws ServiceError 'request.malformed'
 */
export function parseQueryString(text: string, max = Infinity): QueryEntry[] {
  return parseForm(Buffer.from(text, 'utf8'), max);
}

/**
 * Reads `application/x-www-form-urlencoded` (https://url.spec.whatwg.org/#urlencoded-parsing) strictly: malformed input
 * is refused, as a guess could differ from the value that the sender meant.
 * @param max parameters; further ones are refused before they are decoded
 * @throws ServiceError 'request.malformed' for too many parameters, a broken percent sequence or broken UTF-8
 */
export function parseForm(bytes: Buffer, max: number): QueryEntry[] {
  const entries: QueryEntry[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = indexOrEnd(bytes, AMPERSAND, start);
    if (end > start) {
      if (entries.length >= max) {
        throw tooManyParameters(max);
      }
      entries.push(parsePair(bytes.subarray(start, end)));
    }
    start = end + 1;
  }
  return entries;
}

/** @returns the refusal of a request that carries too many parameters */
export function tooManyParameters(max: number): ServiceError {
  return new ServiceError('request.malformed', `The request has more than ${max} parameters`);
}

function parsePair(pair: Buffer): QueryEntry {
  const equals = indexOrEnd(pair, EQUALS, 0);
  return [decode(pair.subarray(0, equals)), decode(pair.subarray(equals + 1))];
}

/** Decodes on bytes: splitting a text of megabytes would make a string for each character to replace. */
function decode(encoded: Buffer): string {
  const bytes = Buffer.allocUnsafe(encoded.length);
  let length = 0;
  for (let index = 0; index < encoded.length; index += 1) {
    const byte = encoded[index] ?? 0;
    if (byte === PERCENT) {
      bytes[length] = (hexDigit(encoded[index + 1]) << 4) | hexDigit(encoded[index + 2]);
      index += 2;
    } else {
      bytes[length] = byte === PLUS ? SPACE : byte;
    }
    length += 1;
  }
  return decodeStrictly(bytes.subarray(0, length), FORM_DECODER, NOT_ENCODED);
}

/** Reads a digit by arithmetic: `parseInt` would make a string of each digit. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) {
    return byte - 0x30;
  }
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x66) {
    return letter - 0x57;
  }
  throw new ServiceError('request.malformed', NOT_ENCODED);
}

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index === -1 ? bytes.length : index;
}

/**
 * Decodes UTF-8.
 * @throws ServiceError 'request.malformed' where the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decodeStrictly(bytes, BODY_DECODER, 'The request is not in UTF-8');
}

function decodeStrictly(bytes: Uint8Array, decoder: TextDecoder, message: string): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new ServiceError('request.malformed', message, { cause });
  }
}
