import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { AS_ADMIN, createTestApp, type TestApp } from '../../support/application/http-app.ts';

function linotpApp(): TestApp {
  return createTestApp({ dialect: 'linotp', serviceVersion: undefined });
}

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

async function answer(path: string, given: Readonly<Record<string, string>>): Promise<string> {
  const response = await request(linotpApp().app).post(path).type('form').send(given).set(AS_ADMIN);
  expect(response.status).toBe(200);
  expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
  return response.text;
}

const STORED = ['realm', 'active', 'client', 'user', 'time', 'action', 'scope'];
const REMOVED = ['user', 'time', 'realm', 'client', 'active', 'scope', 'action'];

function facts(names: readonly string[], indent: string, value: string): string[] {
  return names.map((name, index) => `${indent}"${name}": ${value}${index === names.length - 1 ? '' : ', '}`);
}

describe('in the dialect linotp', () => {
  it.each([
    ['/system/setResolver', { name: 'n', type: 'passwdresolver', fileName: '/x' }, ['true']],
    ['/system/delResolver', { resolver: 'n' }, ['true']],
    ['/system/setRealm', { realm: 'r', resolvers: 'x' }, ['true']],
    ['/system/setDefaultRealm', { realm: 'r' }, ['true']],
    ['/system/delRealm', { realm: 'r' }, ['{', '   "delRealm": {', '      "result": true', '   }', '}']],
    ['/admin/assign', { serial: 'S', user: 'u' }, ['true']],
    ['/admin/unassign', { serial: 'S' }, ['true']],
    ['/admin/reset', { serial: 'S' }, ['1']],
    ['/admin/enable', { serial: 'S' }, ['1']],
    ['/admin/disable', { serial: 'S' }, ['1']],
    ['/admin/remove', { serial: 'S' }, ['2']],
    ['/admin/tokenrealm', { serial: 'S', realms: 'r' }, ['1']],
    ['/admin/set', { serial: 'S', MaxFailCount: '3' }, ['{', '   "set MaxFailCount": 1', '}']],
    ['/system/setConfig', { errors: '77,410' }, ['{', '   "setConfig errors:77,410": true', '}']],
    ['/system/delConfig', { key: 'errors' }, ['{', '   "delConfig errors": true', '}']],
    ['/system/getConfig', { key: 'OcraMaxChallenges' }, ['{', '   "getConfig OcraMaxChallenges": "4"', '}']],
    ['/system/getConfig', { key: 'nosuch' }, ['{', '   "getConfig nosuch": null', '}']],
    [
      '/system/setPolicy',
      { name: 'ocra_allowance', scope: 'ocra', action: 'request' },
      ['{', '   "setPolicy ocra_allowance": {', ...facts(STORED, '      ', 'true'), '   }', '}'],
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
  ])('%s answers %j as recorded', async (path, given, value) => {
    expect(await answer(path, given)).toBe(recorded(value));
  });

  it('/system/setConfig names each value, in the order of LinOTP', async () => {
    const given = { AutoResync: 'True', OcraMaxChallengeRequests: '10', OcraMaxChallenges: '6' };
    expect(await answer('/system/setConfig', given)).toBe(
      recorded([
        '{',
        '   "setConfig OcraMaxChallengeRequests:10": true, ',
        '   "setConfig OcraMaxChallenges:6": true, ',
        '   "setConfig AutoResync:True": true',
        '}',
      ]),
    );
  });

  it('/system/getPolicy shows unrestricted fields as LinOTP writes them', async () => {
    expect(await answer('/system/getPolicy', {})).toBe(
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
  });

  it('/system/getRealms names resolvers with their classes', async () => {
    const realm = (name: string, resolver: string, isDefault: boolean): string[] => [
      `   "${name}": {`,
      ...(isDefault ? ['      "default": "true", '] : []),
      `      "realmname": "${name}", `,
      '      "useridresolver": [',
      `         "useridresolver.${resolver}"`,
      '      ], ',
      `      "entry": "linotp.useridresolver.group.${name}"`,
    ];
    expect(await answer('/system/getRealms', {})).toBe(
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

  it('/system/getResolvers and getResolver show type and settings', async () => {
    const { app } = linotpApp();
    const all = await request(app).get('/system/getResolvers').set(AS_ADMIN);
    expect(all.body).toHaveProperty('result.value', {
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
    const one = await request(app).get('/system/getResolver').query({ resolver: 'myDefRes' }).set(AS_ADMIN);
    expect(one.body).toHaveProperty('result.value', {
      data: { fileName: '/etc/tokens/def-passwd' },
      type: 'passwdresolver',
      resolver: 'myDefRes',
    });
  });

  it('/system/getConfig shows realms and resolvers as the values that LinOTP keeps, and no key of the vault', async () => {
    const response = await request(linotpApp().app).get('/system/getConfig').set(AS_ADMIN);
    expect(response.body).toHaveProperty('result.value', {
      OcraMaxChallenges: '4',
      errors: '77',
      Config: '2026-11-20 10:55:31.000000',
      DefaultRealm: 'mydefrealm',
      'passwdresolver.fileName.myDefRes': '/etc/tokens/def-passwd',
      'useridresolver.group.mydefrealm': 'useridresolver.PasswdIdResolver.IdResolver.myDefRes',
      'useridresolver.group.myotherrealm': 'useridresolver.ManagedIdResolver.IdResolver.myOtherRes',
    });
    const one = await request(linotpApp().app)
      .get('/system/getConfig')
      .query({ key: 'linotp.defaultrealm' })
      .set(AS_ADMIN);
    expect(one.body).toHaveProperty('result.value', { 'getConfig linotp.defaultrealm': 'mydefrealm' });
  });

  it('/admin/show lists tokens as recorded, but for the path of the passwd file', async () => {
    const resolver = 'useridresolver.PasswdIdResolver.IdResolver.myDefRes';
    expect(await answer('/admin/show', {})).toBe(
      recorded([
        '{',
        '   "resultset": {',
        '      "tokens": 3, ',
        '      "pages": 2, ',
        '      "pagesize": 2, ',
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
        '         "LinOtp.Count": 1, ',
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
        '         "LinOtp.CreationDate": "Fri, 20 Nov 2026 10:55:31 GMT", ',
        '         "LinOtp.Isactive": true',
        '      }',
        '   ]',
        '}',
      ]),
    );
  });
});
