import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import request, { type Response } from 'supertest';
import {
  applicationOfTests,
  openSession,
  AS_ADMIN,
  type LogLine,
  OPERATOR,
  PASSWORD,
  type TestApplication,
} from '../../support/application/test-application.ts';
import { sendRaw } from '../../support/application/raw-http.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { basic } from '../../support/values/callers.ts';

const READ = '/monitoring/license';
const ZOE = { name: 'Zoë', password: 'p:ä55 word' };
const endpoints = declaredEndpoints();

const application = applicationOfTests({ limits: { loginFailures: 1_000 } });
let session = '';
let apiToken = '';

beforeAll(async () => {
  // Without one there are no paths of the account page.
  const opened = { name: 'self-service', scope: 'selfservice', action: 'show', realm: '*' };
  await application.services.policies.set(OPERATOR, opened);
  const { administrators } = application.services;
  await administrators.add(OPERATOR, ZOE.name, ZOE.password);
  ({ session } = await openSession(administrators, 'admin', PASSWORD));
  const probe = { name: 'probe', rights: ['monitoring:license'] };
  ({ token: apiToken } = await administrators.addApiToken(OPERATOR, ZOE.name, probe));
});

const inCookie = (): string => `admin_session=${session}`;
const inQuery = (): string => `session=${session}`;
const asToken = (): string => `Bearer ${apiToken}`;

async function get(path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return request(application.app).get(path).set(headers);
}

/** @returns what the log says of the last request */
function logged(): LogLine['fields'] | undefined {
  return application.lines.findLast(({ message }) => message === 'request')?.fields;
}

