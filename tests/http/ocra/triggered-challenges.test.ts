import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { whileHeld } from '../../support/database/held-statement.ts';
import { applicationOfTests, OPERATOR, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
const ISSUING = /INSERT INTO challenges/;
const DIALECTS = ['documented', 'linotp'] as const;

const application = applicationOfTests();
let number = 0;
let serial = '';
let user = '';

beforeAll(() => application.addRealm('staff'));

beforeEach(async () => {
  number += 1;
  serial = `TRIG${number}`;
  user = `user${number}`;
  const person = { givenName: 'Ann', surname: 'Lee', email: 'ann@example.com', phone: '+49 30 1' };
  const account = { resolver: 'staff', login: user, password: 'geheimnis' };
  await application.services.users.add(OPERATOR, { ...person, ...account });
  await application.enrolPlain(serial, SUITE, { pin: 'pin', user, realm: 'staff' });
  await policy('trigger', 'challenge_response=*');
  await policy('pin', 'otppin=0');
});

async function policy(name: string, action: string): Promise<void> {
  const scope = 'authentication';
  await application.setPolicy(name, scope, action, { realm: 'staff', user: '*' });
}

interface Answer {
  readonly result: { readonly value?: unknown; readonly error?: { readonly message: string } };
  readonly detail?: Readonly<Record<string, string>>;
}

async function ask(
  parameters: Record<string, string>,
  { path = '/validate/check', on = application } = {},
): Promise<Answer> {
  const whose: Record<string, string> = path === '/validate/check_s' ? { serial } : { user, realm: 'staff' };
  return (await on.send(path, { ...whose, ...parameters })).body as Answer;
}

async function triggered(parameters: Record<string, string> = {}): Promise<{ id: string; question: string }> {
  const { detail } = await ask({ pass: 'pin', ...parameters });
  return { id: detail?.transactionid ?? '', question: questionOf(detail?.data ?? '') };
}

async function failCount(): Promise<number> {
  return (await application.services.tokens.show(OPERATOR, serial)).failCount;
}

const REFUSED = { value: false };

describe('a PIN alone, under the policy challenge_response', () => {
  it('issues a challenge that documented clients answer with the response alone', async () => {
    const { result, detail } = await ask({ pass: 'pin', data: 'Pay 50 EUR' });
    expect(result).toMatchObject(REFUSED);
    expect(Object.keys(detail ?? {})).toEqual(['transactionid', 'data', 'message', 'serial']);
    expect(detail).toMatchObject({ message: 'Otp: ', serial });
    expect(detail?.transactionid).toMatch(/^[0-9a-f]{24}$/);
    const url = parseQrTanUrl(detail?.data ?? '');
    expect(url).toMatchObject({ kind: 'req', message: 'Pay 50 EUR' });
    const pass = application.respond(SUITE, url.kind === 'req' ? url.question : '');
    const second = { pass, state: detail?.transactionid ?? '' };
    expect((await ask(second)).result.value).toBe(true);
    expect((await ask(second)).result.value).toBe(false);
  });

  it('answers linotp clients as recorded, and with the picture, which nobody can do without', async () => {
    const linotp = application.restarted({ dialect: 'linotp' });
    const given = { user, realm: 'staff', pass: 'pin', data: 'hällo 1' };
    const { text } = await linotp.send('/validate/check', given);
    const id = /"transactionid": "(\d{17})"/.exec(text)?.[1] ?? '';
    const data = /"data": "(lseqr:[^"]+)"/.exec(text)?.[1] ?? '';
    expect(text).toBe(
      `{\n   "detail": {\n      "linotp_tokenserial": "${serial}", \n      "transactionid": "${id}", \n` +
        `      "message": "Otp: ", \n      "linotp_tokentype": "ocra", \n      "data": "${data}"\n   }, \n` +
        '   "version": "LinOTP 2.12.6", \n   "jsonrpc": "2.0802", \n   "result": {\n      "status": true, \n' +
        '      "value": false\n   }, \n   "id": 0\n}',
    );
  });

  it.each(DIALECTS)('issues one to a token of the type ocra2 without a policy, in %s', async (dialect) => {
    await application.services.policies.remove(OPERATOR, 'trigger');
    expect((await ask({ pass: 'pin' })).detail).toBeUndefined();
    const type = 'ocra2';
    await application.enrolPlain(`${serial}N`, SUITE, { pin: 'other', user, realm: 'staff', type });
    const { detail } = await ask({ pass: 'other' }, { on: application.restarted({ dialect }) });
    const linotp = ['challenge', 'transactionid', 'data'];
    const documented = ['transactionid', 'data', 'message', 'serial'];
    expect(Object.keys(detail ?? {})).toEqual(dialect === 'linotp' ? linotp : documented);
  });

  it('issues none to a token in roll-out, which a text of the client would complete', async () => {
    const rolled = { type: 'ocra2', user, realm: 'staff', serial: `${serial}R` };
    const { enrolment, tokens } = application.services;
    await enrolment.init(OPERATOR, { ...rolled, genkey: '1', sharedsecret: '1', pin: 'other' });
    await enrolment.init(OPERATOR, { ...rolled, activationcode: 'GEZDGNBVGY3TQOJQ01' });
    expect(await tokens.show(OPERATOR, rolled.serial)).toMatchObject({ rollout: 'phase2', active: true });
    expect((await ask({ pass: 'other', data: 'Pay 50 EUR' })).detail).toBeUndefined();
  });

  it('issues none to a token with which an administrator signs in', async () => {
    const { administrators } = application.services;
    await administrators.add(OPERATOR, `desk-${user}`, 'the password of the desk');
    await administrators.setSecondFactor(OPERATOR, `desk-${user}`, serial);
    const { result, detail } = await ask({ pass: 'pin' });
    expect([result.value, detail]).toEqual([false, undefined]);
    await administrators.setSecondFactor(OPERATOR, `desk-${user}`, undefined);
    expect((await triggered()).id).not.toBe('');
  });

  it('takes the PIN with the response as well, and no other PIN', async () => {
    const { id, question } = await triggered();
    const response = application.respond(SUITE, question);
    expect((await ask({ pass: `nip${response}`, transactionid: id })).result.value).toBe(false);
    expect(await failCount()).toBe(1);
    expect((await ask({ pass: `pin${response}`, transactionid: id })).result.value).toBe(true);
    expect(await failCount()).toBe(0);
  });

  it('takes the response alone for a challenge that is named and was issued to a PIN, and for no other', async () => {
    const { question } = await triggered();
    expect((await ask({ pass: application.respond(SUITE, question) })).result.value).toBe(false);
    const portal = await application.challenge(serial);
    const pass = application.respond(SUITE, portal.question);
    expect((await ask({ pass, transactionid: portal.transactionid })).result.value).toBe(false);
    expect(await application.check(portal.transactionid, pass)).toEqual({ failcount: 3, result: false });
  });

  it('is known as such by what is stored, not by the form of its id', async () => {
    const rename = async (from: string, to: string): Promise<unknown> =>
      application.sql('challenges').where({ transaction_id: from }).update({ transaction_id: to });
    const { id, question } = await triggered();
    const other = await application.challenge(serial);
    const digits = `1234567890123456${number % 10}`;
    await rename(id, 'ab'.repeat(10));
    await rename(other.transactionid, digits);
    const pass = application.respond(SUITE, other.question);
    expect((await ask({ pass, transactionid: digits })).result.value).toBe(false);
    const listed = (await application.asAdmin('/ocra/checkstatus', { serial })).text;
    expect([...listed.matchAll(/"transactionid": "(\w+)"/g)].map(([, name]) => name)).toEqual([digits]);
    const response = application.respond(SUITE, question);
    expect((await ask({ pass: response, transactionid: 'ab'.repeat(10) })).result.value).toBe(true);
  });

  it('resets no counter, and is audited', async () => {
    await ask({ pass: 'wrong' });
    const { id } = await triggered();
    expect(await failCount()).toBe(1);
    const { events } = await application.services.transactions.history(OPERATOR, id);
    expect(events).toMatchObject([{ action: 'validate/check' }]);
  });
});

