import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorOf } from '../../support/application/browser.ts';
import {
  applicationOfTests,
  type TestApplication,
  OPERATOR,
} from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA1-6:QN08';
const ROLLOUT = { type: 'ocra', genkey: '1' };

describe.each(['documented', 'linotp'] as const)('in the dialect %s', (dialect) => {
  const server = applicationOfTests({ dialect });
  let serials = 0;

  beforeAll(async () => {
    await server.addRealm('main', ['anna', 'bernd', 'Jürgen']);
    await server.addRealm('other', ['anna', 'eve']);
  });

  const ask = (...given: Parameters<TestApplication['ask']>) => server.ask(...given);
  async function text(path: string, given: Record<string, string> = {}): Promise<string> {
    const { error } = await ask(path, given);
    return error?.message ?? 'no error';
  }

  async function newToken(user?: string, realm = 'main'): Promise<string> {
    const serial = `T${(serials += 1)}`;
    await server.enrolPlain(serial, SUITE, { pin: 'pin', ...(user !== undefined && { user, realm }) });
    return serial;
  }

  const shown = (serial: string) => server.services.tokens.show(OPERATOR, serial);

  describe('tokens', () => {
    it.each(['bernd', 'bernd@main', 'Jürgen', 'Jürgen@MAIN'])(
      'of the user %s are switched off and on, reset and removed together',
      async (user) => {
        const login = user.replace(/@.*/, '');
        const mine = [await newToken(login), await newToken(login)];
        const anothers = await newToken('anna', 'other');
        expect(await ask('/admin/disable', { user })).toEqual({ status: true, value: 2 });
        expect((await Promise.all(mine.map(shown))).map(({ active }) => active)).toEqual([false, false]);
        expect((await shown(anothers)).active).toBe(true);
        expect(await ask('/admin/enable', { user })).toEqual({ status: true, value: 2 });
        expect(await ask('/admin/reset', { user })).toEqual({ status: true, value: 2 });
        expect(await ask('/admin/remove', { user })).toEqual({ status: true, value: 2 });
        expect(await text('/admin/remove', { user })).toContain(`The user '${user}' has no token`);
      },
    );

    it('whose phone is lost are switched off for good for what is open, with a word in the audit', async () => {
      const serial = await newToken('anna');
      const { transactionid } = await server.challenge(serial, '12345678');
      expect(await text('/admin/disable', { serial, lost: 'yes' })).toContain("'lost'");
      expect((await shown(serial)).active).toBe(true);
      expect(await ask('/admin/disable', { serial, lost: '1' })).toEqual({ status: true, value: 1 });
      expect((await shown(serial)).active).toBe(false);
      const { state } = await server.services.transactions.history(OPERATOR, transactionid);
      expect(state).toBe('superseded');
      const rows = await server.auditRows({ action: 'token/lost', limit: 10 });
      expect(rows).toMatchObject([{ subject: serial, outcome: 'changed active' }]);
    });

    it('that were reported lost are enabled only by who says that they were found again', async () => {
      const serial = await newToken('anna');
      await ask('/admin/disable', { serial, lost: '1' });
      const { lostAt } = await shown(serial);
      await server.services.tokens.lose(OPERATOR, { serial });
      expect(await shown(serial)).toMatchObject({ lostAt, lostBy: 'admin', active: false });
      const lost = `The token '${serial}' was reported lost on ${lostAt?.toISOString()} by admin: it is only`;
      expect(await text('/admin/enable', { serial })).toContain(lost);
      expect(await text('/admin/enable', { user: 'anna' })).toContain('was reported lost');
      expect(await text('/admin/token/enable', { serials: serial })).toContain(lost);
      expect(await text('/admin/enable', { serial, found_again: 'yes' })).toContain("'found_again' is 1");
      expect((await shown(serial)).active).toBe(false);
      expect((await ask('/admin/enable', { serial, found_again: '1' })).value).toBe(1);
      expect(await shown(serial)).toMatchObject({ lostAt: null, lostBy: null, active: true });
      await ask('/admin/token/lose', { serials: serial });
      expect((await ask('/admin/token/enable', { serials: serial, found_again: '1' })).value).toBe(1);
      await ask('/admin/disable', { serial });
      expect((await ask('/admin/token/enable', { serials: serial, found_again: '1' })).value).toBe(1);
      const rows = await server.auditRows({ action: 'token/enable', subject: serial, limit: 10 });
      expect(rows.map(({ outcome }) => outcome)).toEqual(['changed active', 'found again', 'found again']);
    });

    it('that were reported lost come back with another key, and not with the one that is lost', async () => {
      const serial = await newToken('anna');
      const otpkey = '31'.repeat(20);
      const enrolled = { type: 'ocra', serial, ocrasuite: SUITE };
      await ask('/admin/init', { ...enrolled, otpkey });
      await ask('/admin/disable', { serial, lost: '1' });
      expect(await text('/admin/init', { ...enrolled, otpkey })).toContain('was reported lost');
      expect((await shown(serial)).active).toBe(false);
      expect(await text('/admin/init', { ...enrolled, otpkey: '32'.repeat(20) })).toBe('no error');
      expect(await shown(serial)).toMatchObject({ lostAt: null, active: true });
    });

    it.each<[string, Record<string, string>, Record<string, string>]>([
      [
        'the key with another suite',
        { type: 'ocra', otpkey: '31'.repeat(20) },
        { ocrasuite: 'OCRA-1:HOTP-SHA1-8:QN08' },
      ],
      ['the key with other digits', { type: 'totp', otpkey: '31'.repeat(20) }, { otplen: '8' }],
      ['the text', { type: 'pw', otpkey: 'Geheim-42' }, {}],
      ['the PIN', { type: 'spass', pin: 'Geheim-42' }, { pin: '' }],
    ])('that were reported lost do not come back with what is lost: %s', async (_what, enrolled, other) => {
      const serial = `T${(serials += 1)}`;
      expect(await text('/admin/init', { ...enrolled, serial })).toBe('no error');
      await ask('/admin/disable', { serial, lost: '1' });
      expect(await text('/admin/init', { ...enrolled, ...other, serial })).toContain('was reported lost');
      expect(await shown(serial)).toMatchObject({ lostBy: 'admin', active: false });
    });

    it('that are lost during their roll-out do not go on with it: the finder has the shared secret', async () => {
      const serial = `T${(serials += 1)}`;
      const rollout = { type: 'ocra', serial, genkey: '1' };
      await ask('/admin/init', { ...rollout, sharedsecret: '1' });
      await ask('/admin/disable', { serial, lost: '1' });
      expect(await text('/admin/init', { ...rollout, activationcode: 'JZXW4ZI=2A' })).not.toBe('no error');
      expect(await shown(serial)).toMatchObject({ active: false, lostBy: 'admin', rollout: 'phase1' });
    });

    it('are changed as they were read, or not at all: the answer says by whom they were changed', async () => {
      const serial = await newToken('anna');
      const { revision } = (await ask('/admin/token/show', { serial })).value as { revision: string };
      await server.challenge(serial, '12345678');
      const acts = [
        ['/admin/token/set', { serial, description: 'mine' }],
        ['/admin/token/disable', { serials: serial }],
        ['/admin/token/enable', { serials: serial }],
        ['/admin/token/realms', { serial, realms: 'other' }],
      ] as const;
      let expected = Number(revision);
      for (const [path, given] of acts) {
        expect(await text(path, { ...given, revision: String(expected) })).toBe('no error');
        expected += 1;
      }
      await server.services.tokens.disable(OPERATOR, { serial });
      for (const [path, given] of acts) {
        const refused = await server.asAdmin(path, { ...given, revision: String(expected) });
        expect(refused.status).toBe(409);
        expect(errorOf(refused)).toBe(
          `The token '${serial}' was changed by ${OPERATOR.principal.administrator} meanwhile; nothing was changed now`,
        );
      }
      expect(await shown(serial)).toMatchObject({ active: false, revision: String(expected + 1) });
      const several = { serials: `${serial},${await newToken()}`, revision };
      expect(await text('/admin/token/disable', several)).toContain("'revision' is of one token");
    });

    it('are not changed by who names a parameter that the act has not: a condition may be misspelt', async () => {
      const serial = await newToken('anna');
      const given = { serial, description: 'mine' };
      for (const name of ['revison', 'constructor', 'x'.repeat(99)]) {
        const message = await text('/admin/token/set', { ...given, [name]: '1' });
        expect(message).toContain(`There is no parameter '${name.slice(0, 64)}'.`);
      }
      expect(await text('/admin/audit/export', { sujbect: serial })).toContain("no parameter 'sujbect'");
      expect((await shown(serial)).description).not.toBe('mine');
      const everywhere = { SESSION: 'x', csrf_token: 'x', id: '7', httperror: '400' };
      expect(await text('/admin/token/set', { ...given, ...everywhere })).toBe('no error');
    });

    it.each<[string, (serial: string) => Promise<unknown>]>([
      [
        'their roll-out goes on',
        (serial) => ask('/admin/init', { ...ROLLOUT, serial, activationcode: 'JZXW4ZI=2A' }),
      ],
      ['their owner is removed', () => ask('/admin/user/remove', { resolver: 'main', login: 'dora' })],
    ])('are not what was read once %s', async (_case, happens) => {
      const serial = `T${(serials += 1)}`;
      await server.addUser('dora', 'main');
      const owner = { user: 'dora', realm: 'main' };
      expect(await text('/admin/init', { ...ROLLOUT, ...owner, serial, sharedsecret: '1' })).toBe('no error');
      const { revision } = await shown(serial);
      expect(await happens(serial)).toMatchObject({ status: true });
      const given = { serial, description: 'mine', revision };
      expect((await server.asAdmin('/admin/token/set', given)).status).toBe(409);
      await server.services.users
        .remove(OPERATOR, { resolver: 'main', login: 'dora' })
        .catch(() => undefined);
    });

    it('of a user are found by resolver where the realm does not decide', async () => {
      const serial = await newToken('eve', 'other');
      expect(await text('/admin/disable', { user: 'eve' })).toContain('no user >eve< found');
      expect((await ask('/admin/disable', { user: 'eve', resConf: 'other' })).value).toBe(1);
      expect((await shown(serial)).active).toBe(false);
    });

    it('are given, taken and put into realms', async () => {
      const serial = await newToken();
      expect((await ask('/admin/assign', { serial, user: 'anna@other' })).value).toBe(true);
      expect(await shown(serial)).toMatchObject({ owner: { resolver: 'other' }, realms: ['other'] });
      expect((await ask('/admin/tokenrealm', { serial, realms: 'main,other' })).value).toBe(1);
      expect(await text('/admin/tokenrealm', { serial, realms: 'main,nosuch' })).toContain("realm 'nosuch'");
      expect((await shown(serial)).realms).toEqual(['main', 'other']);
      expect(await ask('/admin/unassign', { serial })).toEqual({ status: true, value: true });
      expect(await shown(serial)).toMatchObject({ owner: null, realms: ['main', 'other'] });
    });

    it.each(['*', '%', '', ' ', "'; DROP TABLE tokens; --", 'x'.repeat(5000), '../../etc/passwd', 'T\u0001'])(
      'named %j are none',
      async (serial) => {
        const before = await server.services.tokens.count(OPERATOR, {});
        for (const action of ['remove', 'disable', 'reset', 'unassign', 'enable']) {
          const { status, error } = await ask(`/admin/${action}`, { serial });
          expect(status).toBe(false);
          expect(error?.message.length).toBeLessThan(200);
        }
        expect((await ask('/admin/set', { serial, pin: 'x' })).status).toBe(false);
        expect((await ask('/admin/assign', { serial, user: 'anna' })).status).toBe(false);
        expect(await server.services.tokens.count(OPERATOR, {})).toBe(before);
      },
    );

    it('are shown in pages of a size, and by a realm, that there are', async () => {
      expect(await text('/admin/show', { pagesize: '0' })).toContain('page size must be');
      expect(await text('/admin/show', { pagesize: '1001' })).toContain('page size must be');
      expect(await text('/admin/show', { page: 'x' })).toContain('page must be');
      expect(await text('/admin/show', { viewrealm: 'nosuch' })).toContain("realm 'nosuch'");
      expect(JSON.stringify(await ask('/admin/show', { serial: '*' }))).not.toContain('"T');
    });
  });

  describe('policies', () => {
    it('of an unknown action are refused with the list of known ones, and nothing is stored', async () => {
      const given = { name: 'bad', scope: 'ocra', action: 'x', realm: '*', user: '*' };
      expect(await text('/system/setPolicy', given)).toBe(
        "Unknown action 'x' in scope ocra. Known: request, status, activationcode, calcOTP, secondfactor, *.",
      );
      expect(await ask('/system/getPolicy', { name: 'bad' })).toEqual({ status: true, value: {} });
    });

    const OTHERS = [
      ['enrollment', 'tokencount=1', "Unknown scope 'enrollment'"],
      ['enrollment', 'maxtoken=2, otp_pin_random=8', "Unknown scope 'enrollment'"],
      ['authorization', 'tokentype=OCRA', "Unknown scope 'authorization'"],
      ['selfservice', 'enrollHMAC', "Unknown action 'enrollHMAC'"],
      ['selfservice', 'show, enrollTOTP', "Unknown action 'enrollTOTP'"],
      ['authentication', 'passthru', "Unknown action 'passthru'"],
      ['authentication', 'otppin=2, delegation=1', "Unknown action 'delegation'"],
      ['admin', 'losttoken', "Unknown action 'losttoken'"],
    ] as const;

    it.each(OTHERS)('of LinOTP alone are kept inactive, and told: %s, %s', async (scope, action, reason) => {
      const sent = { name: 'other', scope, action, realm: scope === 'enrollment' ? '' : '*', user: '*' };
      expect((await server.asAdmin('/system/setPolicy', sent)).body).toMatchObject({
        result: { status: true },
        detail: { message: expect.stringContaining(`inactive: ${reason}`) as unknown },
      });
      const [kept] = await server.services.policies.list({ name: 'other' });
      expect(kept).toMatchObject({ scope, action, active: false });
      expect((await ask('/system/getPolicy', { name: 'other' })).status).toBe(true);
      const [row] = await server.auditRows({ action: 'policy/set', limit: 1 });
      expect(row?.outcome).toMatch(/^stored, inactive: /);
      await ask('/system/delPolicy', { name: 'other' });
    });

    it('of LinOTP alone replace no active one, and are refused to who has read what is stored', async () => {
      const active = { name: 'ours', scope: 'selfservice', action: 'show', realm: '*', user: 'nobody' };
      const more = { ...active, action: 'show, enrollHMAC' };
      expect((await ask('/system/setPolicy', active)).status).toBe(true);
      expect(await text('/system/setPolicy', more)).toContain("The policy 'ours' is active");
      expect(await text('/admin/policy/set', { ...more, name: 'new', expected: 'null' })).toContain(
        "Unknown action 'enrollHMAC'",
      );
      expect(await server.services.policies.list({ scope: 'selfservice' })).toMatchObject([
        { name: 'ours', action: 'show', active: true },
      ]);
      expect((await ask('/system/setPolicy', { ...more, active: 'False' })).status).toBe(true);
      await ask('/system/delPolicy', { name: 'ours' });
    });

    it.each([
      ['user', '(a+)+$'.repeat(2000)],
      ['user', '(('],
      ['client', '10.0.0.0/99'],
      ['client', 'a.example'],
      ['time', 'now'],
      ['time', '* * * * *'],
      ['name', '../x'],
      ['name', '__proto__'],
      ['realm', ','],
      ['active', 'perhaps'],
      ['action', 'enrollHMAC\u0007', 'enrollment'],
      ['name', '../x', 'enrollment'],
      ['action', 'otppin=3', 'authentication'],
    ])('with a hostile %s %j are refused', async (field, value, scope = 'ocra') => {
      const given = { name: 'h', scope, action: 'request', realm: '*', user: 'x', [field]: value };
      expect((await ask('/system/setPolicy', given)).status).toBe(false);
      expect(await ask('/system/getPolicy', { name: 'h' })).toEqual({ status: true, value: {} });
    });

    it('are kept as written, switched off, and removed', async () => {
      const given = {
        name: 'po',
        scope: 'authentication',
        action: 'otppin=2',
        realm: 'other',
      };
      await ask('/system/setPolicy', given);
      await ask('/system/setPolicy', { ...given, active: 'False' });
      const [kept] = await server.services.policies.list({ name: 'po' });
      expect(kept).toMatchObject({ action: 'otppin=2', realm: 'other', user: '*', active: false });
      expect((await ask('/system/delPolicy', { name: 'po' })).status).toBe(true);
      expect(await text('/system/delPolicy', { name: 'po' })).toBe("There is no policy 'po'");
    });
  });

  it('configuration values are set all or none', async () => {
    const given = { OcraMaxChallenges: '9', OcraChallengeTimeout: 'never', Own: 'x' };
    expect(await text('/system/setConfig', given)).toContain('OcraChallengeTimeout');
    expect(await text('/system/setConfig', { Own: 'x', 'Policy.p.scope': 'y' })).toContain('a policy');
    expect((await server.services.settings.list()).size).toBe(0);
    await ask('/system/setConfig', { ocramaxchallenges: '9', Own: 'x' });
    const stored = Object.fromEntries(await server.services.settings.list());
    expect(stored).toEqual({ OcraMaxChallenges: '9', Own: 'x' });
    await ask('/system/delConfig', { key: 'OcraMaxChallenges' });
    await ask('/system/delConfig', { key: 'Own' });
    expect(await text('/system/delConfig', { key: 'Own' })).toContain('is not set');
    expect((await ask('/system/setConfig')).status).toBe(false);
  });

  describe('realms and resolvers', () => {
    it('are made, changed, and removed in the order that nothing hangs in the air', async () => {
      await ask('/system/setResolver', { name: 'res', type: 'managed' });
      expect((await ask('/system/setRealm', { realm: 'NEW', resolvers: 'res,nosuch' })).status).toBe(false);
      expect(await ask('/system/getRealms', { realm: 'new' })).toEqual({ status: true, value: {} });
      expect((await ask('/system/setRealm', { realm: 'NEW', resolvers: 'res, other' })).status).toBe(true);
      expect(await text('/system/delResolver', { resolver: 'res' })).toContain("in use by the realm 'new'");
      expect((await ask('/system/setDefaultRealm', { realm: 'New' })).status).toBe(true);
      expect(Object.keys((await ask('/system/getDefaultRealm')).value as object)).toEqual(['new']);
      expect(await text('/system/setDefaultRealm', { realm: 'nosuch' })).toContain("realm 'nosuch'");
      await ask('/system/setDefaultRealm', {});
      expect(await ask('/system/getDefaultRealm')).toEqual({ status: true, value: {} });
      expect((await ask('/system/delRealm', { realm: 'new' })).status).toBe(true);
      expect((await ask('/system/delResolver', { resolver: 'res' })).status).toBe(true);
      expect(await text('/system/getResolver', { resolver: 'res' })).toContain("no resolver 'res'");
      await ask('/system/setDefaultRealm', { realm: 'main' });
    });

    it.each([
      [
        { type: 'sqlresolver', Server: 'db', Database: 'd', Password: 'geheim' },
        'The setting Driver is missing',
      ],
      [{ type: 'ldapresolver', LDAPURI: 'ldap://x', BINDPW: 'geheim' }, 'The setting LDAPBASE is missing'],
      [{ type: 'nosuch' }, "Unknown kind of resolver 'nosuch'"],
      [{ type: 'passwdresolver' }, 'The setting fileName is missing'],
      [{ type: 'passwdresolver', fileName: 'etc/passwd' }, 'The setting fileName is not an absolute path'],
      [{ type: 'managed', fileName: '/etc/passwd' }, 'takes no settings'],
    ])('%j are refused, quoting no secret', async (given, message) => {
      const said = await text('/system/setResolver', { name: 'bad', ...given });
      expect(said).toContain(message);
      expect(said).not.toContain('geheim');
      expect((await ask('/system/getResolver', { resolver: 'bad' })).status).toBe(false);
    });
  });

  it('policies of the scopes admin and system bind the administrators that they name, to realms and to actions', async () => {
    const mine = await newToken('anna', 'main');
    const others = await newToken('eve', 'other');
    const policies = [
      { name: 'a', scope: 'admin', action: 'show, disable', realm: 'main', user: 'admin' },
      { name: 's', scope: 'system', action: 'read', realm: '*', user: 'admin' },
    ];
    for (const policy of policies) {
      await server.services.policies.set(OPERATOR, policy);
    }
    expect(await ask('/admin/disable', { serial: mine })).toEqual({ status: true, value: 1 });
    expect(await text('/admin/disable', { serial: others })).toContain('No token found');
    expect(await text('/admin/disable', { user: 'eve', realm: 'other' })).toContain('no user >eve< found');
    expect(JSON.stringify(await ask('/admin/show'))).not.toContain(`"${others}"`);
    for (const action of ['enable', 'reset', 'remove', 'unassign']) {
      expect(await text(`/admin/${action}`, { serial: mine })).toMatch(/^ERR410: /);
    }
    expect(await text('/admin/set', { serial: mine, pin: 'x' })).toMatch(/^ERR410: /);
    expect(await text('/admin/tokenrealm', { serial: mine, realms: 'main' })).toMatch(/^ERR410: /);
    expect((await ask('/system/getPolicy')).status).toBe(true);
    expect(await text('/system/delPolicy', { name: 's' })).toMatch(/^ERR410: /);
    for (const { name } of policies) {
      await server.services.policies.remove(OPERATOR, name);
    }
    expect(await ask('/admin/enable', { serial: mine })).toEqual({ status: true, value: 1 });
  });
});
