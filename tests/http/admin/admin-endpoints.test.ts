import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response, type Test } from 'supertest';
import { openSession } from '../../support/application/open-session.ts';
import { AS_ADMIN, OPERATOR, PASSWORD, TestApplication } from '../../support/application/test-application.ts';
import { basic } from '../../support/values/basic.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const CODE = 'GEZDGNBVGY3TQOJQ01';
const KEY = '31'.repeat(32);

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open({ trustProxy: ['loopback'] });
  await application.services.administrators.add(OPERATOR, 'other', 'battery staple');
});
afterAll(() => application.close());

interface Shown {
  readonly detail: Readonly<Record<string, string>> & {
    readonly ocraurl: { readonly img: string };
    readonly otpkey?: { readonly img: string };
  };
}

async function init(given: Readonly<Record<string, string>>): Promise<Response> {
  return application.asAdmin('/admin/init', { type: 'ocra', ...given });
}

async function shown(given: Readonly<Record<string, string>>): Promise<Shown['detail']> {
  return ((await init(given)).body as Shown).detail;
}

const urlOf = (value: unknown): object => ({
  img: expect.anything(),
  order: '0',
  value,
  description: 'URL for OCRA token',
});

function pictureText(html: string | undefined): string | undefined {
  return readQrCode(Buffer.from(/base64,([\w+/=]+)/.exec(html ?? '')?.[1] ?? '', 'base64'));
}

