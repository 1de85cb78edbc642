import { randomBytes, randomInt } from 'node:crypto';

/** The kind of a secret. */
export type MarkKind =
  | 'token PIN'
  | 'OCRA PIN'
  | 'response'
  | 'wrong response'
  | 'token key'
  | 'shared secret'
  | 'activation code'
  | 'wrong activation code'
  | 'nonce'
  | 'session'
  | 'login token'
  | 'API token'
  | 'password'
  | 'wrong password'
  | 'key file password'
  | 'resolver password'
  | 'database password'
  | 'encryption key'
  | 'webhook secret'
  | 'misplaced';

/** One secret of the test. */
export interface Mark {
  readonly kind: MarkKind;
  readonly name: string;
  /** The evidence: the whole secret, or pieces, each of which is enough. */
  readonly pieces: readonly Buffer[];
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
/** Bytes of a text or of bytes that are enough as evidence; fewer could occur by chance. */
const PIECE = 8;

/** The secrets that a test plants, and those that it receives. */
export class CanaryMarks {
  readonly #marks: Mark[] = [];

  /** @returns a new text for a secret, with characters that other encodings write in their own way */
  text(kind: MarkKind, name: string): string {
    const core = Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    this.#add(kind, name, Buffer.from(core, 'ascii'));
    return `ö"%\\${core}'&+ß`;
  }

  /** @returns a new text of letters and digits alone */
  word(kind: MarkKind, name: string): string {
    const core = Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    this.#add(kind, name, Buffer.from(core, 'ascii'));
    return core;
  }

  /** @returns new bytes for a secret */
  bytes(kind: MarkKind, name: string, size: number): Buffer {
    const bytes = randomBytes(size);
    this.#add(kind, name, bytes);
    return bytes;
  }

  /** Records a secret that the server made, or that is derived from others. @returns the same */
  note<Secret extends string | Buffer>(kind: MarkKind, name: string, secret: Secret): Secret {
    this.#add(kind, name, typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret);
    return secret;
  }

  /** Records the bytes behind the hexadecimal digits. @returns the digits */
  noteHex(kind: MarkKind, name: string, digits: string): string {
    this.#add(kind, name, Buffer.from(digits, 'hex'));
    return digits;
  }

  all(): readonly Mark[] {
    return this.#marks;
  }

  #add(kind: MarkKind, name: string, secret: Buffer): void {
    if (secret.length < PIECE) {
      throw new Error(`The ${kind} '${name}' is too short to be told from chance`);
    }
    this.#marks.push({ kind, name, pieces: piecesOf(secret) });
  }
}

/** Short ones, and digits alone, are one piece as a whole. */
function piecesOf(secret: Buffer): readonly Buffer[] {
  if (secret.length < 2 * PIECE || /^\d+$/.test(secret.toString('latin1'))) {
    return [secret];
  }
  const starts = Array.from({ length: Math.floor(secret.length / PIECE) }, (_, piece) => piece * PIECE);
  return [...new Set([...starts, secret.length - PIECE])].map((at) => secret.subarray(at, at + PIECE));
}
