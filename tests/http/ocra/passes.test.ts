import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseAlgorithm } from '../../../src/ocra/otp.ts';
import { applicationOfTests, OPERATOR } from '../../support/application/test-application.ts';
import { whileHeld } from '../../support/database/held-statement.ts';
import type { DescribedToken } from '../../../src/tokens/token.ts';
import { UserDirectory } from '../../../src/users/user-directory.ts';

const KEY = '3132333435363738393031323334353637383930';
const OTHER_KEY = '3132333435363738393031323334353637383931';
const SETTLING = /^WITH request AS/;
const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';
const SIX = 'OCRA-1:HOTP-SHA256-6:C-QA64';
const PATHS = ['check', 'check_s', 'simplecheck', 'samlcheck'].map((name) => `/validate/${name}`);

const application = applicationOfTests();
let number = 0;
let user = '';
let hotp = '';

beforeAll(() => application.addRealm('staff'));

beforeEach(async () => {
  number += 1;
  user = `person${number}`;
  hotp = `HOTP${number}`;
  await application.addUser(user, 'staff', 'geheimnis');
  await enrol(hotp, { type: 'hmac', pin: 'pin' });
});

async function enrol(serial: string, parameters: Record<string, string>): Promise<void> {
  const key = parameters.type === 'spass' ? {} : { otpkey: KEY };
  const given = { serial, user, realm: 'staff', ...key, ...parameters };
  expect((await application.ask('/admin/init', given)).value).toBe(true);
}

interface Answer {
  readonly result: { readonly status: boolean; readonly value?: unknown };
  readonly detail?: Readonly<Record<string, string>>;
}

async function ask(pass: string, more: Record<string, string> = {}, on = application): Promise<unknown> {
  const whose = 'serial' in more ? {} : { user, realm: 'staff' };
  const path = 'serial' in more ? '/validate/check_s' : '/validate/check';
  return ((await on.send(path, { ...whose, pass, ...more })).body as Answer).result.value;
}

function at(counter: number, { key = KEY, text = 'HOTP-SHA1-6' } = {}): string {
  return computeResponse(parseAlgorithm(text), Buffer.from(key, 'hex'), {
    question: '',
    counter: BigInt(counter),
  });
}

function totpAt(seconds: number, text = 'TOTP-SHA1-6:T30S', key = KEY): string {
  const timeStep = BigInt(Math.floor((application.clock.now().getTime() / 1000 + seconds) / 30));
  return computeResponse(parseAlgorithm(text), Buffer.from(key, 'hex'), { question: '', timeStep });
}

async function shown(serial: string): Promise<DescribedToken> {
  return application.services.tokens.show(OPERATOR, serial);
}

async function failCounts(...serials: string[]): Promise<readonly number[]> {
  return Promise.all(serials.map(async (serial) => (await shown(serial)).failCount));
}

