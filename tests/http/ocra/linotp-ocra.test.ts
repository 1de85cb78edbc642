import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'supertest';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { applicationOfTests, AS_ADMIN, OPERATOR } from '../../support/application/test-application.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

/*
 * The parts of the dialect linotp that the recordings do not show, on the real database: the same life, in other words.
 */

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';
const application = applicationOfTests({ dialect: 'linotp' });

beforeAll(async () => {
  await application.addRealm('bank', ['jürgen', 'anna', 'otto']);
  await application.addRealm('shop');
  await application.enrolPlain('OCRA1', 'OCRA-1:HOTP-SHA256-8:C-QA64');
});

interface Detail {
  readonly serial: string;
  readonly sharedsecret: string;
  readonly nonce: string;
  readonly transactionid: string;
  readonly challenge: string;
  readonly url: string;
  readonly message: string;
  readonly data: string;
}

interface Body {
  readonly detail?: Detail;
  readonly result: { readonly value?: unknown };
}

async function ask(path: string, parameters: Record<string, string>): Promise<Body> {
  return (await application.asAdmin(path, parameters)).body as Body;
}

async function detailOf(path: string, parameters: Record<string, string>): Promise<Detail> {
  const body = await ask(path, parameters);
  if (body.detail === undefined) {
    throw new Error(JSON.stringify(body));
  }
  return body.detail;
}

const errorOf = async (path: string, parameters: Record<string, string>): Promise<string | undefined> =>
  (await application.ask(path, parameters)).error?.message;

async function phase1(parameters: Record<string, string>): Promise<Detail> {
  return detailOf('/admin/init', { type: 'ocra', genkey: '1', sharedsecret: '1', pin: 'pin', ...parameters });
}

const inPhase2 = { type: 'ocra', genkey: '1', activationcode: ACTIVATION_CODE, message: 'hello' };

async function keyOf({ sharedsecret }: Detail, { nonce }: Detail): Promise<Buffer> {
  return Buffer.from(
    await deriveTokenKey({
      sharedSecret: Buffer.from(sharedsecret, 'hex'),
      activationCode: ACTIVATION_CODE,
      nonce: Buffer.from(nonce, 'hex'),
    }),
  );
}

const unknown = (transactionid: string): object => ({
  failure: `No challenge for transaction u'${transactionid}' found`,
  result: false,
});

describe('a roll-out in the dialect linotp', () => {
  it('is completed by a user whose name is not ASCII', async () => {
    const first = await phase1({ user: 'jürgen' });
    const second = await detailOf('/admin/init', { ...inPhase2, user: 'jürgen@bank' });
    expect(second.transactionid).toMatch(/^\d{12}$/);
    const key = await keyOf(first, second);
    const tan = application.respond(SUITE, second.challenge, { key });
    expect(await application.check(second.transactionid, `pin${tan}`)).toEqual({
      failcount: 0,
      result: true,
    });
    expect(await application.check(second.transactionid, `pin${tan}`)).toEqual({
      failcount: 0,
      result: false,
    });
    const status = await ask('/ocra/checkstatus', { user: 'jürgen' });
    expect(status.result.value).toMatchObject({
      values: [{ transactionid: second.transactionid, active: 'True', received_tan: true, valid_tan: true }],
    });
  });

  it('of two tokens of one user needs a serial', async () => {
    await phase1({ user: 'otto', serial: 'RO1' });
    await phase1({ user: 'otto', serial: 'RO2' });
    expect(await errorOf('/admin/init', { ...inPhase2, user: 'otto' })).toBe(
      "multiple tokens found in rollout state: [u'RO1', u'RO2']",
    );
    expect((await detailOf('/admin/init', { ...inPhase2, user: 'otto', serial: 'RO2' })).serial).toBe('RO2');
    expect(await errorOf('/ocra/request', { user: 'otto', data: 'x' })).toBe(
      "More than one token found: unable to create challenge for (u:u'otto',s:None)!",
    );
  });

  it('needs a token that is in it', async () => {
    await application.enrolPlain('DONE', SUITE);
    expect(await errorOf('/admin/init', { ...inPhase2, serial: 'DONE' })).toBe(
      "missing shared secret of initialition for token u'DONE'",
    );
  });
});

describe('a challenge in the dialect linotp', () => {
  it('that newer ones pushed out is unknown, and the others are answered in any order', async () => {
    await application.enrolPlain('MANY', SUITE);
    const oldest = await detailOf('/ocra/request', { serial: 'MANY' });
    const open: Detail[] = [];
    for (let count = 0; count < 4; count += 1) {
      open.push(await detailOf('/ocra/request', { serial: 'MANY' }));
    }
    const answer = ({ transactionid, challenge }: Detail, counter: bigint): Promise<unknown> =>
      application.check(transactionid, application.respond(SUITE, challenge, { counter }));
    expect(await answer(oldest, 0n)).toEqual(unknown(oldest.transactionid));
    for (const [index, detail] of open.toReversed().entries()) {
      expect(await answer(detail, BigInt(index))).toEqual({ failcount: 0, result: true });
    }
    const { result } = await ask('/ocra/checkstatus', { serial: 'MANY' });
    expect((result.value as { values: Detail[] }).values.map(({ transactionid }) => transactionid)).toEqual(
      open.toReversed().map(({ transactionid }) => transactionid),
    );
  });

  it('after its time is refused, and stays listed', async () => {
    await application.enrolPlain('LATE', SUITE);
    const { transactionid, challenge } = await detailOf('/ocra/request', { serial: 'LATE' });
    application.clock.advance(1200);
    expect(await application.check(transactionid, application.respond(SUITE, challenge))).toEqual({
      failcount: 0,
      result: false,
    });
    const { result } = await ask('/ocra/checkstatus', { transactionid });
    expect(result.value).toMatchObject({ values: [{ received_tan: false, valid_tan: false }] });
  });
});

