import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
  type Result,
} from '../../support/application/test-application.ts';
import { errorOf, valueOf } from '../../support/application/browser.ts';
import { whileHeld } from '../../support/database/held-statement.ts';

/* What LinOTP 2.12.6 was recorded to answer in samples, which the replay of the recordings cannot ask for. */

const application = applicationOfTests({ dialect: 'linotp' });

beforeAll(async () => {
  const { realms, settings } = application.services;
  await application.setResolver('myDefRes', 'passwd', { fileName: '/etc/passwd' });
  await application.setResolver('myOtherRes', 'managed');
  await realms.set(OPERATOR, { name: 'mydefrealm', resolvers: ['myDefRes'] });
  await realms.set(OPERATOR, { name: 'myotherrealm', resolvers: ['myOtherRes'] });
  await realms.setDefault(OPERATOR, 'mydefrealm');
  await settings.set(OPERATOR, new Map([['errors', '77']]));
});

/** @returns an answer as LinOTP 2.12.6 was recorded to lay it out: a blank after each comma at a line's end */
function recorded(value: readonly string[]): string {
  const [first = '', ...rest] = value;
  return [
    '{',
    '   "version": "LinOTP 2.12.6", ',
    '   "jsonrpc": "2.0802", ',
    '   "result": {',
    '      "status": true, ',
    `      "value": ${first}`,
    ...rest.map((line) => `      ${line}`),
    '   }, ',
    '   "id": 1',
    '}',
  ].join('\n');
}

async function answer(path: string, given: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await application.asAdmin(path, given);
  expect(response.status).toBe(200);
  expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
  return response.text;
}

async function value(path: string, given: Readonly<Record<string, string>> = {}): Promise<unknown> {
  return valueOf(await application.asAdmin(path, given));
}

const STORED = ['realm', 'active', 'client', 'user', 'time', 'action', 'scope'];
const REMOVED = ['user', 'time', 'realm', 'client', 'active', 'scope', 'action'];

function facts(names: readonly string[], indent: string, value: string): string[] {
  return names.map((name, index) => `${indent}"${name}": ${value}${index === names.length - 1 ? '' : ', '}`);
}

