import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyStore } from '../../src/keys/key-store.ts';
import { down as takeBack } from '../../src/database/migrations/005-encryption-keys.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { KeyUse } from '../../src/keys/key-service.ts';
import type { KeyState } from '../../src/keys/vault.ts';
import { openDatabase } from '../../src/database/database.ts';
import { TestApplication, TestClock } from '../support/application/test-application.ts';
import { deferred } from '../support/values/deferred.ts';

let test: TestDatabase;

let registry: KeyStore;

describe('the keys of a database', () => {
  beforeAll(async () => {
    test = await createTestDatabase();
    registry = new KeyStore({ database: test.database });
  });
  afterAll(() => test.drop());

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

const KEY_ID = 'aa'.repeat(8);

describe('/system/keys', () => {
  let application: TestApplication;
  beforeAll(async () => {
    application = await TestApplication.open();
    const database = openDatabase({ connection: application.databaseUrl, applicationName: 'test' });
    await new KeyStore({ database }).register(KEY_ID, Buffer.from('canary'));
    await new KeyStore({ database }).beat('one', {
      place: 'tan1:17',
      keyIds: [KEY_ID],
      sealingKey: KEY_ID,
    });
    await database.close();
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
  });
  afterAll(() => application.close());

  it('shows the keys and who has them, without reading the tokens', async () => {
    const statements = await application.statementsOf(async () => {
      const { body } = (await application.asAdmin('/system/keys', {})) as { body: { result: unknown } };
      expect(body.result).toHaveProperty('value.keys', [
        expect.objectContaining({ keyid: KEY_ID, current: true, retired: null, secrets: null }),
      ]);
      expect(body.result).toHaveProperty('value.servers', [
        { place: 'tan1:17', keyids: [KEY_ID], seals_with: KEY_ID },
      ]);
    });
    expect(statements.join()).not.toContain('FROM tokens');
  });

  it('counts the secrets of each key, also of one that is not registered', async () => {
    const { keys } = await application.services.keyUse.show(true);
    const unknown = keys.filter(({ keyId }) => keyId !== KEY_ID);
    expect(unknown).toEqual([expect.objectContaining({ addedAt: undefined, secrets: 1 })]);
    expect(keys.find(({ keyId }) => keyId === KEY_ID)).toMatchObject({ secrets: 0 });
  });
});

describe('a count of secrets', () => {
  it('is shared by requests at the same time, and shown again for ten seconds', async () => {
    const clock = new TestClock();
    const first = deferred<readonly KeyState[]>();
    let counts = 0;
    const use = new KeyUse({
      clock,
      keys: {
        entries: () => Promise.resolve([]),
        holders: () => Promise.resolve([]),
        states: () => {
          counts += 1;
          return counts === 1 ? first.promise : Promise.resolve([]);
        },
      },
    });
    const shown = [use.show(true), use.show(true)];
    first.resolve([]);
    await Promise.all(shown);
    clock.advance(9);
    await use.show(true);
    expect(counts).toBe(1);
    clock.advance(2);
    await Promise.all([use.show(true), use.show(true)]);
    expect(counts).toBe(2);
  });

  it('that fails is made again', async () => {
    const clock = new TestClock();
    let counts = 0;
    const use = new KeyUse({
      clock,
      keys: {
        entries: () => Promise.resolve([]),
        holders: () => Promise.resolve([]),
        states: () => {
          counts += 1;
          return counts === 1 ? Promise.reject(new Error('away')) : Promise.resolve([]);
        },
      },
    });
    await expect(use.show(true)).rejects.toThrow('away');
    expect((await use.show(true)).countedAt).toEqual(clock.now());
  });
});
