import type { KeyRegistration, KeyRegistry, RegisteredKey, WrappedKey } from '../keys/vault.ts';

/** The keys that a backup names, for a vault that is opened before a database has them. Changes are forgotten. */
export class BackedUpKeys implements KeyRegistry, KeyRegistration {
  readonly #keys: Map<string, RegisteredKey>;

  constructor(keys: readonly RegisteredKey[]) {
    this.#keys = new Map(keys.map((key) => [key.keyId, key]));
  }

  registered(): Promise<readonly RegisteredKey[]> {
    return Promise.resolve([...this.#keys.values()]);
  }

  register(keyId: string, canary: Buffer, wrapped?: WrappedKey): Promise<boolean> {
    return this.#set(keyId, { keyId, canary, ...(wrapped !== undefined && { wrapped }) });
  }

  addWrapped(keyId: string, wrapped: WrappedKey): Promise<boolean> {
    const key = this.#keys.get(keyId);
    return key === undefined || key.wrapped !== undefined
      ? Promise.resolve(false)
      : this.#set(keyId, { ...key, wrapped }, true);
  }

  withRegistration<T>(work: (registry: KeyRegistry) => Promise<T>): Promise<T> {
    return work(this);
  }

  #set(keyId: string, key: RegisteredKey, isKnown = false): Promise<boolean> {
    const isFree = this.#keys.has(keyId) === isKnown;
    if (isFree) {
      this.#keys.set(keyId, key);
    }
    return Promise.resolve(isFree);
  }
}
