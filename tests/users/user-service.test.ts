import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { ManagedUserStore } from '../../src/users/managed-user-store.ts';
import { UserService } from '../../src/users/user-service.ts';
import { callerNamed } from '../support/values/callers.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { ACT, managedUser } from '../support/values/token-values.ts';
import { ReadableHasher } from '../support/application/readable-hasher.ts';
import { sourcesOver } from '../support/application/user-sources.ts';

const admin = callerNamed('admin');

let test: TestDatabase;
let stored: StoredConfiguration;
let users: ManagedUserStore;
/** The id of the resolver res. */
let res: string;
let service: UserService;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

beforeEach(async () => {
  stored = await storeConfiguration(test.database, {
    realms: [
      { name: 'alpha', resolvers: ['res', 'more'] },
      { name: 'beta', resolvers: ['more'] },
    ],
    resolvers: [
      { name: 'res' },
      { name: 'more' },
      { name: 'unused' },
      { name: 'file', kind: 'passwd', settings: { fileName: '/nonexistent/passwd' } },
    ],
    policies: [
      checkPolicy({ name: 'write', scope: 'system', action: 'read, write', user: 'admin' }),
      checkPolicy({ name: 'read', scope: 'system', action: 'read', user: 'reader, bound' }),
      checkPolicy({ name: 'users', scope: 'admin', action: 'userlist', realm: '*', user: 'admin' }),
      checkPolicy({ name: 'some', scope: 'admin', action: 'userlist', realm: 'beta', user: 'bound' }),
    ],
  });
  users = new ManagedUserStore({ database: test.database });
  res = await stored.idOf('res');
  await users.insert(res, managedUser('anna', { email: 'anna@example.com' }), ACT);
  await users.insert(await stored.idOf('more'), managedUser('bernd'), ACT);
  const access = new AccessControl({ clock: { now: () => new Date(0) } });
  service = new UserService({
    configuration: stored.configuration,
    users,
    sources: sourcesOver(users),
    hasher: new ReadableHasher(),
    access,
  });
});

describe('users', () => {
  it.each([
    ['0301234', '+49 (0)30 1234'],
    ['+49 (0)30 1234', '030 1234'],
    ['+49 (0)30 1234', '+49 30 12-34'],
    ['(030) 12/34', '+49301234'],
    ['0049 30 1234', '030/1234'],
    ['30 1234', 'Tel. +49 30 1234'],
    ['*1234', '+49 30 1234'],
  ])('are listed and found by the number %s whose telephone is written %s', async (search, phone) => {
    await users.insert(res, managedUser('caller', { phone }), ACT);
    await users.insert(res, managedUser('other', { phone: '+43 30 91235' }), ACT);
    const listed = await service.list(admin, { realm: 'alpha', search });
    expect(listed.map(({ login }) => login)).toEqual(['caller']);
    const found = await service.find(admin, { realm: 'alpha', search, matching: { login: 'c*' } });
    expect(found.map(({ login }) => login)).toEqual(['caller']);
    expect(await service.find(admin, { realm: 'alpha', search, matching: { login: 'd*' } })).toEqual([]);
    expect(await service.list(admin, { realm: 'alpha', search, limit: 1 })).toHaveLength(1);
  });

  it('of another number of the same digits are not found by it', async () => {
    await users.insert(res, managedUser('other', { phone: '+43 30 1234' }), ACT);
    expect(await service.list(admin, { realm: 'alpha', search: '+49 (0)30 1234' })).toEqual([]);
    expect(await service.list(admin, { realm: 'alpha', search: '030 12 35' })).toEqual([]);
  });
});
