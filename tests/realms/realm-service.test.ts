import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { RealmService } from '../../src/realms/realm-service.ts';
import { systemRandom } from '../../src/kernel/clock.ts';
import { SecretVault } from '../../src/security/vault/secret-vault.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { InMemoryConfigurationStore } from '../support/fakes/in-memory-configuration-store.ts';
import { InMemoryUserStore, ReadableHasher } from '../support/fakes/in-memory-user-store.ts';
import { sourcesOver } from '../support/fakes/user-sources.ts';

const admin = callerNamed('admin');
const reader = callerNamed('reader');

let configuration: InMemoryConfigurationStore;
let users: InMemoryUserStore;
let service: RealmService;

beforeEach(() => {
  configuration = new InMemoryConfigurationStore({
    realms: [
      { name: 'alpha', resolvers: ['res', 'more'] },
      { name: 'beta', resolvers: ['more'] },
    ],
    resolvers: [
      { id: '1', name: 'res' },
      { id: '2', name: 'more' },
      { id: '3', name: 'unused' },
      { id: '4', name: 'file', kind: 'passwd', settings: { fileName: '/nonexistent/passwd' } },
    ],
    policies: [
      checkPolicy({ name: 'write', scope: 'system', action: 'read, write', user: 'admin' }),
      checkPolicy({ name: 'read', scope: 'system', action: 'read', user: 'reader, bound' }),
      checkPolicy({ name: 'users', scope: 'admin', action: 'userlist', realm: '*', user: 'admin' }),
      checkPolicy({ name: 'some', scope: 'admin', action: 'userlist', realm: 'beta', user: 'bound' }),
    ],
  });
  users = new InMemoryUserStore().with('1', 'anna', { email: 'anna@example.com' }).with('2', 'bernd');
  const hasher = new ReadableHasher();
  const access = new AccessControl({ clock: { now: () => new Date(0) } });
  const vault = new SecretVault({ keys: [Buffer.alloc(32, 1)], random: systemRandom });
  const files = {
    assertNamable: (fileName: string): Promise<void> =>
      fileName === '/etc/x' ? Promise.resolve() : Promise.reject(new Error(`${fileName} is elsewhere`)),
  };
  service = new RealmService({
    configuration,
    users,
    sources: sourcesOver(users),
    hasher,
    access,
    vault,
    files,
  });
});

describe('realms', () => {
  it('are listed, made, changed and removed', async () => {
    await service.setRealm(admin, { name: ' Gamma ', resolvers: ['more', ' res ', 'more'] });
    const passwdName = 'useridresolver.PasswdIdResolver.IdResolver.res';
    await service.setRealm(admin, { name: 'BETA', resolvers: [passwdName] });
    await service.removeRealm(admin, 'Alpha');
    await service.setDefaultRealm(admin, 'GAMMA');
    const realms = await service.listRealms(reader);
    expect(realms.map(({ name, resolvers, isDefault }) => [name, resolvers, isDefault])).toEqual([
      ['gamma', ['more', 'res'], true],
      ['beta', ['res'], false],
    ]);
    await service.setDefaultRealm(admin, null);
    expect((await service.listRealms(reader)).some(({ isDefault }) => isDefault)).toBe(false);
    expect(configuration.acts.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'admin realm/set',
      'admin realm/set',
      'admin realm/remove',
      'admin realm/default',
      'admin realm/default',
    ]);
  });

  it.each([
    ['without resolvers', { name: 'x', resolvers: [] }, 'parameter.invalid'],
    ['of an unknown resolver', { name: 'x', resolvers: ['nosuch'] }, 'resolver.unknown'],
    ['of a strange resolver', { name: 'x', resolvers: ['*'] }, 'parameter.invalid'],
    ['of a strange name', { name: '/:no realm:/', resolvers: ['res'] }, 'parameter.invalid'],
  ])('%s are refused', async (_what, realm, code) => {
    expect((await eventualRefusal(service.setRealm(admin, realm))).code).toBe(code);
    expect(configuration.acts).toEqual([]);
  });

  it('that are not there are not removed', async () => {
    expect((await eventualRefusal(service.removeRealm(admin, 'nosuch'))).code).toBe('realm.unknown');
  });
});

