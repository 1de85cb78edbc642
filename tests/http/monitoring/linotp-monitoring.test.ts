import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { AS_ADMIN, OPERATOR, PASSWORD, TestApplication } from '../../support/application/test-application.ts';

/* What the recordings of /monitoring do not show. */

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open({ dialect: 'linotp', trustProxy: ['loopback'] });
  await application.addRealm('a');
  await application.addRealm('b');
});
afterAll(() => application.close());

function withVersion(serviceVersion: string): TestApplication['app'] {
  return application.restarted({ http: { serviceVersion } }).app;
}

describe('/monitoring in the dialect linotp', () => {
  it('has the version of the configuration', async () => {
    const response = await request(withVersion('Bank 7.1')).get('/monitoring/license').set(AS_ADMIN);
    expect(response.body).toMatchObject({ version: 'Bank 7.1', versionNumber: '7.1' });
  });

  it('always answers with the id 1', async () => {
    const response = await request(application.app).get('/monitoring/license?id=7').set(AS_ADMIN);
    expect(response.body).toHaveProperty('id', 1);
  });

  it('reads the first of a repeated parameter, and the query before the body', async () => {
    const post = request(application.app)
      .post('/monitoring/tokens?realms=a&realms=b&STATUS=active')
      .set(AS_ADMIN);
    const { body } = (await post.type('form').send('status=assigned&realms=b')) as { body: unknown };
    expect(body).toHaveProperty('result.value.Realms', { a: { total: 0, 'total users': 0, active: 0 } });
  });

  it('announces that POST is deprecated', async () => {
    const response = await request(application.app).post('/monitoring/license').set(AS_ADMIN);
    expect(response.get('Deprecation')).toBe('@1657843200');
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
        const response = await application.send('/monitoring/tokens', {}, method).query({ httperror: wish });
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
    const { settings } = application.services;
    await settings.set(OPERATOR, new Map([['errors', '410']]));
    const response = await application.send('/monitoring/tokens', { httperror: '500' }, 'get');
    expect(response.status).toBe(401);
    expect(response.body).toHaveProperty('result.error.message', 'Not authenticated');
    await settings.remove(OPERATOR, 'errors');
  });

  it('names the fault of a body, where the recorded page does not', async () => {
    const post = request(application.app).post('/monitoring/tokens').set(AS_ADMIN).type('json');
    const response = await post.send('{"realms": ["a"]}');
    expect(response.status).toBe(400);
    expect(response.body).toHaveProperty(
      'result.error.message',
      expect.stringContaining("The member 'realms'"),
    );
  });
});

describe('a path where nothing is, in the dialect linotp', () => {
  it.each([
    ...['/monitoring', '/<script>', '/ocrax'].map((path) => [path, '<title>404 Not Found</title>']),
    ...['/admin/nosuch', '/system', '/validate/nosuch'].map((path) => [
      path,
      '<title>Server Error 404</title>',
    ]),
  ])('is answered with nothing of the request in it: %s', async (path, title) => {
    const response = await request(application.app).get(path).set(AS_ADMIN);
    expect(response.status).toBe(404);
    expect(response.text).toContain(title);
    expect(response.text).not.toContain('script');
  });
});

describe('the login in the dialect linotp', () => {
  const logIn = (password: string): request.Test =>
    application.send('/admin/login', { username: 'admin', password });

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
      application
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

  it('has cookies for https alone where the request came that way', async () => {
    const response = await logIn(PASSWORD).set('X-Forwarded-Proto', 'https');
    for (const cookie of response.get('Set-Cookie') ?? []) {
      expect(cookie).toMatch(/; Secure(;|$)/);
    }
  });
});
