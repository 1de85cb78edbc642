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
const DEEPEST_JSON = 8;

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
export function countBytes(most: number): BodyInspection {
  let received = 0;
  return (piece) => {
    received += piece.length;
    return received > most ? tooLarge(most) : undefined;
  };
}

/** @returns the refusal of a body that has, or announces, more bytes */
export function tooLarge(most: number): ServiceError {
  return new ServiceError('request.too-large', `The body is larger than ${most} bytes`);
}

/** @returns an inspection that counts the parameters of a form, including empty ones */
export function countParameters(most: number): BodyInspection {
  let ends = 0;
  return (piece) => {
    for (let index = piece.indexOf(AMPERSAND); index !== -1; index = piece.indexOf(AMPERSAND, index + 1)) {
      ends += 1;
      if (ends > most) {
        return tooManyParameters(most);
      }
    }
    return undefined;
  };
}

/**
 * @param most members and elements at all depths together
 * @returns an inspection that counts the structure of JSON (RFC 8259), before a parser makes an object of it
 */
export function countJson(most: number): BodyInspection {
  const structure = new JsonStructure();
  return (piece) => {
    for (const byte of piece) {
      structure.follow(byte);
      if (structure.commas >= most) {
        return malformed(`The JSON body has more than ${most} members`);
      }
      if (structure.depth > DEEPEST_JSON) {
        return malformed(`The JSON body is nested deeper than ${DEEPEST_JSON} levels`);
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
