import { ServiceError } from '../../kernel/errors.ts';
import { tooManyParameters } from './query-string.ts';

const FREE_PIECES = 256;
const BYTES_A_PIECE = 64;

/** Inspects each piece of a body on arrival. @returns the refusal of the body as soon as it exceeds a limit */
export type BodyInspection = (piece: Buffer) => ServiceError | undefined;

const AMPERSAND = 0x26;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The deepest nesting that is parsed. Parameters are texts; a member nested less deeply gets a message with its name.
 */
const MAX_JSON_DEPTH = 8;

/**
 * Counts the pieces in which a body arrives: each is kept as a buffer of its own, which takes some 200 bytes even for
 * one byte.
 * @returns an inspection that refuses a body in more pieces than 256 and one for each 64 bytes
 */
export function countPieces(): BodyInspection {
  let pieces = 0;
  let bytes = 0;
  return (piece) => {
    pieces += 1;
    bytes += piece.length;
    return pieces > FREE_PIECES + bytes / BYTES_A_PIECE
      ? new ServiceError('request.malformed', 'The body comes in too small pieces')
      : undefined;
  };
}

/** @returns an inspection that counts bytes */
export function countBytes(max: number): BodyInspection {
  let received = 0;
  return (piece) => {
    received += piece.length;
    return received > max ? tooLarge(max) : undefined;
  };
}

/** @returns the refusal of a body that has, or announces, more bytes */
export function tooLarge(max: number): ServiceError {
  return new ServiceError('request.too-large', `The body is larger than ${max} bytes`);
}

/** @returns an inspection that counts the parameters of a form, including empty ones */
export function countParameters(max: number): BodyInspection {
  let ends = 0;
  return (piece) => {
    for (let index = piece.indexOf(AMPERSAND); index !== -1; index = piece.indexOf(AMPERSAND, index + 1)) {
      ends += 1;
      if (ends > max) {
        return tooManyParameters(max);
      }
    }
    return undefined;
  };
}

/**
 * @param max members and elements at all depths together
 * @returns an inspection that counts the structure of JSON (RFC 8259), before a parser makes an object of it
 */
export function countJson(max: number): BodyInspection {
  const structure = new JsonStructure();
  return (piece) => {
    for (const byte of piece) {
      structure.follow(byte);
      if (structure.commas >= max) {
        return malformed(`The JSON body has more than ${max} members`);
      }
      if (structure.depth > MAX_JSON_DEPTH) {
        return malformed(`The JSON body is nested deeper than ${MAX_JSON_DEPTH} levels`);
      }
    }
    return undefined;
  };
}

class JsonStructure {
  commas = 0;
  depth = 0;
  #state: 'structure' | 'text' | 'escape' = 'structure';

  follow(byte: number): void {
    if (this.#state === 'structure') {
      this.#count(byte);
    } else if (this.#state === 'escape' || byte === BACKSLASH) {
      this.#state = this.#state === 'escape' ? 'text' : 'escape';
    } else if (byte === QUOTE) {
      this.#state = 'structure';
    }
  }

  #count(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#state = 'text';
        break;
      case 0x2c: // ,
        this.commas += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        this.depth += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        this.depth -= 1;
        break;
    }
  }
}

function malformed(message: string): ServiceError {
  return new ServiceError('request.malformed', message);
}
