import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { ResolverService } from '../../src/resolvers/resolver-service.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { SecretVault } from '../../src/security/vault/secret-vault.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { InMemoryConfigurationStore } from '../support/fakes/in-memory-configuration-store.ts';
import { InMemoryUserStore } from '../support/fakes/in-memory-user-store.ts';
import { sourcesOver } from '../support/fakes/user-sources.ts';

const admin = callerNamed('admin');
const reader = callerNamed('reader');

let configuration: InMemoryConfigurationStore;
let service: ResolverService;

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
      checkPolicy({ name: 'read', scope: 'system', action: 'read', user: 'reader' }),
    ],
  });
  const access = new AccessControl({ clock: { now: () => new Date(0) } });
  const vault = new SecretVault({ keys: [Buffer.alloc(32, 1)], random: systemRandom });
  const files = {
    assertNamable: (fileName: string): Promise<void> =>
      fileName === '/etc/x' ? Promise.resolve() : Promise.reject(new Error(`${fileName} is elsewhere`)),
  };
  const sources = sourcesOver(new InMemoryUserStore().with('1', 'anna').with('2', 'bernd'));
  service = new ResolverService({ configuration, sources, access, vault, files });
});

describe('resolvers', () => {
  it('are listed, made and removed', async () => {
    await service.set(admin, { name: 'new', kind: 'managed', settings: {} });
    await service.set(admin, { name: 'old', kind: 'passwd', settings: { fileName: '/etc/x' } });
    await service.remove(admin, 'unused');
    const resolvers = await service.list(reader);
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
          Driver: 'postgresql',
          Server: '/var/lib/tankeeper',
          Database: 'd',
          User: 'postgres',
          Table: 't',
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
    const refusal = await eventualRefusal(service.set(admin, { name: 'new', ...draft }));
    expect(refusal.code).toBe('resolver.invalid');
    expect(refusal.message).toContain(message);
  });

  it('in use are not removed, and the text says who uses them', async () => {
    const refusal = await eventualRefusal(service.remove(admin, 'more'));
    expect([refusal.code, refusal.message]).toEqual([
      'resolver.in-use',
      "The resolver 'more' is in use by the realm 'alpha', 'beta'",
    ]);
    expect((await eventualRefusal(service.remove(admin, 'nosuch'))).code).toBe('resolver.unknown');
    expect(configuration.acts).toEqual([]);
  });

  it('are tried: how many users there are, or why they cannot be read', async () => {
    expect(await service.test(reader, 'res')).toMatchObject({ entries: 1, users: 1 });
    const refusal = await eventualRefusal(service.test(reader, 'file'));
    expect([refusal.code, refusal.message]).toEqual([
      'resolver.invalid',
      "The resolver 'file' is unavailable: its file cannot be used, it does not exist",
    ]);
  });

  it('are not changed by those who may only read', async () => {
    const attempts = [
      service.set(reader, { name: 'x', kind: 'managed', settings: {} }),
      service.remove(reader, 'unused'),
    ];
    const codes = await Promise.all(attempts.map(async (attempt) => (await eventualRefusal(attempt)).code));
    expect(new Set(codes)).toEqual(new Set(['right.missing']));
    expect(configuration.acts).toEqual([]);
  });
});
