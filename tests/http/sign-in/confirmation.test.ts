import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import { SoftwareAuthenticator } from '../../support/application/software-authenticator.ts';
import {
  applicationOfTests,
  OPERATOR,
  QUICK_HASHER,
  TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { basic } from '../../support/values/callers.ts';

const ORIGIN = 'https://tan.example.com';
const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
const PASSWORD = 'the password of anna';
const GUARDED = '/admin/passkey/options';
const CONFIRM_FIRST = 'Confirm first that it is you: /admin/confirmation';

const application = applicationOfTests({ publicUrl: ORIGIN, limits: { loginFailures: 1000 } });
let browser: Browser;

beforeAll(() => application.enrolPlain('ANNA', SUITE));

beforeEach(async () => {
  await application.renewAdministrator('anna', PASSWORD);
  browser = new Browser(application.app);
});

async function signIn(from = browser): Promise<void> {
  const begun = await from.post('/admin/sign-in', { username: 'anna', password: PASSWORD });
  if ((valueOf(begun) as { is_signed_in: boolean }).is_signed_in) {
    return;
  }
  await from.post('/admin/sign-in/finish', { response: answerTo(begun) });
}

const urlOf = ({ body }: Response): string => (body as { detail: { data: string } }).detail.data;

const answerTo = (begun: Response): string => application.respond(SUITE, questionOf(urlOf(begun)));

const confirm = (from = browser, password = PASSWORD): Promise<Response> =>
  from.post('/admin/confirmation', { password });

const finish = (given: Readonly<Record<string, string>> = {}, from = browser): Promise<Response> =>
  from.post('/admin/confirmation/finish', given);

async function expectUnconfirmed(from = browser): Promise<void> {
  const refused = await from.post(GUARDED);
  expect([refused.status, errorOf(refused)]).toEqual([403, CONFIRM_FIRST]);
  expect(refused.get('WWW-Authenticate')).toBe('Confirmation realm="tankeeper"');
}

async function expectConfirmed(from = browser): Promise<void> {
  expect((await from.post(GUARDED)).status).toBe(200);
}

describe('a login of an administrator without second factor', () => {
  it('is not confirmed by the sign-in, and is by the password, for five minutes', async () => {
    await signIn();
    await expectUnconfirmed();
    const wrong = await confirm(browser, 'wrong');
    expect([wrong.status, errorOf(wrong)]).toEqual([403, 'Wrong password']);
    await expectUnconfirmed();
    expect(valueOf(await confirm())).toEqual({
      is_confirmed: true,
      expires_at: new Date(application.clock.now().getTime() + 300_000).toISOString(),
    });
    await expectConfirmed();
    application.clock.advance(301);
    await expectUnconfirmed();
  });

  it('is confirmed alone, not others of the same administrator', async () => {
    const other = new Browser(application.app);
    await signIn();
    await signIn(other);
    await confirm();
    await expectConfirmed();
    await expectUnconfirmed(other);
  });

  it('is confirmed on every server', async () => {
    const other = application.beside();
    await signIn();
    await expectUnconfirmed(browser.at(other.app));
    await confirm();
    await expectConfirmed(browser.at(other.app));
  });
});

describe('other credentials', () => {
  const asProgram = (headers: Readonly<Record<string, string>>, path = GUARDED) =>
    application.send(path, { password: PASSWORD }).set(headers);

  it('are not confirmed: an API token, a session of a client', async () => {
    const bearer = { Authorization: `Bearer ${await application.apiToken('all', ['*'], 'anna')}` };
    expect(errorOf(await asProgram(bearer))).toMatch(/^This takes a password/);
    expect(errorOf(await asProgram(bearer, '/admin/confirmation'))).toBe(
      'A login is confirmed, no other credential',
    );
    const opened = await application.send('/admin/getsession', {}).auth('anna', PASSWORD);
    const session = /admin_session=([^;]+)/.exec(opened.get('Set-Cookie')?.join() ?? '')?.[1] ?? '';
    const bySession = (path: string, values = {}) =>
      application.send(path, { session, ...values }).set('Cookie', `admin_session=${session}`);
    expect(errorOf(await bySession(GUARDED))).toMatch(/^This takes a password/);
    expect(errorOf(await bySession('/admin/confirmation', { password: PASSWORD }))).toBe(
      'A login is confirmed, no other credential',
    );
    // The password comes with the request itself.
    expect((await asProgram({ Authorization: basic('anna', PASSWORD) })).status).toBe(200);
  });
});

describe('a login of an administrator with a token', () => {
  beforeEach(async () => {
    await application.services.administrators.setSecondFactor(OPERATOR, 'anna', 'ANNA');
    await signIn();
  });

  it('is confirmed by password and response, never by the password alone', async () => {
    const begun = await confirm();
    expect(valueOf(begun)).toMatchObject({ is_confirmed: false, second_factor: 'token' });
    expect(parseQrTanUrl((begun.body as { detail: { data: string } }).detail.data)).toMatchObject({
      message: 'Confirm as anna at tan.example.com',
    });
    await expectUnconfirmed();
    const wrong = await finish({ response: wrongResponse(answerTo(begun)) });
    expect([wrong.status, errorOf(wrong)]).toEqual([403, 'The second factor is wrong']);
    await expectUnconfirmed();
    expect(valueOf(await finish({ response: answerTo(begun) }))).toMatchObject({ is_confirmed: true });
    await expectConfirmed();
  });

  it('is confirmed once the app has answered by itself', async () => {
    const begun = await confirm();
    expect(valueOf(await finish())).toEqual({ is_confirmed: false });
    const { transactionid } = (begun.body as { detail: { transactionid: string } }).detail;
    await application.check(transactionid, answerTo(begun));
    expect(valueOf(await finish())).toMatchObject({ is_confirmed: true });
    await expectConfirmed();
  });

  it('is not confirmed by the confirmation of another login, nor by a sign-in, nor the other way', async () => {
    const begun = await confirm();
    const thief = new Browser(application.app);
    await signIn(thief);
    thief.cookies.set('sign_in_confirmation', browser.cookies.get('sign_in_confirmation') ?? '');
    expect((await finish({ response: answerTo(begun) }, thief)).status).toBe(403);
    await expectUnconfirmed(thief);
    const elsewhere = new Browser(application.app);
    elsewhere.cookies.set('sign_in', browser.cookies.get('sign_in_confirmation') ?? '');
    const asSignIn = await elsewhere.post('/admin/sign-in/finish', { response: answerTo(begun) });
    expect(asSignIn.status).toBe(401);
    const started = await elsewhere.post('/admin/sign-in', { username: 'anna', password: PASSWORD });
    browser.cookies.set('sign_in_confirmation', elsewhere.cookies.get('sign_in') ?? '');
    expect((await finish({ response: answerTo(started) })).status).toBe(403);
    await expectUnconfirmed();
  });

  it('is confirmed once by one response, of three at once', async () => {
    const begun = await confirm();
    const response = answerTo(begun);
    const twins = [1, 2, 3].map(() => finish({ response }, browser.at(application.app)));
    const statuses = (await Promise.all(twins)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('is not confirmed with a token that is disabled, and stays open', async () => {
    const begun = await confirm();
    await application.asAdmin('/admin/disable', { serial: 'ANNA' });
    for (const [answer, text] of [
      [await finish(), /^This confirmation has ended/],
      [await finish({ response: answerTo(begun) }), /^The second factor is wrong/],
      [await confirm(), /^The second factor cannot be used/],
    ] as const) {
      expect([answer.status, errorOf(answer)]).toEqual([403, expect.stringMatching(text)]);
      expect(answer.get('WWW-Authenticate')).toBe('Confirmation realm="tankeeper"');
    }
    await expectUnconfirmed();
    await application.asAdmin('/admin/enable', { serial: 'ANNA' });
    await finish({ response: answerTo(await confirm()) });
    await expectConfirmed();
  });

  it('is not confirmed after five minutes, a new password or another second factor', async () => {
    const begun = await confirm();
    application.clock.advance(301);
    expect(errorOf(await finish({ response: answerTo(begun) }))).toMatch(/^This confirmation has ended/);
    const again = await confirm();
    await application.services.administrators.setSecondFactor(OPERATOR, 'anna', undefined);
    expect((await finish({ response: answerTo(again) })).status).toBe(401);
  });

  it('may register a passkey, which takes the place of the token', async () => {
    await finish({ response: answerTo(await confirm()) });
    const { options } = valueOf(await browser.post(GUARDED)) as { options: { challenge: string } };
    const credential = new SoftwareAuthenticator(ORIGIN).create(options);
    expect(valueOf(await browser.post('/admin/sign-in/passkey', { credential, name: 'key' }))).toBe(true);
    const begun = await browser.post('/admin/sign-in', { username: 'anna', password: PASSWORD });
    expect(valueOf(begun)).toMatchObject({ second_factor: 'passkey' });
  });
});

describe('the ways to sign in', () => {
  const methods = async (): Promise<unknown> =>
    valueOf(await request(application.app).get('/admin/sign-in/methods'));

  it('are told to everybody, without a word about accounts', async () => {
    const installation = { name: null, colour: null };
    const ways = { has_passkeys: true, has_single_sign_on: false, provider: null };
    expect(await methods()).toEqual({ ...ways, installation });
  });

  it('name the installation and its colour, of no form but theirs', async () => {
    const { settings } = application.services;
    const set = (key: string, value: string): Promise<unknown> =>
      settings.set(OPERATOR, new Map([[key, value]]));
    await set('InstallationName', 'Bank, Test');
    await set('InstallationColour', '#C92a2a');
    expect(await methods()).toMatchObject({ installation: { name: 'Bank, Test', colour: '#C92a2a' } });
    for (const colour of ['red', '#fff', '#c92a2a;}', '#c92a2a\n', 'url(#c92a2a)']) {
      await expect(set('InstallationColour', colour)).rejects.toThrow('# and six hexadecimal digits');
    }
    for (const name of ['', ' ', 'x'.repeat(41), 'a\u202Eb', 'a\nb']) {
      await expect(set('InstallationName', name)).rejects.toThrow('1 to 40 visible characters');
    }
  });
});

type Parameters = Readonly<Record<string, string>>;

/** Every endpoint by which people change credentials of their own. */
const OWN: readonly (readonly [path: string, given: Parameters])[] = [
  ['/admin/password', { password: PASSWORD, new_password: 'another password' }],
  ['/admin/passkey/options', {}],
  ['/admin/passkey/remove', { id: '1' }],
  ['/admin/second-factor/set', { administrator: 'anna', serial: 'OTHER' }],
  ['/admin/second-factor/remove', { administrator: 'anna' }],
  ['/admin/second-factor/passkey-link', { administrator: 'anna' }],
  ['/admin/api-token/add', { administrator: 'anna', name: 'mine', rights: 'monitoring:*' }],
];

let owning: TestApplication;
let owner: Browser;
let serial = 0;
let whileHashing: () => Promise<void>;

beforeAll(async () => {
  whileHashing = () => Promise.resolve();
  owning = await TestApplication.open({
    publicUrl: 'https://tan.example.com',
    limits: { loginFailures: 1000 },
    hasher: {
      ...QUICK_HASHER,
      hash: async (password) => {
        await whileHashing();
        return QUICK_HASHER.hash(password);
      },
    },
  });
  await owning.enrolPlain('OTHER', SUITE);
});
afterAll(() => owning.close());

/** Anna has a token as second factor, is signed in by it, and has API tokens. */
beforeEach(async () => {
  whileHashing = () => Promise.resolve();
  const { administrators } = owning.services;
  await owning.renewAdministrator('anna', PASSWORD);
  serial += 1;
  await owning.enrolPlain(`ANNA${serial}`, SUITE);
  await administrators.setSecondFactor(OPERATOR, 'anna', `ANNA${serial}`);
  owner = await signedIn();
});

const begin = (from: Browser): Promise<Response> =>
  from.post('/admin/sign-in', { username: 'anna', password: PASSWORD });

async function signedIn(): Promise<Browser> {
  const from = new Browser(owning.app);
  await from.post('/admin/sign-in/finish', { response: ownAnswerTo(await begin(from)) });
  return from;
}

async function confirmOwn(): Promise<void> {
  const begun = await owner.post('/admin/confirmation', { password: PASSWORD });
  await owner.post('/admin/confirmation/finish', { response: ownAnswerTo(begun) });
}

const ownAnswerTo = (begun: Response): string => owning.respond(SUITE, questionOf(urlOf(begun)));

async function apiToken(...rights: readonly string[]): Promise<Parameters> {
  const name = `of ${rights.join(' ').replace(/\W/g, '-')}`;
  return { Authorization: `Bearer ${await owning.apiToken(name, rights, 'anna')}` };
}

const send = async (path: string, given: Parameters, headers: Parameters): Promise<Response> =>
  owning.send(path, { ...given }).set(headers);

/** @returns everything by which anna signs in */
const credentials = (): Promise<object[]> =>
  owning.rows(
    `SELECT password_hash, second_factor, second_factor_serial,
       (SELECT count(*) FROM sessions s WHERE s.administrator_id = a.id AND revoked_at IS NULL) AS sessions,
       (SELECT count(*) FROM api_tokens t WHERE t.administrator_id = a.id) AS tokens,
       (SELECT count(*) FROM passkeys p WHERE p.administrator_id = a.id) AS passkeys,
       (SELECT count(*) FROM sign_in_attempts i WHERE i.administrator_id = a.id
          AND kind IN ('registration', 'link')) AS begun
     FROM administrators a WHERE name = 'anna'`,
  );

describe.each(OWN)('%s of a person with a second factor', (path, given) => {
  it('is refused to an API token, whatever its rights, also with the right password', async () => {
    for (const rights of [['*'], ['system:write'], ['admin:show']]) {
      const bearer = await apiToken(...rights);
      const before = await credentials();
      expect(errorOf(await send(path, given, bearer))).toEqual(expect.any(String));
      expect(await credentials()).toEqual(before);
    }
  });

  it('is refused to the password alone, to a sign-in without its second step, and to a login that is not confirmed', async () => {
    const half = new Browser(owning.app);
    await begin(half);
    const before = await credentials();
    expect((await send(path, given, { Authorization: basic('anna', PASSWORD) })).status).toBe(401);
    expect((await half.post(path, given)).status).toBe(401);
    const { status, headers } = await owner.post(path, given);
    expect([status, headers['www-authenticate']]).toEqual([403, 'Confirmation realm="tankeeper"']);
    expect(await credentials()).toEqual(before);
  });

  it('is taken from a login that password and second factor have confirmed', async () => {
    await confirmOwn();
    const before = await credentials();
    const done = await owner.post(path, given);
    if (path === '/admin/passkey/remove') {
      expect(errorOf(done)).toBe("There is no passkey '1'");
      return;
    }
    expect([done.status, errorOf(done)]).toEqual([200, undefined]);
    expect(await credentials()).not.toEqual(before);
  });
});

describe('/admin/password', () => {
  it('does not tell an API token, nor a login that is not confirmed, whether the password is right', async () => {
    const wrong = { password: 'wrong', new_password: 'another password' };
    const bearer = await apiToken('*');
    const told = [await send('/admin/password', wrong, bearer), await owner.post('/admin/password', wrong)];
    expect(told.map(errorOf)).toEqual([
      expect.stringMatching(/^This takes a password/),
      'Confirm first that it is you: /admin/confirmation',
    ]);
  });

  it('is refused where the login ends while the new password is hashed', async () => {
    await confirmOwn();
    whileHashing = async () => {
      await owner.at(owning.app).post('/admin/logout');
    };
    const given = { password: PASSWORD, new_password: 'another password' };
    expect((await owner.post('/admin/password', given)).status).toBe(403);
    expect((await begin(new Browser(owning.app))).status).toBe(200);
  });
});

it('/admin/session/end ends the sessions of a person for an API token with the right admin:sessions alone', async () => {
  await owning.setPolicy('desk', 'admin', 'show', { user: 'anna' });
  const refused = await send('/admin/session/end', { all: '1' }, await apiToken('*'));
  expect(errorOf(refused)).toMatch(/action=sessions$/);
  await owning.services.policies.remove(OPERATOR, 'desk');
  expect((await owner.post('/admin/session/end', { all: '1' })).status).toBe(200);
  expect((await owner.get('/admin/rights')).status).toBe(401);
});
