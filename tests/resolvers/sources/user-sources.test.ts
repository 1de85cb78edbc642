import { afterEach, describe, expect, it } from '@jest/globals';
import type { Resolver } from '../../../src/configuration/configuration.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { Vault } from '../../../src/keys/vault.ts';
import { ResolverSecretStore } from '../../../src/resolvers/resolver-store.ts';
import { canonicalSettings } from '../../../src/resolvers/settings/setting-values.ts';
import { SETTINGS_RULES } from '../../../src/resolvers/settings/settings-rules.ts';
import { ManagedUserStore } from '../../../src/users/managed-user-store.ts';
import { loadOnUse, observed } from '../../../src/resolvers/sources/user-sources.ts';
import { sourcesHolding, sourcesOver } from '../../support/application/user-sources.ts';
import { storeConfiguration } from '../../support/database/stored-configuration.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { type FakeServer, fakeServer, SETTINGS } from '../../support/servers/ldap-resolver.ts';
import { sqlSettings } from '../../support/servers/sql-resolver.ts';
import { eventualRefusal } from '../../support/values/refusal.ts';
import { ACT } from '../../support/values/token-values.ts';

/** PostgreSQL's AuthenticationCleartextPassword. */
const ASK_FOR_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
const NEW = 'for another server';

const STAFF: Resolver = { id: '1', name: 'staff', kind: 'managed', settings: {}, isBounded: false };
const HELD = sourcesHolding({ 1: ['anna', 'bernd'] })(STAFF);

describe('the stored password of a resolver', () => {
  const vault = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
  const test = databaseOfTests();
  let server: FakeServer;

  afterEach(() => server.close());

  it.each<[Resolver['kind'], (port: string) => Resolver['settings']]>([
    [
      'sql',
      (port) =>
        sqlSettings({
          Driver: 'postgresql',
          Server: '127.0.0.1',
          Port: port,
          User: 'reader',
          Database: 'people',
        }),
    ],
    ['ldap', (port) => ({ ...SETTINGS, LDAPURI: `ldap://127.0.0.1:${port}` })],
  ])('is sent by %s to no server that it was not stored for', async (kind, settingsAt) => {
    server = await fakeServer((socket) => {
      socket.on('data', (bytes) => (bytes.includes(NEW) ? socket.destroy() : socket.write(ASK_FOR_PASSWORD)));
    });
    const names = SETTINGS_RULES[kind as 'sql' | 'ldap'].names;
    const settings = canonicalSettings(kind, names, settingsAt(new URL(server.url).port));
    const { configuration } = await storeConfiguration(test.database, {});
    const stored = async (password: string): Promise<Resolver> => {
      const secret = vault.seal(Buffer.from(password), 'resolver', 'staff');
      await configuration.putResolver({ name: 'staff', kind, settings, isBounded: true, secret }, ACT);
      const [resolver] = (await configuration.current()).resolvers;
      if (resolver === undefined) {
        throw new Error('No resolver is stored');
      }
      return resolver;
    };
    const { database } = test;
    const secrets = new ResolverSecretStore({ database, vault });
    const sources = sourcesOver(new ManagedUserStore({ database }), { secrets, timeoutMs: 10_000 });
    const before = await stored('for this server');
    const users = sources(before);
    const after = await stored(NEW);
    // This server still has the configuration from before.
    expect(await eventualRefusal(users.count())).toMatchObject({
      code: 'resolver.unavailable',
      message: "The resolver 'staff' is unavailable: its password was changed at this moment",
    });
    expect(server.received().includes(NEW)).toBe(false);
    await eventualRefusal(sources(after).count());
    expect(server.received().includes(NEW)).toBe(true);
    // In the rehearsal of an import, whose resolvers are not stored, nothing is compared.
    const rehearsed: Resolver = { id: before.id, name: 'staff', kind, settings, isBounded: true };
    expect(await eventualRefusal(sources(rehearsed).count())).not.toMatchObject({
      message: "The resolver 'staff' is unavailable: its password was changed at this moment",
    });
    await sources.close();
  });
});

describe('a source whose uses are told', () => {
  it('is no promise, and has what it can do alone', async () => {
    const told: boolean[] = [];
    const source = observed(HELD, (isAnswered) => void told.push(isAnswered));
    expect(await Promise.resolve(source)).toBe(source);
    expect(source).not.toHaveProperty('close');
    expect(told).toEqual([]);
  });
});

describe('a source that is loaded on use', () => {
  it('is loaded again where that has failed, and closes without a fault', async () => {
    let loads = 0;
    const source = loadOnUse(() => {
      loads += 1;
      return loads === 1 ? Promise.reject(new Error('no file can be opened')) : Promise.resolve(HELD);
    });
    await expect(source.count()).rejects.toThrow('no file can be opened');
    await source.close();
    expect(await source.count()).toBe(2);
    expect(loads).toBe(2);
  });

  it('is loaded by its first call, once, also by calls at the same time', async () => {
    let loads = 0;
    const source = loadOnUse(() => {
      loads += 1;
      return Promise.resolve(HELD);
    });
    expect(await Promise.resolve(source)).toBe(source);
    await source.close();
    expect(loads).toBe(0);
    expect(await Promise.all([source.count(), source.findByLogin('anna')])).toMatchObject([
      2,
      { userId: 'anna-id' },
    ]);
    expect(loads).toBe(1);
  });

  it('fails in the call that loads it', async () => {
    const source = loadOnUse(() => Promise.reject(new Error('no such module')));
    await expect(source.count()).rejects.toThrow('no such module');
  });
});
