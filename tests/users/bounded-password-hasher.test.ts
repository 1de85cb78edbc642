import { describe, expect, it } from '@jest/globals';
import {
  BoundedPasswordHasher,
  type PasswordHasher,
  Argon2PasswordHasher,
} from '../../src/users/password-hash.ts';
import { parseOptions } from '@node-rs/argon2';

/** A hasher that ends nothing before it is told to, and counts what it is at. */
class HeldHasher implements PasswordHasher {
  started = 0;
  running = 0;
  most = 0;
  readonly #ends: (() => void)[] = [];

  hash(password: string): Promise<string> {
    return this.#held(`hash of ${password}`);
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.#held(hash === `hash of ${password}`);
  }

  isForeign(hash: string): boolean {
    return hash === '$6$';
  }

  verifyNothing(): Promise<false> {
    return this.#held<false>(false);
  }

  /** Ends all that was begun, and what begins then. */
  async release(): Promise<void> {
    while (this.#ends.length > 0) {
      this.#ends.shift()?.();
      await new Promise(setImmediate);
    }
  }

  async #held<Value>(value: Value): Promise<Value> {
    this.started += 1;
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await new Promise<void>((resolve) => this.#ends.push(resolve));
    this.running -= 1;
    return value;
  }
}

describe('a bounded hasher', () => {
  it('works on two of 60 passwords at once, lets some wait and refuses the rest at once', async () => {
    const held = new HeldHasher();
    const hasher = new BoundedPasswordHasher({ hasher: held, atOnce: 2, waiting: 10 });
    const outcomes = Array.from({ length: 60 }, async (_, index) =>
      index % 2 === 0
        ? hasher.verify('hash of x', `wrong ${index}`)
        : hasher.verifyNothing(`wrong ${index}`, 'y'),
    );
    const settled = Promise.allSettled(outcomes);
    const refusal = await outcomes[59]?.catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'server.busy' });
    expect(held.running).toBe(2);
    await held.release();
    const results = await settled;
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(12);
    expect(held).toMatchObject({ started: 12, most: 2, running: 0 });
  });

  it('verifies a password once for all who give it meanwhile, and again for those who come later', async () => {
    const held = new HeldHasher();
    const hasher = new BoundedPasswordHasher({ hasher: held, atOnce: 1, waiting: 1 });
    const right = Array.from({ length: 50 }, () => hasher.verify('hash of x', 'x'));
    const wrong = Array.from({ length: 50 }, () => hasher.verify('hash of y', 'x'));
    await held.release();
    expect(new Set(await Promise.all(right))).toEqual(new Set([true]));
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([false]));
    expect(held.started).toBe(2);
    const later = hasher.verify('hash of x', 'x');
    await held.release();
    expect(await later).toBe(true);
    expect(held.started).toBe(3);
  });

  it('works as often for accounts that there are not as for those that there are', async () => {
    const works = async (verify: (hasher: PasswordHasher, account: string) => Promise<boolean>) => {
      const held = new HeldHasher();
      const hasher = new BoundedPasswordHasher({ hasher: held, atOnce: 1, waiting: 10 });
      const verdicts = ['one', 'one', 'other', 'other', 'third'].map((account) => verify(hasher, account));
      await held.release();
      expect(new Set(await Promise.all(verdicts))).toEqual(new Set([false]));
      return held.started;
    };
    expect(await works((hasher, account) => hasher.verify(`hash of ${account}`, 'x'))).toBe(3);
    expect(await works((hasher, account) => hasher.verifyNothing('x', account))).toBe(3);
  });

  it('hands on the place of what fails', async () => {
    const failing: PasswordHasher = {
      hash: () => Promise.reject(new Error('no')),
      verify: () => Promise.reject(new Error('no')),
      verifyNothing: () => Promise.resolve(false),
      isForeign: () => false,
    };
    const hasher = new BoundedPasswordHasher({ hasher: failing, atOnce: 1, waiting: 3 });
    const results = await Promise.allSettled([
      hasher.hash('a'),
      hasher.verify('h', 'b'),
      hasher.verifyNothing('c', 'y'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await hasher.verifyNothing('d', 'y')).toBe(false);
  });
});

const hasher = new Argon2PasswordHasher();

describe('a password', () => {
  it('is hashed with argon2id, 19 MiB, two passes, one lane, and a salt of its own', async () => {
    const hash = await hasher.hash('geheim');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(parseOptions(hash)).toMatchObject({
      memoryCost: 19_456,
      timeCost: 2,
      parallelism: 1,
      outputLen: 32,
    });
    expect(await hasher.hash('geheim')).not.toBe(hash);
  });

  it('is verified, in UTF-8', async () => {
    const hash = await hasher.hash('gehe\u00efm ☃');
    expect(await hasher.verify(hash, 'gehe\u00efm ☃')).toBe(true);
    expect(await hasher.verify(hash, 'geheim')).toBe(false);
    expect(await hasher.verify(hash, '')).toBe(false);
  });

  it.each(['', 'geheim', '$6$salt$hash', '$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA', '$argon2id$broken'])(
    'is never right for %j in place of a hash',
    async (hash) => {
      expect(await hasher.verify(hash, 'geheim')).toBe(false);
      expect(await hasher.verify(hash, hash)).toBe(false);
    },
  );

  it('of nobody is never right', async () => {
    expect(await hasher.verifyNothing('')).toBe(false);
    expect(await hasher.verifyNothing('geheim')).toBe(false);
  });
});