describe('a response without a challenge', () => {
  it.each(PATHS)('is accepted once, at every path: first at %s', async (first) => {
    const send = async (path: string): Promise<boolean> => {
      const whose: Record<string, string> =
        path === '/validate/check_s' ? { serial: hotp } : { user, realm: 'staff' };
      const { text } = await application.send(path, { ...whose, pass: `pin${at(3)}` });
      return /":-\)"|^:-\)|"value": ?true|"auth": ?true/.test(text);
    };
    expect(await send(first)).toBe(true);
    for (const path of PATHS) {
      expect(await send(path)).toBe(false);
    }
    expect(await shown(hotp)).toMatchObject({ counter: 4n, failCount: PATHS.length });
  });

  it('is one of twenty that come at once, by user and by serial, at two servers', async () => {
    const beside = application.beside();
    await enrol(`A${hotp}`, { type: 'hmac', pin: 'pin', otpkey: OTHER_KEY });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ask(`pin${at(0)}`, index % 2 === 0 ? {} : { serial: hotp }, index % 4 < 2 ? application : beside),
      ),
    );
    expect(answers.filter((value) => value === true)).toHaveLength(1);
    expect(await shown(hotp)).toMatchObject({ counter: 1n });
  });

  it('is refused where another server has accepted it between reading and settling', async () => {
    let there: unknown;
    const here = await whileHeld(
      SETTLING,
      () => ask(`pin${at(0)}`),
      async () => {
        there = await ask(`pin${at(0)}`, {}, application.beside());
      },
    );
    expect([here, there]).toEqual([false, true]);
    expect(await shown(hotp)).toMatchObject({ counter: 1n });
  });

  it('lies in the window ahead, and never behind', async () => {
    expect(await ask(`pin${at(10)}`)).toBe(false);
    expect(await ask(`pin${at(9)}`)).toBe(true);
    expect(await ask(`pin${at(8)}`)).toBe(false);
  });

  it('is not accepted again after its token was given the same key once more', async () => {
    expect(await ask(`pin${at(0)}`)).toBe(true);
    await enrol(hotp, { type: 'hmac' });
    expect(await ask(`pin${at(0)}`)).toBe(false);
    await enrol(hotp, { type: 'hmac', otplen: '8', hashlib: 'sha256' });
    await enrol(hotp, { type: 'hmac' });
    expect(await ask(`pin${at(0)}`)).toBe(false);
    await enrol(hotp, { type: 'hmac', otpkey: OTHER_KEY });
    expect(await ask(`pin${at(0, { key: OTHER_KEY })}`)).toBe(true);
  });

  it('is refused of a locked token, right or wrong alike, and taken after a reset', async () => {
    await application.services.tokens.set(OPERATOR, { serial: hotp }, { maxFail: 2 });
    await ask('pin000000');
    await ask('nip000000');
    expect(await ask(`pin${at(0)}`)).toBe(false);
    expect(await shown(hotp)).toMatchObject({ counter: 0n, failCount: 3 });
    await application.services.tokens.reset(OPERATOR, { serial: hotp });
    expect(await ask(`pin${at(0)}`)).toBe(true);
  });

  it('of a time step is accepted once, and moves the clock of its token', async () => {
    const totp = `TOTP${number}`;
    await enrol(totp, { type: 'totp' });
    expect(await ask(totpAt(90), { serial: totp })).toBe(true);
    expect(await ask(totpAt(90), { serial: totp })).toBe(false);
    expect(await ask(totpAt(60), { serial: totp })).toBe(false);
    expect((await shown(totp)).timeShift).toBe(90);
    expect(await ask(totpAt(120), { serial: totp })).toBe(true);
    expect((await shown(totp)).timeShift).toBe(120);
    expect(await ask(totpAt(600), { serial: totp })).toBe(false);
  });

  it('is refused, and not called wrong, where the period of the token is over, in linotp', async () => {
    const use = { validUntil: '01/01/20 08:00' };
    await application.services.tokens.set(OPERATOR, { serial: hotp }, { use });
    const linotp = application.restarted({ dialect: 'linotp' });
    const answer = await linotp.send('/validate/check', { user, realm: 'staff', pass: `pin${at(0)}` });
    expect((answer.body as Answer).result).toEqual({ status: false, value: false });
    expect(await failCounts(hotp)).toEqual([0]);
  });
});