describe('resolvers', () => {
  it('are listed, made and removed', async () => {
    await service.setResolver(admin, { name: 'new', kind: 'managed', settings: {} });
    await service.setResolver(admin, { name: 'old', kind: 'passwd', settings: { fileName: '/etc/x' } });
    await service.removeResolver(admin, 'unused');
    const resolvers = await service.listResolvers(reader);
    expect(resolvers.map(({ name }) => name).sort()).toEqual(['file', 'more', 'new', 'old', 'res']);
    expect(resolvers.find(({ name }) => name === 'old')?.settings).toEqual({ fileName: '/etc/x' });
  });

  it.each([
    [{ kind: 'http', settings: {} }, "Unknown kind of resolver 'http'"],
    [{ kind: 'ldap', settings: {} }, 'The setting LDAPURI is missing'],
    [{ kind: 'sql', settings: { Server: 'x' } }, 'The setting Driver is missing'],
    [
      {
        kind: 'sql',
        settings: {
          ...{
            Driver: 'postgresql',
            Server: '/var/lib/tankeeper',
            Database: 'd',
            User: 'postgres',
            Table: 't',
          },
          Map: '{"userid": "a", "username": "b"}',
        },
      },
      'The setting Server is the path of a socket',
    ],
    [
      { kind: 'constructor', settings: {} },
      "Unknown kind of resolver 'constructor'. Known: managed, passwd, sql, ldap.",
    ],
    [{ kind: 'managed', settings: { fileName: '/x' } }, 'managed takes no settings'],
    [{ kind: 'passwd', settings: {} }, 'needs the absolute path'],
    [{ kind: 'passwd', settings: { fileName: 'passwd' } }, 'needs the absolute path'],
    [{ kind: 'passwd', settings: { fileName: '/a\0b' } }, 'fileName holds control characters'],
    [{ kind: 'passwd', settings: { fileName: '/x', more: 'y' } }, "'more' is unknown"],
  ])('%j are refused', async (draft, message) => {
    const refusal = await eventualRefusal(service.setResolver(admin, { name: 'new', ...draft }));
    expect(refusal.code).toBe('resolver.invalid');
    expect(refusal.message).toContain(message);
  });

  it('in use are not removed, and the text says who uses them', async () => {
    const refusal = await eventualRefusal(service.removeResolver(admin, 'more'));
    expect([refusal.code, refusal.message]).toEqual([
      'resolver.in-use',
      "The resolver 'more' is in use by the realm 'alpha', 'beta'",
    ]);
    expect((await eventualRefusal(service.removeResolver(admin, 'nosuch'))).code).toBe('resolver.unknown');
    expect(configuration.acts).toEqual([]);
  });

  it('are tried: how many users there are, or why they cannot be read', async () => {
    expect(await service.testResolver(reader, 'res')).toBe(1);
    const refusal = await eventualRefusal(service.testResolver(reader, 'file'));
    expect([refusal.code, refusal.message]).toEqual([
      'resolver.invalid',
      "The resolver 'file' is unavailable: its file cannot be used, it does not exist",
    ]);
  });
});

