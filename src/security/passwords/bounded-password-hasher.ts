import type { PasswordHasher } from '../../users/ports.ts';
import { ServiceError } from '../../kernel/errors.ts';

interface BoundedHasherDependencies {
  readonly hasher: PasswordHasher;
  /** How many hashes are computed at once. */
  readonly atOnce: number;
  /** How many may wait for their turn; further ones are refused. */
  readonly waiting: number;
}

/**
 * Bounds how much of the machine hashing takes: each hash occupies a core for tens of milliseconds, which a flood of
 * passwords would take from all else. The same password for the same hash is verified once for all who ask meanwhile, so a
 * client that gives its password with each of many requests takes one place. Throws ServiceError 'server.busy'.
 */
export class BoundedPasswordHasher implements PasswordHasher {
  readonly #deps: BoundedHasherDependencies;
  readonly #verifying = new Map<string, Promise<boolean>>();
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(dependencies: BoundedHasherDependencies) {
    this.#deps = dependencies;
  }

  hash(password: string): Promise<string> {
    return this.#take(() => this.#deps.hasher.hash(password));
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.#joined(hash, password, () => this.#deps.hasher.verify(hash, password));
  }

  async verifyNothing(password: string, account: string): Promise<false> {
    // Never taken for a hash: those begin with $.
    await this.#joined(`nobody ${account}`, password, () =>
      this.#deps.hasher.verifyNothing(password, account),
    );
    return false;
  }

  #joined(hash: string, password: string, verify: () => Promise<boolean>): Promise<boolean> {
    const key = `${hash}\0${password}`;
    const known = this.#verifying.get(key);
    if (known !== undefined) {
      return known;
    }
    const verifying = this.#take(verify).finally(() => this.#verifying.delete(key));
    this.#verifying.set(key, verifying);
    return verifying;
  }

  async #take<Value>(work: () => Promise<Value>): Promise<Value> {
    const { atOnce, waiting } = this.#deps;
    if (this.#running < atOnce) {
      this.#running += 1;
    } else if (this.#queue.length < waiting) {
      // Whoever ends hands its place over.
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    } else {
      throw new ServiceError('server.busy', 'Too many passwords are being verified');
    }
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) {
        this.#running -= 1;
      } else {
        next();
      }
    }
  }
}
