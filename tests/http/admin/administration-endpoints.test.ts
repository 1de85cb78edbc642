import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { METHODS, sendBy } from '../../support/application/http-methods.ts';
import {
  API_TOKEN,
  AS_ADMIN,
  callerOf,
  createTestApp,
  type DomainCall,
} from '../../support/application/http-app.ts';

/** An endpoint, what is sent to it, what reaches the domain, and what the dialect `documented` answers. */
interface Row {
  readonly path: string;
  readonly given: Readonly<Record<string, string>>;
  readonly calls: readonly DomainCall[];
  readonly value: unknown;
}

const CALLER = expect.objectContaining({ principal: expect.anything() });
const SELECTION = { serial: 'S', user: 'u', realm: 'r', resConf: 'res' };
const SELECTED = { serial: 'S', user: 'u', realm: 'r', resolver: 'res' };
const POLICY = {
  name: 'ocra_allowance',
  scope: 'ocra',
  action: 'request, status, activationcode, calcOTP',
  realm: 'mydefrealm',
  user: 'ocra_admin',
  client: '*',
  time: '',
  active: true,
};
const RESOLVER = { name: 'myDefRes', type: 'passwd', fileName: '/etc/tokens/def-passwd' };

const CHANGES: readonly Row[] = [
  ...(['enable', 'disable', 'reset'] as const).map((action) => ({
    path: `/admin/${action}`,
    given: SELECTION,
    calls: [[action, CALLER, SELECTED]] as const,
    value: 1,
  })),
  { path: '/admin/remove', given: SELECTION, calls: [['remove', CALLER, SELECTED]], value: 2 },
  { path: '/admin/unassign', given: SELECTION, calls: [['unassign', CALLER, SELECTED]], value: true },
  {
    path: '/admin/set',
    given: {
      ...SELECTION,
      PIN: 'p',
      MaxFailCount: '3',
      CounterWindow: '4',
      SyncWindow: '5',
      ocrapin: 'o',
      description: 'd',
    },
    calls: [
      [
        ...(['set', CALLER, SELECTED] as const),
        { pin: 'p', maxFail: 3, counterWindow: 4, syncWindow: 5, ocraPin: 'o', description: 'd' },
      ],
    ],
    value: 1,
  },
  {
    path: '/admin/assign',
    given: { ...SELECTION, pin: 'p' },
    calls: [['assign', CALLER, { ...SELECTED, pin: 'p' }]],
    value: true,
  },
  {
    path: '/admin/tokenrealm',
    given: { serial: 'S', realms: ' a, ,b ,' },
    calls: [['setRealms', CALLER, { serial: 'S', realms: ['a', 'b'] }]],
    value: 1,
  },
  {
    path: '/system/setPolicy',
    given: { ...POLICY, active: 'False' },
    calls: [['setPolicy', CALLER, { ...POLICY, active: false }]],
    value: true,
  },
  {
    path: '/system/delPolicy',
    given: { name: 'p' },
    calls: [['removePolicy', CALLER, 'p']],
    value: true,
  },
  {
    path: '/system/setResolver',
    given: { name: 'n', type: 'passwdresolver', fileName: '/etc/x' },
    calls: [['setResolver', CALLER, { name: 'n', kind: 'passwd', settings: { filename: '/etc/x' } }]],
    value: true,
  },
  {
    path: '/system/delResolver',
    given: { resolver: 'n' },
    calls: [['removeResolver', CALLER, 'n']],
    value: true,
  },
  {
    path: '/system/setRealm',
    given: { realm: 'R', resolvers: 'useridresolver.PasswdIdResolver.IdResolver.a, b' },
    calls: [
      ['setRealm', CALLER, { name: 'R', resolvers: ['useridresolver.PasswdIdResolver.IdResolver.a', 'b'] }],
    ],
    value: true,
  },
  { path: '/system/delRealm', given: { realm: 'R' }, calls: [['removeRealm', CALLER, 'R']], value: true },
  {
    path: '/system/setDefaultRealm',
    given: { realm: 'R' },
    calls: [['setDefaultRealm', CALLER, 'R']],
    value: true,
  },
  {
    path: '/system/setConfig',
    given: { OcraMaxChallenges: '2', errors: '77,410', id: '7' },
    calls: [
      [
        'setConfiguration',
        CALLER,
        new Map([
          ['OcraMaxChallenges', '2'],
          ['errors', '77,410'],
        ]),
      ],
    ],
    value: true,
  },
  {
    path: '/system/delConfig',
    given: { key: 'errors' },
    calls: [['removeConfiguration', CALLER, 'errors']],
    value: true,
  },
];

