import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { questionOf } from '../../support/values/asked-question.ts';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import { applicationOfTests, OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { SqlTap } from '../../support/database/sql-tap.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const PASSWORD = 'correct horse';
const STAFF_PASSWORD = 'p:ä55 word';

const application = applicationOfTests({ limits: { loginFailures: 1000 } });
let serial: string;
let number = 0;

beforeAll(async () => {
  for (const name of ['bank', 'shop']) {
    await application.addRealm(name);
    await application.addUser('ann', name, PASSWORD);
  }
  await application.addRealm('staff', ['bert']);
  await application.addRealm('guests', ['gast']);
  await application.addUser('anna', 'staff', STAFF_PASSWORD);
});

beforeEach(async () => {
  number += 1;
  serial = `OTPPIN${number}`;
  await application.enrolPlain(serial, SUITE, { user: 'ann', realm: 'bank' });
  await application.services.tokens.setRealms(OPERATOR, { serial, realms: ['bank', 'shop'] });
});
async function policy(realm: 'bank' | 'shop', mode: string, client = ''): Promise<void> {
  await application.setPolicy(`pin-${realm}`, 'authentication', `otppin=${mode}`, { realm, client });
}

/** Tries what may stand before the right response, each with a challenge and a counter of its own. */
async function accepted(...befores: readonly string[]): Promise<readonly boolean[]> {
  const results: boolean[] = [];
  for (const [index, before] of befores.entries()) {
    const { transactionid, question } = await application.challenge(serial, `1${index}345678`);
    const response = application.respond(SUITE, question, { counter: BigInt(index) });
    const value = (await application.check(transactionid, before + response)) as { result: boolean };
    results.push(value.result);
  }
  return results;
}

describe('the PIN before the response', () => {
  it('is the token PIN by default and with otppin=0, and empty where none was set', async () => {
    expect(await accepted('', '0', PASSWORD)).toEqual([true, false, false]);
    await policy('bank', '0');
    await application.services.tokens.set(OPERATOR, { serial }, { pin: '1234' });
    expect(await accepted('', '12345', PASSWORD, '1234')).toEqual([false, false, false, true]);
  });

  it('is the one that the policies for the answering client require', async () => {
    await policy('bank', '1', '203.0.113.0/24');
    expect(await accepted('', PASSWORD)).toEqual([true, false]);
    await policy('bank', '1', '127.0.0.0/8, ::1');
    expect(await accepted('', '', '', PASSWORD)).toEqual([false, false, false, true]);
  });

  it("is the user's password with otppin=1, whatever the token PIN", async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { pin: '1234' });
    await policy('bank', '1');
    expect(await accepted('', '1234', `${PASSWORD} `, PASSWORD)).toEqual([false, false, false, true]);
  });

  it('is asked of no directory for a challenge that was closed elsewhere', async () => {
    await policy('bank', '1');
    const { transactionid } = await application.challenge(serial, '12345678');
    await application.rows(
      `UPDATE challenges SET closed_by = 'superseded', closed_at = now() WHERE transaction_id = '${transactionid}'`,
    );
    const directory: string[] = [];
    const tap = new SqlTap({
      text: (text) => {
        directory.push(...(text.includes('password_hash') ? [text] : []));
        return text;
      },
    });
    try {
      expect(await application.check(transactionid, `${PASSWORD}12345678`)).toMatchObject({ result: false });
    } finally {
      tap.close();
    }
    expect(directory).toEqual([]);
  });

  it.each([
    ['0', '1'],
    ['1', '2'],
    ['2', '1'],
  ])("is the user's password where one policy says %s and another %s", async (bank, shop) => {
    await policy('bank', bank);
    await policy('shop', shop);
    expect(await accepted('', PASSWORD)).toEqual([false, true]);
  });

  it('is the token PIN where one policy says 0 and another 2', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { pin: '1234' });
    await policy('bank', '2');
    await policy('shop', '0');
    expect(await accepted('', '1234')).toEqual([false, true]);
  });
});

afterEach(async () => {
  const { policies } = application.services;
  for (const { name, scope } of await policies.list()) {
    if (scope === 'authentication') {
      await policies.remove(OPERATOR, name);
    }
  }
});

