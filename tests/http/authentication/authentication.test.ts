import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import {
  ADMIN,
  API_TOKEN,
  AS_ADMIN,
  basic,
  callerOf,
  createTestApp,
  OTHER_ADMIN,
  SESSION,
} from '../../support/application/http-app.ts';
import { sendRaw } from '../../support/application/raw-http.ts';

const COOKIE = `admin_session=${SESSION}`;
const PROTECTED = [
  '/ocra/request?serial=x&data=x',
  '/ocra/checkstatus?serial=x',
  '/ocra?serial=x',
  '/ocra/getActivationCode',
  '/ocra/calculateOtp',
  '/admin/init',
  '/admin/dropsession',
  '/admin/getsession',
  '/monitoring/tokens',
];

describe('an endpoint for administrators', () => {
  it.each(PROTECTED)('%s is closed without credentials', async (path) => {
    for (const method of ['get', 'post'] as const) {
      const { app, calls } = createTestApp();
      const response = await request(app)[method](path);
      expect(response.status).toBe(401);
      expect(response.get('WWW-Authenticate')).toBe('Basic realm="tankeeper"');
      expect(response.body).toEqual({
        version: 'Tankeeper 1.2.3',
        jsonrpc: '2.0',
        result: { status: false, error: { code: -311, message: 'Not authenticated' } },
        id: 1,
      });
      expect(calls).toEqual([]);
    }
  });

  it('is open by password, with colons and letters of any kind in it', async () => {
    const { app, calls } = createTestApp();
    expect((await request(app).get('/monitoring/license').set(AS_ADMIN)).status).toBe(200);
    expect(callerOf(calls[0]).principal).toMatchObject({
      administrator: 'admin',
      rights: ['*'],
      operator: false,
    });
  });

  it.each(['get', 'post'] as const)('is open by a session in cookie and parameter (%s)', async (method) => {
    const { app, calls } = createTestApp();
    const path = `/monitoring/license?session=${SESSION}`;
    const response = await request(app)[method](path).set('Cookie', COOKIE);
    expect(response.status).toBe(200);
    expect(callerOf(calls[0]).principal).toMatchObject({
      administrator: 'admin',
      rights: ['*'],
      operator: false,
    });
  });

  it('takes the session also from a form', async () => {
    const response = await request(createTestApp().app)
      .post('/ocra/getActivationCode')
      .type('form')
      .send({ session: SESSION })
      .set('Cookie', `a=b; ${COOKIE}; ${COOKIE}`);
    expect(response.status).toBe(200);
  });

  it('is open by an API token, with its rights and no others', async () => {
    const { app, calls } = createTestApp();
    await request(app).get('/monitoring/license').set('Authorization', `Bearer ${API_TOKEN}`);
    expect(callerOf(calls[0]).principal).toMatchObject({ administrator: 'probe', rights: ['monitoring:*'] });
  });

  it('is open by password and session of the same administrator', async () => {
    const ask = (name: string, password: string): request.Test =>
      request(createTestApp().app)
        .get(`/monitoring/license?session=${SESSION}`)
        .set({ Cookie: COOKIE, Authorization: basic(name, password) });
    expect((await ask(ADMIN.name, ADMIN.password)).status).toBe(200);
    expect((await ask(OTHER_ADMIN.name, OTHER_ADMIN.password)).status).toBe(401);
    expect((await ask(ADMIN.name, 'wrong')).status).toBe(401);
  });

  it.each([
    ['a wrong password', '', { Authorization: basic(ADMIN.name, 'wrong') }],
    ['an empty password', '', { Authorization: basic(ADMIN.name, '') }],
    ['another name', '', { Authorization: basic('nobody', ADMIN.password) }],
    ['a session without its parameter', '', { Cookie: COOKIE }],
    ['a session without its cookie', `session=${SESSION}`, {}],
    ['a session whose cookie differs', `session=${SESSION}`, { Cookie: 'admin_session=x' }],
    ['an unknown session', 'session=justatest', { Cookie: 'admin_session=justatest' }],
    ['an empty session', 'session=', { Cookie: 'admin_session=' }],
    ['a session by the name SESSION', `SESSION=${SESSION}`, { Cookie: COOKIE }],
    ['two cookies', `session=${SESSION}`, { Cookie: `admin_session=x; ${COOKIE}` }],
    ['two cookies, the right one first', `session=${SESSION}`, { Cookie: `${COOKIE}; admin_session=x` }],
    ['two cookies with the right password', '', { ...AS_ADMIN, Cookie: `${COOKIE}; admin_session=x` }],
    ['a wrong session with the right password', 'session=x', { ...AS_ADMIN, Cookie: 'admin_session=x' }],
    ['an empty session with the right password', 'session=', AS_ADMIN],
    ['a wrong API token', '', { Authorization: 'Bearer tk_wrong' }],
    [
      'a wrong API token with the right session',
      `session=${SESSION}`,
      { Authorization: 'Bearer x', Cookie: COOKIE },
    ],
    [
      'an API token with a session',
      `session=${SESSION}`,
      { Authorization: `Bearer ${API_TOKEN}`, Cookie: COOKIE },
    ],
    [
      'an unknown scheme with the right session',
      `session=${SESSION}`,
      { Authorization: 'Digest x', Cookie: COOKIE },
    ],
    [
      'malformed credentials with the right session',
      `session=${SESSION}`,
      { Authorization: 'Basic ?', Cookie: COOKIE },
    ],
  ])('refuses %s', async (_what, query, headers: Record<string, string>) => {
    for (const method of ['get', 'post'] as const) {
      const { app, calls } = createTestApp();
      const response = await request(app)[method](`/monitoring/license?${query}`).set(headers);
      expect(response.status).toBe(401);
      expect(calls).toEqual([]);
    }
  });

  it('refuses the header Authorization when it comes twice', async () => {
    const { app, calls } = createTestApp();
    const line = `Authorization: ${AS_ADMIN.Authorization}\r\n`;
    const answer = await sendRaw(
      app,
      `GET /monitoring/license HTTP/1.1\r\nHost: x\r\n${line}${line}Connection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(calls).toEqual([]);
  });
});

describe('a request that another site made a browser send', () => {
  it.each(['/ocra/request?serial=x&data=x', '/admin/init', '/admin/getsession', '/admin/dropsession'])(
    'is refused at %s',
    async (path) => {
      for (const site of ['cross-site', 'same-site', 'nonsense', '']) {
        const { app, calls } = createTestApp();
        const response = await request(app).get(path).set(AS_ADMIN).set('Sec-Fetch-Site', site);
        expect(response.status).toBe(403);
        expect(calls).toEqual([]);
      }
    },
  );

  it.each(['same-origin', 'none'])('is not one with Sec-Fetch-Site: %s', async (site) => {
    const response = await request(createTestApp().app)
      .post('/admin/init')
      .set(AS_ADMIN)
      .set('Sec-Fetch-Site', site);
    expect(response.status).toBe(200);
  });

  it('may check a response and read', async () => {
    const { app } = createTestApp();
    for (const path of ['/ocra/check_t?transactionid=x&pass=y', '/monitoring/tokens']) {
      expect((await request(app).get(path).set(AS_ADMIN).set('Sec-Fetch-Site', 'cross-site')).status).toBe(
        200,
      );
    }
  });
});

describe("the client's address", () => {
  const clientOf = async (trustProxy: readonly string[], forwarded: string): Promise<string | undefined> => {
    const { app, calls } = createTestApp({ trustProxy });
    await request(app).get('/monitoring/license').set(AS_ADMIN).set('X-Forwarded-For', forwarded);
    return callerOf(calls[0]).principal.client;
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

  it('is unknown where the proxy gives no address', async () => {
    expect(await clientOf(['127.0.0.1'], '<script>')).toBe('unknown');
  });
});