const LOOKS: readonly Row[] = [
  {
    path: '/admin/show',
    given: { ...SELECTION, viewrealm: 'a,b', page: '1', pagesize: '2', outform: 'json' },
    calls: [
      [
        ...(['page', CALLER] as const),
        {
          serial: 'S',
          user: 'u',
          userRealm: 'r',
          userResolver: 'res',
          realms: ['a', 'b'],
          page: { page: 1, pageSize: 2 },
        },
      ],
    ],
    value: {
      total: 3,
      page: 1,
      pagesize: 2,
      tokens: [
        {
          serial: 'OCRA000455E5',
          type: 'ocra',
          description: '',
          user: 'root',
          resolver: 'myDefRes',
          realms: ['mydefrealm'],
          active: true,
          failcount: 0,
          maxfail: 10,
          counter: '1',
          counterwindow: 10,
          syncwindow: 1000,
          ocrasuite: 'OCRA-1:HOTP-SHA256-8:C-QA64',
          rollout: 'complete',
          haspin: false,
          created: '2026-11-20T10:55:31.000Z',
          lastsuccess: null,
        },
      ],
    },
  },
  {
    path: '/system/getPolicy',
    given: { name: 'n', scope: 's', action: 'a', realm: 'r', user: 'u' },
    calls: [['list', { name: 'n', scope: 's', action: 'a', realm: 'r', user: 'u' }]],
    value: { ocra_allowance: POLICY },
  },
  {
    path: '/system/getResolvers',
    given: {},
    calls: [['listResolvers']],
    value: { myDefRes: RESOLVER, myOtherRes: { name: 'myOtherRes', type: 'managed' } },
  },
  {
    path: '/system/getResolver',
    given: { resolver: 'myDefRes' },
    calls: [['showResolver', 'myDefRes']],
    value: RESOLVER,
  },
  {
    path: '/system/getRealms',
    given: {},
    calls: [['listRealms'], ['listResolvers']],
    value: {
      mydefrealm: { name: 'mydefrealm', default: true, resolvers: ['myDefRes'] },
      myotherrealm: { name: 'myotherrealm', default: false, resolvers: ['myOtherRes'] },
    },
  },
  {
    path: '/system/getDefaultRealm',
    given: {},
    calls: [['listRealms'], ['listResolvers']],
    value: { mydefrealm: { name: 'mydefrealm', default: true, resolvers: ['myDefRes'] } },
  },
  {
    path: '/system/getConfig',
    given: {},
    calls: [['overview']],
    value: { OcraMaxChallenges: '4', errors: '77' },
  },
  {
    path: '/system/getConfig',
    given: { key: 'linotp.ocraMaxChallenges' },
    calls: [['overview']],
    value: '4',
  },
  { path: '/system/getConfig', given: { key: 'nosuch' }, calls: [['overview']], value: null },
];

const ALL = [...CHANGES, ...LOOKS];

describe.each(METHODS)('by %s', (method) => {
  it.each(ALL)('$path reaches the domain', async ({ path, given, calls: expected, value }) => {
    const { app, calls } = createTestApp();
    const response = await sendBy(method, app, path, given).set(AS_ADMIN);
    expect(response.body).toHaveProperty('result', { status: true, value });
    expect(calls).toEqual(expected);
  });
});

describe('the caller', () => {
  it.each(ALL)('is authenticated first: $path', async ({ path, given }) => {
    const { app, calls } = createTestApp();
    expect((await request(app).post(path).type('form').send(given)).status).toBe(401);
    expect((await request(app).get(path).query(given)).status).toBe(401);
    expect(calls).toEqual([]);
  });

  it.each(CHANGES)('is refused with a cross-site request of a browser: $path', async ({ path, given }) => {
    const { app, calls } = createTestApp();
    for (const site of ['cross-site', 'same-site', 'other']) {
      const headers = { ...AS_ADMIN, 'Sec-Fetch-Site': site };
      expect((await request(app).get(path).query(given).set(headers)).status).toBe(403);
      expect((await request(app).post(path).type('form').send(given).set(headers)).status).toBe(403);
    }
    expect(calls).toEqual([]);
    const own = { ...AS_ADMIN, 'Sec-Fetch-Site': 'same-origin' };
    expect((await request(app).post(path).type('form').send(given).set(own)).status).toBe(200);
  });

  it.each(ALL.filter(({ calls }) => calls[0]?.[1] === CALLER))(
    'is passed on with the limits of an API token: $path',
    async ({ path, given }) => {
      const { app, calls } = createTestApp();
      await request(app).post(path).type('form').send(given).set('Authorization', `Bearer ${API_TOKEN}`);
      expect(callerOf(calls[0]).principal).toMatchObject({
        administrator: 'probe',
        rights: ['monitoring:*'],
      });
    },
  );
});