const ask = (value: string, more: { name?: string; realm?: string; user?: string } = {}): Promise<void> =>
  application.setPolicy('otppin', 'authentication', `otppin=${value}`, { user: '*', ...more });

/** @returns true if a new token of that owner is answered rightly by each of the texts in front of the response */
async function acceptedOf(
  owner: Record<string, string>,
  ...prefixes: readonly string[]
): Promise<readonly boolean[]> {
  number += 1;
  const serial = `OTPPIN${number}`;
  await application.enrolPlain(serial, SUITE, { pin: 'pin', ...owner });
  const results = [];
  for (const prefix of prefixes) {
    const { transactionid, question } = await application.challenge(serial);
    const { counter } = await application.services.tokens.show(OPERATOR, serial);
    const tan = application.respond(SUITE, question, { counter });
    const [wrong, right] = [wrongResponse(tan), tan].map((response) => `${prefix}${response}`);
    expect(await application.check(transactionid, wrong ?? '')).toMatchObject({ result: false });
    results.push(((await application.check(transactionid, right ?? '')) as { result: boolean }).result);
  }
  return results;
}

const ANNA = { user: 'anna', realm: 'staff' };

describe('the PIN before the response', () => {
  it('cannot be right with otppin=1 where the token has no owner or the owner has no password', async () => {
    await ask('1');
    expect(await acceptedOf({ realm: 'staff' }, '', 'pin')).toEqual([false, false]);
    expect(await acceptedOf({ user: 'bert', realm: 'staff' }, '', 'pin')).toEqual([false, false]);
  });

  it("follows the policy of the token's realm and owner", async () => {
    await ask('2', { realm: 'guests' });
    expect(await acceptedOf({ user: 'gast', realm: 'guests' }, '', 'pin')).toEqual([true, false]);
    expect(await acceptedOf(ANNA, '', 'pin')).toEqual([false, true]);
    await ask('1', { realm: 'staff', user: 'anna', name: 'second' });
    expect(await acceptedOf(ANNA, 'pin', STAFF_PASSWORD)).toEqual([false, true]);
    expect(await acceptedOf({ user: 'bert', realm: 'staff' }, 'pin')).toEqual([true]);
  });
});

