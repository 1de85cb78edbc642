import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import type { Enrolled } from '../../../src/challenges/enrolment/enrolment.ts';
import { METHODS, sendBy } from '../../support/application/http-methods.ts';
import {
  ADMIN,
  API_TOKEN,
  AS_ADMIN,
  basic,
  createTestApp,
  OTHER_ADMIN,
  SESSION,
  type TestApp,
} from '../../support/application/http-app.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const URL = 'lseqr://init?sh=ab&os=OCRA&se=OCRA1';
const AS_SESSION = { Cookie: `admin_session=${SESSION}` };

function enrolling(enrolled: Enrolled): TestApp {
  return createTestApp({}, { enrolment: { init: () => Promise.resolve(enrolled) } });
}

describe('/admin/init', () => {
  it.each(METHODS)('takes all parameters of an enrolment by %s', async (method) => {
    const { app, calls } = createTestApp();
    const given = {
      type: 'ocra',
      serial: 'S',
      user: 'u',
      realm: 'r',
      genkey: '1',
      otpkey: 'ab',
      sharedsecret: '1',
      activationcode: 'A',
      message: 'm',
      ocrasuite: 'o',
      pin: 'p',
      ocrapin: 'op',
      description: 'd',
    };
    const response = await sendBy(method, app, '/admin/init', { ...given, other: 'x' }).set(AS_ADMIN);
    expect(response.body).toHaveProperty('result', { status: true, value: true });
    expect(calls).toEqual([['init', expect.objectContaining({ principal: expect.anything() }), given]]);
  });

  it('shows the shared secret of phase 1 as text, URL and picture', async () => {
    const response = await request(createTestApp().app).post('/admin/init').set(AS_ADMIN);
    const { detail } = response.body as { detail: { ocraurl: { img: string } } };
    expect(Object.keys(response.body as object)).toEqual(['version', 'jsonrpc', 'result', 'id', 'detail']);
    expect(detail).toEqual({
      app_import: URL,
      serial: 'OCRA1',
      ocraurl: { img: expect.anything(), order: '0', value: URL, description: 'URL for OCRA token' },
      sharedsecret: 'ab'.repeat(20),
    });
    expect(pictureText(detail.ocraurl.img)).toBe(URL);
  });

  it('shows nonce and first challenge of phase 2', async () => {
    const appImport = 'lseqr://nonce?me=m&ch=c&no=cd&tr=t&u=&se=OCRA1&si=ef';
    const { app } = enrolling({
      kind: 'phase2',
      serial: 'OCRA1',
      nonce: 'cd',
      transactionId: 't',
      question: 'c',
      callbackUrl: 'https://example.org/<x>',
      signature: 'ef',
      appImport,
    });
    const response = await request(app).post('/admin/init').set(AS_ADMIN);
    expect(response.body).toHaveProperty('detail', {
      serial: 'OCRA1',
      nonce: 'cd',
      transactionid: 't',
      challenge: 'c',
      url: 'https://example.org/<x>',
      signature: 'ef',
      app_import: appImport,
      ocraurl: expect.objectContaining({ value: appImport }),
    });
  });

  it('shows the key of a plain token', async () => {
    const { app } = enrolling({ kind: 'plain', serial: 'P1', otpkey: '3132' });
    const response = await request(app).get('/admin/init').set(AS_ADMIN);
    const { detail } = response.body as { detail: { otpkey: { img: string } } };
    expect(detail).toEqual({
      serial: 'P1',
      ocraurl: { img: '', order: '0', value: null, description: 'URL for OCRA token' },
      otpkey: { img: expect.anything(), order: '1', value: 'seed://3132', description: 'OTP seed' },
    });
    expect(pictureText(detail.otpkey.img)).toBe('seed://3132');
  });

  it.each([
    [
      { kind: 'phase1', serial: 'S', sharedSecret: 'ab', appImport: 'lseqr://init?x' },
      'lseqr://init?x',
      'sharedsecret',
    ],
    [
      {
        kind: 'phase2',
        serial: 'S',
        nonce: 'cd',
        transactionId: 't',
        question: 'c',
        callbackUrl: '',
        signature: 'ef',
        appImport: 'lseqr://nonce?x',
      },
      'lseqr://nonce?x',
      'transactionid',
    ],
    [{ kind: 'plain', serial: 'S', otpkey: 'ab' }, 'seed://ab', 'otpkey'],
  ] as const)('draws the QR code of %j alone or on a page', async (enrolled, text, fact) => {
    const { app } = enrolling(enrolled);
    const png = await request(app).post('/admin/init?qr=png').set(AS_ADMIN).responseType('blob');
    expect(readQrCode(png.body as Buffer)).toBe(text);
    const page = await request(app).post('/admin/init?qr=html').set(AS_ADMIN);
    expect(pictureText(page.text)).toBe(text);
    expect(page.text).toContain(`<span class="${fact}">`);
  });

  it('names the data that is too long for a QR code', async () => {
    const { app } = enrolling({
      kind: 'phase1',
      serial: 'S',
      sharedSecret: 'ab',
      appImport: 'x'.repeat(2_954),
    });
    const response = await request(app).post('/admin/init').set(AS_ADMIN);
    expect(response.body).toHaveProperty('result.error', {
      code: -311,
      message: 'The data is too long for a QR code',
    });
  });

  it('names a missing type', async () => {
    const { app, fail } = createTestApp();
    fail(
      'init',
      new ServiceError('parameter.missing', "Missing parameter 'type'.", { parameters: ['type'] }),
    );
    const response = await request(app).post('/admin/init').set(AS_ADMIN);
    expect(response.body).toHaveProperty(
      'result.error.message',
      "ERR77: Usage: admin/init: enrol a token. Missing parameter 'type'.",
    );
  });
});

