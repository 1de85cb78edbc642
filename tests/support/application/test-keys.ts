import type { Database } from '../../../src/database/database.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { KeyFileKeys } from '../../../src/keys/key-file.ts';
import { KeyStore } from '../../../src/keys/key-store.ts';
import { OpenedKeys } from '../../../src/keys/opened-keys.ts';
import { type NewKey, type RegisteredKey, Vault } from '../../../src/keys/vault.ts';

const KEY = Buffer.alloc(32, 7);

/** @returns the keys of a service that never change: one, always the same, which no file holds */
export function testKeys(): OpenedKeys {
  return new OpenedKeys({
    vault: new Vault({ keys: [KEY], random: systemRandom }),
    source: Object.assign(new KeyFileKeys({ file: '/nonexistent/encryption.key', random: systemRandom }), {
      read: () => Promise.resolve([KEY]),
    }),
    registry: { registered: () => Promise.resolve([]) },
    random: systemRandom,
  });
}

/** Writes a key to the database as a start does. */
export function registerKey(database: Database, key: NewKey): Promise<undefined> {
  return new KeyStore({ database }).register(() => Promise.resolve({ added: [key], result: undefined }));
}

/** The keys of a database in memory, whose transactions take all or nothing. */
export class MemoryRegistry implements Pick<KeyStore, 'register' | 'registered'> {
  keys: readonly RegisteredKey[] = [];

  registered(): Promise<readonly RegisteredKey[]> {
    return Promise.resolve(this.keys);
  }

  async register<T>(
    open: (
      registered: readonly RegisteredKey[],
    ) => Promise<{ readonly added: readonly NewKey[]; readonly result: T }>,
  ): Promise<T> {
    const { added, result } = await open(this.keys);
    const byId = new Map(this.keys.map((key) => [key.keyId, key]));
    added.forEach((key) => byId.set(key.keyId, { ...byId.get(key.keyId), ...key }));
    this.keys = [...byId.values()];
    return result;
  }
}
