import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type AnyServiceError, ServiceError } from '../../../src/kernel/errors.ts';
import { AS_ADMIN, CHALLENGE_URL, createTestApp, type TestApp } from '../../support/application/http-app.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const HOSTILE = '<script>alert("1")</script>&amp;\'';

function lacking(action: string): AnyServiceError {
  return new ServiceError('right.missing', 'No policy gives it', { policy: { scope: 'ocra', action } });
}

/** @returns an application of the dialect whose operation fails like that */
function failing(operation: string, error: AnyServiceError): TestApp {
  const test = linotp();
  test.fail(operation, error);
  return test;
}

function linotp(): TestApp {
  return createTestApp({ dialect: 'linotp', serviceVersion: undefined });
}

/** An answer, as far as it matters here. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly body: unknown;
}

async function ask(
  { app }: TestApp,
  path: string,
  parameters: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { status, type, text, body } = (await request(app)
    .post(path)
    .type('form')
    .set({ ...AS_ADMIN, ...headers })
    .send(parameters)) as Answer;
  return { status, type, text, body };
}

describe('the dialect linotp', () => {
  it('has its own order of keys, version and blanks', async () => {
    const { text } = await ask(linotp(), '/ocra/request', { serial: 'OCRA1', data: '<b>"ä"</b>' });
    expect(text).toBe(
      [
        '{',
        '   "detail": {',
        '      "url": "", ',
        `      "data": "${CHALLENGE_URL}", `,
        '      "transactionid": "0123456789abcdef0123", ',
        '      "message": "<b>\\"\\u00e4\\"</b>", ',
        '      "challenge": "abc0000"',
        '   }, ',
        '   "version": "LinOTP 2.12.6", ',
        '   "jsonrpc": "2.0802", ',
        '   "result": {',
        '      "status": true, ',
        '      "value": true',
        '   }, ',
        '   "id": 1',
        '}',
      ].join('\n'),
    );
  });

  it('carries the version that SERVICE_VERSION gives', async () => {
    const test = createTestApp({ dialect: 'linotp', serviceVersion: 'Mine 1' });
    expect((await ask(test, '/ocra/check_t', { transactionid: '1', pass: 'x' })).body).toMatchObject({
      version: 'Mine 1',
    });
  });

  it('takes no notice of the parameter id', async () => {
    const { body } = await ask(linotp(), '/ocra/check_t', { transactionid: '1', pass: 'x', id: '7' });
    expect(body).toMatchObject({ id: 1 });
  });

  it.each(['/ocra/check_t/4711', '/ocra/checkstatus/1'])('takes %s for the path before it', async (path) => {
    const { status, body } = await ask(linotp(), path, { transactionid: '1', pass: 'x' });
    expect({ status, body }).toMatchObject({ status: 200, body: { result: { status: true } } });
  });

  it.each(['/ocra/', '/ocra/nosuch', '/ocra/check_t/1/2'])('has nothing at %s', async (path) => {
    const { status, text } = await ask(linotp(), path);
    expect(status).toBe(404);
    expect(text).toContain('404 Not Found\n\nThe resource could not be found.');
  });

  it('makes an activation code of the word None, or of the given text', async () => {
    const test = linotp();
    await ask(test, '/ocra/getActivationCode');
    await ask(test, '/ocra/getActivationCode', { activationcode: 'abc' });
    expect(test.calls.map(([, , given]) => given)).toEqual(['None', 'abc']);
  });
});

describe('a challenge that was given up', () => {
  const dropped = createTestApp(
    { dialect: 'linotp', serviceVersion: undefined },
    {
      ocra: {
        requestChallenge: () => Promise.reject(new Error('not asked')),
        activationCode: () => Promise.reject(new Error('not asked')),
        calculateOtp: () => Promise.reject(new Error('not asked')),
        checkTransaction: () => Promise.resolve({ known: true, dropped: true, failCount: 3, result: false }),
        status: () =>
          Promise.resolve(
            [true, false].map((isDropped) => ({
              id: '7',
              serial: 'OCRA1',
              transactionId: isDropped ? 'dropped' : 'kept',
              receivedTan: true,
              validTan: false,
              failCount: 3,
              issuedAt: new Date('2026-11-20T12:00:00.123Z'),
              expiresAt: new Date('2026-11-20T12:20:00.123Z'),
              active: false,
              locked: false,
              dropped: isDropped,
            })),
          ),
      },
    },
  );

  it('is not known to check_t', async () => {
    const { body } = await ask(dropped, '/ocra/check_t', { transactionid: 'ä1', pass: 'x' });
    expect(body).toMatchObject({
      result: {
        status: true,
        value: { failure: "No challenge for transaction u'\\xe41' found", result: false },
      },
      id: 1,
    });
  });

  it('is not listed by checkstatus', async () => {
    const { body } = await ask(dropped, '/ocra/checkstatus', { serial: 'OCRA1' });
    expect(body).toMatchObject({
      result: {
        value: {
          values: [
            {
              transactionid: 'kept',
              timestamp: '2026-11-20 12:00:00.123000',
              failcount: 3,
              active: 'False',
              received_tan: true,
              serial: 'OCRA1',
              id: 7,
              valid_tan: false,
            },
          ],
        },
      },
    });
    expect(JSON.stringify(body)).not.toContain('dropped');
  });
});

describe('failures in the dialect linotp', () => {
  it('are outcomes with the id 0 where LinOTP had them so, whatever status is wished for', async () => {
    for (const path of ['/ocra/check_t', '/ocra/checkstatus', '/ocra']) {
      const { status, body } = await ask(linotp(), path, { httperror: '444' });
      expect({ path, status, body }).toMatchObject({
        path,
        status: 200,
        body: { result: { status: true }, id: path === '/ocra/check_t' ? 0 : 1 },
      });
    }
    const parameters = ['transactionid', 'user', 'serial'];
    const test = failing('status', new ServiceError('parameter.missing', 'nothing named', { parameters }));
    expect((await ask(test, '/ocra/checkstatus', { httperror: '444' })).body).toMatchObject({
      result: {
        status: true,
        value:
          'ERR77: Usage: ocra/checkstatus: check the token status - for assynchronous verification. Missing parameter: You need to provide one of the parameters "transactionid", "user" or "serial"',
      },
      id: 0,
    });
  });

  it('say that a right is missing as an error there, too', async () => {
    const test = failing('status', lacking('status'));
    const { body } = await ask(test, '/ocra/checkstatus', { serial: 'x' });
    expect(body).toMatchObject({ result: { status: false, error: { code: -311 } }, id: 1 });
  });

  it('never resemble outcomes where the server is at fault', async () => {
    const test = failing('checkTransaction', new ServiceError('database.unavailable', 'away'));
    const { status, body } = await ask(test, '/ocra/check_t', { transactionid: '1', pass: 'x' });
    expect({ status, body }).toMatchObject({ status: 503, body: { result: { status: false } } });
  });

  it('are numbered 410 at calculateOtp alone, and the configuration value errors goes by that', async () => {
    const right = 'You do not have the administrative right to do an ocra/calculateOtp';
    const test = failing('calculateOtp', lacking('calcOTP'));
    test.settings.set('errors', '77,410');
    expect((await ask(test, '/ocra/calculateOtp', { httperror: '444' })).text).toBe(
      `\n<html>\n<head>\n<title>444 444 LinOTP Error</title>\n</head>\n<body>\n<h1>444 444 LinOTP Error</h1>\n[LinOTP 2.12.6] 410: ERR410: ${right}\n<br>\n<br>\n</body>\n</html>\n`,
    );
    const other = failing('requestChallenge', lacking('request'));
    other.settings.set('errors', '77,410');
    const { status, body } = await ask(other, '/ocra/request', { serial: 'x', httperror: '444' });
    expect({ status, body }).toMatchObject({ status: 200, body: { result: { error: { code: -311 } } } });
  });

  it.each(['444', '500', '503'])('are harmless on pages of status %s', async (httperror) => {
    const unknown = new ServiceError('user.unknown', 'none', { user: HOSTILE, login: HOSTILE });
    const test = failing('requestChallenge', unknown);
    const { status, text, type } = await ask(test, '/ocra/request', { user: HOSTILE, httperror });
    expect({ status, type }).toEqual({ status: Number(httperror), type: 'text/html' });
    expect(text).not.toContain('<script');
    expect(text).toContain('no user &gt;&lt;script&gt;alert("1")&lt;/script&gt;&amp;amp;\'&lt; found!');
  });

  it('name a user by the login alone', async () => {
    const parameters = { user: 'jürgen' };
    const none = failing('requestChallenge', new ServiceError('token.unknown', 'none'));
    const two = failing(
      'requestChallenge',
      new ServiceError('token.ambiguous', 'two', { login: 'jürgen', serials: ['A', 'B'] }),
    );
    expect((await ask(none, '/ocra/request', parameters)).body).toMatchObject({
      result: {
        error: { message: "No token found: unable to create challenge for (u:u'j\\xfcrgen',s:None)!" },
      },
    });
    expect((await ask(two, '/ocra/request', parameters)).body).toMatchObject({
      result: {
        error: {
          message: "More than one token found: unable to create challenge for (u:u'j\\xfcrgen',s:None)!",
        },
      },
    });
  });

  it('name the tokens that are in roll-out', async () => {
    const serials = ['RO1', "R'2"];
    const test = failing('init', new ServiceError('token.ambiguous', 'two', { login: 'root', serials }));
    const { body } = await ask(test, '/admin/init', { type: 'ocra', activationcode: 'x', user: 'root' });
    expect(body).toMatchObject({
      result: { error: { message: "multiple tokens found in rollout state: [u'RO1', u\"R'2\"]" } },
    });
  });

  it('are in the language of the client where there is such a text', async () => {
    const test = failing('requestChallenge', lacking('request'));
    const { body } = await ask(test, '/ocra/request', {}, { 'Accept-Language': 'de' });
    expect(body).toMatchObject({
      result: {
        error: {
          message: 'ERR410: Sie haben nicht die administrativen Rechte für die OCRA-Anfrage: ocra/request.',
        },
      },
    });
  });

  it('of a secret never quote it', async () => {
    const wrong = new ServiceError('activation-code.invalid', 'wrong', { fault: 'checksum' });
    const test = failing('calculateOtp', wrong);
    const { text } = await ask(test, '/ocra/calculateOtp', { activationcode: 'GEZDGNBVGY3TQOJQ02' });
    expect(text).not.toContain('GEZDGNBVGY3TQOJQ');
  });
});

describe('QR codes in the dialect linotp', () => {
  it.each([
    ['img', '<img id="challenge_qrcode"  alt=\''],
    ['embed', '<img id="challenge_qrcode"  alt=\''],
    ['html', '<html><body><div><img id="challenge_qrcode"  alt=\''],
  ])('come as %s', async (qr, start) => {
    const { text, type } = await ask(linotp(), '/ocra/request', { serial: 'OCRA1', qr });
    expect(type).toBe('text/html');
    expect(text.startsWith(start)).toBe(true);
    const [, png = ''] = /base64,([^"]+)"\/>/.exec(text) ?? [];
    expect(readQrCode(Buffer.from(png, 'base64'))).toBe(CHALLENGE_URL);
  });

  it('come as a picture', async () => {
    const { body, type } = await ask(linotp(), '/ocra/request', { serial: 'OCRA1', qr: 'png' });
    expect(type).toBe('image/png');
    expect(readQrCode(body as Buffer)).toBe(CHALLENGE_URL);
  });

  it('come with the parameters of the request, escaped, without the session', async () => {
    const { text } = await ask(linotp(), '/ocra/request', {
      serial: HOSTILE,
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
