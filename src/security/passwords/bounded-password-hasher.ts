import type { PasswordHasher } from '../../users/password-hasher.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { Semaphore } from '../../kernel/bounded-work.ts';

interface BoundedHasherDependencies {
  readonly hasher: PasswordHasher;
  /** Maximum number of concurrent hashes. */
  readonly atOnce: number;
  /** Maximum number of waiting hashes; further ones are refused. */
  readonly waiting: number;
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

  constructor({ hasher, atOnce, waiting }: BoundedHasherDependencies) {
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
