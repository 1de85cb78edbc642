import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyUse } from '../../src/keys/key-service.ts';
import type { KeyState } from '../../src/keys/vault.ts';
import { KeyStore } from '../../src/keys/key-store.ts';
import { openDatabase } from '../../src/database/database.ts';
import { TestApplication, TestClock } from '../support/application/test-application.ts';
import { deferred } from '../support/values/deferred.ts';

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
