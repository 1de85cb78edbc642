import { beforeAll, describe, expect, it } from '@jest/globals';
import { KeyStore } from '../../src/keys/key-store.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { KeyService } from '../../src/keys/key-service.ts';
import { openDatabase } from '../../src/database/database.ts';
import { applicationOfTests, TestClock } from '../support/application/test-application.ts';
import { registerKey, testKeys } from '../support/application/test-keys.ts';

const test = databaseOfTests();

let registry: KeyStore;

beforeAll(() => {
  registry = new KeyStore({ database: test.database });
});

describe('the keys of a database', () => {
  it('are none at first; of several servers that start at once, one registers a key', async () => {
    expect(await registry.registered()).toEqual([]);
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, server) =>
        registry.register(([known]) => {
          const key = { keyId: `key ${server}`, canary: Buffer.from('canary') };
          return Promise.resolve(
            known === undefined ? { added: [key], result: key.keyId } : { added: [], result: known.keyId },
          );
        }),
      ),
    );
    expect(new Set(made).size).toBe(1);
    expect(await registry.registered()).toEqual([
      { keyId: made[0], canary: Buffer.from('canary'), isCurrent: true },
    ]);
  });

  it('are not registered when making the key fails', async () => {
    const attempt = registry.register(() => Promise.reject(new Error('no space left on device')));
    await expect(attempt).rejects.toThrow('no space left');
    expect(await registry.registered()).toHaveLength(1);
  });

  it('may be kept as a security module wrapped them, which is never overwritten', async () => {
    const key = { keyId: 'once', canary: Buffer.from('first') };
    const wrapped = { bytes: Buffer.from('wrapped'), by: "key 'k' of token 't'" };
    const last = async () => (await registry.registered()).at(-1);
    await registerKey(test.database, key);
    expect(await last()).toEqual(key);
    await registerKey(test.database, { ...key, canary: Buffer.from('second'), wrapped });
    expect(await last()).toEqual({ ...key, wrapped });
    await registerKey(test.database, { ...key, wrapped: { bytes: Buffer.from('other'), by: 'other' } });
    await registerKey(test.database, key);
    expect(await last()).toEqual({ ...key, wrapped });
  });
});

const KEY_ID = 'aa'.repeat(8);

describe('/admin/key/list', () => {
  const application = applicationOfTests();
  beforeAll(async () => {
    const database = openDatabase({ connection: application.databaseUrl, applicationName: 'test' });
    await registerKey(database, { keyId: KEY_ID, canary: Buffer.from('canary') });
    await database.close();
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
  });

  it('shows the keys without reading the tokens', async () => {
    const statements = await application.statementsOf(async () => {
      const { body } = (await application.asAdmin('/admin/key/list', {})) as { body: { result: unknown } };
      expect(body.result).toHaveProperty('value', [
        {
          key_id: KEY_ID,
          state: 'current',
          created_at: expect.any(String),
          current_since: expect.any(String),
        },
      ]);
    });
    expect(statements.join()).not.toContain('FROM tokens');
  });

  it('counts the secrets of each key, also of one that is not registered', async () => {
    const keys = await application.services.keys.list(true);
    const unknown = keys.filter(({ keyId }) => keyId !== KEY_ID);
    expect(unknown).toEqual([expect.objectContaining({ state: 'unknown', secrets: 1 })]);
    expect(keys.find(({ keyId }) => keyId === KEY_ID)).toMatchObject({ state: 'current', secrets: 0 });
  });
});

describe('the state of a key', () => {
  const at = new Date();
  it.each([
    [{ isCurrent: true }, 'current'],
    [{ currentSince: undefined }, 'added'],
    [{}, 'former'],
    [{ secrets: 1 }, 'needed'],
    [{ secrets: 0 }, 'unused'],
    [{ retiredAt: at, secrets: 0 }, 'retired'],
    [{ createdAt: undefined, currentSince: undefined, secrets: 3 }, 'unknown'],
  ])('with %j is %s', async (facts, state) => {
    const key = {
      keyId: KEY_ID,
      createdAt: at,
      isCurrent: false,
      currentSince: at,
      retiredAt: undefined,
      ...facts,
    };
    class OneKey extends KeyStore {
      override entries(): ReturnType<KeyStore['entries']> {
        return Promise.resolve([key]);
      }
    }
    const service = new KeyService({
      clock: new TestClock(),
      keys: new OneKey({ database: test.database }),
      opened: testKeys(),
    });
    expect(await service.list(false)).toEqual([{ ...key, state }]);
  });
});
