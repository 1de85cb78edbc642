import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
  type Result,
  wrongResponse,
} from '../../support/application/test-application.ts';

interface History {
  readonly state: string;
  readonly serial: string;
  readonly realms: readonly string[];
  readonly is_stored: boolean;
  readonly data?: string;
  readonly is_data_withheld: boolean;
  readonly code: string | null;
  readonly further_events: number;
  readonly events: readonly {
    event: string;
    reason: string;
    action: string;
    actor: string;
    request_id: string;
  }[];
}

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
const KEY = '12345678901234567890123456789012';

const application = applicationOfTests();
let bounded: BoundedAdministrators;

beforeAll(async () => {
  application.clock.set(new Date());
  await application.addRealm('north', ['ann']);
  await application.addRealm('south', ['bob']);
  bounded = await BoundedAdministrators.of(application);
  await bounded.add('north-desk', 'transaction', 'north');
  await bounded.add('south-desk', 'transaction', 'south');
  await bounded.add('data-desk', 'transaction, transactiondata', 'north');
  await bounded.add('code-desk', 'transaction, transactiondata', 'north');
  await bounded.add('request-desk', 'transaction', 'north');
  await application.setPolicy('ocra-all', 'ocra', '*', { user: 'admin' });
  await application.setPolicy('ocra-desks', 'ocra', 'request', { user: 'code-desk, request-desk' });
  await application.services.policies.remove(OPERATOR, 'ocra-administrators');
  await bounded.add('pin-desk', 'transaction, audit, set', 'north');
  await bounded.add('auditor', 'transaction, audit', 'north');
  await bounded.add('clerk', 'show', 'north');
});

async function history(id: string, as?: string): Promise<Result<History>> {
  return (await bounded.ask('/admin/transaction/show', { transaction_id: id }, as)) as Result<History>;
}

async function enrol(serial: string, user: string, realm: string): Promise<string> {
  await application.enrolPlain(serial, SUITE, { user, realm });
  return serial;
}

/** @returns the outcomes of the rows of the audit that a search finds; undefined: it is refused */
async function outcomes(name: string, filter: Record<string, string>): Promise<unknown> {
  const { value } = await bounded.ask('/admin/audit/search', filter, name);
  return (value as { rows: { outcome: string }[] } | undefined)?.rows.map(({ outcome }) => outcome);
}

const response = (counter = 0n): string => application.respond(SUITE, DATA, { counter });
const eventsOf = ({ value }: Result<History>): readonly string[] =>
  value?.events.map(({ event }) => event) ?? [];

