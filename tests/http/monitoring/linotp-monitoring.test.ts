import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ADMIN, AS_ADMIN, createTestApp, LOGIN, type TestApp } from '../../support/application/http-app.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';

const linotp = (serviceVersion?: string): TestApp => createTestApp({ dialect: 'linotp', serviceVersion });

const FORBIDDEN = new ServiceError('right.missing', 'None of these realms may be seen', {
  realms: ['<script>alert(1)</script>&amp;'],
});

describe('/monitoring in the dialect linotp', () => {
  it('counts tokens in the recorded layout, without the rows of the other dialect', async () => {
    const response = await request(linotp().app).get('/monitoring/tokens').set(AS_ADMIN);
    expect(response.get('Content-Type')).toBe('application/json');
    expect(response.text).toBe(`{
   "jsonrpc": "2.0802",
   "result": {
      "status": true,
      "value": {
         "Summary": {
            "total": 2
         },
         "Realms": {
            "a": {
               "total": 3
            }
         }
      }
   },
   "version": "LinOTP 3.4.4",
   "versionNumber": "3.4.4",
   "id": 1
}`);
  });

  it('reports the configuration with times as Python writes them', async () => {
    const response = await request(linotp().app).get('/monitoring/config').set(AS_ADMIN);
    expect(response.body).toHaveProperty('result.value', {
      sync: true,
      synctime: '2026-11-20 12:00:00',
      now: '2026-11-20 12:00:00',
      total: 9,
      ldapresolver: 4,
      sqlresolver: 4,
      passwdresolver: 2,
      policies: 1,
      realms: 1,
      netto: 4,
    });
  });

  it('has the version of the configuration', async () => {
    const response = await request(linotp('Bank 7.1').app).get('/monitoring/license').set(AS_ADMIN);
    expect(response.body).toMatchObject({ version: 'Bank 7.1', versionNumber: '7.1' });
  });

  it('always answers with the id 1', async () => {
    const response = await request(linotp().app).get('/monitoring/license?id=7').set(AS_ADMIN);
    expect(response.body).toHaveProperty('id', 1);
  });

  it('reads the first of a repeated parameter, and the query before the body', async () => {
    const { app, calls } = linotp();
    const post = request(app).post('/monitoring/tokens?realms=a&realms=b&STATUS=active').set(AS_ADMIN);
    await post.type('form').send('status=assigned&realms=c');
    expect(calls[0]?.[2]).toEqual({ realms: 'a', status: 'active' });
  });

  it('announces that POST is deprecated', async () => {
    const response = await request(linotp().app).post('/monitoring/license').set(AS_ADMIN);
    expect(response.get('Deprecation')).toBe('@1657843200');
  });

  it.each([
    ['de', 'Die Lizenzdatei ist leer!'],
    ['de-AT;q=0.5, en;q=0.4', 'Die Lizenzdatei ist leer!'],
    ['de;q=0.3, en', 'license file is empty!'],
    ['fr', 'license file is empty!'],
    ['*', 'license file is empty!'],
  ])('answers in German to clients that prefer it: %s', async (language, message) => {
    const response = await request(linotp().app)
      .get('/monitoring/license')
      .set(AS_ADMIN)
      .set('Accept-Language', language);
    expect(response.body).toHaveProperty('result.value', { valid: false, message });
  });
});

