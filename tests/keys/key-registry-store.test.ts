import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { KeyStore } from '../../src/keys/key-store.ts';
import { down as takeBack } from '../../src/database/migrations/005-encryption-keys.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

let test: TestDatabase;
let registry: KeyStore;

beforeAll(async () => {
  test = await createTestDatabase();
  registry = new KeyStore({ database: test.database });
});

afterAll(() => test.drop());

describe('the keys of a database', () => {
  it('are none at first; of several servers that start at once, one registers a key', async () => {
    expect(await registry.registered()).toEqual([]);
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, server) =>
        registry.withRegistration(async (own) => {
          const [known] = await own.registered();
          if (known !== undefined) {
            return known.keyId;
          }
          await own.register(`key ${server}`, Buffer.from('canary'));
          return `key ${server}`;
        }),
      ),
    );
    expect(new Set(made).size).toBe(1);
    expect(await registry.registered()).toEqual([
      { keyId: made[0], canary: Buffer.from('canary'), isCurrent: true },
    ]);
  });

  it('are never overwritten', async () => {
    expect(await registry.register('once', Buffer.from('first'))).toBe(true);
    expect(await registry.register('once', Buffer.from('second'))).toBe(false);
    expect((await registry.registered()).at(-1)).toEqual({
      keyId: 'once',
      canary: Buffer.from('first'),
      isWaiting: true,
    });
  });

  it('are not registered when making the key fails', async () => {
    const attempt = registry.withRegistration(async (own) => {
      await own.register('lost', Buffer.from('x'));
      throw new Error('no space left on device');
    });
    await expect(attempt).rejects.toThrow('no space left');
    expect((await registry.registered()).map(({ keyId }) => keyId)).not.toContain('lost');
  });

  it('may be kept as a security module wrapped them, which is never overwritten', async () => {
    const canary = Buffer.from('canary');
    const wrapped = { bytes: Buffer.from('wrapped'), by: "key 'k' of token 't'" };
    expect(await registry.register('wrapped', canary, wrapped)).toBe(true);
    expect((await registry.registered()).at(-1)).toEqual({
      keyId: 'wrapped',
      canary,
      wrapped,
      isWaiting: true,
    });
    expect(await registry.addWrapped('wrapped', { bytes: Buffer.from('other'), by: 'other' })).toBe(false);
    expect((await registry.registered()).at(-1)).toEqual({
      keyId: 'wrapped',
      canary,
      wrapped,
      isWaiting: true,
    });
    expect(await registry.addWrapped('once', wrapped)).toBe(true);
    expect((await registry.registered()).find(({ keyId }) => keyId === 'once')).toMatchObject({ wrapped });
  });

  it('are not dropped with the wrapped form, which may be the only one, by taking migrations back', async () => {
    const down = test.database.knex.transaction((transaction) => takeBack(transaction));
    await expect(down).rejects.toThrow('encryption_keys holds keys that a security module encrypted');
    expect(await registry.registered()).not.toEqual([]);
  });
});