describe('a wrong PIN, under the policy challenge_response', () => {
  it('counts until the token is locked, which then does not tell the right one', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 2 });
    for (const pass of ['nip', 'nip12345678', 'pin', 'nip']) {
      const { result, detail } = await ask({ pass });
      expect([result.value, detail]).toEqual([false, undefined]);
    }
    expect(await failCount()).toBe(4);
  });

  it('counts once where a challenge is open', async () => {
    const { question } = await triggered();
    await ask({ pass: `pin${wrongResponse(application.respond(SUITE, question))}` });
    await ask({ pass: 'nip' });
    expect(await failCount()).toBe(2);
  });

  it.each([
    ['locked', 'no other one'],
    ['disabled', 'no other one'],
    ['locked', 'a token of HOTP'],
  ])('counts beside an open challenge of another token that is %s, and %s', async (state, third) => {
    const other = `${serial}B`;
    await application.enrolPlain(other, SUITE, { pin: 'other', user, realm: 'staff' });
    await application.challenge(other, 'Pay 50 EUR');
    const change = state === 'locked' ? 'fail_count = max_fail' : 'active = false';
    await application.rows(`UPDATE tokens SET ${change} WHERE serial = '${other}'`);
    if (third !== 'no other one') {
      const hotp = { type: 'hmac', serial: `${serial}H`, genkey: '1', pin: 'hotp', user, realm: 'staff' };
      await application.asAdmin('/admin/init', hotp);
    }
    for (const pass of ['nip1', '12345678', 'nip2']) {
      expect((await ask({ pass })).result).toMatchObject(REFUSED);
    }
    expect(await failCount()).toBe(3);
    expect((await ask({ pass: 'pin' })).detail).toMatchObject({ serial });
    expect(await failCount()).toBe(3);
  });

  it('cannot be guessed by many requests at once', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 3 });
    await Promise.all(Array.from({ length: 12 }, (_, index) => ask({ pass: `nip${index}` })));
    expect(await failCount()).toBe(12);
    expect((await ask({ pass: 'pin' })).detail).toBeUndefined();
  });

  it('is not what a right one becomes where the token gets another key meanwhile; but where it is locked', async () => {
    const changed = async (change: () => Promise<unknown>): Promise<readonly unknown[]> => {
      const { result, detail } = await whileHeld(ISSUING, () => ask({ pass: 'pin' }), change);
      return [result.value, detail, await failCount()];
    };
    const rekeyed = await changed(() => application.enrolPlain(serial, SUITE, { otpkey: '42'.repeat(32) }));
    expect(rekeyed).toEqual([false, undefined, 0]);
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 1 });
    expect(await changed(() => ask({ pass: 'nip' }))).toEqual([false, undefined, 2]);
  });

  it('of a user who does not exist is answered alike', async () => {
    const known = await ask({ pass: 'nip' });
    expect(await ask({ pass: 'nip', user: 'nobody' })).toEqual(known);
    await application.services.tokens.disable(OPERATOR, { serial });
    expect(await ask({ pass: 'pin' })).toEqual(known);
    expect(await failCount()).toBe(1);
  });
});

