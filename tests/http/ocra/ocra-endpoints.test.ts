import { describe, expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import request from 'supertest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { AS_ADMIN, callerOf, CHALLENGE_URL, createTestApp } from '../../support/application/http-app.ts';
import { readQrCode } from '../../support/values/qr-code.ts';
import { METHODS, sendBy } from '../../support/application/http-methods.ts';

describe.each(METHODS)('/ocra by %s', (method) => {
  it('issues a challenge', async () => {
    const { app, calls } = createTestApp();
    const response = await sendBy(method, app, '/ocra/request', { serial: 'OCRA1', data: 'a b&c=ä' }).set(
      AS_ADMIN,
    );
    expect(response.status).toBe(200);
    expect(response.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(response.text).toBe(`{
   "version": "Tankeeper 1.2.3",
   "jsonrpc": "2.0",
   "result": {
      "status": true,
      "value": false
   },
   "id": 1,
   "detail": {
      "transactionid": "0123456789abcdef0123",
      "data": "${CHALLENGE_URL}"
   }
}`);
    expect(calls).toEqual([['requestChallenge', expect.anything(), { serial: 'OCRA1', data: 'a b&c=ä' }]]);
    expect(callerOf(calls[0]).principal).toEqual({
      administrator: 'admin',
      rights: ['*'],
      operator: false,
      client: '127.0.0.1',
      proof: 'password',
    });
  });

  it('checks a response without authentication', async () => {
    const { app, calls } = createTestApp();
    const response = await sendBy(method, app, '/ocra/check_t', { transactionid: 'abc', pass: 'pin123456' })
      .set('X-Request-Id', 'request-0001')
      .set('Sec-Fetch-Site', 'cross-site');
    expect(response.body).toEqual({
      version: 'Tankeeper 1.2.3',
      jsonrpc: '2.0',
      result: { status: true, value: { failcount: 2, result: false } },
      id: 1,
    });
    expect(calls).toEqual([
      [
        'checkTransaction',
        { client: '127.0.0.1', requestId: 'request-0001' },
        { transactionId: 'abc', pass: 'pin123456' },
      ],
    ]);
  });

  it.each(['/ocra/checkstatus', '/ocra'])('reports the state of transactions at %s', async (path) => {
    const { app, calls } = createTestApp();
    const query = { TransactionID: 'abc', serial: 'OCRA1', user: 'u', realm: 'r' };
    const response = await sendBy(method, app, path, query).set(AS_ADMIN);
    expect(response.body).toHaveProperty('result', {
      status: true,
      value: [
        {
          serial: 'OCRA1',
          transactionid: '0123456789abcdef0123',
          received_tan: true,
          valid_tan: false,
          failcount: 2,
        },
      ],
    });
    expect(calls[0]?.[2]).toEqual({ transactionId: 'abc', serial: 'OCRA1', user: 'u', realm: 'r' });
  });

  it('gives an activation code', async () => {
    const { app, calls } = createTestApp();
    const response = await sendBy(method, app, '/ocra/getActivationCode', {}).set(AS_ADMIN);
    expect(response.body).toHaveProperty('result.value', { activationcode: 'GEZDGNBVGY3TQOJQ01' });
    await sendBy(method, app, '/ocra/getActivationCode', { activationcode: 'given' }).set(AS_ADMIN);
    expect(calls.map((call) => call[2])).toEqual([undefined, 'given']);
  });

  it('calculates a response', async () => {
    const { app, calls } = createTestApp();
    const input = {
      sharedsecret: 'ab',
      activationcode: 'A',
      nonce: 'cd',
      OcraSuite: 'O',
      challenge: 'c',
      counter: '1',
    };
    const response = await sendBy(method, app, '/ocra/calculateOtp', { ...input, stranger: 'x' }).set(
      AS_ADMIN,
    );
    expect(response.body).toHaveProperty('result.value', { otp: '00123456' });
    const { OcraSuite, ...rest } = input;
    expect(calls[0]?.[2]).toEqual({ ...rest, ocrasuite: OcraSuite });
  });
});

describe('a missing parameter', () => {
  it.each([
    ['/ocra/check_t', {}, "ERR77: Usage: ocra/check_t: validate a token request. Missing parameter 'pass'."],
    [
      '/ocra/check_t',
      { pass: 'x' },
      "ERR77: Usage: ocra/check_t: validate a token request. Missing parameter 'transactionid'.",
    ],
    [
      '/ocra/request',
      { serial: 'x' },
      "ERR77: Usage: ocra/request: request a challenge for a given user or token (serial). Missing parameter 'data'.",
    ],
  ])('is named by %s with %j', async (path, query, message) => {
    const { app, calls } = createTestApp();
    const response = await request(app).get(path).query(query).set(AS_ADMIN);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      version: 'Tankeeper 1.2.3',
      jsonrpc: '2.0',
      result: { status: false, error: { code: 77, message } },
      id: 1,
    });
    expect(calls).toEqual([]);
  });

  it('is reported in the words of the interface, after the purpose of the endpoint', async () => {
    const { app, fail } = createTestApp();
    const message = 'You need to provide one of the parameters "transactionid", "user" or "serial"';
    const parameters = ['transactionid', 'user', 'serial'];
    fail('status', new ServiceError('parameter.missing', 'nothing is named', { parameters }));
    const response = await request(app).get('/ocra/checkstatus').set(AS_ADMIN);
    expect(response.body).toHaveProperty(
      'result.error.message',
      `ERR77: Usage: ocra/checkstatus: check the token status - for asynchronous verification. Missing parameter: ${message}`,
    );
  });

  it('is not an empty one: data and pass may be empty', async () => {
    const { app, calls } = createTestApp();
    await request(app).get('/ocra/request?serial=x&data=').set(AS_ADMIN);
    await request(app).get('/ocra/check_t?transactionid=&pass');
    expect(calls.map((call) => call[2])).toEqual([
      { serial: 'x', data: '' },
      { transactionId: '', pass: '' },
    ]);
  });
});

