import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SqlTap } from '../../support/database/sql-tap.ts';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

let application: TestApplication;
let number = 0;
let serial = '';
let user = '';

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('staff', ['anna', 'bert', 'björn']);
  await application.addRealm('other', ['anna']);
});
afterAll(() => application.close());

beforeEach(async () => {
  number += 1;
  serial = `VALID${number}`;
  user = `user${number}`;
  await application.services.users.add(OPERATOR, {
    resolver: 'staff',
    login: user,
    givenName: '',
    surname: '',
    email: '',
    phone: '',
  });
  await application.enrolPlain(serial, SUITE, { pin: 'pin', user, realm: 'staff' });
});

/** A new challenge for the token, and the passes that answer it. */
async function opened(counter = 0n): Promise<{ transactionid: string; right: string; wrong: string }> {
  const { transactionid, question } = await application.challenge(serial);
  const tan = application.respond(SUITE, question, { counter });
  return { transactionid, right: `pin${tan}`, wrong: `pin${wrongResponse(tan)}` };
}

async function validate(path: string, parameters: Record<string, string>): Promise<unknown> {
  const { body } = (await application.send(path, parameters)) as {
    body: { result: { value?: unknown; error?: { message: string } } };
  };
  return body.result.error?.message ?? body.result.value;
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
    await application.enrolPlain(`${serial}B`, SUITE, { pin: 'pin' });
    const foreign = await application.challenge(`${serial}B`);
    const pass = `pin${application.respond(SUITE, foreign.question)}`;
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

  it('knows users whose names are not ASCII', async () => {
    await application.services.tokens.assign(OPERATOR, { serial, user: 'björn', realm: 'staff' });
    const { right } = await opened();
    expect(await validate('/validate/check', { user: 'björn', realm: 'staff', pass: right })).toBe(true);
  });
});

describe('/validate/check_s', () => {
  it.each(['', '*', 'VALID%', 'nosuch'])('knows no serial %p', async (unknown) => {
    const { right } = await opened();
    expect(await validate('/validate/check_s', { serial: unknown, pass: right })).toBe(false);
    expect(await failCount()).toBe(0);
  });
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

  it.each(['documented', 'linotp'] as const)('answers a PAM module with one line in %s', async (dialect) => {
    const server = application.restarted({ dialect });
    const { wrong, right, transactionid } = await opened();
    const asked = { user, realm: 'staff' };
    expect(await simply({ ...asked, pass: wrong }, server)).toBe(':-(');
    expect(await simply({ ...asked, pass: right, state: transactionid }, server)).toBe(':-)');
    expect(await simply({ ...asked, pass: right, state: transactionid }, server)).toBe(':-(');
    expect(await simply({ user: 'nobody', pass: right }, server)).toBe(':-(');
  });

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