describe('challenges to a PIN', () => {
  it('supersede each other, and none of a portal', async () => {
    const portal = await application.challenge(serial);
    const first = await triggered();
    for (let count = 0; count < 4; count += 1) {
      await triggered();
    }
    await application.challenge(serial);
    const pass = `pin${application.respond(SUITE, portal.question)}`;
    const late = application.respond(SUITE, first.question);
    expect((await ask({ pass: late, state: first.id })).result.value).toBe(false);
    expect((await ask({ pass, transactionid: portal.transactionid })).result.value).toBe(true);
  });

  it('push no payment out of those that a response by user is tried on', async () => {
    const portal = await application.challenge(serial);
    for (let count = 0; count < 5; count += 1) {
      await triggered();
    }
    const pass = `pin${application.respond(SUITE, portal.question)}`;
    expect((await ask({ pass })).result.value).toBe(true);
  });

  it('are issued forty times in the lifetime of one, and then no more until it has passed', async () => {
    for (let count = 0; count < 40; count += 1) {
      expect((await ask({ pass: 'pin' })).detail).toBeDefined();
    }
    expect((await ask({ pass: 'pin' })).detail).toBeUndefined();
    expect(await failCount()).toBe(0);
    application.clock.advance(20 * 60);
    expect((await ask({ pass: 'pin' })).detail).toBeDefined();
  });
});

