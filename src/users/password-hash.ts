import { ServiceError } from '../kernel/errors.ts';
import type * as Argon2 from '@node-rs/argon2';
import { equalText } from '../kernel/constant-time.ts';
import { Semaphore } from '../kernel/bounded-work.ts';
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Slow, salted hashes of passwords. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Takes the same time for a right and a wrong password. @returns true if it is the password */
  verify(hash: string, password: string): Promise<boolean>;
  /**
   * Takes as long as `verify`, for an account that does not exist.
   * @param account distinguishes it from others, as a hash would: work shared between accounts would reveal that
   *   neither exists
   */
  verifyNothing(password: string, account: string): Promise<false>;
  /** @returns true for a hash of another form than `hash` makes, to be replaced when the password is known */
  isForeign(hash: string): boolean;
}

const MIN_LENGTH = 8;
/** Bytes; bounds the work of the slow hash. */
const MAX_LENGTH = 1024;

/**
 * @throws ServiceError 'parameter.invalid' when a new password is shorter than 8 characters or longer than 1024 bytes
 */
export function assertPassword(password: string): void {
  if (Array.from(password).length < MIN_LENGTH) {
    throw new ServiceError('parameter.invalid', `A password has at least ${MIN_LENGTH} characters`);
  }
  if (!isPasswordSized(password)) {
    throw new ServiceError('parameter.invalid', `A password has at most ${MAX_LENGTH} bytes`);
  }
}

/** @returns true if the password is short enough to be hashed */
export function isPasswordSized(password: string): boolean {
  return Buffer.byteLength(password, 'utf8') <= MAX_LENGTH;
}

/** argon2id (RFC 9106) with OWASP's parameters: 19 MiB, two passes, one lane. argon2id is the library's default. */
const OPTIONS = {
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
  outputLen: 32,
} as const satisfies Argon2.Options;

/** A well-formed hash that no password has, so that unknown accounts cause the same work. */
const NOBODYS_HASH = `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Loads the library where it is used: a command does not wait for it. */
function loadArgon2(): Promise<typeof Argon2> {
  return import('@node-rs/argon2');
}

/** Hashes passwords slowly and off the main thread. */
export class Argon2PasswordHasher implements PasswordHasher {
  /** @returns a hash in PHC form, salt and parameters included */
  async hash(password: string): Promise<string> {
    const { hash } = await loadArgon2();
    return hash(password, OPTIONS);
  }

  /**
   * Also verifies SHA-crypt, which imported accounts have at first.
   * @returns false also for a hash of another form, which cannot be verified
   */
  async verify(passwordHash: string, password: string): Promise<boolean> {
    if (isShaCrypt(passwordHash)) {
      const digests = await shaCrypt(passwordHash, password);
      return digests !== undefined && equalText(digests.made, digests.stored);
    }
    try {
      const { verify } = await loadArgon2();
      return await verify(passwordHash, password);
    } catch {
      return this.verifyNothing(password);
    }
  }

  isForeign(passwordHash: string): boolean {
    return isShaCrypt(passwordHash);
  }

  async verifyNothing(password: string): Promise<false> {
    const { verify } = await loadArgon2();
    await verify(NOBODYS_HASH, password);
    return false;
  }
}

/**
 * Limits the load of hashing: each hash occupies a core for tens of milliseconds, and a flood of passwords would block
 * all other work. Concurrent checks of the same password against the same hash are computed once, so a client that
 * sends its password with each of many requests takes one place. Throws ServiceError 'server.busy'.
 */
export class BoundedPasswordHasher implements PasswordHasher {
  readonly #hasher: PasswordHasher;
  readonly #verifying = new Map<string, Promise<boolean>>();
  readonly #turns: Semaphore;

  constructor({
    hasher,
    atOnce,
    waiting,
  }: {
    readonly hasher: PasswordHasher;
    /** Maximum number of concurrent hashes. */
    readonly atOnce: number;
    /** Maximum number of waiting hashes; further ones are refused. */
    readonly waiting: number;
  }) {
    this.#hasher = hasher;
    this.#turns = new Semaphore(atOnce, {
      waiting,
      refuse: () => new ServiceError('server.busy', 'Too many passwords are being verified'),
    });
  }

  hash(password: string): Promise<string> {
    return this.#turns.run(() => this.#hasher.hash(password));
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.#verifyOnce(hash, password, () => this.#hasher.verify(hash, password));
  }

  async verifyNothing(password: string, account: string): Promise<false> {
    // Never equal to a hash: those begin with $.
    await this.#verifyOnce(`nobody ${account}`, password, () =>
      this.#hasher.verifyNothing(password, account),
    );
    return false;
  }

  isForeign(hash: string): boolean {
    return this.#hasher.isForeign(hash);
  }

  #verifyOnce(hash: string, password: string, verify: () => Promise<boolean>): Promise<boolean> {
    const key = `${hash}\0${password}`;
    const known = this.#verifying.get(key);
    if (known !== undefined) {
      return known;
    }
    const verifying = this.#turns.run(verify).finally(() => this.#verifying.delete(key));
    this.#verifying.set(key, verifying);
    return verifying;
  }
}

/** Waiting passwords for each one that is verified: about a second of work. */
const WAITING_FOR_EACH = 16;

/** @returns hashers for the passwords of administrators, and of users: a flood of one kind does not delay the other */
export function boundedHashers(
  hasher: PasswordHasher,
  atOnce: number,
): { readonly administrators: PasswordHasher; readonly users: PasswordHasher } {
  const waiting = atOnce * WAITING_FOR_EACH;
  return {
    administrators: new BoundedPasswordHasher({ hasher, atOnce, waiting }),
    users: new BoundedPasswordHasher({ hasher, atOnce, waiting: waiting * 8 }),
  };
}

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
  // `alloc` repeats the bytes.
  const parts = [password, salt, Buffer.alloc(password.length, other)];
  for (let length = password.length; length > 0; length >>= 1) {
    parts.push((length & 1) === 1 ? other : password);
  }
  let result = digest(...parts);
  const p = Buffer.alloc(password.length, digest(...Array.from({ length: password.length }, () => password)));
  const s = Buffer.alloc(salt.length, digest(...Array.from({ length: 16 + (result[0] ?? 0) }, () => salt)));
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
 * Groups three bytes at a distance of a third of the digest, rotated by one more from group to group (SHA-256: by two);
 * the rest in a shorter group.
 */
function orderOf(size: 32 | 64): readonly (readonly number[])[] {
  const third = Math.floor(size / 3);
  const groups = Array.from({ length: third }, (_, index) => {
    const bytes = [index, index + third, index + 2 * third];
    const turn = (size === 64 ? index : 2 * index) % 3;
    return [...bytes.slice(turn), ...bytes.slice(0, turn)];
  });
  groups.push(size === 64 ? [63] : [31, 30]);
  return groups;
}