describe('in the dialect linotp', () => {
  it('changes are answered as recorded', async () => {
    await application.enrolPlain('S', 'OCRA-1:HOTP-SHA256-8:C-QA64');
    const policy = { name: 'otppin', scope: 'authentication', action: 'otppin=1', realm: 'r' };
    const changes: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
      ['/system/setResolver', { name: 'n', type: 'managed' }, ['true']],
      ['/system/setRealm', { realm: 'r', resolvers: 'n' }, ['true']],
      ['/system/setDefaultRealm', { realm: 'r' }, ['true']],
      ['/system/setDefaultRealm', { realm: 'mydefrealm' }, ['true']],
      ['/admin/assign', { serial: 'S', user: 'root' }, ['true']],
      ['/admin/unassign', { serial: 'S' }, ['true']],
      ['/admin/tokenrealm', { serial: 'S', realms: 'mydefrealm' }, ['1']],
      ['/admin/set', { serial: 'S', MaxFailCount: '3' }, ['{', '   "set MaxFailCount": 1', '}']],
      ['/admin/reset', { serial: 'S' }, ['1']],
      ['/admin/disable', { serial: 'S' }, ['1']],
      ['/admin/enable', { serial: 'S' }, ['1']],
      ['/admin/remove', { serial: 'S' }, ['1']],
      [
        '/system/setPolicy',
        policy,
        ['{', '   "setPolicy otppin": {', ...facts(STORED, '      ', 'true'), '   }', '}'],
      ],
      [
        '/system/delPolicy',
        { name: ' otppin ' },
        [
          '{',
          '   "delPolicy": {',
          '      "result": {',
          ...facts(
            REMOVED.map((field) => `linotp.Policy.otppin.${field}`),
            '         ',
            'true',
          ),
          '      }',
          '   }',
          '}',
        ],
      ],
      ['/system/delRealm', { realm: 'r' }, ['{', '   "delRealm": {', '      "result": true', '   }', '}']],
      ['/system/delResolver', { resolver: 'n' }, ['true']],
      [
        '/system/setConfig',
        { AutoResync: 'True', OcraMaxChallengeRequests: '10', OcraMaxChallenges: '6' },
        [
          '{',
          '   "setConfig OcraMaxChallengeRequests:10": true, ',
          '   "setConfig OcraMaxChallenges:6": true, ',
          '   "setConfig AutoResync:True": true',
          '}',
        ],
      ],
      [
        '/system/getConfig',
        { key: 'OcraMaxChallenges' },
        ['{', '   "getConfig OcraMaxChallenges": "6"', '}'],
      ],
      ['/system/delConfig', { key: 'AutoResync' }, ['{', '   "delConfig AutoResync": true', '}']],
      ['/system/getConfig', { key: 'nosuch' }, ['{', '   "getConfig nosuch": null', '}']],
    ];
    for (const [path, given, expected] of changes) {
      expect([path, await answer(path, given)]).toEqual([path, recorded(expected)]);
    }
  });

  it('an action without effect is named beside the answer of LinOTP', async () => {
    const sent = { name: 'sms', scope: 'authentication', action: 'otppin=1, autosms', realm: '*', user: '*' };
    expect((await application.asAdmin('/system/setPolicy', sent)).body).toMatchObject({
      result: { status: true, value: { 'setPolicy sms': { action: true } } },
      detail: { message: 'unknown actions are without effect: autosms' },
    });
    await application.services.policies.remove(OPERATOR, 'sms');
  });

  it('a value without effect is named beside the answer of LinOTP', async () => {
    const sent = { DefaultMaxFailCount: '9', DefaultOtpLen: '6' };
    expect((await application.asAdmin('/system/setDefault', sent)).body).toMatchObject({
      result: {
        status: true,
        value: { 'setConfig DefaultMaxFailCount:9': true, 'setConfig DefaultOtpLen:6': true },
      },
      detail: { message: 'the server reads no setting DefaultOtpLen' },
    });
    for (const key of Object.keys(sent)) {
      await application.services.settings.remove(OPERATOR, key);
    }
  });

  it('a policy is shown with unrestricted fields as LinOTP writes them', async () => {
    await application.setPolicy('ocra_allowance', 'ocra', 'request, status, activationcode, calcOTP', {
      realm: 'mydefrealm',
      user: 'ocra_admin',
      client: '*',
    });
    expect(await answer('/system/getPolicy', { name: 'ocra_allowance' })).toBe(
      recorded([
        '{',
        '   "ocra_allowance": {',
        '      "realm": "mydefrealm", ',
        '      "name": "ocra_allowance", ',
        '      "action": "request, status, activationcode, calcOTP", ',
        '      "client": "*", ',
        '      "user": "ocra_admin", ',
        '      "time": "* * * * * *;", ',
        '      "active": "True", ',
        '      "scope": "ocra"',
        '   }',
        '}',
      ]),
    );
    await application.services.policies.remove(OPERATOR, 'ocra_allowance');
  });

  it('realms name their resolvers with their classes', async () => {
    const realm = (name: string, resolver: string, isDefault: boolean): string[] => [
      `   "${name}": {`,
      ...(isDefault ? ['      "default": "true", '] : []),
      `      "realmname": "${name}", `,
      '      "useridresolver": [',
      `         "useridresolver.${resolver}"`,
      '      ], ',
      `      "entry": "linotp.useridresolver.group.${name}"`,
    ];
    expect(await answer('/system/getRealms')).toBe(
      recorded([
        '{',
        ...realm('myotherrealm', 'ManagedIdResolver.IdResolver.myOtherRes', false),
        '   }, ',
        ...realm('mydefrealm', 'PasswdIdResolver.IdResolver.myDefRes', true),
        '   }',
        '}',
      ]),
    );
  });

  it('resolvers are shown with type and settings', async () => {
    const passwd = { type: 'passwdresolver', entry: 'linotp.passwdresolver.fileName.myDefRes' };
    const managed = { type: 'managedresolver', entry: 'linotp.managedresolver.myOtherRes' };
    expect(await value('/system/getResolvers')).toEqual({
      myDefRes: { ...passwd, resolvername: 'myDefRes' },
      myOtherRes: { ...managed, resolvername: 'myOtherRes' },
    });
    const shown = { data: { fileName: '/etc/passwd' }, type: 'passwdresolver', resolver: 'myDefRes' };
    expect(await value('/system/getResolver', { resolver: 'myDefRes' })).toEqual(shown);
  });

  it('the configuration shows realms and resolvers as the values that LinOTP keeps', async () => {
    expect(await value('/system/getConfig')).toMatchObject({
      errors: '77',
      Config: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/),
      DefaultRealm: 'mydefrealm',
      'passwdresolver.fileName.myDefRes': '/etc/passwd',
      'useridresolver.group.mydefrealm': 'useridresolver.PasswdIdResolver.IdResolver.myDefRes',
      'useridresolver.group.myotherrealm': 'useridresolver.ManagedIdResolver.IdResolver.myOtherRes',
    });
    expect(await value('/system/getConfig', { key: 'linotp.defaultrealm' })).toEqual({
      'getConfig linotp.defaultrealm': 'mydefrealm',
    });
  });

  it('/admin/show lists tokens as recorded, but for the path of the passwd file', async () => {
    await application.enrolPlain('OCRA000455E5', 'OCRA-1:HOTP-SHA256-8:C-QA64', { user: 'root' });
    const resolver = 'useridresolver.PasswdIdResolver.IdResolver.myDefRes';
    const shown = (await answer('/admin/show'))
      .replace(/"LinOtp.TokenId": \d+/, '"LinOtp.TokenId": 4')
      .replace(/"User.description": "[^"]*"/, '"User.description": ""')
      .replace(/"LinOtp.CreationDate": "[A-Z][a-z]{2}, \d\d [^"]* GMT"/, '"LinOtp.CreationDate": ""');
    expect(shown).toBe(
      recorded([
        '{',
        '   "resultset": {',
        '      "tokens": 1, ',
        '      "pages": 1, ',
        '      "pagesize": 1, ',
        '      "page": 1',
        '   }, ',
        '   "data": [',
        '      {',
        '         "LinOtp.OtpLen": 8, ',
        '         "LinOtp.TokenType": "ocra", ',
        '         "LinOtp.TokenSerialnumber": "OCRA000455E5", ',
        '         "LinOtp.CountWindow": 10, ',
        '         "User.description": "", ',
        `         "LinOtp.IdResClass": "${resolver}", `,
        '         "LinOtp.RealmNames": [',
        '            "mydefrealm"',
        '         ], ',
        '         "LinOtp.Count": 0, ',
        '         "User.userid": "0", ',
        '         "LinOtp.TokenId": 4, ',
        String.raw`         "LinOtp.TokenInfo": "{\n\"ocrasuite\": \"OCRA-1:HOTP-SHA256-8:C-QA64\"\n}", `,
        '         "LinOtp.FailCount": 0, ',
        '         "LinOtp.MaxFail": 10, ',
        '         "User.username": "root", ',
        '         "LinOtp.LastAuthSuccess": "", ',
        '         "LinOtp.SyncWindow": 1000, ',
        '         "LinOtp.LastAuthMatch": "", ',
        '         "LinOtp.TokenDesc": "", ',
        `         "LinOtp.IdResolver": "${resolver}", `,
        '         "LinOtp.Userid": "0", ',
        '         "LinOtp.CreationDate": "", ',
        '         "LinOtp.Isactive": true',
        '      }',
        '   ]',
        '}',
      ]),
    );
  });
});

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
let number = 0;