describe('the policy otppin', () => {
  it('1: the password of the user issues a challenge, and precedes a response as before', async () => {
    await policy('pin', 'otppin=1');
    expect((await ask({ pass: 'pin' })).detail).toBeUndefined();
    const { question } = await triggered({ pass: 'geheimnis' });
    const pass = `geheimnis${application.respond(SUITE, question)}`;
    expect((await ask({ pass })).result.value).toBe(true);
  });

  it.each(['', 'pin', 'x'])('2: nobody has a secret, and %p issues nothing', async (pass) => {
    await policy('pin', 'otppin=2');
    expect((await ask({ pass, data: 'x' })).detail).toBeUndefined();
    expect(await failCount()).toBe(0);
  });

  it.each(DIALECTS)(
    '0: an empty one issues one to a token without a PIN, by the policy, in %s',
    async (dialect) => {
      const on = application.restarted({ dialect });
      const bare = { serial: `${serial}N` };
      const login = `${user}N`;
      await application.addUser(login, 'staff', 'geheimnis');
      await application.enrolPlain(bare.serial, SUITE, { user: login, realm: 'staff' });
      const send = async (parameters: Record<string, string>, path = '/validate/check_s'): Promise<Answer> =>
        (await on.send(path, parameters)).body as Answer;
      const { result, detail } = await send({ ...bare, pass: '', data: 'Pay' });
      expect([result.value, typeof detail?.transactionid]).toEqual([false, 'string']);
      const pass = application.respond(SUITE, questionOf(detail?.data ?? ''));
      expect((await send({ ...bare, pass, transactionid: detail?.transactionid ?? '' })).result.value).toBe(
        true,
      );
      expect((await send({ ...bare, pass: 'x' })).detail).toBeUndefined();
      expect((await application.services.tokens.show(OPERATOR, bare.serial)).failCount).toBe(0);
      // Of the user, too; but neither to a token with a PIN, nor by its type alone.
      const whose = { user: login, realm: 'staff', pass: '' };
      expect(Object.keys((await send(whose, '/validate/check')).detail ?? {})).toContain('transactionid');
      expect((await send({ serial, pass: '' })).detail).toBeUndefined();
      await application.services.policies.remove(OPERATOR, 'trigger');
      await application.enrolPlain(`${serial}Q`, SUITE, { ...whose, type: 'ocra2' });
      expect((await send(whose, '/validate/check')).detail).toBeUndefined();
    },
  );

  it.each(['', 'x'])('0: %p issues nothing to a token without a PIN outside of the policy', async (pass) => {
    await application.enrolPlain(`${serial}N`, SUITE);
    await application.services.tokens.assign(OPERATOR, { serial, user, realm: 'staff' });
    const { result, detail } = await ask({ serial: `${serial}N`, pass }, { path: '/validate/check_s' });
    expect([result.value, detail]).toEqual([false, undefined]);
  });
});

it.each(DIALECTS)(
  'a question of its own is refused by name where a response fails, whoever it is said to be of, in %s',
  async (dialect) => {
    const on = application.restarted({ dialect });
    const pass = application.respond(SUITE, 'a'.repeat(64));
    const challenge = 'a'.repeat(64);
    const answers = [
      await ask({ pass, challenge }, { on }),
      await ask({ pass, challenge }, { on, path: '/validate/check_s' }),
      (await on.send('/validate/check', { user: 'nobody', realm: 'staff', pass, challenge })).body as Answer,
      (await on.send('/validate/check_s', { serial: 'NOSUCH', pass, challenge })).body as Answer,
    ];
    for (const { result, detail } of answers) {
      expect(result.value).toBe(false);
      expect(Object.keys(detail ?? {})).toEqual(['message']);
      expect(detail?.message).toContain("The parameter 'challenge' is no question");
    }
    expect(new Set(answers.map(({ detail }) => JSON.stringify(detail))).size).toBe(1);
    expect((await ask({ pass, challenge: '' }, { on })).detail).toBeUndefined();
    expect((await ask({ pass: 'pin', challenge: 'text' }, { on })).detail).toHaveProperty('transactionid');
  },
);