describe('an endpoint for administrators', () => {
  it.each(
    endpoints
      .filter(({ access }) => access !== 'open')
      .flatMap(({ path, methods }) => methods.map((method) => [method, path] as const)),
  )('is closed without credentials: %s %s', async (method, path) => {
    const response = await application.send(path, {}, method === 'GET' ? 'get' : 'post');
    expect(response.status).toBe(401);
    if (endpoints.find((one) => one.path === path)?.access === 'administrator') {
      expect(response.get('WWW-Authenticate')).toBe('Basic realm="tankeeper", charset="UTF-8"');
      expect(response.body).toEqual({
        version: 'Tankeeper test',
        jsonrpc: '2.0',
        result: { status: false, error: { code: -311, message: 'Not authenticated' } },
        id: 1,
      });
    }
  });

  it('is open by password, with colons and letters of any kind in it', async () => {
    expect((await get(READ, { Authorization: basic(ZOE.name, ZOE.password) })).status).toBe(200);
    expect(logged()).toMatchObject({ administrator: ZOE.name });
  });

  it('is open by a session in cookie and parameter, by GET, POST and form', async () => {
    const { app } = application;
    for (const sent of [
      request(app).get(`${READ}?${inQuery()}`),
      request(app).post(`${READ}?${inQuery()}`),
      request(app).post('/ocra/getActivationCode').type('form').send({ session }),
    ]) {
      expect((await sent.set('Cookie', `a=b; ${inCookie()}; ${inCookie()}`)).status).toBe(200);
      expect(logged()).toMatchObject({ administrator: 'admin' });
    }
  });

  it('is open by password and session of the same administrator', async () => {
    const ask = async (name: string, password: string): Promise<number> =>
      (await get(`${READ}?${inQuery()}`, { Cookie: inCookie(), Authorization: basic(name, password) }))
        .status;
    expect(await ask('admin', PASSWORD)).toBe(200);
    expect(await ask(ZOE.name, ZOE.password)).toBe(401);
    expect(await ask('admin', 'wrong')).toBe(401);
  });

  it('is open by password beside a session that the client made up itself, in cookie and parameter', async () => {
    const headers = { ...AS_ADMIN, Cookie: 'admin_session=made-up' };
    expect((await get(`${READ}?session=made-up`, headers)).status).toBe(200);
    const posted = request(application.app).post('/ocra/getActivationCode').type('form').set(headers);
    expect((await posted.send({ session: 'made-up' })).status).toBe(200);
    expect(logged()).toMatchObject({ administrator: 'admin' });
    const foreign = await get(`${READ}?session=made-up`, { ...headers, 'Sec-Fetch-Site': 'cross-site' });
    expect(foreign.status).toBe(200);
    const change = request(application.app).get('/admin/init').query({ session: 'made-up', type: 'ocra' });
    expect((await change.set({ ...headers, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  });

  it('is open by password in Latin-1, as old programs send it', async () => {
    const latin1 = Buffer.from(`${ZOE.name}:${ZOE.password}`, 'latin1').toString('base64');
    expect((await get(READ, { Authorization: `Basic ${latin1}` })).status).toBe(200);
    expect(logged()).toMatchObject({ administrator: ZOE.name });
  });

  it('tells a client that uses HTTP Digest to use Basic, and says so in the log, once a minute', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      const response = await get(READ, { Authorization: 'Digest username="admin", response="5ecre7"' });
      expect(response.status).toBe(401);
      expect(response.get('WWW-Authenticate')).toBe('Basic realm="tankeeper", charset="UTF-8"');
    }
    const lines = application.logged.filter((line) => line.includes('Digest'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('linotpadm --authtype=Basic');
    expect(lines[0]).not.toContain('5ecre7');
  });

  it.each<[what: string, query: () => string, headers: () => Readonly<Record<string, string>>]>([
    ['a wrong password', () => '', () => ({ Authorization: basic('admin', 'wrong') })],
    ['an empty password', () => '', () => ({ Authorization: basic('admin', '') })],
    ['another name', () => '', () => ({ Authorization: basic('nobody', PASSWORD) })],
    ['a session without its parameter', () => '', () => ({ Cookie: inCookie() })],
    ['a session without its cookie', inQuery, () => ({})],
    ['a session whose cookie differs', inQuery, () => ({ Cookie: 'admin_session=x' })],
    ['an unknown session', () => 'session=justatest', () => ({ Cookie: 'admin_session=justatest' })],
    ['an empty session', () => 'session=', () => ({ Cookie: 'admin_session=' })],
    ['a session by the name SESSION', () => `SESSION=${session}`, () => ({ Cookie: inCookie() })],
    ['two cookies, the right one first', inQuery, () => ({ Cookie: `${inCookie()}; admin_session=x` })],
    [
      'two cookies with the right password',
      () => '',
      () => ({ ...AS_ADMIN, Cookie: `${inCookie()}; admin_session=x` }),
    ],
    [
      'a session that the client made up with a wrong password',
      () => 'session=x',
      () => ({ Authorization: basic('admin', 'wrong'), Cookie: 'admin_session=x' }),
    ],
    ['a session with the right password without its cookie', () => 'session=x', () => AS_ADMIN],
    ['a wrong API token', () => '', () => ({ Authorization: 'Bearer tk_wrong' })],
    [
      'a wrong API token with the right session',
      inQuery,
      () => ({ Authorization: 'Bearer x', Cookie: inCookie() }),
    ],
    ['an API token with a session', inQuery, () => ({ Authorization: asToken(), Cookie: inCookie() })],
    [
      'an unknown scheme with the right session',
      inQuery,
      () => ({ Authorization: 'Digest x', Cookie: inCookie() }),
    ],
    [
      'malformed credentials with the right session',
      inQuery,
      () => ({ Authorization: 'Basic ?', Cookie: inCookie() }),
    ],
  ])('refuses %s', async (_what, query, headers) => {
    for (const method of ['get', 'post'] as const) {
      const response = await request(application.app)[method](`${READ}?${query()}`).set(headers());
      expect(response.status).toBe(401);
    }
  });

  it('refuses the header Authorization when it comes twice', async () => {
    const line = `Authorization: ${AS_ADMIN.Authorization}\r\n`;
    const answer = await sendRaw(
      application.app,
      `GET ${READ} HTTP/1.1\r\nHost: x\r\n${line}${line}Connection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('a request that another site made a browser send', () => {
  it.each(
    endpoints
      .filter(({ changesState, fromAnySite }) => changesState && fromAnySite !== true)
      .flatMap(({ path, methods }) => methods.map((method) => [method, path] as const)),
  )('is refused: %s %s', async (method, path) => {
    for (const site of ['cross-site', 'same-site', 'nonsense', '']) {
      const response = await application
        .send(path, {}, method === 'GET' ? 'get' : 'post')
        .set({ ...AS_ADMIN, 'Sec-Fetch-Site': site });
      expect(response.status).toBe(403);
    }
  });

  it.each(['same-origin', 'none'])('is not one with Sec-Fetch-Site: %s', async (site) => {
    const sent = application.send('/admin/init', {}).set({ ...AS_ADMIN, 'Sec-Fetch-Site': site });
    expect((await sent).status).toBe(200);
  });

  it('may check a response and read', async () => {
    for (const path of ['/ocra/check_t?transactionid=x&pass=y', '/monitoring/tokens']) {
      expect((await get(path, { ...AS_ADMIN, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(200);
    }
  });
});

describe("the client's address", () => {
  const clientOf = async (trustProxy: readonly string[], forwarded: string): Promise<unknown> => {
    const server = application.restarted({ trustProxy });
    await request(server.app).get('/healthz').set('X-Forwarded-For', forwarded);
    return server.lines.find(({ message }) => message === 'request')?.fields.client;
  };

  it('is that of the connection, whatever the client claims', async () => {
    expect(await clientOf([], '192.0.2.7')).toBe('127.0.0.1');
    expect(await clientOf(['192.0.2.0/24'], '192.0.2.7')).toBe('127.0.0.1');
    expect(await clientOf(['::/0'], '192.0.2.7')).toBe('127.0.0.1');
  });

  it('is the one that the last trusted proxy saw', async () => {
    expect(await clientOf(['127.0.0.1'], '10.0.0.1, 192.0.2.7')).toBe('192.0.2.7');
    expect(await clientOf(['loopback', '192.0.2.0/24'], '10.0.0.1, 192.0.2.7')).toBe('10.0.0.1');
    expect(await clientOf(['127.0.0.1'], '::ffff:192.0.2.7')).toBe('192.0.2.7');
  });
});

const CHECK = '/ocra/check_t';
const ANSWER = { pass: '492017', transactionid: 't' };
const APP = 'https://app.example.com';
const appOrigins = [APP, 'http://localhost:5173'];
const http = { appOrigins, documentedVersion: '1.2.3' };
const declared = declaredEndpoints('documented', http);

const STRANGERS = [
  'https://app.example.com.evil.example',
  'https://evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://APP.example.com',
  'null',
  '*',
];

let opened: TestApplication;
beforeAll(() => {
  opened = application.restarted({ http });
});

/** @returns the headers of the answer that concern other origins */
function sharing({ headers }: Response): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers as Record<string, unknown>).filter(
      ([name]) => name.startsWith('access-control-') || name === 'vary',
    ),
  );
}

describe.each(['documented', 'linotp'] as const)('/ocra/check_t in the dialect %s', (dialect) => {
  let app: Express;
  beforeAll(() => {
    ({ app } = opened.restarted({ dialect }));
  });

  it.each(appOrigins)('answers the preflight of the app at %s', async (origin) => {
    const answer = await request(app).options(CHECK).set({
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'cors',
    });
    expect([answer.status, answer.text, answer.get('Allow')]).toEqual([204, '', 'GET, HEAD, POST, OPTIONS']);
    expect(sharing(answer)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '7200',
      vary: 'Origin',
    });
  });

  it('lets the app read the answer, the time of the server and a limit', async () => {
    for (const sent of [
      request(app).post(CHECK).type('form').send(ANSWER),
      request(app).get(CHECK).query(ANSWER),
    ]) {
      const answer = await sent.set({ Origin: APP, 'Sec-Fetch-Site': 'cross-site' });
      expect(answer.body).toHaveProperty('result.status', true);
      expect(answer.get('Date')).toMatch(/ GMT$/);
      expect(sharing(answer)).toEqual({
        'access-control-allow-origin': APP,
        'access-control-expose-headers': 'Date, Retry-After',
        vary: 'Origin',
      });
    }
  });

  it('lets the app read a refusal, too', async () => {
    const limited = opened.restarted({ dialect, limits: { exempt: [], clientRequests: 1 } });
    await request(limited.app).get('/monitoring/tokens');
    const answer = await request(limited.app).get(CHECK).query(ANSWER).set('Origin', APP);
    expect([answer.status, answer.get('Retry-After')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(answer.get('Access-Control-Allow-Origin')).toBe(APP);
  });

  it.each(STRANGERS)('tells the origin %s nothing, and answers as ever', async (origin) => {
    const plain = await request(app).get(CHECK).query(ANSWER);
    const answer = await request(app).get(CHECK).query(ANSWER).set('Origin', origin);
    expect([answer.status, answer.text]).toEqual([plain.status, plain.text]);
    expect(sharing(answer)).toEqual({ vary: 'Origin' });
    const preflight = await request(app)
      .options(CHECK)
      .set({ Origin: origin, 'Access-Control-Request-Method': 'POST' });
    expect([preflight.status, sharing(preflight)]).toEqual([204, { vary: 'Origin' }]);
  });

  it('answers as ever where no origin is set', async () => {
    const { app: plain } = opened.restarted({ dialect, http: {} });
    for (const answer of [
      await request(plain).get(CHECK).query(ANSWER).set('Origin', APP),
      await request(plain).options(CHECK).set({ Origin: APP, 'Access-Control-Request-Method': 'POST' }),
    ]) {
      expect(sharing(answer)).toEqual({});
    }
  });
});

describe('every other endpoint', () => {
  it.each(declared.map(({ path }) => path).filter((path) => path !== CHECK))(
    'is shared with no other origin: %s',
    async (path) => {
      const { app } = opened;
      for (const origin of appOrigins) {
        for (const answer of [
          await request(app).get(path).set('Origin', origin),
          await request(app).post(path).set('Origin', origin),
          await request(app).options(path).set({ Origin: origin, 'Access-Control-Request-Method': 'POST' }),
        ]) {
          expect(sharing(answer)).toEqual({});
        }
      }
    },
  );

  it.each(['/', '/nothing', '/ocra/check_t/', '/ocra/%ff', '/app/'])(
    'nor is an unknown path: %s',
    async (path) => {
      const { app } = opened;
      const answer = await request(app).get(path).set('Origin', APP);
      expect([answer.status, sharing(answer)]).toEqual([404, {}]);
    },
  );
});