describe('/admin/getsession', () => {
  it.each(['get', 'post'] as const)('opens a session for the password (%s)', async (method) => {
    const { app, calls } = createTestApp();
    const response = await request(app)[method]('/admin/getsession').set(AS_ADMIN);
    expect(response.body).toHaveProperty('result', { status: true, value: true });
    expect(response.get('Set-Cookie')).toEqual([
      `admin_session=${SESSION}; Path=/; Expires=Fri, 20 Nov 2026 13:00:00 GMT; HttpOnly; SameSite=Strict`,
    ]);
    expect(response.text).not.toContain(SESSION);
    const proven = { administrator: 'admin', version: Buffer.from('1') };
    const act = expect.objectContaining({ actor: 'admin', action: 'admin/getsession' });
    expect(calls).toEqual([['openSession', proven, act]]);
  });

  it('opens one also with an old cookie in hand', async () => {
    const response = await request(createTestApp().app)
      .get('/admin/getsession?session=old')
      .set(AS_ADMIN)
      .set('Cookie', 'admin_session=old');
    expect(response.status).toBe(200);
  });

  it.each([
    ['no credentials', {}],
    ['a wrong password', { Authorization: basic(ADMIN.name, 'wrong') }],
    ['an API token', { Authorization: `Bearer ${API_TOKEN}` }],
    ['a session', AS_SESSION],
  ])('opens none for %s', async (_what, headers) => {
    const { app, calls } = createTestApp();
    const response = await request(app).get(`/admin/getsession?session=${SESSION}`).set(headers);
    expect(response.status).toBe(401);
    expect(response.get('Set-Cookie')).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it.each(['https', 'HTTPS', 'Https, http'])('marks the cookie for https alone behind %s', async (scheme) => {
    const trusting = createTestApp({ trustProxy: ['127.0.0.0/8'] });
    const ask = (app: TestApp['app']): request.Test =>
      request(app).get('/admin/getsession').set(AS_ADMIN).set('X-Forwarded-Proto', scheme);
    expect((await ask(trusting.app)).get('Set-Cookie')?.[0]).toMatch(/; Secure$/);
    expect((await ask(createTestApp().app)).get('Set-Cookie')?.[0]).not.toContain('Secure');
  });
});

describe('/admin/dropsession', () => {
  it.each(['get', 'post'] as const)('closes the session of the request (%s)', async (method) => {
    const { app, calls } = createTestApp();
    const response = await request(app)[method](`/admin/dropsession?session=${SESSION}`).set(AS_SESSION);
    expect(response.body).toHaveProperty('result', { status: true, value: true });
    expect(response.get('Set-Cookie')?.[0]).toMatch(/^admin_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    const act = expect.objectContaining({ actor: 'admin', action: 'admin/dropsession' });
    expect(calls).toEqual([['closeSession', SESSION, act]]);
  });

  it('needs the session and the cookie', async () => {
    const { app, calls } = createTestApp();
    expect((await request(app).get('/admin/dropsession').set(AS_SESSION)).status).toBe(401);
    expect((await request(app).get(`/admin/dropsession?session=${SESSION}`)).status).toBe(401);
    expect(calls).toEqual([]);
  });

  it("does not close another administrator's session", async () => {
    const { app, calls } = createTestApp();
    const response = await request(app)
      .get(`/admin/dropsession?session=${SESSION}`)
      .set(AS_SESSION)
      .set('Authorization', basic(OTHER_ADMIN.name, OTHER_ADMIN.password));
    expect(response.status).toBe(401);
    expect(calls).toEqual([]);
  });
});

function pictureText(html: string): string | undefined {
  return readQrCode(Buffer.from(/base64,([\w+/=]+)/.exec(html)?.[1] ?? '', 'base64'));
}