it.each(DIALECTS)(
  '/validate/samlcheck tells the attributes of a user who was accepted, by the setting, in %s',
  async (dialect) => {
    const on = application.restarted({ dialect });
    const path = '/validate/samlcheck';
    const respond = async (counter: bigint): Promise<Answer> => {
      const { id, question } = await triggered();
      const pass = application.respond(SUITE, question, { counter });
      return ask({ pass, state: id }, { path, on });
    };
    expect((await respond(0n)).result.value).toEqual({ auth: true, attributes: {} });
    await application.services.settings.set(OPERATOR, new Map([['AllowSamlAttributes', 'True']]));
    const first = await ask({ pass: 'pin' }, { path, on });
    expect(first.result.value).toEqual({ auth: false, attributes: {} });
    expect(first.detail?.transactionid).toBeDefined();
    expect((await respond(1n)).result.value).toEqual({
      auth: true,
      attributes: {
        username: user,
        realm: 'staff',
        email: 'ann@example.com',
        givenname: 'Ann',
        surname: 'Lee',
        phone: '+49 30 1',
        mobile: '',
      },
    });
    await application.services.settings.remove(OPERATOR, 'AllowSamlAttributes');
  },
);

describe('a token of another type of the user', () => {
  async function keep(type: string): Promise<void> {
    await application.enrolPlain(`${serial}K`, SUITE, { user, realm: 'staff' });
    await application
      .sql('tokens')
      .where({ serial: `${serial}K` })
      .update({ type });
  }

  it.each([
    ['hmac', '755224'],
    ['hmac', 'pin755224'],
    ['totp', '94287082'],
    ['motp', 'a1b2c3'],
    ['motp', 'pinA1B2C3'],
    ['yubikey', 'vvgutbdbkkjbcbeijkhclhgttbldcukthbrdnklefurn'],
    ['radius', '755224'],
  ])('neither counts nor is counted: %s, %s', async (type, pass) => {
    await keep(type);
    const asked = await application.asAdmin('/ocra/request', { user, realm: 'staff', data: 'Pay 50 EUR' });
    const { transactionid } = (asked.body as Answer).detail ?? {};
    expect(transactionid).toMatch(/^[0-9a-f]{20}$/);
    for (let login = 0; login < 11; login += 1) {
      expect((await ask({ pass })).result.value).toBe(false);
    }
    expect(await failCount()).toBe(0);
  });

  it.each(['sms', 'motp', 'yubikey'])('is as none where the pass cannot be of it: %s', async (type) => {
    await keep(type);
    const { question } = await application.challenge(serial);
    expect((await ask({ pass: `pin${application.respond(SUITE, question)}` })).result.value).toBe(true);
  });

  it.each([
    ['True', (pin: string, response: string) => pin + response],
    ['False', (pin: string, response: string) => response + pin],
  ])('is as none where the PIN alone looks so, with PrependPin=%s', async (prependPin, passOf) => {
    await keep('motp');
    await application.services.settings.set(OPERATOR, new Map([['PrependPin', prependPin]]));
    await application.services.tokens.set(OPERATOR, { serial }, { pin: 'c0ffee' });
    const { question } = await application.challenge(serial);
    const pass = passOf('c0ffee', application.respond(SUITE, question));
    expect((await ask({ pass })).result.value).toBe(true);
    await application.services.settings.remove(OPERATOR, 'PrependPin');
  });

  it('lets nobody guess without end: what is not counted is not tried, unless serial or transaction are named', async () => {
    await keep('hmac');
    const { transactionid, question } = await application.challenge(serial);
    const pass = `pin${application.respond(SUITE, question)}`;
    expect((await ask({ pass })).result.value).toBe(false);
    expect(await failCount()).toBe(0);
    await ask({ pass: wrongResponse(pass), transactionid });
    await ask({ pass: wrongResponse(pass) }, { path: '/validate/check_s' });
    await ask({ pass: 'nip' });
    expect(await failCount()).toBe(3);
    const again = await application.challenge(serial);
    const right = `pin${application.respond(SUITE, again.question)}`;
    expect((await ask({ pass: right, transactionid: again.transactionid })).result.value).toBe(true);
    expect((await ask({ pass: 'pin' })).detail?.serial).toBe(serial);
  });

  it('is as none while it is disabled', async () => {
    await keep('hmac');
    await application.services.tokens.disable(OPERATOR, { serial: `${serial}K` });
    const { question } = await application.challenge(serial);
    await ask({ pass: '755224' });
    expect(await failCount()).toBe(1);
    expect((await ask({ pass: `pin${application.respond(SUITE, question)}` })).result.value).toBe(true);
  });
});

