import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import request from 'supertest';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { sendBy, METHODS } from '../../support/application/http-methods.ts';
import { AS_ADMIN, TestApplication } from '../../support/application/test-application.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
const TRANSACTION = /"transactionid": "([0-9a-f]{20})"/;
const URL = /"data": "(lseqr:[^"]*)"/;

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open();
  await application.enrolPlain('OCRA1', SUITE);
});
afterAll(() => application.close());

async function ask(path: string, given: Record<string, string>): Promise<unknown> {
  return ((await application.asAdmin(path, given)).body as { result: unknown }).result;
}

describe.each(METHODS)('/ocra by %s', (method) => {
  it('issues a challenge, whose state it reports', async () => {
    const given = { serial: 'OCRA1', data: 'a b&c=ä' };
    const response = await sendBy(method, application.app, '/ocra/request', given).set(AS_ADMIN);
    expect(response.status).toBe(200);
    expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
    const [, transactionid = ''] = TRANSACTION.exec(response.text) ?? [];
    const [, url = ''] = URL.exec(response.text) ?? [];
    expect(url).toContain('me=a+b%26c%3D%C3%A4');
    expect(response.text).toBe(`{
   "version": "Tankeeper test",
   "jsonrpc": "2.0",
   "result": {
      "status": true,
      "value": false
   },
   "id": 1,
   "detail": {
      "transactionid": "${transactionid}",
      "data": "${url}"
   }
}`);
    for (const path of ['/ocra/checkstatus', '/ocra']) {
      const status = await sendBy(method, application.app, path, { TransactionID: transactionid }).set(
        AS_ADMIN,
      );
      expect(status.body).toHaveProperty('result', {
        status: true,
        value: [{ serial: 'OCRA1', transactionid, received_tan: false, valid_tan: false, failcount: 0 }],
      });
    }
  });

  it('gives an activation code, and calculates a response', async () => {
    const of = (path: string, given: Record<string, string>): request.Test =>
      sendBy(method, application.app, path, given).set(AS_ADMIN);
    const fresh = await of('/ocra/getActivationCode', {});
    expect(fresh.body).toHaveProperty(
      'result.value.activationcode',
      expect.stringMatching(/^[A-Z2-7]{16}[0-9A-F]{2}$/),
    );
    expect((await of('/ocra/getActivationCode', {})).text).not.toBe(fresh.text);
    const made = await of('/ocra/getActivationCode', { activationcode: '1234567890' });
    expect(made.body).toHaveProperty('result.value', { activationcode: 'GEZDGNBVGY3TQOJQ01' });
    const input = {
      sharedsecret: '61'.repeat(32),
      activationcode: 'GEZDGNBVGY3TQOJQ01',
      nonce: '01'.repeat(32),
      OcraSuite: SUITE,
      challenge: 'abc',
      counter: '1',
    };
    const key = await deriveTokenKey({
      sharedSecret: Buffer.from(input.sharedsecret, 'hex'),
      activationCode: input.activationcode,
      nonce: Buffer.from(input.nonce, 'hex'),
    });
    const otp = application.respond(SUITE, 'abc', { key: Buffer.from(key), counter: 1n });
    const calculated = await of('/ocra/calculateOtp', { ...input, stranger: 'x' });
    expect(calculated.body).toHaveProperty('result.value', { otp });
  });
});

describe('a missing parameter', () => {
  it.each<[path: string, given: Record<string, string>, text: string]>([
    ['/ocra/check_t', {}, "validate a token request. Missing parameter 'pass'."],
    ['/ocra/check_t', { pass: 'x' }, "validate a token request. Missing parameter 'transactionid'."],
    ['/ocra/check_t', { transactionid: 'x' }, "validate a token request. Missing parameter 'pass'."],
    ['/ocra/check_t', { decline: 'x' }, "validate a token request. Missing parameter 'transactionid'."],
    [
      '/ocra/request',
      { serial: 'x' },
      "request a challenge for a given user or token (serial). Missing parameter 'data'.",
    ],
    ...[{}, { transactionid: '', serial: '', user: '', realm: 'x' }].map(
      (given): [string, Record<string, string>, string] => [
        '/ocra/checkstatus',
        given,
        'check the token status - for asynchronous verification. Missing parameter: You need to provide one of the parameters "transactionid", "user" or "serial"',
      ],
    ),
  ])('is named by %s with %j', async (path, given, text) => {
    const message = `ERR77: Usage: ${path.slice(1)}: ${text}`;
    expect(await ask(path, given)).toEqual({
      status: false,
      error: { code: 77, message },
    });
  });

  it('is not an empty one: data and pass may be empty', async () => {
    expect(await ask('/ocra/request', { serial: 'OCRA1', data: '' })).toMatchObject({ status: true });
    expect(await ask('/ocra/check_t', { transactionid: '', pass: '' })).toMatchObject({ status: true });
  });
});

describe('/ocra/request with qr', () => {
  const pictured = (given: object): request.Test =>
    request(application.app)
      .get('/ocra/request')
      .query({ serial: 'OCRA1', data: 'x', ...given })
      .set(AS_ADMIN);

  it('answers a picture that says the URL, of the requested width', async () => {
    const response = await pictured({ qr: 'png', width: '400' }).responseType('blob');
    expect(response.get('Content-Type')).toBe('image/png');
    expect(readQrCode(response.body as Buffer)).toMatch(/^lseqr:\/\/req\?me=x&/);
    expect(PNG.sync.read(response.body as Buffer).width).toBe(400);
  });

  it.each(['img', 'embed'])('answers an <img> for %s', async (qr) => {
    const response = await pictured({ qr, width: '200' });
    expect(response.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.text).toMatch(
      /^<img id="challenge_qrcode" alt="[^"<>]*" width="200" src="data:image\/png;base64,[\w+/=]+">$/,
    );
    expect(readQrCode(pictureIn(response.text))).toMatch(/^lseqr:\/\/req\?me=x&/);
  });

  it.each(['html', '', 'True', '<script>alert(1)</script>'])(
    'answers a page for %j, all of it escaped',
    async (qr) => {
      const response = await pictured({ qr, data: '<b>"ä"</b>' });
      expect(response.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(readQrCode(pictureIn(response.text))).toMatch(/^lseqr:\/\/req\?me=%3Cb%3E%22%C3%A4%22%3C/);
      expect(response.text).toContain('<span class="data">&lt;b&gt;&quot;ä&quot;&lt;/b&gt;</span>');
      expect(response.text).toMatch(/<span class="transactionid">[0-9a-f]{20}<\/span>/);
      expect(response.text).not.toContain('<script');
      expect(response.text).not.toContain('<b>');
    },
  );

  it.each(['0', '49', '2001', '1e3', '-5', '99999999999', '"onload="'])(
    'refuses the width %j before anything is issued',
    async (width) => {
      const before = await application.status({ serial: 'OCRA1' });
      expect((await pictured({ qr: 'png', width })).body).toHaveProperty('result.error', {
        code: -311,
        message: "The parameter 'width' must be a whole number from 50 to 2000",
      });
      expect(await application.status({ serial: 'OCRA1' })).toEqual(before);
    },
  );
});

function pictureIn(html: string): Buffer {
  return Buffer.from(/base64,([\w+/=]+)/.exec(html)?.[1] ?? '', 'base64');
}