describe('a pass of a person with several tokens', () => {
  it('changes all of them or none: where one has changed meanwhile, it is decided again, and accepted', async () => {
    const other = `OTHER${number}`;
    await enrol(other, { type: 'hmac', pin: 'other', otpkey: OTHER_KEY });
    await ask('other000000');
    const accepted = await whileHeld(
      SETTLING,
      () => ask(`pin${at(0)}`),
      () => ask('other000000', { serial: other }, application.beside()),
    );
    expect(accepted).toBe(true);
    expect(await failCounts(hotp, other)).toEqual([0, 0]);
  });

  it('is refused where its token was given to somebody else meanwhile', async () => {
    const somebody = `other${number}`;
    await application.addUser(somebody, 'staff');
    const accepted = await whileHeld(
      SETTLING,
      () => ask(`pin${at(0)}`),
      () => application.asAdmin('/admin/assign', { serial: hotp, user: somebody, realm: 'staff' }),
    );
    expect(accepted).toBe(false);
    expect(await shown(hotp)).toMatchObject({ counter: 0n, lastSuccessAt: null });
  });

  it('asks no directory anew under the lock, where its token was given to somebody else meanwhile', async () => {
    const somebody = `other${number}`;
    await application.addUser(somebody, 'staff', 'geheimnis');
    await application.setPolicy('password', 'authentication', 'otppin=1', { realm: 'staff' });
    const asked = jest.spyOn(UserDirectory.prototype, 'checkPassword');
    try {
      const accepted = await whileHeld(
        SETTLING,
        () => ask(`geheimnis${at(0)}`, { serial: hotp }),
        () => application.asAdmin('/admin/assign', { serial: hotp, user: somebody, realm: 'staff' }),
      );
      expect([accepted, asked.mock.calls.length]).toEqual([false, 1]);
    } finally {
      jest.restoreAllMocks();
      await application.services.policies.remove(OPERATOR, 'password');
    }
    expect(await shown(hotp)).toMatchObject({ counter: 0n });
  });

  it('is never of a disabled one', async () => {
    await enrol(`OTHER${number}`, { type: 'hmac', pin: 'other', otpkey: OTHER_KEY });
    await application.services.tokens.disable(OPERATOR, { serial: hotp });
    expect(await ask(`pin${at(0)}`)).toBe(false);
    expect(await failCounts(hotp, `OTHER${number}`)).toEqual([0, 1]);
  });

  it('is refused where it is right for an open challenge, too', async () => {
    const ocra = `OCRA${number}`;
    await application.enrolPlain(ocra, SUITE, { pin: 'ocra', user, realm: 'staff' });
    const { question } = await application.challenge(ocra, 'Pay 50 EUR');
    const response = application.respond(SUITE, question);
    await enrol(`PW${number}`, { type: 'pw', otpkey: response, pin: 'ocra' });
    expect(await ask(`ocra${response}`)).toBe(false);
    expect(await failCounts(ocra, `PW${number}`)).toEqual([0, 0]);
  });

  it('counts uses, right and wrong, of a token that has a maximum', async () => {
    await application.services.tokens.set(OPERATOR, { serial: hotp }, { use: { maxUses: '2' } });
    expect(await ask('pin000000')).toBe(false);
    expect(await ask(`pin${at(0)}`)).toBe(true);
    expect(await ask(`pin${at(1)}`)).toBe(false);
    expect(await failCounts(hotp)).toEqual([0]);
  });

  it('resynchronises a token by two successive responses, where that is on', async () => {
    const values = new Map([
      ['AutoResync', 'True'],
      ['AutoResyncTimeout', '60'],
    ]);
    await application.services.settings.set(OPERATOR, values);
    expect(await ask(`pin${at(50)}`)).toBe(false);
    application.clock.advance(61);
    expect(await ask(`pin${at(51)}`)).toBe(false);
    application.clock.advance(60);
    expect(await ask(`pin${at(52)}`)).toBe(true);
    expect((await shown(hotp)).counter).toBe(53n);
    await application.services.settings.set(OPERATOR, new Map([['AutoResync', 'False']]));
    await application.services.settings.remove(OPERATOR, 'AutoResyncTimeout');
  });

  it('is tried on all, and a right one sets the fail counters of all to 0', async () => {
    const [totp, eight] = [`TOTP${number}`, `EIGHT${number}`];
    await enrol(totp, { type: 'totp', pin: 'nip', otpkey: OTHER_KEY });
    await enrol(eight, { type: 'hmac', pin: 'pin', otplen: '8', otpkey: OTHER_KEY });
    expect(await ask('pin000000')).toBe(false);
    expect(await failCounts(hotp, totp, eight)).toEqual([1, 0, 0]);
    expect(await ask('no-pin00000000')).toBe(false);
    expect(await failCounts(hotp, totp, eight)).toEqual([2, 1, 1]);
    expect(await ask(`pin${at(0, { key: OTHER_KEY, text: 'HOTP-SHA1-8' })}`)).toBe(true);
    expect(await failCounts(hotp, totp, eight)).toEqual([0, 0, 0]);
    expect(await ask(`nip${totpAt(0, 'TOTP-SHA1-6:T30S', OTHER_KEY)}`)).toBe(true);
  });

  it('keeps a locked one locked', async () => {
    const locked = `LOCKED${number}`;
    await enrol(locked, { type: 'hmac', pin: 'locked', otpkey: OTHER_KEY });
    await application.services.tokens.set(OPERATOR, { serial: locked }, { maxFail: 1 });
    await ask('locked000000');
    expect(await ask(`pin${at(0)}`)).toBe(true);
    expect(await failCounts(locked)).toEqual([1]);
  });

  it('is refused where it is right for two, and changes neither', async () => {
    const twin = `TWIN${number}`;
    await enrol(twin, { type: 'hmac', pin: 'pin' });
    expect(await ask(`pin${at(0)}`)).toBe(false);
    expect(await Promise.all([hotp, twin].map(shown))).toMatchObject([
      { counter: 0n, failCount: 0 },
      { counter: 0n, failCount: 0 },
    ]);
    const [last] = await application.auditRows({ subject: hotp });
    expect(last?.outcome).toBe('wrong, right for several tokens');
  });

  it('never counts a right HOTP against an OCRA token, and takes the right response to its challenge', async () => {
    const ocra = `OCRA${number}`;
    await application.enrolPlain(ocra, SUITE, { pin: 'ocra', user, realm: 'staff' });
    const { question } = await application.challenge(ocra, 'Pay 50 EUR');
    expect(await ask(`pin${at(0)}`)).toBe(true);
    expect(await ask('pin000000')).toBe(false);
    expect(await failCounts(ocra, hotp)).toEqual([0, 1]);
    expect(await ask('neither0000000000')).toBe(false);
    expect(await failCounts(ocra, hotp)).toEqual([1, 2]);
    expect(await ask(`ocra${application.respond(SUITE, question)}`)).toBe(true);
    expect(await failCounts(ocra, hotp)).toEqual([0, 0]);
    expect(await ask(`ocra${application.respond(SUITE, question)}`)).toBe(false);
    expect(await ask(`pin${at(1)}`)).toBe(true);
  });

  it('counts a wrong one for each token with this PIN, also where that is none', async () => {
    const [ocra, newer, other] = [`OCRA${number}`, `NEWER${number}`, `OTHER${number}`];
    await application.enrolPlain(ocra, SIX, { user, realm: 'staff' });
    await application.enrolPlain(newer, SIX, { pin: 'newer', user, realm: 'staff' });
    await enrol(other, { type: 'hmac', otpkey: OTHER_KEY });
    await application.challenge(ocra, 'Pay 50 EUR');
    expect(await ask('000000')).toBe(false);
    expect(await failCounts(hotp, other, ocra)).toEqual([0, 1, 1]);
    await application.challenge(newer, 'Pay 60 EUR');
    expect(await ask('000000')).toBe(false);
    expect(await failCounts(hotp, other, ocra, newer)).toEqual([0, 2, 1, 1]);
    expect(await ask('pin000000')).toBe(false);
    expect(await failCounts(hotp, other, ocra, newer)).toEqual([1, 2, 1, 1]);
  });

  it('counts guesses at the others once the token with this PIN is locked', async () => {
    const [alone, other] = [`SPASS${number}`, `OTHER${number}`];
    await enrol(alone, { type: 'spass', pin: 'alone' });
    await enrol(other, { type: 'hmac', otpkey: OTHER_KEY });
    await application.services.tokens.set(OPERATOR, { serial: other }, { maxFail: 1 });
    await ask('000000');
    expect(await failCounts(hotp, other, alone)).toEqual([0, 1, 0]);
    await ask('000000');
    expect(await failCounts(hotp, other, alone)).toEqual([1, 2, 1]);
  });

  it('issues a challenge to the PIN of an OCRA token where the policy says so, and counts a wrong one', async () => {
    const ocra = `OCRA${number}`;
    await application.enrolPlain(ocra, SUITE, { pin: 'ocra', user, realm: 'staff' });
    await application.setPolicy('trigger', 'authentication', 'challenge_response=*', {
      realm: 'staff',
      user,
    });
    expect(await ask('wrong')).toBe(false);
    expect(await failCounts(ocra, hotp)).toEqual([1, 1]);
    const body = (await application.send('/validate/check', { user, realm: 'staff', pass: 'ocra' }))
      .body as Answer;
    expect(body.detail?.serial).toBe(ocra);
    await application.services.policies.remove(OPERATOR, 'trigger');
  });

  it('counts each wrong PIN of an OCRA token, also of those that come at once', async () => {
    const ocra = `OCRA${number}`;
    await application.enrolPlain(ocra, SUITE, { pin: 'ocra', user, realm: 'staff' });
    await application.setPolicy('trigger', 'authentication', 'challenge_response=*', {
      realm: 'staff',
      user,
    });
    await Promise.all(Array.from({ length: 8 }, (_, index) => ask(`guess${index}`)));
    expect(await failCounts(hotp, ocra)).toEqual([8, 8]);
    await application.services.policies.remove(OPERATOR, 'trigger');
  });

  it('has the password in front of digits of any length, where the policy says so', async () => {
    const eight = `EIGHT${number}`;
    await enrol(eight, { type: 'hmac', otplen: '8', otpkey: OTHER_KEY });
    await application.setPolicy('password', 'authentication', 'otppin=1', { realm: 'staff', user });
    expect(await ask(`geheimnis${at(0)}`)).toBe(true);
    expect(await ask(`geheimnis${at(0, { key: OTHER_KEY, text: 'HOTP-SHA1-8' })}`)).toBe(true);
    expect(await ask(`pin${at(1)}`)).toBe(false);
    await enrol(`ALONE${number}`, { type: 'spass' });
    expect(await ask(`geheimnis${at(1)}`)).toBe(true);
    expect(await ask('geheimnis')).toBe(true);
    const ocra = `OCRA${number}`;
    await application.enrolPlain(ocra, SUITE, { user, realm: 'staff' });
    const { question } = await application.challenge(ocra, 'Pay 50 EUR');
    expect(await ask(`geheimnis${application.respond(SUITE, question)}`)).toBe(true);
    await application.services.policies.remove(OPERATOR, 'password');
  });
});

