import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

/* What the recordings of LinOTP do not show, or show in samples only. */

const HOSTILE = '<script>alert("1")</script>&amp;\'';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open({ dialect: 'linotp' });
  await application.addRealm('bank');
  await application.enrolPlain('OCRA1', 'OCRA-1:HOTP-SHA256-8:C-QA64');
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => application.close());

/** Allows the administrator of that name alone to use the endpoints of /ocra. */
async function allow(user: string): Promise<void> {
  const policy = { name: 'ocra-administrators', scope: 'ocra', action: '*', realm: '*', user };
  await application.services.policies.set(OPERATOR, policy);
}

/** An answer, as far as it matters here. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly body: unknown;
}

async function ask(path: string, parameters: Record<string, string> = {}): Promise<Answer> {
  const { status, type, text, body } = (await application.asAdmin(path, parameters)) as Answer;
  return { status, type, text, body };
}

describe('the dialect linotp', () => {
  it('carries the version that SERVICE_VERSION gives', async () => {
    const { app } = application.restarted({ http: { serviceVersion: 'Mine 1' } });
    const { body } = (await request(app).get('/ocra/check_t?transactionid=1&pass=x')) as { body: unknown };
    expect(body).toMatchObject({ version: 'Mine 1' });
  });

  it('takes no notice of the parameter id', async () => {
    expect((await ask('/ocra/check_t', { transactionid: '1', pass: 'x', id: '7' })).body).toMatchObject({
      id: 1,
    });
  });

  it('has nothing behind two ids', async () => {
    const { status, text } = await ask('/ocra/check_t/1/2');
    expect(status).toBe(404);
    expect(text).toContain('404 Not Found\n\nThe resource could not be found.');
  });
});

describe('failures in the dialect linotp', () => {
  it('say that a right is missing as an error, also where others are outcomes', async () => {
    await allow('somebody_else');
    expect((await ask('/ocra/checkstatus', { serial: 'OCRA1' })).body).toMatchObject({
      result: { status: false, error: { code: -311 } },
      id: 1,
    });
  });

  it('are numbered 410 at calculateOtp alone, and the configuration value errors goes by that', async () => {
    await application.services.settings.set(OPERATOR, new Map([['errors', '77,410']]));
    const right = 'You do not have the administrative right to do an ocra/calculateOtp';
    expect((await ask('/ocra/calculateOtp', { httperror: '444' })).text).toBe(
      `\n<html>\n<head>\n<title>444 444 LinOTP Error</title>\n</head>\n<body>\n<h1>444 444 LinOTP Error</h1>\n[LinOTP 2.12.6] 410: ERR410: ${right}\n<br>\n<br>\n</body>\n</html>\n`,
    );
    const { status, body } = await ask('/ocra/request', { serial: 'OCRA1', httperror: '444' });
    expect({ status, body }).toMatchObject({ status: 200, body: { result: { error: { code: -311 } } } });
    await application.services.settings.remove(OPERATOR, 'errors');
    await allow('*');
  });

  it('never resemble outcomes where the server is at fault', async () => {
    const away = new ServiceError('database.unavailable', 'away');
    jest.spyOn(application.services.ocra, 'checkTransaction').mockRejectedValue(away);
    const { status, body } = await ask('/ocra/check_t', { transactionid: '1', pass: 'x' });
    expect({ status, body }).toMatchObject({ status: 503, body: { result: { status: false } } });
  });

  it.each(['444', '500', '503'])('are harmless on pages of status %s', async (httperror) => {
    const { status, text, type } = await ask('/ocra/request', { user: HOSTILE, data: 'x', httperror });
    expect({ status, type }).toEqual({ status: Number(httperror), type: 'text/html' });
    expect(text).not.toContain('<script');
    expect(text).toContain('no user &gt;&lt;script&gt;alert("1")&lt;/script&gt;&amp;amp;\'&lt; found!');
  });
});

describe('QR codes in the dialect linotp', () => {
  it.each([
    ['img', '<img id="challenge_qrcode"  alt=\''],
    ['embed', '<img id="challenge_qrcode"  alt=\''],
    ['html', '<html><body><div><img id="challenge_qrcode"  alt=\''],
  ])('come as %s', async (qr, start) => {
    const { text, type } = await ask('/ocra/request', { serial: 'OCRA1', qr, data: 'x' });
    expect(type).toBe('text/html');
    expect(text.startsWith(start)).toBe(true);
    const [, png = ''] = /base64,([^"]+)"\/>/.exec(text) ?? [];
    expect(readQrCode(Buffer.from(png, 'base64'))).toMatch(/^lseqr:\/\/req\?me=x&/);
  });

  it('come with the parameters of the request, escaped, without the session', async () => {
    const { text } = await ask('/ocra/request', {
      serial: 'OCRA1',
      data: HOSTILE,
      [HOSTILE]: HOSTILE,
      qr: 'html',
      width: '100',
    });
    expect(text).not.toContain('<script');
    expect(text).toContain('   width=100   src=');
    expect(text).not.toContain('session');
  });
});
