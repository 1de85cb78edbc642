import { TokenCountStore } from '../../../src/monitoring/token-count-store.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import request, { type Response } from 'supertest';
import { openDatabase } from '../../../src/database/database.ts';
import {
  applicationOfTests,
  AS_ADMIN,
  OPERATOR,
  PASSWORD,
  type TestApplication,
} from '../../support/application/test-application.ts';
import { errorOf } from '../../support/application/browser.ts';
import { insertTokens } from '../../support/database/token-rows.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const ANSWERS = {
  tokens: {
    head: [],
    data: [
      ['a', 'total', 2],
      ['a', 'total users', 1],
      ['Summary', 'total', 2],
      ['Summary', 'total users', 1],
    ],
    value: { Summary: { total: 2, 'total users': 1 }, Realms: { a: { total: 2, 'total users': 1 } } },
  },
  userinfo: { head: [], data: [['a', 'a', 2]], value: { Realms: { a: { a: 2 } } } },
  activeUsers: {
    head: [],
    data: [
      ['a', 'a', 1],
      ['Total', '', 1],
    ],
    value: { Realms: { a: { a: 1 } }, total: 1 },
  },
  config: {
    head: [],
    value: {
      sync: 'True',
      synctime: TIME,
      changed: TIME,
      now: TIME,
      total: 3,
      managedresolver: 1,
      passwdresolver: 0,
      sqlresolver: 0,
      ldapresolver: 0,
      policies: 1,
      realms: 1,
    },
  },
  license: { value: { support: 'community support' } },
  storageEncryption: { value: true },
};
const NAMES = Object.keys(ANSWERS) as (keyof typeof ANSWERS)[];
const DEPRECATION = ['deprecation', 'link', 'sunset'];