describe('the metrics of a pass that is right for an open challenge', () => {
  const counted = async (): Promise<readonly string[]> =>
    (await application.metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('tankeeper_responses_total') && !line.endsWith(' 0'));

  it('but may have been made for another text, and is refused, count it as wrong', async () => {
    const ocra = `OCRA${number}`;
    const digits = 'OCRA-1:HOTP-SHA256-8:C-QN08';
    await application.enrolPlain(ocra, digits, { pin: 'ocra', user, realm: 'staff' });
    const { question } = await application.challenge(ocra, 'Confirm delivery no. 12345678');
    expect(await ask(`ocra${application.respond(digits, question, { counter: 1n })}`)).toBe(true);
    const again = await application.challenge(ocra, 'Account 12345678, 9999 EUR');
    expect(again.question).toBe(question);
    const before = await counted();
    expect(await ask(`ocra${application.respond(digits, question, { counter: 0n })}`)).toBe(false);
    const grown = (await counted()).filter((line) => !before.includes(line));
    expect(grown).toEqual([expect.stringContaining('{outcome="refused",reason="wrong"}')]);
  });

  it('count one that ends the challenge by that reason', async () => {
    const ocra = `OCRA${number}`;
    await application.enrolPlain(ocra, SUITE, { pin: 'ocra', user, realm: 'staff' });
    await application.challenge(ocra, 'Pay 50 EUR');
    await ask('ocra00000000');
    await ask('ocra00000000');
    const before = await counted();
    await ask('ocra00000000');
    const grown = (await counted()).filter((line) => !before.includes(line));
    expect(grown).toEqual([expect.stringContaining('{outcome="refused",reason="exhausted"}')]);
  });
});

