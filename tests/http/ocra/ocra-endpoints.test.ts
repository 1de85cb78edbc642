import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import request from 'supertest';
import { drawQrCode } from '../../../src/http/qr-picture.ts';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { outcomeOf } from '../../support/application/browser.ts';
import {
  applicationOfTests,
  AS_ADMIN,
  OPERATOR,
  type TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { SqlTap } from '../../support/database/sql-tap.ts';
import { anyText } from '../../support/values/any-text.ts';
import { readQrCode } from '../../support/values/qr-code.ts';
import type { Express } from 'express';

/** Every way to send parameters. */
const METHODS = ['GET', 'POST form', 'POST JSON', 'POST multipart', 'POST query'] as const;
type SendMethod = (typeof METHODS)[number];

/** @returns the request, not sent yet */
function sendBy(
  method: SendMethod,
  app: Express,
  path: string,
  parameters: Readonly<Record<string, string>>,
): request.Test {
  switch (method) {
    case 'GET':
      return request(app).get(path).query(parameters);
    case 'POST query':
      return request(app).post(path).query(parameters);
    case 'POST form':
      return request(app).post(path).type('form').send(parameters);
    case 'POST JSON':
      return request(app).post(path).send(parameters);
    case 'POST multipart':
      return Object.entries(parameters).reduce(
        (sent, [name, value]) => sent.field(name, value),
        request(app).post(path),
      );
  }
}

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
const TRANSACTION = /"transactionid": "([0-9a-f]{20})"/;
const URL = /"data": "(lseqr:[^"]*)"/;

const application = applicationOfTests();
beforeAll(async () => {
  await application.enrolPlain('OCRA1', SUITE);
  await application.addRealm('staff', ['anna', 'bert', 'björn']);
  await application.addRealm('other', ['anna']);
});

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
    expect(await ask(path, given)).toEqual({ status: false, error: { code: 77, message } });
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

const COUNTER_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
let number = 0;
let serial = '';
let user = '';

beforeEach(async () => {
  number += 1;
  serial = `VALID${number}`;
  user = `user${number}`;
  await application.addUser(user, 'staff');
  await application.enrolPlain(serial, COUNTER_SUITE, { pin: 'pin', user, realm: 'staff' });
});

/** A new challenge for the token, and the passes that answer it. */
async function opened(counter = 0n): Promise<{ transactionid: string; right: string; wrong: string }> {
  const { transactionid, question } = await application.challenge(serial);
  const tan = application.respond(COUNTER_SUITE, question, { counter });
  return { transactionid, right: `pin${tan}`, wrong: `pin${wrongResponse(tan)}` };
}

async function validate(path: string, parameters: Record<string, string>): Promise<unknown> {
  return outcomeOf(await application.send(path, parameters));
}

async function failCount(): Promise<number> {
  return (await application.services.tokens.show(OPERATOR, serial)).failCount;
}

describe('an unknown user, serial or transaction', () => {
  const tried = async (path: string, parameters: Record<string, string>): Promise<number> => {
    let count = 0;
    const tap = new SqlTap({
      text: (text) => {
        count += /^(?:insert|update|delete|with)\b|"challenges"|"users"/i.test(text) ? 1 : 0;
        return text;
      },
    });
    try {
      expect(await validate(path, { ...parameters, pass: '12345678' })).toBe(false);
    } finally {
      tap.close();
    }
    return count;
  };

  it.each([
    ['/validate/check', () => ({ user, realm: 'staff' }), { user: 'nobody', realm: 'staff' }],
    ['/validate/check_s', () => ({ serial }), { serial: 'NOTHING' }],
  ])('costs %s as many statements as a known one without an open challenge', async (path, there, missing) => {
    const known = await tried(path, there());
    expect(known).toBeGreaterThan(0);
    expect(await tried(path, missing)).toBe(known);
  });
});

describe.each([
  ['/validate/check', () => ({ user, realm: 'staff' })],
  ['/validate/check_s', () => ({ serial })],
])('%s', (path, whose) => {
  it('accepts the response to the only open challenge, once', async () => {
    const { right } = await opened();
    expect(await validate(path, { ...whose(), pass: right })).toBe(true);
    expect(await validate(path, { ...whose(), pass: right })).toBe(false);
    expect(await failCount()).toBe(0);
  });

  it('counts a wrong response', async () => {
    const { wrong, right } = await opened();
    expect(await validate(path, { ...whose(), pass: wrong })).toBe(false);
    expect(await failCount()).toBe(1);
    expect(await validate(path, { ...whose(), pass: right })).toBe(true);
  });

  it('takes the response to the challenge that is named, and to no other', async () => {
    const first = await opened();
    const second = await opened();
    const named = { ...whose(), pass: second.right, transactionid: second.transactionid };
    expect(await validate(path, { ...named, transactionid: first.transactionid })).toBe(false);
    expect(await failCount()).toBe(1);
    expect(await validate(path, named)).toBe(true);
    expect(await validate(path, { ...whose(), pass: first.right, state: first.transactionid })).toBe(true);
  });

  it('refuses where no challenge is open', async () => {
    const { right } = await opened();
    application.clock.advance(20 * 60);
    expect(await validate(path, { ...whose(), pass: right })).toBe(false);
    expect(await validate(path, { ...whose(), pass: 'pin' })).toBe(false);
    expect(await failCount()).toBe(0);
  });

  it("does not take a transaction of another user's token", async () => {
    const mine = await opened();
    await application.enrolPlain(`${serial}B`, COUNTER_SUITE, { pin: 'pin' });
    const foreign = await application.challenge(`${serial}B`);
    const pass = `pin${application.respond(COUNTER_SUITE, foreign.question)}`;
    expect(await validate(path, { ...whose(), pass, transactionid: foreign.transactionid })).toBe(false);
    expect(await validate(path, { ...whose(), pass: mine.right })).toBe(true);
    expect(await application.check(foreign.transactionid, pass)).toEqual({ failcount: 0, result: true });
  });

  it('names its required parameters', async () => {
    expect(await validate(path, whose())).toMatch(/^ERR77: .*Missing parameter 'pass'/);
    const missing = path === '/validate/check' ? 'user' : 'serial';
    expect(await validate(path, { pass: 'x' })).toMatch(`Missing parameter '${missing}'`);
  });
});

