import { beforeEach, describe, expect, it } from '@jest/globals';
import { checkPolicy } from '../../src/policy/policy.ts';
import { ResolverService } from '../../src/resolvers/resolver-service.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault, type Sealed } from '../../src/keys/vault.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';
import { ManagedUserStore } from '../../src/users/managed-user-store.ts';
import { sourcesOver } from '../support/application/user-sources.ts';

const admin = callerNamed('admin');

const test = databaseOfTests();
let stored: StoredConfiguration;
let service: ResolverService;
let vault: Vault;

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
      checkPolicy({ name: 'read', scope: 'system', action: 'read', user: 'reader' }),
    ],
  });
  vault = new Vault({ keys: [Buffer.alloc(32, 1)], random: systemRandom });
  const files = { assertNamable: () => Promise.resolve() };
  const sources = sourcesOver(new ManagedUserStore({ database: test.database }));
  service = new ResolverService({ configuration: stored.configuration, sources, vault, files });
});

describe('a resolver that is renamed', () => {
  const rename = (previousName: string, name: string): Promise<void> =>
    service.set(admin, { name, previousName, kind: 'managed', settings: {} });

  it('stays in its realms and in the policies that name it, and keeps its secret', async () => {
    const { knex } = test.database;
    const directory = {
      LDAPURI: 'ldaps://ldap.example',
      LDAPBASE: 'dc=x',
      BINDDN: 'cn=x',
      LOGINNAMEATTRIBUTE: 'uid',
      LDAPSEARCHFILTER: '(uid=*)',
      LDAPFILTER: '(uid=%s)',
      USERINFO: '{"username": "uid"}',
    };
    await service.set(admin, { name: 'dir', kind: 'ldap', settings: directory, secret: 'geheim' });
    const before = await knex('resolvers').where({ name: 'dir' }).first<{ id: string }>('id');
    const { user, ...policy } = checkPolicy({
      name: 'tokens',
      scope: 'admin',
      action: 'show',
      realm: '*',
      user: 'directory:, !dir:, ldapresolver.dir:,dir, *@dir',
    });
    await knex('policies').insert({ ...policy, username: user });
    await service.set(admin, { name: 'corp', previousName: ' dir', kind: 'ldap', settings: directory });
    const after = await knex('resolvers')
      .where({ name: 'corp' })
      .first<{ id: string; secret: Sealed } | undefined>('id', 'secret');
    expect(after?.id).toBe(before.id);
    expect(vault.open(after?.secret ?? (Buffer.alloc(0) as Sealed), 'resolver', 'corp').toString()).toBe(
      'geheim',
    );
    expect(await knex('policies').where({ name: 'tokens' }).pluck('username')).toEqual([
      'directory:, !corp:, ldapresolver.corp:,dir, *@dir',
    ]);
    await rename('more', 'others');
    const { realms } = await stored.configuration.current();
    expect(realms.map(({ resolvers }) => resolvers)).toEqual([['res', 'others'], ['others']]);
    expect(await knex('audit').where({ subject: 'others' }).pluck('outcome')).toEqual(['renamed from more']);
  });

  it('is not where the new name is in use or the old one is not, also of two at once', async () => {
    expect(await eventualRefusal(rename('res', 'more'))).toMatchObject({
      code: 'resolver.invalid',
      message: "There is a resolver 'more' already",
    });
    const outcomes = await Promise.allSettled([rename('unused', 'a'), rename('unused', 'b')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const names = (await service.list()).map(({ name }) => name);
    expect(names.filter((name) => ['a', 'b', 'unused'].includes(name))).toHaveLength(1);
    expect(await eventualRefusal(rename('unused', 'c'))).toMatchObject({ code: 'resolver.unknown' });
    await rename('', 'new');
    await rename('new', 'new');
    expect((await service.list()).map(({ name }) => name)).toContain('new');
  });
});

describe('the users of a resolver', () => {
  it('are opened anew after each change of its settings or its secret, and only then', () => {
    const sources = sourcesOver(new ManagedUserStore({ database: test.database }));
    const one = { id: '7', name: 'res', kind: 'passwd', settings: {}, isBounded: false } as const;
    const first = sources(one);
    expect(sources({ ...one })).toBe(first);
    const stamped = sources({ ...one, secretStamp: 'f00d' });
    expect(stamped).not.toBe(first);
    expect(sources({ ...one, secretStamp: 'beef' })).not.toBe(stamped);
    expect(sources({ ...one, settings: { fileName: '/else' } })).not.toBe(sources(one));
  });
});