describe('the audit of a wrong pass', () => {
  it.each([
    ['right PIN', 'pin000000'],
    ['right response', `nip${at(0)}`],
    ['out of step', `pin${at(500)}`],
  ])('says what of it is known: %s', async (cause, pass) => {
    await ask(pass);
    const [last] = await application.auditRows({ subject: hotp });
    expect(last?.outcome).toBe(`wrong, ${cause}`);
  });

  it('says no more of a locked token', async () => {
    await application.services.tokens.set(OPERATOR, { serial: hotp }, { maxFail: 1 });
    await ask('nip000000');
    await ask(`pin${at(500)}`);
    const [last] = await application.auditRows({ subject: hotp });
    expect(last?.outcome).toBe('locked');
  });
});

describe('a token with a fixed text, or with its PIN alone', () => {
  it('takes PIN and text', async () => {
    const serial = `PW${number}`;
    await enrol(serial, { type: 'pw', otpkey: 'Stätic-7', pin: 'pw' });
    expect(await ask('pwStätic-7', { serial })).toBe(true);
    expect(await ask('pwstätic-7', { serial })).toBe(false);
    expect(await ask('Stätic-7', { serial })).toBe(false);
  });

  it('takes the PIN, and nothing where there is none', async () => {
    const serial = `SPASS${number}`;
    await enrol(serial, { type: 'spass', pin: 'alone' });
    expect(await ask('alone', { serial })).toBe(true);
    expect(await ask('alone1', { serial })).toBe(false);
    await enrol(`${serial}E`, { type: 'spass' });
    expect(await ask('', { serial: `${serial}E` })).toBe(false);
    await application.setPolicy('no-pin', 'authentication', 'otppin=2', { realm: 'staff', user });
    expect(await ask('anything', { serial: `${serial}E` })).toBe(false);
    await application.services.policies.remove(OPERATOR, 'no-pin');
  });
});