describe('an error of /monitoring in the dialect linotp', () => {
  it('is numbered, in the language of the client', async () => {
    const { app, fail } = linotp();
    fail('tokens', FORBIDDEN);
    const ask = request(app).get('/monitoring/tokens').set(AS_ADMIN).set('Accept-Language', 'de');
    expect((await ask).body).toHaveProperty('result', {
      status: false,
      error: {
        code: 410,
        message:
          "ERR410: Sie haben nicht die notwendigen Rechte um diese Realms einzusehen: ['<script>alert(1)</script>&amp;']. Überprüfen Sie die Richtlinien!",
      },
    });
  });

  it('is a page with harmless markup where the client wishes for a status', async () => {
    const { app, fail } = linotp();
    fail('tokens', FORBIDDEN);
    const response = await request(app).get('/monitoring/tokens?httperror=418').set(AS_ADMIN);
    expect(response.status).toBe(418);
    expect(response.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.text).toContain('<h1>418 418 LinOTP Error</h1>');
    expect(response.text).toContain(
      "[LinOTP 3.4.4] 410: ERR410: You do not have the rights to see these realms: ['&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;']. Check",
    );
  });

  it('comes with that status for the listed codes alone', async () => {
    const { app, fail, settings } = linotp();
    settings.set('errors', '410, 707');
    fail('tokens', FORBIDDEN);
    fail('userinfo', new ServiceError('parameter.invalid', 'no'));
    const statusOf = async (name: string): Promise<number> =>
      (await request(app).get(`/monitoring/${name}?httperror=403`).set(AS_ADMIN)).status;
    expect(await statusOf('tokens')).toBe(403);
    expect(await statusOf('userinfo')).toBe(200);
  });

  it('never holds a version with markup as markup', async () => {
    const { app, fail } = linotp('<b>1');
    fail('tokens', FORBIDDEN);
    const response = await request(app).get('/monitoring/tokens?httperror=500').set(AS_ADMIN);
    expect(response.text).toContain('[&lt;b&gt;1]');
  });

  it('is JSON for an unauthenticated client', async () => {
    const response = await request(linotp().app).get('/monitoring/tokens');
    expect(response.status).toBe(401);
    expect(response.body).toEqual({
      jsonrpc: '2.0802',
      result: { status: false, error: { code: -311, message: 'Not authenticated' } },
      version: 'LinOTP 3.4.4',
      versionNumber: '3.4.4',
      id: 1,
    });
  });

  it.each([
    ['500', '500 500 Internal Server Error'],
    ['403', '403 403 Forbidden'],
    ['444', '444 444 LinOTP Error'],
    ['', '500 500 Internal Server Error'],
    ['200', '500 500 Internal Server Error'],
  ])(
    'is the page that httperror=%s requests, with 401, for an unauthenticated client',
    async (wish, title) => {
      const { app } = linotp();
      for (const method of ['get', 'post'] as const) {
        const response = await request(app)[method]('/monitoring/tokens').query({ httperror: wish });
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
    const { app, settings } = linotp();
    settings.set('errors', '410');
    const response = await request(app).get('/monitoring/tokens?httperror=500');
    expect(response.status).toBe(401);
    expect(response.body).toHaveProperty('result.error.message', 'Not authenticated');
  });

  it('names the fault of a body, where the recorded page does not', async () => {
    const post = request(linotp().app).post('/monitoring/tokens').set(AS_ADMIN).type('json');
    const response = await post.send('{"realms": ["a"]}');
    expect(response.status).toBe(400);
    expect(response.body).toHaveProperty(
      'result.error.message',
      expect.stringContaining("The member 'realms'"),
    );
  });
});

describe('a path where nothing is, in the dialect linotp', () => {
  it.each(['/', '/foo', '/monitoring', '/monitoring/x', '/monitoring/tokens/x', '/<script>', '/ocrax'])(
    'is answered with the page of LinOTP 3.4.4, and nothing of the request in it: %s',
    async (path) => {
      const response = await request(linotp().app).get(path).set(AS_ADMIN);
      expect(response.status).toBe(404);
      expect(response.text).toMatch(/^<!doctype html>\n<html lang=en>\n<title>404 Not Found<\/title>/);
      expect(response.text).not.toContain('script');
    },
  );

  it.each(['/ocra/nosuch', '/admin/nosuch', '/system', '/validate/nosuch'])(
    'is answered with the page of LinOTP 2.12.6: %s',
    async (path) => {
      const response = await request(linotp().app).get(path).set(AS_ADMIN);
      expect(response.status).toBe(404);
      expect(response.text).toContain('<title>Server Error 404</title>');
    },
  );
});

describe('the login in the dialect linotp', () => {
  const logIn = (password: string): request.Test =>
    request(linotp().app).post('/admin/login').type('form').send({ username: ADMIN.name, password });

  it('answers as LinOTP 3.4.4 did, with both cookies', async () => {
    const response = await logIn(ADMIN.password);
    expect(response.status).toBe(200);
    expect(response.headers['set-cookie']).toHaveLength(2);
    expect(response.body).toMatchObject({
      result: { status: true, value: true },
      versionNumber: '3.4.4',
      detail: { message: 'Login successful for admin' },
    });
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

  it('ends with the session that it opened', async () => {
    const { app, calls } = linotp();
    const response = await request(app)
      .post('/admin/logout')
      .set({ Cookie: `access_token_cookie=${LOGIN.token}`, 'X-CSRF-TOKEN': LOGIN.csrfToken });
    expect(calls).toEqual([
      ['logout', LOGIN.session, expect.objectContaining({ actor: 'admin', action: 'admin/logout' })],
    ]);
    expect(response.body).toHaveProperty(
      'detail.message',
      'Logout successful for admin@linotp_admins (LinOTP_local_admins)',
    );
  });
});

describe('cookies of a login', () => {
  it('are for https alone where the request came that way', async () => {
    const { app } = createTestApp({ trustProxy: ['loopback'] });
    const response = await request(app)
      .post('/admin/login')
      .set('X-Forwarded-Proto', 'https')
      .send({ username: ADMIN.name, password: ADMIN.password });
    for (const cookie of response.headers['set-cookie'] as unknown as string[]) {
      expect(cookie).toMatch(/; Secure(;|$)/);
    }
  });
});
