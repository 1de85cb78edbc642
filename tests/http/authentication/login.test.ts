import { beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response, type Test } from 'supertest';
import { LoginTokens } from '../../../src/administrators/json-web-tokens.ts';
import { Vault } from '../../../src/keys/vault.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { applicationOfTests, openSession, OPERATOR } from '../../support/application/test-application.ts';

const PASSWORD = 'correct horse';
const READ = '/monitoring/license';

const application = applicationOfTests();

beforeAll(() => application.services.administrators.add(OPERATOR, 'other', 'battery staple'));

/** The state of a browser after a login. */
interface Browser {
  readonly token: string;
  readonly csrf: string;
  readonly cookie: string;
}

function logIn(username = 'admin', password = PASSWORD): Test {
  return request(application.app).post('/admin/login').type('form').send({ username, password });
}

async function browser(username?: string, password?: string): Promise<Browser> {
  const response = await logIn(username, password);
  const [token = '', csrf = ''] = setCookies(response).map((line) => /^\w+=([^;]*)/.exec(line)?.[1] ?? '');
  return { token, csrf, cookie: `access_token_cookie=${token}; csrf_access_token=${csrf}` };
}

function setCookies(response: Response): readonly string[] {
  return (response.headers['set-cookie'] ?? []) as unknown as string[];
}

const get = (cookie: string, path = READ): Test => request(application.app).get(path).set('Cookie', cookie);
const post = (cookie: string, path = READ): Test => request(application.app).post(path).set('Cookie', cookie);

/** The content of the token of a login, which everybody who sees it can read. */
function sessionOf({ token }: Browser): string {
  const [, claims = ''] = token.split('.');
  return (JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { jti: string }).jti;
}

/** A request with a session as cookie and parameter. */
const asSession = (session: string): Test =>
  get(`admin_session=${session}`, `${READ}?session=${encodeURIComponent(session)}`);

async function removeTokens(): Promise<void> {
  await application.sql('tokens').delete();
}

async function statusOf(test: Test): Promise<number> {
  return (await test).status;
}

