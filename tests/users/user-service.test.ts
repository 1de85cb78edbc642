import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { ManagedUserStore } from '../../src/users/managed-user-store.ts';
import { UserService } from '../../src/users/user-service.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { ACT } from '../support/values/token-values.ts';
import { managedUser } from '../support/values/user-values.ts';
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

/** @returns the acts of the administrator in the audit */
async function acts(): Promise<readonly string[]> {
  const all = await stored.acts();
  return all.filter((act) => act.startsWith('admin ')).map((act) => act.slice('admin '.length));
}

describe('users', () => {
  it('of a realm or a resolver are listed without passwords', async () => {
    const anna = {
      userId: expect.any(String),
      login: 'anna',
      givenName: '',
      surname: '',
      email: 'anna@example.com',
      phone: '',
    };
    const listed = await service.list(admin, { realm: 'Alpha' });
    expect(listed).toEqual([
      { ...anna, resolver: 'res' },
      expect.objectContaining({ login: 'bernd', resolver: 'more' }),
    ]);
    expect(await service.list(admin, {})).toEqual(listed);
    expect(await service.list(admin, { resolver: 'unused' })).toEqual([]);
  });

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

  it('elsewhere are not shown to a bound administrator, nor that there is an elsewhere', async () => {
    const bound = callerNamed('bound');
    expect((await service.list(bound, { realm: 'beta' })).map(({ login }) => login)).toEqual(['bernd']);
    expect((await service.list(bound, { resolver: 'more' })).map(({ login }) => login)).toEqual(['bernd']);
    const refusals = await Promise.all(
      [{ realm: 'alpha' }, { realm: 'nosuch' }, { resolver: 'res' }, { resolver: 'nosuch' }].map((where) =>
        eventualRefusal(service.list(bound, where)),
      ),
    );
    expect(refusals.map(({ message }) => message)).toEqual([
      "There is no realm 'alpha'",
      "There is no realm 'nosuch'",
      "There is no resolver 'res'",
      "There is no resolver 'nosuch'",
    ]);
  });

  it('of managed resolvers are added, get passwords and are removed', async () => {
    const added = await service.add(admin, {
      resolver: 'res',
      login: ' zoë ',
      givenName: ' Zoë ',
      surname: 'Žižek',
      password: 'geheimnis',
    });
    expect(added).toEqual({
      userId: expect.any(String),
      login: 'zoë',
      givenName: 'Zoë',
      surname: 'Žižek',
      email: '',
      phone: '',
    });
    expect((await users.findByLogin(res, 'zoë'))?.passwordHash).toBe('hash of geheimnis');
    await service.setPassword(admin, { resolver: 'res', login: 'zoë', password: 'geheimnis2' });
    expect((await users.findByLogin(res, 'zoë'))?.passwordHash).toBe('hash of geheimnis2');
    await service.setPassword(admin, { resolver: 'res', login: 'zoë', password: null });
    expect((await users.findByLogin(res, 'zoë'))?.passwordHash).toBeNull();
    await service.remove(admin, { resolver: 'res', login: 'zoë' });
    expect(await users.findByLogin(res, 'zoë')).toBeUndefined();
    expect(await acts()).toEqual(['user/add', 'user/password', 'user/password', 'user/remove']);
  });

  it('are found however the login is spelled', async () => {
    await service.add(admin, { resolver: 'res', login: 'Zoe\u0308' });
    expect(await users.findByLogin(res, 'Zo\u00eb')).toBeDefined();
    await service.setPassword(admin, { resolver: 'res', login: 'Zoe\u0308', password: 'geheimnis' });
    await service.remove(admin, { resolver: 'res', login: 'Zoe\u0308' });
    expect(await users.findByLogin(res, 'Zo\u00eb')).toBeUndefined();
    await users.insert(res, managedUser('Zoe\u0308'), ACT);
    await service.remove(admin, { resolver: 'res', login: 'Zo\u00eb' });
    expect(await users.findByLogin(res, 'Zoe\u0308')).toBeUndefined();
  });

  it('are refused with a reason', async () => {
    const add = async (change: object): Promise<string> =>
      (await eventualRefusal(service.add(admin, { resolver: 'res', login: 'neu', ...change }))).code;
    expect(await add({ login: 'anna' })).toBe('user.exists');
    expect(await add({ login: 'ANNA' })).toBe('user.exists');
    await users.insert(res, managedUser('Zoe\u0308'), ACT);
    expect(await add({ login: 'Zo\u00eb' })).toBe('user.exists');
    expect(await add({ login: 'Zoe\u0308' })).toBe('user.exists');
    expect(await add({ login: '*' })).toBe('parameter.invalid');
    expect(await add({ email: 'x'.repeat(256) })).toBe('parameter.invalid');
    expect(await add({ password: 'kurz' })).toBe('parameter.invalid');
    expect(await add({ resolver: 'file' })).toBe('resolver.invalid');
    expect(await add({ resolver: 'nosuch' })).toBe('resolver.unknown');
    const nobody = { resolver: 'res', login: 'nobody' };
    expect((await eventualRefusal(service.remove(admin, nobody))).code).toBe('user.unknown');
    const password = { ...nobody, password: 'geheimnis' };
    expect((await eventualRefusal(service.setPassword(admin, password))).code).toBe('user.unknown');
    expect(await acts()).toEqual([]);
  });
});