it.each(
  ['/ocra/checkstatus', '/ocra', '/admin/checkstatus'].flatMap((path) =>
    DIALECTS.map((dialect) => [path, dialect] as const),
  ),
)(
  'the state by user or serial at %s is that of payments, without challenges to a PIN unless they are named, in %s',
  async (path, dialect) => {
    const on = application.restarted({ dialect });
    const payment = await application.challenge(serial, 'Pay 50 EUR');
    const { id, question } = await triggered();
    expect((await ask({ pass: application.respond(SUITE, question), state: id })).result.value).toBe(true);
    const seen = async (named: Record<string, string>): Promise<string[]> =>
      [...(await on.asAdmin(path, named)).text.matchAll(/"transactionid": "(\w+)"/g)].map(
        ([, transaction = '']) => transaction,
      );
    expect(await seen({ user, realm: 'staff' })).toEqual([payment.transactionid]);
    expect(await seen({ serial, transactionid: '' })).toEqual([payment.transactionid]);
    expect(await seen({ transactionid: id })).toEqual([id]);
    expect(await seen({ serial, transactionid: id })).toEqual([id]);
  },
);

describe('/validate/check_status and /admin/checkstatus', () => {
  it.each(DIALECTS)(
    'tell the state of a transaction to its user and to an administrator, in %s',
    async (dialect) => {
      const on = application.restarted({ dialect });
      const path = '/validate/check_status';
      const { id, question } = await triggered();
      const { body } = (await on.asAdmin('/admin/checkstatus', { transactionid: id })) as { body: Answer };
      const state = (await ask({ pass: 'pin', transactionid: id }, { path, on })).result;
      expect(state).toEqual(body.result);
      expect(JSON.stringify(state)).toContain('"received_tan":false');
      await ask({ pass: application.respond(SUITE, question), state: id });
      const answered = (await ask({ pass: 'pin', state: id }, { path, on })).result;
      expect(JSON.stringify(answered)).toContain('"valid_tan":true');
    },
  );

  it('tell nothing to a wrong PIN, which counts, nor of the transaction of another user', async () => {
    const path = '/validate/check_status';
    const { id } = await triggered();
    expect((await ask({ pass: 'nip', transactionid: id }, { path })).result.value).toEqual([]);
    expect(await failCount()).toBe(1);
    expect((await ask({ pass: 'pin', transactionid: id, user: 'nobody' }, { path })).result.value).toEqual(
      [],
    );
    expect(await failCount()).toBe(1);
  });
});

it('with PrependPin=False, the PIN follows the response', async () => {
  await application.services.settings.set(OPERATOR, new Map([['PrependPin', 'False']]));
  const { id, question } = await triggered();
  const response = application.respond(SUITE, question);
  expect((await ask({ pass: `pin${response}`, state: id })).result.value).toBe(false);
  expect((await ask({ pass: `${response}pin`, state: id })).result.value).toBe(true);
  await application.services.settings.remove(OPERATOR, 'PrependPin');
});
