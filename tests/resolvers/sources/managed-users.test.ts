import { beforeAll, describe, expect, it } from '@jest/globals';
import { ManagedUsers } from '../../../src/resolvers/sources/user-sources.ts';
import { ManagedUserStore } from '../../../src/users/managed-user-store.ts';
import { storeConfiguration } from '../../support/database/stored-configuration.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { ReadableHasher } from '../../support/application/readable-hasher.ts';
import { ACT, managedUser } from '../../support/values/token-values.ts';

describe('a managed resolver', () => {
  const hasher = new ReadableHasher();
  const ids = { anna: '', bernd: '', clara: '' };
  const test = databaseOfTests();
  let source: ManagedUsers;

  beforeAll(async () => {
    const stored = await storeConfiguration(test.database, {
      resolvers: [{ name: 'one' }, { name: 'two' }],
    });
    const users = new ManagedUserStore({ database: test.database });
    const [one, two] = [await stored.idOf('one'), await stored.idOf('two')];
    const anna = managedUser('anna', { email: 'anna@example.com', passwordHash: 'hash of geheim' });
    ids.anna = (await users.insert(one, anna, ACT)).userId;
    ids.bernd = (await users.insert(one, managedUser('bernd'), ACT)).userId;
    ids.clara = (await users.insert(two, managedUser('clara'), ACT)).userId;
    source = new ManagedUsers({ resolverId: one, users, hasher });
  });

  it('tells of its own users, and never of their passwords', async () => {
    const anna = {
      userId: ids.anna,
      login: 'anna',
      givenName: '',
      surname: '',
      email: 'anna@example.com',
      phone: '',
    };
    expect(await source.findByLogin('anna')).toEqual(anna);
    expect(await source.findById(ids.anna)).toEqual(anna);
    expect(await source.findByLogin('clara')).toBeUndefined();
    expect(await source.findById(ids.clara)).toBeUndefined();
    expect((await source.list()).map(({ login }) => login)).toEqual(['anna', 'bernd']);
    expect(JSON.stringify(await source.list())).not.toContain('hash of');
    expect(await source.count()).toBe(2);
  });

  it('verifies passwords, with the same work for those who have none', async () => {
    expect(await source.checkPassword(ids.anna, 'geheim')).toBe(true);
    expect(await source.checkPassword(ids.anna, 'falsch')).toBe(false);
    expect(await source.checkPassword(ids.bernd, '')).toBe(false);
    expect(await source.checkPassword('nobody', 'geheim')).toBe(false);
    expect([hasher.verified, hasher.verifiedNothing]).toEqual([2, 2]);
  });
});
