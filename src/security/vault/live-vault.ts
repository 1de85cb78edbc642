import type { RotatingVault } from '../../keys/sealing-keys.ts';
import {
  type DerivedKey,
  type KeyDerivation,
  type KeyRegistry,
  neededKeys,
  type RegisteredKey,
  type Sealed,
  sealingKey,
  type SecretPurpose,
} from '../../keys/vault.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { opensCanary } from './key-canary.ts';
import { keyIdOf, type SecretVault } from './secret-vault.ts';

/** Dependencies of a live vault. */
export interface LiveVaultDependencies {
  /** The vault of the start. */
  readonly vault: SecretVault;
  /** The ids of the needed keys, as the database had them at the start. */
  readonly needed: readonly string[];
  readonly registry: Pick<KeyRegistry, 'registered'>;
  /**
   * Fetches keys from their storage.
   * @param missing the ids of the keys; the result may hold others
   */
  readonly fetch: (missing: readonly RegisteredKey[]) => Promise<readonly Uint8Array[]>;
  /** Fetches keys synchronously, where that is possible; called once a second at most. */
  readonly fetchNow?: () => readonly Uint8Array[];
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** Milliseconds between two attempts to fetch a missing key. */
const TIMEOUT_MS = 1_000;

/**
 * The vault of a process whose keys change while it runs: it loads added keys, and seals with the one that the database
 * names. It keeps loaded keys until it ends.
 */
export class LiveVault implements RotatingVault, KeyDerivation {
  readonly #deps: LiveVaultDependencies;
  #vault: SecretVault;
  #needed: readonly string[];
  #refreshing: Promise<readonly string[]> | undefined;
  #fetchedAt = -Infinity;

  constructor(parts: LiveVaultDependencies) {
    this.#deps = parts;
    this.#vault = parts.vault;
    this.#needed = parts.needed;
  }

  get currentKeyId(): string {
    return this.#vault.currentKeyId;
  }

  get keyIds(): readonly string[] {
    return this.#vault.keyIds;
  }

  /** The ids of the keys that the database needs, as of the last read. */
  get neededKeyIds(): readonly string[] {
    return this.#needed;
  }

  seal(plain: Uint8Array, purpose: SecretPurpose, subject: string): Sealed {
    return this.#vault.seal(plain, purpose, subject);
  }

  /** Tries once to fetch a missing key, which may have been added a moment ago. */
  open(secret: Sealed, purpose: SecretPurpose, subject: string): Buffer {
    try {
      return this.#vault.open(secret, purpose, subject);
    } catch (error) {
      if (!isServiceError(error, 'key.unavailable') || !this.#fetchNow()) {
        throw error;
      }
      return this.#vault.open(secret, purpose, subject);
    }
  }

  derive(purpose: string): readonly [DerivedKey, ...DerivedKey[]] {
    return this.#vault.derive(purpose);
  }

  /** @returns the ids of the keys that the database needs and that are not available */
  refresh(): Promise<readonly string[]> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<readonly string[]> {
    const registered = await this.#deps.registry.registered();
    const needed = neededKeys(registered);
    this.#needed = needed.map(({ keyId }) => keyId);
    const missing = needed.filter(({ keyId }) => !this.keyIds.includes(keyId));
    const found = missing.length === 0 ? [] : await this.#deps.fetch(missing);
    const added = found.filter((key) => missing.some(({ keyId }) => keyId === keyIdOf(key)));
    const candidate = this.#vault.withKeys(added, sealingKey(registered));
    const altered = missing.filter(
      (key) => candidate.keyIds.includes(key.keyId) && !opensCanary(candidate, key),
    );
    if (altered.length > 0) {
      // As at a start: a key that does not open its canary is not the database's.
      return altered.map(({ keyId }) => keyId);
    }
    this.#vault = candidate;
    return this.#needed.filter((keyId) => !candidate.keyIds.includes(keyId));
  }

  /** @returns true if new keys were found */
  #fetchNow(): boolean {
    const { fetchNow, elapsed } = this.#deps;
    if (fetchNow === undefined || elapsed() - this.#fetchedAt < TIMEOUT_MS) {
      return false;
    }
    this.#fetchedAt = elapsed();
    try {
      const added = fetchNow().filter((key) => !this.keyIds.includes(keyIdOf(key)));
      this.#vault = this.#vault.withKeys(added, this.currentKeyId);
      return added.length > 0;
    } catch (error) {
      if (isServiceError(error, 'key.unavailable')) {
        return false;
      }
      throw error;
    }
  }
}
