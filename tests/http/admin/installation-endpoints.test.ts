import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { SIGNATURE } from './audited/audited-installation.ts';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open({ licenceSignature: SIGNATURE });
  await application.addRealm('north', ['ann']);
  await application.addRealm('south');
  await application.services.realms.setDefault(OPERATOR, 'south');
});
afterAll(() => application.close());

async function ask(path: string, given: Record<string, string> = {}): Promise<unknown> {
  const { body } = (await application.asAdmin(path, given)) as {
    body: { result: { value?: unknown; error?: { message: string } } };
  };
  return body.result.error?.message ?? body.result.value;
}

/** @returns the codes of what would follow */
async function foretold(path: string, given: Record<string, string>): Promise<readonly string[]> {
  return ((await ask(path, given)) as { code: string }[]).map(({ code }) => code);
}

describe('the endpoints of an installation', () => {
  it('foretell what follows from an act on a realm', async () => {
    const path = '/system/realmConsequences';
    expect(await foretold(path, { act: 'remove', realm: 'south' })).toEqual(['realm.default']);
    expect(await foretold(path, { act: 'set', realm: 'north', resolvers: 'south, ' })).toContain(
      'realm.resolvers',
    );
    for (const [realm, after] of [
      ['north', 'are looked for in north'],
      [' ', 'are no longer found'],
    ] as const) {
      expect(await ask(path, { act: 'default', realm })).toMatchObject([
        { code: 'realm.new-default', text: expect.stringContaining(after) },
      ]);
    }
    expect(await ask(path, { act: 'burn', realm: 'r' })).toContain("'remove', 'set'");
  });

  it('foretell what follows from the removal of a resolver, a user and a password', async () => {
    const { users } = application.services;
    await application.enrolPlain('OWNED', 'OCRA-1:HOTP-SHA256-8:QN08', { user: 'ann', realm: 'north' });
    await users.setPassword(OPERATOR, { resolver: 'north', login: 'ann', password: 'a long one' });
    const ann = { resolver: 'north', username: 'ann' };
    expect(await ask('/system/resolverConsequences', { resolver: 'north' })).toContain('north');
    expect(await foretold('/system/userConsequences', ann)).toEqual(['user.tokens']);
    expect(await foretold('/system/userConsequences', { ...ann, password_only: '1' })).toEqual([
      'user.password',
    ]);
    await application.services.tokens.remove(OPERATOR, { serial: 'OWNED' });
  });

  it('remove the password of a user, where that is requested alone', async () => {
    const path = '/system/users/password';
    const ann = { resolver: 'north', username: 'ann' };
    expect(await ask(path, { ...ann, password: 'a long one' })).toBe(true);
    expect(await foretold('/system/userConsequences', { ...ann, password_only: '1' })).toHaveLength(1);
    expect(await ask(path, { ...ann, remove: '1' })).toBe(true);
    expect(await foretold('/system/userConsequences', { ...ann, password_only: '1' })).toEqual([]);
  });

  it('show the licence that is installed', async () => {
    const licence = {
      valid: true,
      reason: null,
      unit: 'user',
      licensed: 5,
      active: 0,
      starts: null,
      ends: '2100-01-01T00:00:00.000Z',
      fields: { 'user-num': 5, expire: '2099-12-31' },
    };
    expect(await ask('/system/licence')).toBeNull();
    expect(await ask('/system/licence/install', { licence: '5' })).toEqual(licence);
    expect(await ask('/system/licence')).toEqual(licence);
    expect(await ask('/system/licence/remove')).toBe(true);
    expect(await ask('/system/licence')).toBeNull();
  });

  it('describe every kind of resolver', async () => {
    const kinds = (await ask('/system/resolverKinds')) as {
      kind: string;
      settings: { name: string; secret: boolean }[];
    }[];
    const secrets = kinds.map(({ kind, settings }) => [
      kind,
      settings.filter(({ secret }) => secret).map(({ name }) => name),
    ]);
    expect(secrets).toEqual([
      ['managed', []],
      ['passwd', []],
      ['sql', ['Password']],
      ['ldap', ['BINDPW']],
    ]);
  });
});