describe('enrolment', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['hmac by default', { genkey: '1' }, /^OATH\d{4}[0-9A-F]{4}$/],
    ['totp', { type: 'TOTP', genkey: '1', timeStep: '60', hashlib: 'SHA256' }, /^TOTP\d{4}[0-9A-F]{4}$/],
    ['pw', { type: 'pw', otpkey: 'text' }, /^KIPW\d{4}[0-9A-F]{4}$/],
    ['spass', { type: 'spass', pin: 'alone' }, /^LSSP\d{4}[0-9A-F]{4}$/],
  ])('of %s makes a serial', async (_, parameters, serial) => {
    const body = (await application.asAdmin('/admin/init', parameters)).body as Answer;
    expect(body.detail?.serial).toMatch(serial);
  });

  it.each([
    ['otplen', '7'],
    ['hashlib', 'md5'],
    ['timestep', '45'],
    ['otpkey', 'abc'],
  ])('refuses %s=%s', async (name, value) => {
    const given = { type: 'totp', otpkey: KEY, [name]: value };
    expect((await application.ask('/admin/init', given)).status).toBe(false);
  });

  it('of another type under the same serial is refused', async () => {
    const given = { type: 'totp', serial: hotp, genkey: '1' };
    expect((await application.ask('/admin/init', given)).status).toBe(false);
    expect((await shown(hotp)).type).toBe('hmac');
  });
});

describe('the token of a response', () => {
  const search = async (parameters: Record<string, string>): Promise<unknown> =>
    (await application.ask('/admin/getSerialByOtp', parameters)).value;

  it('is found by its window, and the response can still be given', async () => {
    const serial = `FOUND${number}`;
    await enrol(serial, { type: 'hmac', otpkey: '5a'.repeat(20) });
    const otp = at(7, { key: '5a'.repeat(20) });
    const found = { success: true, serial, user_login: user, user_resolver: 'staff' };
    expect(await search({ otp })).toEqual(found);
    expect(await search({ otp, type: 'hmac', realm: 'staff', assigned: '1' })).toEqual(found);
    expect(await search({ otp, assigned: '0' })).toMatchObject({ success: false, serial: '' });
    expect(await ask(otp, { serial })).toBe(true);
    expect(await search({ otp })).toMatchObject({ success: false });
  });
});

describe('resynchronisation by user', () => {
  const resync = (parameters: Record<string, string>) =>
    application.ask('/admin/resync', { user, realm: 'staff', ...parameters });

  it('is that of HOTP and TOTP, unless there is an OCRA token, which portals mean by the user', async () => {
    expect((await resync({ otp1: at(100), otp2: at(101) })).value).toBe(true);
    const ocra = `OCRA${number}`;
    await application.enrolPlain(ocra, SUITE, { user, realm: 'staff' });
    expect((await resync({ otp1: at(200), otp2: at(201) })).status).toBe(false);
    expect((await resync({ serial: hotp, otp1: at(200), otp2: at(201) })).value).toBe(true);
    expect(await shown(hotp)).toMatchObject({ counter: 202n });
  });
});