describe('/validate/check', () => {
  it.each(['', '*', 'nobody', '%', 'user@nowhere'])('knows no user %p', async (unknown) => {
    const { right } = await opened();
    expect(await validate('/validate/check', { user: unknown, realm: 'staff', pass: right })).toBe(false);
    expect(await failCount()).toBe(0);
  });

  it('takes a user of the realm that is named, and no other of the same name', async () => {
    await application.services.tokens.assign(OPERATOR, { serial, user: 'anna', realm: 'other' });
    const { right } = await opened();
    expect(await validate('/validate/check', { user: 'anna', realm: 'staff', pass: right })).toBe(false);
    expect(await validate('/validate/check', { user: 'anna@other', pass: right })).toBe(true);
  });
});

it.each(['', '*', 'VALID%', 'nosuch'])('/validate/check_s knows no serial %p', async (unknown) => {
  const { right } = await opened();
  expect(await validate('/validate/check_s', { serial: unknown, pass: right })).toBe(false);
  expect(await failCount()).toBe(0);
});

describe('/validate/check_t', () => {
  it('accepts the response to a transaction once, among several that are open, in any order', async () => {
    const open = [await opened(0n), await opened(1n), await opened(2n)];
    for (const { transactionid, right } of open.reverse()) {
      const answer = { transactionid, pass: right };
      expect(await validate('/validate/check_t', answer)).toEqual({ failcount: 0, value: true });
      expect(await validate('/validate/check_t', answer)).toEqual({ failcount: 0, value: false });
    }
  });

  it('counts a wrong response, by any of the ways to answer', async () => {
    const { transactionid, wrong, right } = await opened();
    const value = await validate('/validate/check_t', { transactionid, pass: wrong });
    expect(value).toEqual({ failcount: 1, value: false });
    expect(await application.check(transactionid, wrong)).toEqual({ failcount: 2, result: false });
    expect(await validate('/validate/check', { user, realm: 'staff', pass: wrong })).toBe(false);
    expect(await application.check(transactionid, right)).toEqual({ failcount: 3, result: false });
  });

  it.each(['', '*', '%', 'ffffffffffffffffffff'])('knows no transaction %p', async (transactionid) => {
    const value = await validate('/validate/check_t', { transactionid, pass: 'x' });
    expect(value).toEqual({ failcount: 0, value: false });
  });
});

describe('/validate/simplecheck', () => {
  const simply = async (parameters: Record<string, string>, on = application): Promise<string> => {
    const { text, status, headers } = await on.send('/validate/simplecheck', parameters);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    return text;
  };

  it('says that a request failed, and not why', async () => {
    expect(await simply({ user })).toBe(':-/');
    expect(await simply({ pass: 'x' })).toBe(':-/');
    const refused = await application.send('/validate/simplecheck', { user: '\0', pass: 'x' });
    expect([refused.status, refused.text]).toEqual([400, ':-/']);
  });
});

describe('in the dialect linotp', () => {
  let linotp: TestApplication;
  beforeAll(() => {
    linotp = application.restarted({ dialect: 'linotp' });
  });

  const body = async (path: string, parameters: Record<string, string>): Promise<string> =>
    (await linotp.send(path, parameters)).text;

  it.each([
    ['/validate/check', () => ({ user, realm: 'staff' })],
    ['/validate/check_s', () => ({ serial })],
  ])('%s answers as recorded, with the id 0', async (path, whose) => {
    const { right } = await opened();
    expect(await body(path, { ...whose(), pass: right })).toBe(
      '{\n   "version": "LinOTP 2.12.6", \n   "jsonrpc": "2.0802", \n   "result": {\n      "status": true, \n' +
        '      "value": true\n   }, \n   "id": 0\n}',
    );
  });

  it('/validate/check_t answers as recorded, with detail', async () => {
    const { transactionid, right } = await opened();
    expect(await body('/validate/check_t', { transactionid, pass: right })).toBe(
      `{\n   "detail": {\n      "failcount": 0, \n      "token_type": "ocra", \n      "serial": "${serial}", \n` +
        '      "value": true\n   }, \n   "version": "LinOTP 2.12.6", \n   "jsonrpc": "2.0802", \n   "result": {\n' +
        '      "status": true, \n      "value": {\n         "failcount": 0, \n         "value": true\n      }\n' +
        '   }, \n   "id": 1\n}',
    );
  });
});

/** `fc.webUrl` makes a table of all code points first. */
const addresses = fc
  .tuple(fc.domain(), fc.stringMatching(/^[\w/?=&%.~-]{0,80}$/))
  .map(([domain, rest]) => `https://${domain}/${rest}`);

it('drawQrCode draws any text, and as wide as asked for', () => {
  fc.assert(
    fc.property(
      fc.oneof(anyText({ minLength: 1, maxLength: 300 }), addresses, fc.nat().map(String)),
      fc.integer({ min: 250, max: 600 }),
      (text, width) => {
        const png = drawQrCode(text, width);
        const { width: drawn, height } = PNG.sync.read(png);
        expect([drawn, height]).toEqual([width, width]);
        expect(readQrCode(png)).toBeDefined();
      },
    ),
    { numRuns: 50 },
  );
});