const application = applicationOfTests({ http: { monitoringPostSunset: new Date('2027-12-31T00:00:00Z') } });
beforeAll(async () => {
  await application.addRealm('a', ['ann', 'bob']);
  await application.enrolPlain('A1', SUITE, { user: 'ann', realm: 'a' });
  await application.enrolPlain('A2', SUITE);
  await application.services.tokens.setRealms(OPERATOR, { serial: 'A2', realms: ['a'] });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const get = async (path: string): Promise<Response> =>
  request(application.app).get(`/monitoring/${path}`).set(AS_ADMIN);

describe.each(NAMES)('/monitoring/%s', (name) => {
  it('answers POST as GET, but for the headers that say it is deprecated', async () => {
    const answer = await get(name);
    const post = await request(application.app).post(`/monitoring/${name}`).set(AS_ADMIN);
    const expected = {
      version: 'Tankeeper test',
      jsonrpc: '2.0',
      result: { status: true, ...ANSWERS[name] },
      id: 1,
    };
    expect(answer.body).toEqual(expected);
    expect(post.body).toEqual(expected);
    expect(post.headers).toMatchObject({
      deprecation: '@1657843200',
      link: '</docs/monitoring-post>; rel="deprecation"; type="text/html"',
      sunset: 'Fri, 31 Dec 2027 00:00:00 GMT',
    });
    expect(Object.keys(answer.headers).filter((header) => DEPRECATION.includes(header))).toEqual([]);
  });

  it('refuses POST once it is switched off', async () => {
    const { app } = application.restarted({ http: { monitoringPost: 'off' } });
    const response = await request(app).post(`/monitoring/${name}`).set(AS_ADMIN);
    expect(response.status).toBe(405);
    expect(response.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect(response.get('Deprecation')).toBeUndefined();
  });
});

describe('/monitoring', () => {
  it('takes realms and statuses in any case of letters, the last of a repeated name', async () => {
    const query = 'realms=x&Status=unassigned%26inactive,active&realms=/:no%20realm:/';
    expect((await get(`tokens?${query}`)).body).toHaveProperty('result.value.Realms', {
      '/:no realm:/': { total: 0, 'total users': 0, 'unassigned&inactive': 0, active: 0 },
    });
  });

  it('counts the realms that each request asks for, where no count has changed since another', async () => {
    const snapshot = jest.spyOn(TokenCountStore.prototype, 'snapshot');
    await get('tokens');
    snapshot.mockReturnValue(snapshot.mock.results[0]?.value as ReturnType<TokenCountStore['snapshot']>);
    const total = async (realm: string): Promise<unknown> =>
      ((await get(`tokens?realms=${realm}`)).body as { result: { value: { Summary: { total: unknown } } } })
        .result.value.Summary.total;
    expect([await total('a'), await total('/:no%20realm:/'), await total('a')]).toEqual([2, 0, 2]);
  });

  it('announces no day of sunset before there is one, and the deprecation in errors and limits, too', async () => {
    const token = await application.apiToken('license', ['monitoring:license']);
    const limits = { exempt: [], clientRequests: 2 };
    const { app } = application.restarted({ http: {}, limits });
    const post = async (path: string): Promise<Response> =>
      request(app).post(`/monitoring/${path}`).set('Authorization', `Bearer ${token}`);
    const shown = await post('license');
    const refused = await post('tokens');
    const limited = await post('tokens?id=9');
    expect(refused.body).toHaveProperty('result.error.code', 410);
    expect([limited.status, limited.get('Retry-After')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(limited.body).toHaveProperty('id', 9);
    for (const response of [shown, refused, limited]) {
      expect(response.get('Deprecation')).toBe('@1657843200');
      expect(response.get('Sunset')).toBeUndefined();
    }
  });

  it('links to a page that is there, without a password', async () => {
    const { app } = application;
    const link = (await request(app).post('/monitoring/tokens')).get('Link') ?? '';
    const page = await request(app).get(/^<([^>]+)>/.exec(link)?.[1] ?? '');
    expect(page.status).toBe(200);
    expect(page.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('GET /monitoring/tokens');
  });

  it('keeps hostile names of realms and statuses apart from its own', async () => {
    const counts = [{ status: '__proto__', count: 1 }];
    jest
      .spyOn(application.services.monitoring, 'tokens')
      .mockResolvedValue({ realms: [{ realm: '__proto__', counts }], summary: counts });
    expect((await get('tokens')).text).toContain('"__proto__": {\n               "__proto__": 1');
  });
});

/* What the recordings of /monitoring do not show. */

const linotp = applicationOfTests({ dialect: 'linotp', trustProxy: ['loopback'] });
beforeAll(async () => {
  await linotp.addRealm('a');
  await linotp.addRealm('b');
});

function withVersion(serviceVersion: string): TestApplication['app'] {
  return linotp.restarted({ http: { serviceVersion } }).app;
}

describe('/monitoring in the dialect linotp', () => {
  it('has the version of the configuration', async () => {
    const response = await request(withVersion('Bank 7.1')).get('/monitoring/license').set(AS_ADMIN);
    expect(response.body).toMatchObject({ version: 'Bank 7.1', versionNumber: '7.1' });
  });

  it('always answers with the id 1', async () => {
    const response = await request(linotp.app).get('/monitoring/license?id=7').set(AS_ADMIN);
    expect(response.body).toHaveProperty('id', 1);
  });

  it('reads the first of a repeated parameter, and the query before the body', async () => {
    const post = request(linotp.app).post('/monitoring/tokens?realms=a&realms=b&STATUS=active').set(AS_ADMIN);
    expect((await post.type('form').send('status=assigned&realms=b')).body).toHaveProperty(
      'result.value.Realms',
      { a: { total: 0, 'total users': 0, active: 0 } },
    );
  });
});

describe('an error of /monitoring in the dialect linotp', () => {
  it('is a page with harmless markup where the client wishes for a status', async () => {
    const response = await request(withVersion('<b>1'))
      .get('/monitoring/tokens')
      .query({ httperror: '418', realms: '<script>alert(1)</script>&amp;' })
      .set(AS_ADMIN);
    expect(response.status).toBe(418);
    expect(response.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.text).toContain('<h1>418 418 LinOTP Error</h1>');
    expect(response.text).toContain(
      "[&lt;b&gt;1] 410: ERR410: You do not have the rights to see these realms: ['&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;']. Check",
    );
  });

  it.each([
    ['500', '500 500 Internal Server Error'],
    ['444', '444 444 LinOTP Error'],
    ['200', '500 500 Internal Server Error'],
  ])(
    'is the page that httperror=%s requests, with 401, for an unauthenticated client',
    async (wish, title) => {
      for (const method of ['get', 'post'] as const) {
        const response = await linotp.send('/monitoring/tokens', {}, method).query({ httperror: wish });
        expect(response.status).toBe(401);
        expect(response.get('Content-Type')).toBe('text/html; charset=utf-8');
        expect(response.get('WWW-Authenticate')).toMatch(/^Basic /);
        expect(response.text).toBe(
          `\n<html>\n<head>\n<title>${title}</title>\n</head>\n<body>\n<h1>${title}</h1>\n[LinOTP 3.4.4] -311: Not authenticated\n<br>\n<br>\n</body>\n</html>\n`,
        );
      }
    },
  );

  it('is JSON for an unauthenticated client where httperror is not for its code', async () => {
    const { settings } = linotp.services;
    await settings.set(OPERATOR, new Map([['errors', '410']]));
    const response = await linotp.send('/monitoring/tokens', { httperror: '500' }, 'get');
    expect(response.status).toBe(401);
    expect(response.body).toHaveProperty('result.error.message', 'Not authenticated');
    await settings.remove(OPERATOR, 'errors');
  });

  it('names the fault of a body, where the recorded page does not', async () => {
    const post = request(linotp.app).post('/monitoring/tokens').set(AS_ADMIN).type('json');
    const response = await post.send('{"realms": ["a"]}');
    expect(response.status).toBe(400);
    expect(errorOf(response)).toContain("The member 'realms'");
  });
});

it.each([
  ...['/monitoring', '/<script>', '/ocrax'].map((path) => [path, '<title>404 Not Found</title>']),
  ...['/admin/nosuch', '/system', '/validate/nosuch'].map((path) => [
    path,
    '<title>Server Error 404</title>',
  ]),
])(
  'a path where nothing is, in the dialect linotp is answered with nothing of the request in it: %s',
  async (path, title) => {
    const response = await request(linotp.app).get(path).set(AS_ADMIN);
    expect(response.status).toBe(404);
    expect(response.text).toContain(title);
    expect(response.text).not.toContain('script');
  },
);

describe('the login in the dialect linotp', () => {
  const logIn = (password: string): request.Test =>
    linotp.send('/admin/login', { username: 'admin', password });

  it('answers as LinOTP 3.4.4 did, with both cookies, and ends with the session that it opened', async () => {
    const response = await logIn(PASSWORD);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      result: { status: true, value: true },
      versionNumber: '3.4.4',
      detail: { message: 'Login successful for admin' },
    });
    const cookies = (response.get('Set-Cookie') ?? []).map((line) => line.split(';')[0] ?? '');
    expect(cookies).toHaveLength(2);
    const logout = (): request.Test =>
      linotp
        .send('/admin/logout', {})
        .set({ Cookie: cookies.join('; '), 'X-CSRF-TOKEN': cookies[1]?.split('=')[1] ?? '' });
    expect((await logout()).body).toHaveProperty(
      'detail.message',
      'Logout successful for admin@linotp_admins (LinOTP_local_admins)',
    );
    expect((await logout()).status).toBe(401);
  });

  it('refuses with 401 and an outcome instead of an error', async () => {
    const response = await logIn('wrong');
    expect(response.status).toBe(401);
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(response.body).toMatchObject({
      result: { status: true, value: false },
      detail: { message: 'Bad username or password' },
    });
  });
});

describe('the licence that the setting has', () => {
  const FOR_TOKENS = { licensee: 'Sparkasse Köln', expire: '2027-12-31', 'token-num': 5 };
  const FOR_USERS = { licensee: 'bank', expire: '2027-12-31', 'user-num': 2 };
  const COMMUNITY = { support: 'community support' };

  let database: ReturnType<typeof openDatabase>;

  beforeAll(async () => {
    database = openDatabase({ connection: application.databaseUrl, poolSize: 2 });
    await application.addRealm('bank');
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    await database.knex('tokens').delete();
    application.clock.set(new Date('2026-11-20T12:00:00Z'));
  });

  const valueOf = async (path: string, given: Record<string, string> = {}): Promise<unknown> =>
    (await application.ask(path, given)).value;

  const license = (): Promise<unknown> => valueOf('/monitoring/license');

  const set = (fields: unknown) => {
    const text = typeof fields === 'string' ? fields : JSON.stringify(fields);
    return application.ask('/system/setConfig', { 'monitoring.license': text });
  };

  /** Active tokens of as many users, and such that nobody has. */
  async function addTokens(users: number, unassigned = 0): Promise<void> {
    const numbers = (size: number): number[] => Array.from({ length: size }, (_, index) => index);
    await insertTokens(database, [
      ...numbers(users).map((index) => ({
        serial: `U${index}`,
        realms: ['bank'],
        owner: { resolver: 'bank', userId: `user${index}` },
      })),
      ...numbers(unassigned).map((index) => ({ serial: `N${index}`, realms: [] })),
      { serial: 'OFF', realms: ['bank'], active: false },
    ]);
  }

  it('is shown with all its fields, and how many active tokens are left', async () => {
    await addTokens(1, 2);
    expect(await license()).toEqual(COMMUNITY);
    await set(FOR_TOKENS);
    expect(await license()).toEqual({ ...FOR_TOKENS, 'token-active': 3, 'token-left': 2 });
    expect(await valueOf('/system/getSupportInfo')).toEqual(FOR_TOKENS);
    expect(await valueOf('/system/isSupportValid')).toBe(true);
    await valueOf('/system/delConfig', { key: 'monitoring.license' });
    expect(await license()).toEqual(COMMUNITY);
  });

  it('counts users with an active token of theirs, each once', async () => {
    await addTokens(1, 2);
    await insertTokens(database, [
      { serial: 'SECOND', realms: [], owner: { resolver: 'bank', userId: 'user0' } },
    ]);
    await set(FOR_USERS);
    expect(await license()).toEqual({ ...FOR_USERS, 'user-active': 1, 'user-left': 1 });
  });

  it('lets two more through than are licensed, and says by how much it is exceeded beyond', async () => {
    await set(FOR_USERS);
    await addTokens(4, 1);
    expect(await license()).toMatchObject({ 'user-active': 4, 'user-left': -2 });
    await database.knex('tokens').delete();
    await addTokens(5);
    const message = 'volume exceeded: 5 token users found > 2 token users licensed.';
    expect(await license()).toEqual({ valid: false, message });
    expect(await valueOf('/admin/installation/overview')).toMatchObject({
      licence: { state: 'invalid', reason: 'exceeded', licensed: 2, active: 5 },
    });
  });

  it('ends with its last day, in UTC', async () => {
    await set(FOR_TOKENS);
    application.clock.set(new Date('2027-12-31T23:59:59.999Z'));
    expect(await license()).toMatchObject({ 'token-left': 5 });
    application.clock.set(new Date('2028-01-01T00:00:00Z'));
    expect(await license()).toEqual({ valid: false, message: "expired - valid till '2027-12-31'" });
    expect(await valueOf('/system/isSupportValid')).toBe(false);
  });

  it.each([
    'garbage',
    '[]',
    { licensee: 'bank', expire: '2027-12-31' },
    { ...FOR_USERS, 'token-num': 5 },
    { ...FOR_USERS, 'user-num': 0 },
    { ...FOR_USERS, expire: '2027-02-30' },
    { 'user-num': 2 },
    { ...FOR_USERS, contact: { name: 'x' } },
  ])('cannot be %j, and the one that there is stays', async (fields) => {
    await set(FOR_USERS);
    expect((await set(fields)).error?.message).toContain('monitoring.license must be a JSON object');
    expect(await license()).toMatchObject(FOR_USERS);
  });

  it('is refused to an administrator who is bound to realms, as its numbers are those of all', async () => {
    await set(FOR_USERS);
    const { policies, administrators } = application.services;
    await administrators.add(OPERATOR, 'probe', PASSWORD);
    const asked = async (realm: string): Promise<string> => {
      await application.setPolicy('probes', 'monitoring', '*', { user: 'probe', realm });
      return (await application.send('/monitoring/license', {}, 'get').auth('probe', PASSWORD)).text;
    };
    expect(await asked('*')).toContain('"user-active": 0');
    expect(await asked('bank')).toMatch(/"message": "ERR410: .*bound to realms/);
    expect(await asked('bank')).not.toContain('user-');
    await policies.remove(OPERATOR, 'probes');
  });
});
