import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { valueOf } from '../../support/application/browser.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

/* What LinOTP 2.12.6 was recorded to answer in samples, which the replay of the recordings cannot ask for. */

let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open({ dialect: 'linotp' });
  const { resolvers, realms, settings } = application.services;
  const fileName = '/etc/passwd';
  await resolvers.set(OPERATOR, { name: 'myDefRes', kind: 'passwd', settings: { fileName } });
  await resolvers.set(OPERATOR, { name: 'myOtherRes', kind: 'managed', settings: {} });
  await realms.set(OPERATOR, { name: 'mydefrealm', resolvers: ['myDefRes'] });
  await realms.set(OPERATOR, { name: 'myotherrealm', resolvers: ['myOtherRes'] });
  await realms.setDefault(OPERATOR, 'mydefrealm');
  await settings.set(OPERATOR, new Map([['errors', '77']]));
});
afterAll(() => application.close());

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
      detail: {
        message:
          'the server reads no setting DefaultOtpLen: the suite of a token says how long its responses are',
      },
    });
    for (const key of Object.keys(sent)) {
      await application.services.settings.remove(OPERATOR, key);
    }
  });

  it('a policy is shown with unrestricted fields as LinOTP writes them', async () => {
    await application.services.policies.set(OPERATOR, {
      name: 'ocra_allowance',
      scope: 'ocra',
      action: 'request, status, activationcode, calcOTP',
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
    expect(await value('/system/getResolvers')).toEqual({
      myDefRes: {
        entry: 'linotp.passwdresolver.fileName.myDefRes',
        type: 'passwdresolver',
        resolvername: 'myDefRes',
      },
      myOtherRes: {
        entry: 'linotp.managedresolver.myOtherRes',
        type: 'managedresolver',
        resolvername: 'myOtherRes',
      },
    });
    expect(await value('/system/getResolver', { resolver: 'myDefRes' })).toEqual({
      data: { fileName: '/etc/passwd' },
      type: 'passwdresolver',
      resolver: 'myDefRes',
    });
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