describe('the address of the answer in the dialect linotp', () => {
  const policy = (name: string, realm: string, url: string): Promise<unknown> =>
    application.setPolicy(name, 'authentication', `qrtanurl=${url}`, { realm });

  it('is the one of the realms of the token, if they name only one', async () => {
    await application.enrolPlain('URLS', SUITE);
    await application.services.tokens.setRealms(OPERATOR, { serial: 'URLS', realms: ['bank', 'shop'] });
    await policy('one', 'bank', 'https://bank.example/a?b=c&d=ä');
    expect(await detailOf('/ocra/request', { serial: 'URLS' })).toMatchObject({
      url: 'https://bank.example/a?b=c&d=ä',
    });
    await policy('other', 'shop', 'https://shop.example/');
    expect(await errorOf('/ocra/request', { serial: 'URLS' })).toBe(
      "multiple enrollement urls [u'https://bank.example/a?b=c&d=\\xe4', u'https://shop.example/'] found for realm set: [u'bank', u'shop']",
    );
  });
});

/* What the recordings of LinOTP do not show, or show in samples only. */

const HOSTILE = '<script>alert("1")</script>&amp;\'';
afterEach(() => {
  jest.restoreAllMocks();
});

/** Allows the administrator of that name alone to use the endpoints of /ocra. */
async function allow(user: string): Promise<void> {
  await application.setPolicy('ocra-administrators', 'ocra', '*', { user });
}

type Answer = Pick<Response, 'status' | 'type' | 'text'> & { readonly body: unknown };
const answerOf = (path: string, parameters: Record<string, string> = {}): Promise<Answer> =>
  application.asAdmin(path, parameters);

it('the dialect linotp has nothing behind two ids', async () => {
  const { status, text } = await answerOf('/ocra/check_t/1/2');
  expect(status).toBe(404);
  expect(text).toContain('404 Not Found\n\nThe resource could not be found.');
});

describe('failures in the dialect linotp', () => {
  it('say that a right is missing as an error, also where others are outcomes', async () => {
    await allow('somebody_else');
    expect((await answerOf('/ocra/checkstatus', { serial: 'OCRA1' })).body).toMatchObject({
      result: { status: false, error: { code: -311 } },
      id: 1,
    });
  });

  it('are numbered 410 at calculateOtp alone, and the configuration value errors goes by that', async () => {
    await application.services.settings.set(OPERATOR, new Map([['errors', '77,410']]));
    const right = 'You do not have the administrative right to do an ocra/calculateOtp';
    expect((await answerOf('/ocra/calculateOtp', { httperror: '444' })).text).toBe(
      `\n<html>\n<head>\n<title>444 444 LinOTP Error</title>\n</head>\n<body>\n<h1>444 444 LinOTP Error</h1>\n[LinOTP 2.12.6] 410: ERR410: ${right}\n<br>\n<br>\n</body>\n</html>\n`,
    );
    const { status, body } = await answerOf('/ocra/request', { serial: 'OCRA1', httperror: '444' });
    expect({ status, body }).toMatchObject({ status: 200, body: { result: { error: { code: -311 } } } });
    await application.services.settings.remove(OPERATOR, 'errors');
    await allow('*');
  });

  it('never resemble outcomes where the server is at fault', async () => {
    const away = new ServiceError('database.unavailable', 'away');
    jest.spyOn(application.services.ocra, 'checkTransaction').mockRejectedValue(away);
    const { status, body } = await answerOf('/ocra/check_t', { transactionid: '1', pass: 'x' });
    expect({ status, body }).toMatchObject({ status: 503, body: { result: { status: false } } });
  });

  it.each(['444', '500', '503'])('are harmless on pages of status %s', async (httperror) => {
    const { status, text, type } = await answerOf('/ocra/request', { user: HOSTILE, data: 'x', httperror });
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
    const { text, type } = await answerOf('/ocra/request', { serial: 'OCRA1', qr, data: 'x' });
    expect(type).toBe('text/html');
    expect(text.startsWith(start)).toBe(true);
    const [, png = ''] = /base64,([^"]+)"\/>/.exec(text) ?? [];
    expect(readQrCode(Buffer.from(png, 'base64'))).toMatch(/^lseqr:\/\/req\?me=x&/);
  });

  it('come with the parameters of the request, escaped, without its credentials', async () => {
    const { text } = await answerOf('/ocra/request', {
      serial: 'OCRA1',
      data: HOSTILE,
      [HOSTILE]: HOSTILE,
      qr: 'html',
      width: '100',
    });
    expect(text).not.toContain('<script');
    expect(text).toContain('   width=100   src=');
    const page = await application
      .send('/ocra/request', {
        serial: 'OCRA1',
        data: 'x',
        qr: 'html',
        session: 'made-up',
        csrf_token: 'made-up',
      })
      .set({ ...AS_ADMIN, Cookie: 'admin_session=made-up' });
    expect(page.text).toContain('challenge_qrcode');
    expect(page.text).not.toContain('made-up');
  });
});