describe('a missing parameter', () => {
  it.each([
    ['/admin/assign', { serial: 'S' }, 'user'],
    ['/admin/assign', { user: 'u' }, 'serial'],
    ['/admin/tokenrealm', { serial: 'S' }, 'realms'],
    ['/system/setPolicy', { name: 'n', scope: 's' }, 'action'],
    ['/system/delPolicy', {}, 'name'],
    ['/system/setResolver', { name: 'n' }, 'type'],
    ['/system/getResolver', {}, 'resolver'],
    ['/system/delResolver', {}, 'resolver'],
    ['/system/setRealm', { realm: 'r' }, 'resolvers'],
    ['/system/delRealm', {}, 'realm'],
    ['/system/setConfig', { key: 'errors' }, 'value'],
    ['/system/delConfig', {}, 'key'],
  ])('is named: %s %j lacks %s', async (path, given, name) => {
    for (const method of METHODS) {
      const { app, calls } = createTestApp();
      const response = await sendBy(method, app, path, given).set(AS_ADMIN);
      expect(response.body).toHaveProperty('result.error.code', 77);
      expect(response.body).toHaveProperty(
        'result.error.message',
        expect.stringMatching(
          new RegExp(`^ERR77: Usage: ${path.slice(1)}: .*Missing parameter '${name}'\\.$`),
        ),
      );
      expect(calls).toEqual([]);
    }
  });
});

describe('a parameter value', () => {
  it.each([
    ['/admin/show', { filter: 'x' }, -311],
    ['/admin/show', { outform: 'csv' }, -311],
    ['/system/setPolicy', { name: 'n', scope: 's', action: 'a', active: 'maybe' }, -311],
    ['/system/setConfig', { key: 'k', value: 'v', type: 'password' }, -311],
    ['/system/setConfig', { key: 'k', value: 'v', type: 'Encrypted_Data' }, -311],
  ])('is refused before any change where it is not supported: %s %j', async (path, given, code) => {
    const { app, calls } = createTestApp();
    const response = await sendBy('POST form', app, path, given).set(AS_ADMIN);
    expect(response.body).toHaveProperty('result.error.code', code);
    expect(calls).toEqual([]);
  });

  it.each(['x', '-1', '1.5', '1e3', '', '0x10', '9'.repeat(30)])(
    'is NaN where it is no number: MaxFailCount=%j',
    async (text) => {
      const { app, calls } = createTestApp();
      await request(app)
        .post('/admin/set')
        .type('form')
        .send({ serial: 'S', MaxFailCount: text })
        .set(AS_ADMIN);
      expect(calls[0]?.[3]).toHaveProperty('maxFail', Number.NaN);
    },
  );

  it.each([
    ['', {}],
    ['*', {}],
    ['a,*', {}],
    ['/:no realm:/', { realm: null }],
    ['a,/:no realm:/', { realms: ['a', '/:no realm:/'] }],
  ])('as viewrealm %j selects %j', async (viewrealm, expected) => {
    const { app, calls } = createTestApp();
    await request(app).get('/admin/show').query({ viewrealm }).set(AS_ADMIN);
    expect(calls).toEqual([['page', CALLER, { page: {}, ...expected }]]);
  });
});

describe('/system/setConfig', () => {
  it('takes one value by its key, and no other parameter for a value', async () => {
    const { app, calls } = createTestApp();
    const given = { key: 'errors', value: '77', type: 'text', description: 'd' };
    await request(app).post('/system/setConfig').type('form').send(given).set(AS_ADMIN);
    expect(calls).toEqual([['setConfiguration', CALLER, new Map([['errors', '77']])]]);
  });

  it('never reads a credential as a value', async () => {
    const { app, calls } = createTestApp();
    const given = { SESSION: 'a', csrf_token: 'b', Csrf_Token: 'c', httperror: '400', Own: 'd' };
    await request(app).post('/system/setConfig').type('form').send(given).set(AS_ADMIN);
    expect(calls).toEqual([['setConfiguration', CALLER, new Map([['Own', 'd']])]]);
  });

  it('takes of a repeated key the last value, and the query before the body', async () => {
    const { app, calls } = createTestApp();
    const sent = request(app).post('/system/setConfig?b=3').type('form').send('a=1&a=2&b=1');
    await sent.set(AS_ADMIN);
    expect(calls[0]?.[2]).toEqual(
      new Map([
        ['a', '2'],
        ['b', '3'],
      ]),
    );
  });
});

describe('a failure of the domain', () => {
  it.each([
    ['/admin/enable', 'enable', new ServiceError('token.state', 'text'), -311, 'text'],
    ['/admin/remove', 'remove', new ServiceError('right.missing', 'text'), 410, 'ERR410: text'],
    [
      ...(['/admin/disable', 'disable'] as const),
      new ServiceError('user.unknown', 'text', { user: 'anna@a', login: 'anna' }),
      ...([1205, 'ERR1205: getUserId failed: no user >anna@a< found!'] as const),
    ],
    ['/system/getConfig', 'overview', new ServiceError('right.missing', 'text'), 410, 'ERR410: text'],
  ] as const)('is answered as everywhere: %s', async (path, name, error, legacyCode, message) => {
    const { app, fail } = createTestApp();
    fail(name, error);
    const response = await request(app).post(path).type('form').send({ serial: 'S' }).set(AS_ADMIN);
    expect(response.body).toHaveProperty('result', { status: false, error: { code: legacyCode, message } });
  });
});