describe('/admin/transaction/show', () => {
  it('tells each attempt, and the replay at every endpoint, once', async () => {
    const serial = await enrol('LIFE', 'ann', 'north');
    const { transactionid } = await application.challenge(serial, DATA);
    await application.check(transactionid, wrongResponse(response()));
    await application.check(transactionid, response());
    await application.check(transactionid, response());
    await application.send('/validate/check_s', { serial, pass: response(), transactionid });
    const owner = { user: 'ann', realm: 'north' };
    await application.send('/validate/check', { ...owner, pass: response(), transactionid });
    await application.send('/validate/check_t', { pass: response(), transactionid });
    await application.status({ transactionid });
    const { value } = await history(transactionid);
    const accepted = { state: 'accepted', realms: ['north'], is_stored: true, further_events: 0 };
    expect(value).toMatchObject({ serial, ...accepted });
    expect(value?.events.map(({ event, action }) => `${event} ${action}`)).toEqual([
      'issued ocra/request',
      'wrong ocra/check_t',
      'accepted ocra/check_t',
      'refused ocra/check_t',
      'refused validate/check_s',
      'refused validate/check',
      'refused validate/check_t',
    ]);
    expect(value?.events[0]?.actor).toBe('admin');
  });

  it.each([
    ['/ocra/check_t', 'pin', false],
    ['/ocra/check_t', 'pon', true],
    ['/validate/check_s', 'pin', false],
    ['/validate/check_s', 'pon', true],
  ])('tells PIN and response apart at %s, to those who set PINs alone', async (path, pin, isRight) => {
    const serial = `PARTS${path.length}${pin}`;
    await application.enrolPlain(serial, SUITE, { user: 'ann', realm: 'north', pin: 'pin' });
    const { transactionid } = await application.challenge(serial, DATA);
    const given = path.startsWith('/ocra') ? { transactionid } : { serial };
    const digits = isRight ? response() : wrongResponse(response());
    const sent = [
      await application.send(path, { ...given, pass: pin + digits }),
      await application.send(path, { ...given, pass: `pan${wrongResponse(response())}` }),
    ];
    const reasons = (await history(transactionid, 'pin-desk')).value?.events.map(({ reason }) => reason);
    const told = isRight
      ? 'the response was right, the PIN was wrong'
      : 'the PIN was right, the response was wrong';
    expect(reasons).toEqual(['', told, 'wrong response or PIN']);
    const { value: hidden } = await history(transactionid, 'north-desk');
    const either = 'wrong response or PIN';
    expect(hidden?.events.map(({ reason }) => reason)).toEqual(['', either, either]);
    for (const { body } of sent) {
      expect(JSON.stringify(body)).not.toMatch(/PIN|right|wrong/);
    }
    expect((await history(transactionid, 'south-desk')).error).toBeDefined();
  });

  it.each([
    ['pin-desk', ['wrong', 'wrong, right PIN']],
    ['auditor', ['wrong', 'wrong']],
  ])('tells in the audit whether a PIN was right only to those who set PINs: %s', async (name, told) => {
    const serial = `AUDIT${name}`;
    await application.enrolPlain(serial, SUITE, { user: 'ann', realm: 'north', pin: 'pin' });
    const { transactionid } = await application.challenge(serial, DATA);
    for (const pin of ['pin', 'pan']) {
      await application.check(transactionid, pin + wrongResponse(response()));
    }
    const checked = { serial, action: 'ocra/check_t' };
    expect(await outcomes(name, checked)).toEqual(told);
    for (const outcome of ['wrong, right PIN', 'wrong, right', 'wrong,']) {
      expect(await outcomes(name, { ...checked, outcome })).toEqual(
        name === 'pin-desk' ? ['wrong, right PIN'] : undefined,
      );
    }
  });

  it('tells of no PIN in the audit, not by a filter either, where the token is also in a realm where the caller sets none', async () => {
    const serial = 'SHARED';
    await application.enrolPlain(serial, SUITE, { user: 'ann', realm: 'north', pin: 'pin' });
    await application.asAdmin('/admin/tokenrealm', { serial, realms: 'north,south' });
    const { transactionid } = await application.challenge(serial, DATA);
    await application.check(transactionid, `pin${wrongResponse(response())}`);
    expect(await outcomes('pin-desk', { serial, outcome: 'wrong' })).toEqual(['wrong']);
    for (const outcome of ['wrong, right PIN', 'wrong, right', 'wrong,']) {
      const filter = { serial, outcome };
      expect(await outcomes('pin-desk', filter)).toEqual([]);
      const { text } = await bounded.post('pin-desk', '/admin/audit/export', { ...filter, format: 'csv' });
      expect(text.trimEnd().split('\n')).toEqual([expect.stringContaining('outcome')]);
    }
  });

  it('names the challenge that a response without a transaction counted for', async () => {
    const serial = await enrol('OPEN', 'ann', 'north');
    const { transactionid } = await application.challenge(serial, DATA);
    await application.send('/validate/check_s', { serial, pass: wrongResponse(response()) });
    await application.send('/validate/check_s', { serial, pass: response() });
    expect(eventsOf(await history(transactionid))).toEqual(['issued', 'wrong', 'accepted']);
  });

  it('tells of challenges that are given up, superseded and expired', async () => {
    const serial = await enrol('ENDS', 'ann', 'north');
    const { transactionid: first } = await application.challenge(serial, DATA);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await application.check(first, wrongResponse(response()));
    }
    expect(eventsOf(await history(first))).toEqual(['issued', 'wrong', 'wrong', 'given up']);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push((await application.challenge(serial, DATA)).transactionid);
    }
    const [second = '', , , , last = ''] = ids;
    expect(eventsOf(await history(second))).toEqual(['issued', 'superseded']);
    application.clock.advance(1200);
    await application.check(last, response());
    expect((await history(last)).value).toMatchObject({ state: 'expired' });
    application.clock.advance(-1200);
  });

  it('tells the same after housekeeping has removed the challenge', async () => {
    const serial = await enrol('KEPT', 'ann', 'north');
    const { transactionid } = await application.challenge(serial, DATA);
    await application.check(transactionid, response());
    await application.check(transactionid, response());
    const before = await history(transactionid, 'north-desk');
    application.clock.advance(30 * 86_400);
    await application.services.housekeeping.run(OPERATOR, true);
    const afterwards = await history(transactionid, 'north-desk');
    application.clock.advance(-30 * 86_400);
    expect(afterwards.value).toEqual({ ...before.value, is_stored: false, is_data_withheld: false });
    expect(eventsOf(afterwards)).toEqual(['issued', 'accepted', 'refused']);
  });

  it('shows neither key nor question, and the display data with the right for it alone', async () => {
    const serial = await enrol('DATA', 'ann', 'north');
    const shown = 'pay 4711 to Carol';
    const { transactionid } = await application.challenge(serial, shown);
    const challenges = application.sql('challenges').where({ transaction_id: transactionid });
    const [question = ''] = await challenges.pluck<string[]>('question');
    expect(question).not.toBe('');
    for (const name of ['north-desk', 'data-desk']) {
      const text = JSON.stringify(await history(transactionid, name));
      expect(text).not.toContain(question);
      expect(text).not.toContain(KEY);
      expect(text.includes(shown)).toBe(name === 'data-desk');
    }
    expect((await history(transactionid, 'north-desk')).value?.is_data_withheld).toBe(true);
    expect((await history(transactionid, 'data-desk')).value).toMatchObject({
      data: shown,
      is_data_withheld: false,
    });
  });

  it('shows the code of an open challenge as it was issued, with the rights to its text and to codes', async () => {
    const { transactionid, url } = await application.challenge(await enrol('CODE', 'ann', 'north'), DATA);
    expect((await history(transactionid, 'code-desk')).value?.code).toBe(url);
    for (const name of ['data-desk', 'request-desk']) {
      expect((await history(transactionid, name)).value?.code).toBeNull();
    }
    await application.check(transactionid, response());
    expect((await history(transactionid)).value?.code).toBeNull();
  });

  it('tells the history also where no code can be made, as policies name two addresses', async () => {
    const { transactionid } = await application.challenge(await enrol('TWICE', 'ann', 'north'), DATA);
    const { policies } = application.services;
    await application.setPolicy('one', 'authentication', 'qrtanurl=https://one.example.org/');
    await application.setPolicy('two', 'authentication', 'qrtanurl=https://two.example.org/');
    const { value } = await history(transactionid);
    await policies.remove(OPERATOR, 'one');
    await policies.remove(OPERATOR, 'two');
    expect(value).toMatchObject({ state: 'open', data: DATA });
    expect(value?.code).toBeNull();
  });

  it('shows no code of a roll-out, of a sign-in or of a second factor', async () => {
    const { enrolment, ocra, administrators } = application.services;
    const { serial } = await enrolment.init(OPERATOR, { type: 'ocra', genkey: '1', sharedsecret: '1' });
    const activationcode = 'GEZDGNBVGY3TQOJQ01';
    const begun = await enrolment.init(OPERATOR, { type: 'ocra', genkey: '1', serial, activationcode });
    const factor = await enrol('FACTOR', 'ann', 'north');
    const signIn = await ocra.requestChallenge(OPERATOR, { serial: factor, signIn: true });
    await administrators.setSecondFactor(OPERATOR, 'clerk', factor);
    const payment = await ocra.requestChallenge(OPERATOR, { serial: factor, data: DATA });
    for (const issued of [begun, signIn, payment]) {
      const { value } = await history('transactionId' in issued ? issued.transactionId : '');
      expect(value).toMatchObject({ state: 'open', is_data_withheld: false });
      expect(value?.code).toBeNull();
    }
  });

  it('knows no transaction of a foreign realm, while its challenge is stored and after', async () => {
    const serial = await enrol('FOREIGN', 'bob', 'south');
    const { transactionid } = await application.challenge(serial, DATA);
    const unknown = (id: string): object => ({
      status: false,
      error: { code: -311, message: `There is no transaction '${id}'` },
    });
    expect(await history(transactionid, 'north-desk')).toEqual(unknown(transactionid));
    expect(await history('0'.repeat(20), 'north-desk')).toEqual(unknown('0'.repeat(20)));
    expect(eventsOf(await history(transactionid, 'south-desk'))).toEqual(['issued']);
    await application.services.tokens.remove(OPERATOR, { serial });
    expect(await history(transactionid, 'north-desk')).toEqual(unknown(transactionid));
    expect((await history(transactionid, 'south-desk')).value).toMatchObject({ state: 'ended' });
  });

  it('shows a token that has changed realms to nobody who sees only one of them', async () => {
    const serial = await enrol('MOVED', 'ann', 'north');
    const { transactionid } = await application.challenge(serial, DATA);
    await application.services.tokens.setRealms(OPERATOR, { serial, realms: ['south'] });
    await application.check(transactionid, response());
    for (const name of ['north-desk', 'south-desk']) {
      expect((await history(transactionid, name)).error?.message).toMatch(/^There is no transaction/);
    }
    expect(eventsOf(await history(transactionid))).toEqual(['issued', 'accepted']);
  });

  it('names of a token in several realms only those that the administrator may see', async () => {
    const serial = await enrol('BOTH', 'ann', 'north');
    await application.services.tokens.setRealms(OPERATOR, { serial, realms: ['north', 'south'] });
    const { transactionid } = await application.challenge(serial, DATA);
    expect((await history(transactionid, 'south-desk')).value?.realms).toEqual(['south']);
    expect((await history(transactionid)).value?.realms).toEqual(['north', 'south']);
  });

  it.each(['', '*', '%', '_'.repeat(20), 'x'.repeat(300)])('finds nothing by %j', async (id) => {
    const { error } = await history(id);
    expect(error?.message).toMatch(id === '' ? /transaction/i : /^There is no transaction '/);
  });
});