describe('a login', () => {
  it('by form or JSON gives the two cookies, of which scripts read the second only', async () => {
    const byJson = request(application.app)
      .post('/admin/login')
      .send({ username: 'admin', password: PASSWORD });
    for (const response of [await logIn(), await byJson]) {
      expect(response.status).toBe(200);
      expect(response.body).toMatchObject({ result: { status: true, value: true } });
      const [token, csrf, more] = setCookies(response);
      expect(token).toMatch(
        /^access_token_cookie=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Expires=Fri, 20 Nov 2026 13:00:00 GMT; SameSite=Strict; HttpOnly$/,
      );
      expect(csrf).toMatch(
        /^csrf_access_token=[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}; Path=\/; Expires=[^;]+; SameSite=Strict$/,
      );
      expect(more).toBeUndefined();
    }
  });

  it.each([
    ['admin', 'wrong'],
    ['admin', ''],
    ['nobody', PASSWORD],
    ['', ''],
    ['other', PASSWORD],
  ])('is refused without a cookie: %j with %j', async (name, password) => {
    const response = await logIn(name, password);
    expect(response.status).toBe(401);
    expect(response.get('WWW-Authenticate')).toBe('Basic realm="tankeeper", charset="UTF-8"');
    expect(response.body).toMatchObject({
      result: { status: false, error: { code: -311, message: 'Wrong user name or password' } },
    });
    expect(setCookies(response)).toEqual([]);
  });

  it('is not made by GET, which would write the password into an URL', async () => {
    const response = await request(application.app)
      .get('/admin/login')
      .query({ username: 'admin', password: PASSWORD });
    expect(response.status).toBe(405);
    expect(response.get('Allow')).toBe('POST, OPTIONS');
  });

  it('leaves neither password, token nor CSRF value in the log', async () => {
    const { token, csrf, cookie } = await browser();
    await get(cookie);
    const log = application.logged.join('\n');
    for (const secret of [PASSWORD, token, csrf]) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('a logged-in client', () => {
  it('may read without a CSRF value', async () => {
    const { cookie, token } = await browser();
    expect(await statusOf(get(cookie))).toBe(200);
    expect(await statusOf(get(`access_token_cookie=${token}`))).toBe(200);
    expect(await statusOf(request(application.app).head(READ).set('Cookie', cookie))).toBe(200);
  });

  it('repeats the CSRF value with every POST, in the header or the form', async () => {
    const { cookie, csrf } = await browser();
    expect(await statusOf(post(cookie).set('X-CSRF-TOKEN', csrf))).toBe(200);
    expect(await statusOf(post(cookie).type('form').send({ csrf_token: csrf }))).toBe(200);
    const twice = post(cookie).set('X-CSRF-TOKEN', csrf).type('form').send({ csrf_token: csrf });
    expect(await statusOf(twice)).toBe(200);
  });

  it('is refused a POST with none, a wrong one, or that of another login', async () => {
    const { cookie, csrf } = await browser();
    const another = await browser();
    const attempts = [
      post(cookie),
      post(cookie).set('X-CSRF-TOKEN', ''),
      post(cookie).set('X-CSRF-TOKEN', '00000000-0000-0000-0000-000000000000'),
      post(cookie).set('X-CSRF-TOKEN', csrf.toUpperCase() === csrf ? `${csrf}x` : csrf.toUpperCase()),
      post(cookie).set('X-CSRF-TOKEN', another.csrf),
      post(cookie).set('X-CSRF-TOKEN', csrf).type('form').send({ csrf_token: another.csrf }),
      post(cookie).type('form').send({ csrf_token: '' }),
      // The cookie alone proves nothing, and whoever can plant one must not get in by repeating it.
      post(cookie.replace(csrf, 'planted')).set('X-CSRF-TOKEN', 'planted'),
    ];
    for (const attempt of attempts) {
      expect(await statusOf(attempt)).toBe(401);
    }
  });

  it('is refused a POST with the CSRF value in the URL, with any other credential, and gets the reason', async () => {
    const { cookie, csrf } = await browser();
    const attempts = [
      post(cookie, `${READ}?csrf_token=${csrf}`),
      post(cookie, `${READ}?CSRF_Token=${csrf}`),
      post(cookie, `${READ}?csrf_token=${csrf}`).set('X-CSRF-TOKEN', csrf),
      post(cookie, `${READ}?csrf_token=${csrf}`).type('form').send({ csrf_token: csrf }),
      post(cookie, `${READ}?csrf_token=`).send({ csrf_token: csrf }),
    ];
    for (const attempt of attempts) {
      const response = await attempt;
      expect(response.status).toBe(401);
      expect(response.body).toHaveProperty(
        'result.error.message',
        'Not authenticated: csrf_token belongs in the body or its value in the header X-CSRF-TOKEN, not in the URL',
      );
    }
    // Where none is asked for, it is a parameter like any other that nobody knows.
    expect(await statusOf(get(cookie, `${READ}?csrf_token=${csrf}`))).toBe(200);
  });

  it('repeats the CSRF value with a GET and a HEAD that change anything, too, in the header', async () => {
    const { cookie, csrf } = await browser();
    const path = '/admin/init?type=ocra&genkey=1&serial=BY-GET';
    for (const attempt of [
      get(cookie, path),
      get(cookie, `${path}&csrf_token=${csrf}`),
      get(cookie, `${path}&csrf_token=${csrf}`).set('X-CSRF-TOKEN', csrf),
      get(cookie, path).set('X-CSRF-TOKEN', 'another'),
      get(cookie, path).set('Sec-Fetch-Site', 'same-origin'),
      request(application.app).head(path).set('Cookie', cookie),
    ]) {
      expect(await statusOf(attempt)).toBe(401);
    }
    expect(await application.services.tokens.list(OPERATOR, {})).toEqual([]);
    expect(await statusOf(get(cookie, path).set('X-CSRF-TOKEN', csrf))).toBe(200);
    const head = request(application.app).head(path.replace('BY-GET', 'BY-HEAD')).set('Cookie', cookie);
    expect(await statusOf(head.set('X-CSRF-TOKEN', csrf))).toBe(200);
    const made = await application.services.tokens.list(OPERATOR, {});
    expect(made.map(({ serial }) => serial)).toEqual(['BY-GET', 'BY-HEAD']);
    await removeTokens();
  });

  it('repeats it in a field of a multipart form, as of JSON', async () => {
    const { cookie, csrf } = await browser();
    const init = (serial: string): Test => post(cookie, `/admin/init?type=ocra&genkey=1&serial=${serial}`);
    expect(await statusOf(init('FIELD').field('x', '1'))).toBe(401);
    expect(await statusOf(init('FIELD').field('csrf_token', csrf))).toBe(200);
    expect(await statusOf(init('JSON').send({ csrf_token: csrf }))).toBe(200);
    await removeTokens();
  });

  it('changes nothing by a link, not even with the CSRF value, and reads by one', async () => {
    const { cookie, csrf } = await browser();
    const { session } = await openSession(application.services.administrators, 'admin', PASSWORD);
    const path = '/admin/init?type=ocra&genkey=1&serial=LINKED';
    for (const site of ['none', 'same-origin']) {
      const link = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
      for (const attempt of [
        get(cookie, path),
        get(cookie, path).set('X-CSRF-TOKEN', csrf),
        post(cookie, path).type('form').send({ csrf_token: csrf }),
        get(`admin_session=${session}`, `${path}&session=${session}`),
        post(`admin_session=${session}`, path).type('form').send({ session }),
      ]) {
        const response = await attempt.set(link);
        expect([response.status, response.get('WWW-Authenticate')]).toEqual([403, undefined]);
      }
      expect(await statusOf(get(cookie).set(link))).toBe(200);
      expect(await statusOf(asSession(session).set(link))).toBe(200);
    }
    expect(await application.services.tokens.list(OPERATOR, {})).toEqual([]);
  });

  it('who is a client of LinOTP 2 changes by the session that repeats its cookie, also by GET', async () => {
    const { session } = await openSession(application.services.administrators, 'admin', PASSWORD);
    const path = '/admin/init?type=ocra&genkey=1&serial=OLD';
    const cookie = `admin_session=${session}`;
    expect(await statusOf(get(cookie, path))).toBe(401);
    expect(await statusOf(get(cookie, `${path}&session=another`))).toBe(401);
    expect(await statusOf(get(cookie, `${path}&session=${session}`))).toBe(200);
    await removeTokens();
  });

  it('is authenticated by the header Authorization instead, where there is one', async () => {
    const { cookie } = await browser();
    expect(await statusOf(post(cookie).auth('other', 'battery staple'))).toBe(200);
    expect(application.logged.at(-1)).toContain('"administrator":"other"');
    expect(await statusOf(get(cookie).auth('other', 'wrong'))).toBe(401);
  });
});

it.each(['/admin/sign-in/finish', '/admin/sign-in/passkey'])(
  'a step of a sign-in is no address that a browser opens: %s',
  async (path) => {
    const step = post('sign_in=x', path).type('form').send({ credential: '{}', name: 'x' });
    expect(await statusOf(step)).not.toBe(403);
    const opened = post('sign_in=x', path).type('form').send({ credential: '{}', name: 'x' });
    const link = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' };
    expect(await statusOf(opened.set(link))).toBe(403);
  },
);

describe('the id in the token of a login', () => {
  it('is no session: neither by itself nor for a POST without the CSRF value', async () => {
    const its = await browser();
    const session = sessionOf(its);
    expect(session).toMatch(/^[\w-]{43}$/);
    const attempts = [
      asSession(session),
      post(`admin_session=${session}`, READ).type('form').send({ session }),
      post(`admin_session=${session}; ${its.cookie}`, READ).type('form').send({ session }),
      post(`admin_session=${session}`, '/admin/loadtokens').send({}),
    ];
    for (const attempt of attempts) {
      expect(await statusOf(attempt)).toBe(401);
    }
    expect(await statusOf(get(its.cookie))).toBe(200);
  });

  it('closes no login by itself', async () => {
    const its = await browser();
    const session = sessionOf(its);
    for (const path of ['/admin/dropsession', '/admin/logout']) {
      const attempt = get(`admin_session=${session}`, `${path}?session=${session}`);
      expect(await statusOf(attempt)).toBe(401);
    }
    expect(await statusOf(get(its.cookie))).toBe(200);
  });
});

describe('a login ends', () => {
  it('by logging out, and leaves the browser without cookies', async () => {
    const { cookie } = await browser();
    const another = await browser();
    const response = await get(cookie, '/admin/logout');
    expect(response.status).toBe(200);
    expect(setCookies(response)).toEqual([
      'access_token_cookie=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; SameSite=Strict; HttpOnly',
      'csrf_access_token=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; SameSite=Strict',
    ]);
    expect(await statusOf(get(cookie))).toBe(401);
    expect(await statusOf(get(cookie, '/admin/logout'))).toBe(401);
    expect(await statusOf(get(another.cookie))).toBe(200);
  });

  it('by closing the session as well, as a session ends by logging out', async () => {
    const { cookie, csrf } = await browser();
    expect(await statusOf(get(cookie, '/admin/dropsession').set('X-CSRF-TOKEN', csrf))).toBe(200);
    expect(await statusOf(get(cookie))).toBe(401);
    const { session } = await openSession(application.services.administrators, 'admin', PASSWORD);
    expect(await statusOf(get(`admin_session=${session}`, `/admin/logout?session=${session}`))).toBe(200);
    expect(await statusOf(asSession(session))).toBe(401);
  });

  it('not by a link, nor by a picture of a page', async () => {
    const { cookie } = await browser();
    const link = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' };
    expect(await statusOf(get(cookie, '/admin/logout').set(link))).toBe(403);
    expect(await statusOf(get(cookie, '/admin/logout').set('Sec-Fetch-Mode', 'no-cors'))).toBe(401);
    expect(await statusOf(post(cookie, '/admin/logout'))).toBe(401);
    expect(await statusOf(get(cookie))).toBe(200);
  });

  it('with a new password, and with the administrator', async () => {
    const { administrators } = application.services;
    await administrators.add(OPERATOR, 'leaver', 'leaver one');
    const { cookie } = await browser('leaver', 'leaver one');
    await administrators.setPassword(OPERATOR, 'leaver', 'leaver two');
    expect(await statusOf(get(cookie))).toBe(401);
    const later = await browser('leaver', 'leaver two');
    expect(await statusOf(get(later.cookie))).toBe(200);
    await administrators.remove(OPERATOR, 'leaver');
    expect(await statusOf(get(later.cookie))).toBe(401);
  });

  it('after the lifetime of sessions', async () => {
    const { cookie } = await browser();
    application.clock.advance(3599);
    expect(await statusOf(get(cookie))).toBe(200);
    application.clock.advance(1);
    expect(await statusOf(get(cookie))).toBe(401);
  });
});

describe('a forged, foreign or misplaced token', () => {
  const sign = (key: number, administrator: string, session: string): Promise<string> => {
    const keys = new Vault({ keys: [Buffer.alloc(32, key)], random: systemRandom });
    const now = application.clock.now();
    const expiresAt = new Date(now.getTime() + 60_000);
    return new LoginTokens({ keys }).sign({ administrator, session, csrfToken: 'x', expiresAt }, now);
  };

  it('is refused when it names the session of another administrator, or none', async () => {
    const session = sessionOf(await browser('other', 'battery staple'));
    expect(await statusOf(get(`access_token_cookie=${await sign(7, 'other', session)}`))).toBe(200);
    expect(await statusOf(get(`access_token_cookie=${await sign(7, 'admin', session)}`))).toBe(401);
    expect(await statusOf(get(`access_token_cookie=${await sign(7, 'admin', 'a'.repeat(43))}`))).toBe(401);
  });

  it('is refused when another key signed it', async () => {
    const session = sessionOf(await browser());
    expect(await statusOf(get(`access_token_cookie=${await sign(7, 'admin', session)}`))).toBe(200);
    expect(await statusOf(get(`access_token_cookie=${await sign(8, 'admin', session)}`))).toBe(401);
  });

  it('is refused when it names a session that is no login, even if our key signed it', async () => {
    const { session } = await openSession(application.services.administrators, 'admin', PASSWORD);
    expect(await statusOf(asSession(session))).toBe(200);
    expect(await statusOf(get(`access_token_cookie=${await sign(7, 'admin', session)}`))).toBe(401);
    expect(await statusOf(asSession(session))).toBe(200);
  });

  it('is refused when two different ones are sent: one of them may have been planted', async () => {
    const [one, two] = [await browser(), await browser()];
    expect(await statusOf(get(`${one.cookie}; access_token_cookie=${two.token}`))).toBe(401);
    expect(await statusOf(get(`access_token_cookie=; ${one.cookie}`))).toBe(401);
  });

  it('is refused in any other place than its cookie', async () => {
    const { token, csrf } = await browser();
    const anywhere = [
      get('', `${READ}?jwt=${token}`),
      get('', `${READ}?access_token_cookie=${token}`),
      get('', `${READ}?session=${csrf}`),
      get(`admin_session=${csrf}`, `${READ}?session=${csrf}`),
      get('').set('Authorization', `Bearer ${token}`),
    ];
    for (const attempt of anywhere) {
      expect(await statusOf(attempt)).toBe(401);
    }
  });

  it.each(['', 'x', 'a.b.c', 'A'.repeat(6000)])('is refused: %j', async (token) => {
    expect(await statusOf(get(`access_token_cookie=${token}`))).toBe(401);
  });
});