describe.each(['documented', 'linotp'] as const)('a client of LinOTP, in the dialect %s', (dialect) => {
  const application = applicationOfTests({ dialect });
  let bounded: BoundedAdministrators;

  beforeAll(async () => {
    await application.addRealm('north', ['ann']);
    await application.addRealm('south', ['bob']);
    await application.enrolPlain('T1', SUITE, { user: 'ann', realm: 'north' });
    await application.enrolPlain('T2', SUITE, { user: 'bob', realm: 'south' });
    await application.enrolPlain('T3', 'OCRA-1:HOTP-SHA256-8:QN08-PSHA1');
    bounded = await BoundedAdministrators.of(application);
    await bounded.add('north-desk', 'show', 'north');
  });

  const ask = (path: string, parameters: Record<string, string> = {}): Promise<Result> =>
    application.ask(path, parameters, 'get');

  it('sees the owner of a token, in its own realms alone', async () => {
    const owner = { username: 'ann', realm: 'north', resolver: 'north' };
    expect((await ask('/admin/getTokenOwner', { serial: 'T1' })).value).toMatchObject(owner);
    expect((await ask('/admin/getTokenOwner', { serial: 'T3' })).value).toEqual({});
    const { text } = await bounded.get('north-desk', '/admin/getTokenOwner', { serial: 'T2' });
    expect(text).toContain('No token found with the serial');
    expect(text).not.toContain('bob');
  });

  it('learns whether a serial is free, in any case, and gets one that is', async () => {
    const check = (serial: string): Promise<Result> => ask('/admin/check_serial', { serial });
    expect((await check('NEW')).value).toEqual({ unique: true, new_serial: 'NEW' });
    expect((await check('t1')).value).toEqual({ unique: false, new_serial: 't1_01' });
    expect((await check('ü')).error?.message).toContain('printable ASCII');
  });

  it('sets the PIN of a suite, and no PIN that tokens here lack', async () => {
    const set = (parameters: Record<string, string>) =>
      application.asAdmin('/admin/setPin', { serial: 'T3', ...parameters });
    expect((await set({ userpin: '42' })).text).toContain('"set userpin": 1');
    expect((await set({ userpin: '42', sopin: '1' })).text).toContain("'sopin' is not set");
  });

  describe('that copies the PIN of a token', () => {
    const copy = (parameters: Record<string, string>) => ask('/admin/copyTokenPin', parameters);
    /** Answers a new challenge with that PIN. */
    const accepts = async (serial: string, pin: string): Promise<boolean> => {
      const { transactionid, question } = await application.challenge(serial);
      const { counter } = await application.services.tokens.show(OPERATOR, serial);
      const pass = pin + application.respond(SUITE, question, { counter });
      return ((await application.check(transactionid, pass)) as { result: boolean }).result;
    };
    let from: string;
    let to: string;
    beforeEach(async () => {
      number += 1;
      [from, to] = [`FROM${number}`, `TO${number}`];
      await application.enrolPlain(from, SUITE, { user: 'ann', realm: 'north', pin: '1234' });
      await application.enrolPlain(to, SUITE, { user: 'bob', realm: 'south', pin: '9999' });
    });

    it('gets a token that takes this PIN in place of its own, and an audit row of each', async () => {
      expect(await copy({ from, to })).toEqual({ status: true, value: true });
      expect(await accepts(to, '9999')).toBe(false);
      expect(await accepts(to, '1234')).toBe(true);
      expect(await accepts(from, '1234')).toBe(true);
      const rows = async (realm: string) =>
        (await application.auditRows({ action: 'token/copy-pin', realm, limit: 1 })).map(
          ({ subject, outcome }) => [subject, outcome],
        );
      expect(await rows('south')).toEqual([[to, 'changed pin']]);
      expect(await rows('north')).toEqual([[from, 'copied pin']]);
    });

    it('is refused where there is no PIN to copy, and the other token keeps its own', async () => {
      expect((await copy({ from: 'T1', to })).error?.message).toContain("The token 'T1' has no PIN");
      expect((await copy({ from, to: from })).error?.message).toContain('name the same token');
      expect((await copy({ from: 'NONE', to })).error?.message).toContain("with the serial 'NONE'");
      expect((await copy({ from, to: 'NONE' })).error?.message).toContain("with the serial 'NONE'");
      expect((await copy({ from: '*', to })).error?.message).toContain("with the serial '*'");
      expect((await copy({ from })).error?.message).toContain('Missing parameter');
      expect(await accepts(to, '9999')).toBe(true);
    });

    it('needs a right of its own, for the realms of both tokens', async () => {
      await bounded.add(`north${number}`, 'copytokenpin', 'north');
      await bounded.add(`both${number}`, 'copytokenpin', 'north,south');
      const tried = async (name: string, serials: Record<string, string>): Promise<string> =>
        (await bounded.post(`${name}${number}`, '/admin/copyTokenPin', serials)).text;
      expect(await tried('north', { from, to })).toContain(`No token found with the serial '${to}'`);
      expect(await tried('north', { from: to, to: from })).toContain(
        `No token found with the serial '${to}'`,
      );
      expect(await accepts(to, '9999')).toBe(true);
      expect(await tried('both', { from, to })).toContain('"value": true');
      const { text } = await bounded.post('north-desk', '/admin/copyTokenPin', { from, to });
      expect(text).toContain('ERR410');
    });

    it('gets the one that another administrator sets at this moment, and none that is removed', async () => {
      const { tokens } = application.services;
      const waits = /^select "id", "serial" from "tokens" .*for no key update$/s;
      await whileHeld(
        waits,
        () => tokens.copyPin(OPERATOR, { from, to }),
        () => tokens.set(OPERATOR, { serial: from }, { pin: '5678' }),
      );
      expect(await accepts(to, '5678')).toBe(true);
      const copying = whileHeld(
        waits,
        () => tokens.copyPin(OPERATOR, { from, to }),
        () => tokens.removePin(OPERATOR, { serial: from }, 'pin'),
      );
      await expect(copying).rejects.toThrow('has no PIN');
      expect(await accepts(to, '5678')).toBe(true);
    });

    it('both ways at once ends without a deadlock, and with one PIN', async () => {
      const { tokens } = application.services;
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          tokens.copyPin(OPERATOR, index % 2 === 0 ? { from, to } : { from: to, to: from }),
        ),
      );
      const pin = (await accepts(from, '1234')) ? '1234' : '9999';
      expect(await accepts(from, pin)).toBe(true);
      expect(await accepts(to, pin)).toBe(true);
    });
  });

  it('is told that there is no password in place of a lost token, which stays as it is', async () => {
    const { error } = await ask('/admin/losttoken', { serial: 'T1' });
    expect(error?.message).toContain('there are no tokens with a fixed password');
    expect(await application.services.tokens.show(OPERATOR, 'T1')).toMatchObject({ active: true });
  });

  describe('that tries a resolver', () => {
    const LDAP = {
      type: 'LDAP',
      LDAPURI: 'ldap://127.0.0.1:1',
      LDAPBASE: 'dc=x',
      BINDDN: 'cn=x',
      BINDPW: 'a secret of the directory',
      LOGINNAMEATTRIBUTE: 'uid',
      LDAPSEARCHFILTER: '(uid=*)',
      LDAPFILTER: '(uid=%s)',
    };
    const test = (parameters: Record<string, string>): Promise<Result> =>
      application.ask('/admin/testresolver', parameters);

    it('learns the number of its users, or why they cannot be read, whether it has a name or not', async () => {
      for (const name of [{ name: 'north' }, { previous_name: 'north', name: 'renamed' }]) {
        expect(await test({ type: 'managedresolver', ...name })).toEqual({
          status: true,
          value: { result: true, desc: '1 users' },
        });
      }
      expect(await test({ type: 'managed' })).toEqual({
        status: true,
        value: { result: true, desc: '0 users' },
      });
      for (const more of [{}, { name: 'new' }]) {
        const { value } = await test({ ...LDAP, ...more });
        expect(value).toEqual({ result: false, desc: expect.stringMatching(/./) });
        expect(JSON.stringify(value)).not.toContain('127.0.0.1');
      }
    });

    it('names the settings as LinOTP does there, or the stored resolver alone', async () => {
      expect((await test({ name: 'north' })).value).toEqual({ result: true, desc: '1 users' });
      const ldap = {
        ldap_uri: LDAP.LDAPURI,
        ldap_basedn: LDAP.LDAPBASE,
        ldap_binddn: LDAP.BINDDN,
        ldap_password: LDAP.BINDPW,
        ldap_loginattr: LDAP.LOGINNAMEATTRIBUTE,
        ldap_searchfilter: LDAP.LDAPSEARCHFILTER,
        ldap_userfilter: LDAP.LDAPFILTER,
        ldap_mapping: '{"username": "uid"}',
        ldap_timeout: '1',
        ldap_sizelimit: '50',
      };
      const sql = {
        sql_driver: 'postgres',
        sql_server: '127.0.0.1',
        sql_port: '1',
        sql_database: 'x',
        sql_user: 'x',
        sql_password: 'a secret of the directory',
        sql_table: 'users',
        sql_mapping: '{"userid": "id", "username": "login"}',
      };
      for (const given of [ldap, { type: 'LDAP', ...ldap }, sql, { type: 'sql', ...sql }]) {
        const desc: unknown = expect.stringMatching(/connect|refused|listens/i);
        expect(await test(given)).toEqual({ status: true, value: { result: false, desc } });
      }
      expect(application.logged.join()).not.toContain('a secret of the directory');
    });

    it.each([
      [{ name: 'north', LDAPURI: 'ldap://x' }, "Missing parameter 'type'"],
      [{ name: 'nosuch' }, "resolver 'nosuch'"],
      [{ ldap_uri: 'ldap://x' }, 'LDAPBASE is missing'],
      [{ type: 'passwdresolver', fileName: '/etc/passwd' }, 'no file can be named over HTTP'],
      [{ ...LDAP, name: 'north' }, 'of the kind managed and cannot become ldap'],
      [{}, 'Missing parameter'],
    ])('is refused what setResolver refuses: %j', async (parameters, message) => {
      expect((await test(parameters as Record<string, string>)).error?.message).toContain(message);
    });

    it('leaves no password in the log or the audit', async () => {
      await test(LDAP);
      const rows = await application.auditRows({ action: 'resolver/test', limit: 2 });
      expect(rows.map(({ subject, outcome }) => [subject, outcome])).toEqual([
        ['unnamed', 'failed, at ldap://127.0.0.1:1'],
        ['unnamed', 'begun, at ldap://127.0.0.1:1'],
      ]);
      expect(application.logged.join()).not.toContain('a secret of the directory');
    });

    it('needs the right to change resolvers', async () => {
      await application.setPolicy('reads', 'system', 'read', { user: 'admin' });
      expect((await test(LDAP)).error?.message).toContain('ERR410');
      await application.services.policies.remove(OPERATOR, 'reads');
    });
  });

  it('reads which actions policies have, and the support', async () => {
    const { value, error } = await ask('/system/getPolicyDef');
    expect(error).toBeUndefined();
    expect(value).toHaveProperty('admin.show.type', 'bool');
    expect(value).toHaveProperty('authentication.otppin.type', 'str');
    const of = (scope: string): Promise<Result> => ask('/system/getPolicyDef', { scope });
    expect((await of('ocra')).value).toHaveProperty('request.type', 'bool');
    expect((await of('x')).error?.message).toContain('The scope is one of');
    expect((await ask('/system/getSupportInfo')).value).toEqual({});
    expect((await ask('/system/isSupportValid')).value).toBe(false);
  });

  it.each([
    '/userservice/login',
    '/manage/tokenview_flexi',
    '/manage/',
    '/gettoken/getotp',
    '/tools/migrate_resolver',
    '/admin/lostToken',
    '/system/checkPolicy',
  ])('is told by an answer in JSON that %s is not served, and why', async (path) => {
    const answer = await application.send(path, {}, 'get');
    expect(answer.status).toBe(404);
    expect(errorOf(answer)).toContain(`The path ${path} of LinOTP is not served: `);
  });

  it.each(['/userservice/login', '/selfservice', '/account/login'])(
    'is told that users look after their tokens at another page than %s',
    async (path) => {
      const { text } = await application.send(path, {}, 'get');
      expect(text).toContain('/app/account, where a policy of the scope selfservice lets them');
    },
  );

  it.each(['/nowhere', '/managers', '/toString', '/admin/constructor', '/userservices/x'])(
    'finds nothing at %s',
    async (path) => {
      expect((await application.send(path, {}, 'get')).status).toBe(404);
    },
  );
});
