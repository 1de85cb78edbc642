import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A hash as crypt(3) writes it: `$6$rounds=10000$salt$hash`. */
const FORM = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([^$]{0,16})\$([./0-9A-Za-z]+)$/;
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const MIN_ROUNDS = 1_000;
const USUAL_ROUNDS = 5_000;
/** Maximum rounds: LinOTP 3 uses 656 000, which take about a second; more would occupy the server for longer. */
const MAX_ROUNDS = 700_000;
/** Number of rounds without a pause for other work. */
const STRETCH = 2_000;

/** The order in which the bytes of the digest are written, in groups of three. */
const ORDERS = { sha256: orderOf(32), sha512: orderOf(64) } as const;

interface Parsed {
  readonly algorithm: 'sha256' | 'sha512';
  readonly rounds: number;
  readonly salt: Buffer;
  readonly digest: string;
}

/** @returns true if it is a hash of SHA-crypt that is supported */
export function isShaCrypt(hash: string): boolean {
  return parse(hash) !== undefined;
}

/**
 * SHA-crypt (U. Drepper, "Unix crypt using SHA-256 and SHA-512", 2008): `$5$` and `$6$` of glibc.
 * @param hash contains algorithm, rounds and salt
 * @returns the digest of the password in the encoding of the hash, and the digest in the hash; undefined for a hash of
 *   another form
 */
export async function shaCrypt(
  hash: string,
  password: string,
): Promise<{ readonly made: string; readonly stored: string } | undefined> {
  const parsed = parse(hash);
  if (parsed === undefined) {
    return undefined;
  }
  const made = await digestOf(parsed, Buffer.from(password, 'utf8'));
  return { made: encode(made, ORDERS[parsed.algorithm]), stored: parsed.digest };
}

function parse(hash: string): Parsed | undefined {
  const match = FORM.exec(hash);
  if (match === null) {
    return undefined;
  }
  const [, id, rounds = String(USUAL_ROUNDS), salt = '', digest = ''] = match;
  const requested = Math.max(MIN_ROUNDS, Number(rounds));
  return requested > MAX_ROUNDS
    ? undefined
    : {
        algorithm: id === '5' ? 'sha256' : 'sha512',
        rounds: requested,
        salt: Buffer.from(salt, 'utf8'),
        digest,
      };
}

async function digestOf({ algorithm, rounds, salt }: Parsed, password: Buffer): Promise<Buffer> {
  const digest = (...parts: readonly Buffer[]): Buffer => {
    const hash = createHash(algorithm);
    parts.forEach((part) => hash.update(part));
    return hash.digest();
  };
  const other = digest(password, salt, password);
  const parts = [password, salt, repeatBytes(other, password.length)];
  for (let length = password.length; length > 0; length >>= 1) {
    parts.push((length & 1) === 1 ? other : password);
  }
  let result = digest(...parts);
  const p = repeatBytes(digest(...Array.from({ length: password.length }, () => password)), password.length);
  const s = repeatBytes(digest(...Array.from({ length: 16 + (result[0] ?? 0) }, () => salt)), salt.length);
  for (let round = 0; round < rounds; round += 1) {
    const odd = round % 2 === 1;
    result = digest(
      odd ? p : result,
      round % 3 === 0 ? EMPTY : s,
      round % 7 === 0 ? EMPTY : p,
      odd ? result : p,
    );
    if (round % STRETCH === STRETCH - 1) {
      await nextTurn();
    }
  }
  return result;
}

const EMPTY = Buffer.alloc(0);

/** @returns `length` bytes that repeat the given ones */
function repeatBytes(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes);
}

function encode(digest: Buffer, order: readonly (readonly number[])[]): string {
  let text = '';
  for (const group of order) {
    let value = group.reduce((sum, index) => sum * 256 + (digest[index] ?? 0), 0);
    for (let count = 0; count <= group.length; count += 1) {
      text += ALPHABET[value % 64] ?? '';
      value = Math.floor(value / 64);
    }
  }
  return text;
}

/**
 * Groups three bytes at a distance of a third of the digest, rotated by one from group to group; the rest in a shorter
 * group.
 */
function orderOf(size: 32 | 64): readonly (readonly number[])[] {
  const third = Math.floor(size / 3);
  const groups: number[][] = [];
  for (let index = 0; index < third; index += 1) {
    const [a, b, c] = [index, index + third, index + 2 * third];
    const turns =
      size === 64
        ? [
            [a, b, c],
            [b, c, a],
            [c, a, b],
          ]
        : [
            [a, b, c],
            [c, a, b],
            [b, c, a],
          ];
    groups.push(turns[index % 3] ?? []);
  }
  groups.push(size === 64 ? [63] : [31, 30]);
  return groups;
}