describe('/admin/init', () => {
  const phase1 = { serial: 'ROLL', genkey: '1', sharedsecret: '1' };
  const phase2 = { serial: 'ROLL', genkey: '1', activationcode: CODE, message: 'm' };

  it('shows the shared secret of phase 1 as text, URL and picture, and nonce and first challenge of phase 2', async () => {
    const response = await init(phase1);
    expect(Object.keys(response.body as object)).toEqual(['version', 'jsonrpc', 'result', 'id', 'detail']);
    expect(response.body).toHaveProperty('result', { status: true, value: true });
    const { detail } = response.body as Shown;
    expect(detail).toEqual({
      app_import: expect.stringMatching(/^lseqr:\/\/init\?sh=/),
      serial: 'ROLL',
      ocraurl: urlOf(detail.app_import),
      sharedsecret: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(pictureText(detail.ocraurl.img)).toBe(detail.app_import);
    const second = await shown(phase2);
    expect(second).toEqual({
      serial: 'ROLL',
      nonce: expect.stringMatching(/^[0-9a-f]+$/),
      transactionid: expect.stringMatching(/^[0-9a-f]{20}$/),
      challenge: expect.any(String),
      url: '',
      signature: expect.stringMatching(/^[0-9a-f]+$/),
      app_import: expect.stringMatching(/^lseqr:\/\/nonce\?/),
      ocraurl: urlOf(second.app_import),
    });
    expect(pictureText(second.ocraurl.img)).toBe(second.app_import);
  });

  it('shows the key of a plain token', async () => {
    const { otpkey, ...detail } = await shown({ serial: 'PLAIN', otpkey: KEY });
    expect(detail).toEqual({ serial: 'PLAIN', ocraurl: { ...urlOf(null), img: '' } });
    const value = `seed://${KEY}`;
    expect(otpkey).toEqual({ img: expect.anything(), order: '1', value, description: 'OTP seed' });
    expect(pictureText(otpkey?.img)).toBe(value);
  });

  it.each([
    ['phase 1', phase1, /^lseqr:\/\/init\?/, 'sharedsecret'],
    ['phase 2', phase2, /^lseqr:\/\/nonce\?/, 'transactionid'],
    ['a plain token', { serial: 'PLAIN', otpkey: KEY }, /^seed:\/\//, 'otpkey'],
  ])('draws the QR code of %s alone or on a page', async (_what, given, text, fact) => {
    const png = await request(application.app)
      .post('/admin/init')
      .query({ type: 'ocra', ...given, qr: 'png' })
      .set(AS_ADMIN)
      .responseType('blob');
    expect(readQrCode(png.body as Buffer)).toMatch(text);
    const page = await init({ ...given, qr: 'html' });
    expect(pictureText(page.text)).toMatch(text);
    expect(page.text).toContain(`<span class="${fact}">`);
  });

  it('names a missing type', async () => {
    expect((await application.asAdmin('/admin/init', {})).body).toHaveProperty(
      'result.error.message',
      "ERR77: Usage: admin/init: enrol a token. Missing parameter 'type'.",
    );
  });
});

describe('a session of the clients of LinOTP 2', () => {
  const READ = '/monitoring/license';
  const open = (headers: Record<string, string>): Test =>
    request(application.app).get('/admin/getsession').set(headers);
  const end = (session: string, headers: Record<string, string>): Test =>
    request(application.app).get('/admin/dropsession').query({ session }).set(headers);
  const isOpen = async (session: string): Promise<boolean> => {
    const sent = request(application.app).get(READ).query({ session });
    return (await sent.set('Cookie', `admin_session=${session}`)).status === 200;
  };

  it.each(['get', 'post'] as const)('is opened by the password and closed by itself (%s)', async (method) => {
    const opened = await request(application.app)[method]('/admin/getsession').set(AS_ADMIN);
    expect(opened.body).toHaveProperty('result', { status: true, value: true });
    const [cookie = '', ...others] = opened.get('Set-Cookie') ?? [];
    expect(others).toEqual([]);
    const [, session = ''] =
      /^admin_session=([\w-]{43}); Path=\/; HttpOnly; SameSite=Strict$/.exec(cookie) ?? [];
    expect(opened.text).not.toContain(session);
    expect(await isOpen(session)).toBe(true);
    const closed = await application
      .send(`/admin/dropsession?session=${session}`, {}, method)
      .set('Cookie', `admin_session=${session}`);
    expect(closed.body).toHaveProperty('result', { status: true, value: true });
    expect(closed.get('Set-Cookie')?.[0]).toMatch(/^admin_session=; Path=\/; Max-Age=0; HttpOnly/);
    expect(await isOpen(session)).toBe(false);
  });

  it('has, in the dialect linotp, one cookie with the domain and one without, and for scripts by choice', async () => {
    const cookiesOf = async (host: string, http = {}): Promise<string[]> => {
      const { app } = application.restarted({ dialect: 'linotp', http });
      const opened = await request(app)
        .get('/admin/getsession')
        .set({ ...AS_ADMIN, Host: host });
      return (opened.get('Set-Cookie') ?? []).map((cookie) => cookie.replace(/=[\w-]{43}/, '=S'));
    };
    const rest = 'Path=/; HttpOnly; SameSite=Strict';
    await expect(cookiesOf('otp.example.com:443')).resolves.toEqual([
      `admin_session=S; Domain=otp.example.com; ${rest}`,
      `admin_session=S; ${rest}`,
    ]);
    await expect(cookiesOf('a;b')).resolves.toEqual([`admin_session=S; ${rest}`]);
    await expect(cookiesOf('127.0.0.1:5001', { sessionCookieHttpOnly: 'off' })).resolves.toEqual([
      'admin_session=S; Domain=127.0.0.1; Path=/; SameSite=Strict',
      'admin_session=S; Path=/; SameSite=Strict',
    ]);
  });

  it('is opened also with an old cookie in hand', async () => {
    expect((await open({ ...AS_ADMIN, Cookie: 'admin_session=old' }).query({ session: 'old' })).status).toBe(
      200,
    );
  });

  it('is opened for no other credential', async () => {
    const { administrators } = application.services;
    const { session } = await openSession(administrators, 'admin', PASSWORD);
    const { token } = await administrators.addApiToken(OPERATOR, 'admin', { name: 'api', rights: ['*'] });
    for (const headers of [
      { Authorization: basic('admin', 'wrong') },
      { Authorization: `Bearer ${token}` },
      { Cookie: `admin_session=${session}` },
    ]) {
      const response = await open(headers).query({ session });
      expect(response.status).toBe(401);
      expect(response.get('Set-Cookie')).toBeUndefined();
    }
  });

  it.each(['https', 'HTTPS', 'Https, http'])('has a cookie for https alone behind %s', async (scheme) => {
    const headers = { ...AS_ADMIN, 'X-Forwarded-Proto': scheme };
    expect((await open(headers)).get('Set-Cookie')?.[0]).toMatch(/; Secure$/);
    const { app } = application.restarted({ trustProxy: [] });
    const direct = await request(app).get('/admin/getsession').set(headers);
    expect(direct.get('Set-Cookie')?.[0]).not.toContain('Secure');
  });

  it('is closed neither without its cookie or parameter, nor by another administrator', async () => {
    const { session } = await openSession(application.services.administrators, 'admin', PASSWORD);
    const Cookie = `admin_session=${session}`;
    expect((await request(application.app).get('/admin/dropsession').set({ Cookie })).status).toBe(401);
    expect((await end(session, {})).status).toBe(401);
    const Authorization = basic('other', 'battery staple');
    expect((await end(session, { Cookie, Authorization })).status).toBe(401);
    expect(await isOpen(session)).toBe(true);
  });
});
