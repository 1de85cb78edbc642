import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkPolicy } from '../../src/policy/policy.ts';
import { RealmService } from '../../src/realms/realm-service.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';

const admin = callerNamed('admin');

let test: TestDatabase;
let stored: StoredConfiguration;
let service: RealmService;

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
    resolvers: [{ name: 'res' }, { name: 'more' }],
    policies: [
      checkPolicy({ name: 'write', scope: 'system', action: 'read, write', user: 'admin' }),
      checkPolicy({ name: 'read', scope: 'system', action: 'read', user: 'reader' }),
    ],
  });
  service = new RealmService({ configuration: stored.configuration });
});

describe('realms', () => {
  it('are listed, made, changed and removed', async () => {
    await service.set(admin, { name: ' Gamma ', resolvers: ['more', ' res ', 'more'] });
    const passwdName = 'useridresolver.PasswdIdResolver.IdResolver.res';
    await service.set(admin, { name: 'BETA', resolvers: [passwdName] });
    await service.remove(admin, 'Alpha');
    await service.setDefault(admin, 'GAMMA');
    const realms = await service.list();
    expect(realms.map(({ name, resolvers, isDefault }) => [name, resolvers, isDefault])).toEqual([
      ['beta', ['res'], false],
      ['gamma', ['more', 'res'], true],
    ]);
    await service.setDefault(admin, null);
    expect((await service.list()).some(({ isDefault }) => isDefault)).toBe(false);
    expect(await stored.acts()).toEqual([
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
    expect((await eventualRefusal(service.set(admin, realm))).code).toBe(code);
    expect(await stored.acts()).toEqual([]);
  });

  it('that are not there are not removed', async () => {
    expect((await eventualRefusal(service.remove(admin, 'nosuch'))).code).toBe('realm.unknown');
  });
});