describe('/ocra/request with qr', () => {
  const ask = (query: string): request.Test =>
    request(createTestApp().app).get(`/ocra/request?serial=x&data=x&${query}`).set(AS_ADMIN);

  it('answers a picture that says the URL', async () => {
    const response = await ask('qr=png').responseType('blob');
    expect(response.get('Content-Type')).toBe('image/png');
    expect(readQrCode(response.body as Buffer)).toBe(CHALLENGE_URL);
  });

  it('answers a picture of the requested width', async () => {
    const response = await ask('qr=png&width=400').responseType('blob');
    expect(PNG.sync.read(response.body as Buffer).width).toBe(400);
  });

  it.each(['img', 'embed'])('answers an <img> for %s', async (qr) => {
    const response = await ask(`qr=${qr}&width=200`);
    expect(response.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.text).toMatch(
      /^<img id="challenge_qrcode" alt="[^"<>]*" width="200" src="data:image\/png;base64,[\w+/=]+">$/,
    );
    expect(readQrCode(pictureIn(response.text))).toBe(CHALLENGE_URL);
  });

  it.each(['html', '', 'True', '<script>alert(1)</script>'])(
    'answers a page for %j, all of it escaped',
    async (qr) => {
      const response = await ask(`qr=${encodeURIComponent(qr)}`);
      expect(response.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(readQrCode(pictureIn(response.text))).toBe(CHALLENGE_URL);
      expect(response.text).toContain('<span class="data">&lt;b&gt;&quot;ä&quot;&lt;/b&gt;</span>');
      expect(response.text).toContain('<span class="transactionid">0123456789abcdef0123</span>');
      expect(response.text).not.toContain('<script');
      expect(response.text).not.toContain('<b>');
    },
  );

  it.each(['0', '49', '2001', '1e3', '-5', '99999999999', '"onload="'])(
    'refuses the width %j before anything is issued',
    async (width) => {
      const { app, calls } = createTestApp();
      const response = await request(app)
        .get('/ocra/request')
        .query({ serial: 'x', data: 'x', qr: 'png', width })
        .set(AS_ADMIN);
      expect(response.body).toHaveProperty('result.error', {
        code: -311,
        message: "The parameter 'width' must be a whole number from 50 to 2000",
      });
      expect(calls).toEqual([]);
    },
  );
});

function pictureIn(html: string): Buffer {
  return Buffer.from(/base64,([\w+/=]+)/.exec(html)?.[1] ?? '', 'base64');
}