describe('users', () => {
  it('of a realm or a resolver are listed without passwords', async () => {
    const anna = {
      userId: 'anna-id',
      login: 'anna',
      givenName: '',
      surname: '',
      email: 'anna@example.com',
      phone: '',
    };
    const listed = await service.listUsers(admin, { realm: 'Alpha' });
    expect(listed).toEqual([
      { ...anna, resolver: 'res' },
      expect.objectContaining({ login: 'bernd', resolver: 'more' }),
    ]);
    expect(await service.listUsers(admin, {})).toEqual(listed);
    expect(await service.listUsers(admin, { resolver: 'unused' })).toEqual([]);
  });

  it('elsewhere are not shown to a bound administrator, nor that there is an elsewhere', async () => {
    const bound = callerNamed('bound');
    expect((await service.listUsers(bound, { realm: 'beta' })).map(({ login }) => login)).toEqual(['bernd']);
    expect((await service.listUsers(bound, { resolver: 'more' })).map(({ login }) => login)).toEqual([
      'bernd',
    ]);
    const refusals = await Promise.all(
      [{ realm: 'alpha' }, { realm: 'nosuch' }, { resolver: 'res' }, { resolver: 'nosuch' }].map((where) =>
        eventualRefusal(service.listUsers(bound, where)),
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
    const added = await service.addUser(admin, {
      ...{ resolver: 'res', login: ' zoë ', givenName: ' Zoë ', surname: 'Žižek', password: 'geheimnis' },
    });
    expect(added).toEqual({
      ...{ userId: 'zoë-id', login: 'zoë', givenName: 'Zoë', surname: 'Žižek', email: '', phone: '' },
    });
    expect((await users.findByLogin('1', 'zoë'))?.passwordHash).toBe('hash of geheimnis');
    await service.setUserPassword(admin, { resolver: 'res', login: 'zoë', password: 'geheimnis2' });
    expect((await users.findByLogin('1', 'zoë'))?.passwordHash).toBe('hash of geheimnis2');
    await service.setUserPassword(admin, { resolver: 'res', login: 'zoë', password: null });
    expect((await users.findByLogin('1', 'zoë'))?.passwordHash).toBeNull();
    await service.removeUser(admin, { resolver: 'res', login: 'zoë' });
    expect(await users.findByLogin('1', 'zoë')).toBeUndefined();
    const actions = users.acts.map(({ action }) => action);
    expect(actions).toEqual(['user/add', 'user/password', 'user/password', 'user/remove']);
  });

  it('are refused with a reason', async () => {
    const add = async (change: object): Promise<string> =>
      (await eventualRefusal(service.addUser(admin, { resolver: 'res', login: 'neu', ...change }))).code;
    expect(await add({ login: 'anna' })).toBe('user.exists');
    expect(await add({ login: '*' })).toBe('parameter.invalid');
    expect(await add({ email: 'x'.repeat(256) })).toBe('parameter.invalid');
    expect(await add({ password: 'kurz' })).toBe('parameter.invalid');
    expect(await add({ resolver: 'file' })).toBe('resolver.invalid');
    expect(await add({ resolver: 'nosuch' })).toBe('resolver.unknown');
    const nobody = { resolver: 'res', login: 'nobody' };
    expect((await eventualRefusal(service.removeUser(admin, nobody))).code).toBe('user.unknown');
    const password = { ...nobody, password: 'geheimnis' };
    expect((await eventualRefusal(service.setUserPassword(admin, password))).code).toBe('user.unknown');
    expect(users.acts).toEqual([]);
  });
});

describe('whoever may only read', () => {
  it('changes nothing', async () => {
    const attempts = [
      service.setRealm(reader, { name: 'x', resolvers: ['res'] }),
      service.removeRealm(reader, 'alpha'),
      service.setDefaultRealm(reader, 'beta'),
      service.setResolver(reader, { name: 'x', kind: 'managed', settings: {} }),
      service.removeResolver(reader, 'unused'),
      service.addUser(reader, { resolver: 'res', login: 'neu' }),
      service.setUserPassword(reader, { resolver: 'res', login: 'anna', password: null }),
      service.removeUser(reader, { resolver: 'res', login: 'anna' }),
      service.listUsers(reader, { realm: 'alpha' }),
    ];
    const codes = await Promise.all(attempts.map(async (attempt) => (await eventualRefusal(attempt)).code));
    expect(new Set(codes)).toEqual(new Set(['right.missing']));
    expect([...configuration.acts, ...users.acts]).toEqual([]);
  });
});