describe('the rights of the scope ocra', () => {
  const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
  const NEEDED =
    'ERR410: You do not have the administrative right to do this. You are missing a policy scope=ocra, action=secondfactor';
  const SIGNED_IN = { is_signed_in: true };
  /** Of a new installation, for every administrator. */
  const DEFAULT = 'ocra-administrators';

  beforeAll(async () => {
    await application.addRealm('north', ['nora']);
    await application.addRealm('south', ['sven']);
    const { administrators } = application.services;
    await application.setPolicy('own', 'ocra', '*', { user: 'admin' });
    await administrators.add(OPERATOR, 'anna', 'the password of anna');
    await administrators.add(OPERATOR, 'portal', 'the password of portal');
  });
  beforeEach(() => {
    number += 1;
    serial = `BOUND${number}`;
  });
  afterEach(async () => {
    const { policies } = application.services;
    for (const { name } of await policies.list()) {
      if (name.startsWith('portal')) {
        await policies.remove(OPERATOR, name);
      }
    }
  });

  /** From then on, the portal has the rights of its own policies only. */
  async function grant(action: string, realm = '*', name = 'portal'): Promise<void> {
    const { policies } = application.services;
    if ((await policies.list()).some((policy) => policy.name === DEFAULT)) {
      await policies.remove(OPERATOR, DEFAULT);
    }
    await application.setPolicy(name, 'ocra', action, { realm, user: 'portal' });
  }

  /** Sends a request of the portal, with the rights of its policies. @returns the error, or undefined */
  async function asPortal(path: string, parameters: Record<string, string>): Promise<string | undefined> {
    return errorOf(await application.send(path, parameters).auth('portal', 'the password of portal'));
  }

  const request = (parameters: Record<string, string>) =>
    asPortal('/ocra/request', { data: 'Pay 5 EUR', ...parameters });

  /** Enrols a token with which anna signs in. */
  async function signInToken(realms: readonly string[] = []): Promise<void> {
    await application.enrolPlain(serial, SUITE);
    if (realms.length > 0) {
      await application.asAdmin('/admin/tokenrealm', { serial, realms: realms.join() });
    }
    await application.services.administrators.setSecondFactor(OPERATOR, 'anna', serial);
  }

  async function begin(browser: Browser): Promise<string> {
    const known = { username: 'anna', password: 'the password of anna' };
    const begun = await browser.post('/admin/sign-in', known);
    const { detail } = begun.body as { detail: { data: string } };
    return application.respond(SUITE, questionOf(detail.data));
  }

  describe('an administrator who signs in with a token', () => {
    it('is not kept out by however many challenges of others', async () => {
      await signInToken();
      const browser = new Browser(application.app);
      const response = await begin(browser);
      for (let count = 0; count < 9; count += 1) {
        await application.challenge(serial, `Pay ${count} EUR`);
      }
      expect(valueOf(await browser.post('/admin/sign-in/finish', { response }))).toEqual(SIGNED_IN);
    });

    it('loses no sign-in to later ones, and no sign-in closes a challenge of a portal', async () => {
      await signInToken();
      const { transactionid, question } = await application.challenge(serial, 'Pay 5 EUR');
      const browsers = Array.from({ length: 5 }, () => new Browser(application.app));
      const responses: string[] = [];
      for (const browser of browsers) {
        responses.push(await begin(browser));
      }
      const ends = browsers.map((browser, place) =>
        browser.post('/admin/sign-in/finish', { response: responses[place] ?? '' }),
      );
      expect((await Promise.all(ends)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const paid = application.respond(SUITE, question);
      expect(await application.check(transactionid, paid)).toMatchObject({ result: true });
    });

    it('does not keep a response without transaction id from the challenge of a portal', async () => {
      await signInToken();
      const { question } = await application.challenge(serial, 'Pay 5 EUR');
      for (let count = 0; count < 4; count += 1) {
        await begin(new Browser(application.app));
      }
      const pass = application.respond(SUITE, question);
      expect(valueOf(await application.send('/validate/check_s', { serial, pass }))).toBe(true);
    });

    it('is not kept out by wrong responses of strangers without a transaction id', async () => {
      await signInToken();
      const browser = new Browser(application.app);
      const response = await begin(browser);
      for (let count = 0; count < 3; count += 1) {
        const guess = application.send('/validate/check_s', { serial, pass: wrongResponse(response) });
        expect(valueOf(await guess)).toBe(false);
      }
      // Nor does the right one without a transaction id use the sign-in up.
      expect(valueOf(await application.send('/validate/check_s', { serial, pass: response }))).toBe(false);
      expect(valueOf(await browser.post('/admin/sign-in/finish', { response }))).toEqual(SIGNED_IN);
    });

    it('ends with the sign-in where the token gets another key', async () => {
      await signInToken();
      const browser = new Browser(application.app);
      const response = await begin(browser);
      await application.enrolPlain(serial, SUITE, { otpkey: '42'.repeat(32) });
      expect((await browser.post('/admin/sign-in/finish', { response })).status).toBe(401);
    });
  });

  describe('a challenge for the second factor of an administrator', () => {
    it('takes a right of its own, which the policy of a new installation gives to every administrator', async () => {
      await signInToken();
      expect(await request({ serial })).toBeUndefined();
      await grant('request, status, activationcode, calcOTP');
      expect(await request({ serial })).toBe(NEEDED);
      await application.enrolPlain(`${serial}X`, SUITE);
      expect(await request({ serial: `${serial}X` })).toBeUndefined();
      await grant('secondfactor', '*', 'portal2');
      expect(await request({ serial })).toBeUndefined();
      await application.services.administrators.setSecondFactor(OPERATOR, 'anna', undefined);
      await application.services.policies.remove(OPERATOR, 'portal2');
      expect(await request({ serial })).toBeUndefined();
    });

    it('takes that right also where the token is named by its owner', async () => {
      await signInToken(['north']);
      await application.services.tokens.assign(OPERATOR, { serial, user: 'nora', realm: 'north' });
      await grant('request');
      expect(await request({ user: 'nora', realm: 'north' })).toBe(NEEDED);
      await application.services.tokens.unassign(OPERATOR, { serial });
    });

    it('takes it in a realm of the token', async () => {
      await signInToken(['north']);
      await grant('request');
      await grant('secondfactor', 'south', 'portal2');
      expect(await request({ serial })).toBe(NEEDED);
      await grant('secondfactor', 'north', 'portal2');
      expect(await request({ serial })).toBeUndefined();
    });

    it('takes it of an API token, too', async () => {
      await signInToken();
      const ask = async (name: string, rights: readonly string[]): Promise<string | undefined> => {
        const Authorization = `Bearer ${await application.apiToken(name, rights)}`;
        return errorOf(await application.send('/ocra/request', { serial, data: 'x' }).set({ Authorization }));
      };
      expect(await ask('one', ['ocra:request'])).toBe(
        'ERR410: This API token does not have the right ocra:secondfactor',
      );
      expect(await ask('two', ['ocra:request', 'ocra:secondfactor'])).toBeUndefined();
    });
  });

  describe('a policy of the scope ocra for one realm', () => {
    beforeEach(() => grant('*', 'north'));

    it('lets challenge tokens of that realm, and those in no realm, but no others', async () => {
      for (const [name, realms] of [
        ['N', 'north'],
        ['B', 'north,south'],
        ['S', 'south'],
      ] as const) {
        await application.enrolPlain(`${serial}${name}`, SUITE);
        await application.asAdmin('/admin/tokenrealm', { serial: `${serial}${name}`, realms });
      }
      await application.enrolPlain(`${serial}O`, SUITE);
      for (const name of ['N', 'B', 'O']) {
        expect(await request({ serial: `${serial}${name}` })).toBeUndefined();
      }
      // As for a serial that does not exist.
      expect(await request({ serial: `${serial}S` })).toBe(`No token found with the serial '${serial}S'`);
      expect(await request({ serial: `${serial}Z` })).toBe(`No token found with the serial '${serial}Z'`);
    });

    it('lets challenge users of that realm, and names no other token of theirs', async () => {
      await application.enrolPlain(`${serial}N`, SUITE, { user: 'nora', realm: 'north' });
      await application.enrolPlain(`${serial}H`, SUITE, { user: 'nora', realm: 'north' });
      await application.asAdmin('/admin/tokenrealm', { serial: `${serial}H`, realms: 'south' });
      await application.enrolPlain(`${serial}S`, SUITE, { user: 'sven', realm: 'south' });
      expect(await request({ user: 'nora', realm: 'north' })).toBeUndefined();
      expect(await request({ user: 'sven', realm: 'south' })).toBe(
        'ERR1205: getUserId failed: no user >sven< found!',
      );
      expect(await request({ serial: `${serial}S`, user: 'sven@south' })).toMatch(/^ERR1205: /);
    });

    it('lets see the challenges of those tokens only', async () => {
      const ids: string[] = [];
      for (const name of ['N', 'S', 'O']) {
        await application.enrolPlain(`${serial}${name}`, SUITE);
        ids.push((await application.challenge(`${serial}${name}`, 'x')).transactionid);
      }
      await application.asAdmin('/admin/tokenrealm', { serial: `${serial}N`, realms: 'north' });
      await application.asAdmin('/admin/tokenrealm', { serial: `${serial}S`, realms: 'south' });
      const seen = async (parameters: Record<string, string>): Promise<readonly string[]> => {
        const asked = application.send('/ocra/checkstatus', parameters);
        const response = await asked.auth('portal', 'the password of portal');
        return (valueOf(response) as { transactionid: string }[]).map(({ transactionid }) => transactionid);
      };
      const [north = '', south = '', none = ''] = ids;
      for (const [name, transactionid, isSeen] of [
        ['N', north, true],
        ['S', south, false],
        ['O', none, true],
      ] as const) {
        const expected = isSeen ? [transactionid] : [];
        expect(await seen({ transactionid })).toEqual(expected);
        expect(await seen({ serial: `${serial}${name}` })).toEqual(expected);
        expect(await seen({ transactionid, wait: '0S' })).toEqual(expected);
      }
    });
  });
});
