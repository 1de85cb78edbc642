import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { Browser, errorOf } from '../../support/application/browser.ts';
import { OPERATOR, QUICK_HASHER, TestApplication } from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
const PASSWORD = 'the password of anna';

type Parameters = Readonly<Record<string, string>>;

/** Every endpoint by which people change credentials of their own. */
const OWN: readonly (readonly [path: string, given: Parameters])[] = [
  ['/admin/password', { password: PASSWORD, new_password: 'another password' }],
  ['/admin/passkeys/options', {}],
  ['/admin/passkeys/remove', { id: '1' }],
  ['/admin/administrators/second-factor', { administrator: 'anna', serial: 'OTHER' }],
  ['/admin/administrators/second-factor/remove', { administrator: 'anna' }],
  ['/admin/administrators/passkey-link', { administrator: 'anna' }],
  ['/admin/api-tokens/add', { administrator: 'anna', name: 'mine', rights: 'monitoring:*' }],
];

let application: TestApplication;
let browser: Browser;
let serial = 0;
let whileHashing: () => Promise<void>;

beforeAll(async () => {
  whileHashing = () => Promise.resolve();
  application = await TestApplication.open({
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
  await application.enrolPlain('OTHER', SUITE);
});
afterAll(() => application.close());

/** Anna has a token as second factor, is signed in by it, and has API tokens. */
beforeEach(async () => {
  whileHashing = () => Promise.resolve();
  const { administrators, secondFactors } = application.services;
  const known = (await administrators.list()).map(({ name }) => name);
  if (known.includes('anna')) {
    await administrators.remove(OPERATOR, 'anna');
  }
  await administrators.add(OPERATOR, 'anna', PASSWORD);
  serial += 1;
  await application.enrolPlain(`ANNA${serial}`, SUITE);
  await secondFactors.setToken(OPERATOR, 'anna', `ANNA${serial}`);
  browser = await signedIn();
});

const begin = (from: Browser): Promise<Response> =>
  from.post('/admin/sign-in', { username: 'anna', password: PASSWORD });

async function signedIn(): Promise<Browser> {
  const from = new Browser(application.app);
  await from.post('/admin/sign-in/finish', { response: answerTo(await begin(from)) });
  return from;
}

async function confirm(): Promise<void> {
  const begun = await browser.post('/admin/confirmation', { password: PASSWORD });
  await browser.post('/admin/confirmation/finish', { response: answerTo(begun) });
}

function answerTo({ body }: Response): string {
  const read = parseQrTanUrl((body as { detail: { data: string } }).detail.data);
  return application.respond(SUITE, read.kind === 'req' ? read.question : '');
}

async function apiToken(...rights: readonly string[]): Promise<Parameters> {
  const draft = { name: `of ${rights.join(' ').replace(/\W/g, '-')}`, rights };
  const { token } = await application.services.administrators.addApiToken(OPERATOR, 'anna', draft);
  return { Authorization: `Bearer ${token}` };
}

const send = async (path: string, given: Parameters, headers: Parameters): Promise<Response> =>
  request(application.app).post(path).set(headers).type('form').send(given);

/** @returns everything by which anna signs in */
const credentials = (): Promise<object[]> =>
  queryOnce(
    application.databaseUrl,
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
    const half = new Browser(application.app);
    await begin(half);
    const basic = `Basic ${Buffer.from(`anna:${PASSWORD}`).toString('base64')}`;
    const before = await credentials();
    expect((await send(path, given, { Authorization: basic })).status).toBe(401);
    expect((await half.post(path, given)).status).toBe(401);
    const unconfirmed = await browser.post(path, given);
    expect([unconfirmed.status, unconfirmed.get('WWW-Authenticate')]).toEqual([
      403,
      'Confirmation realm="tankeeper"',
    ]);
    expect(await credentials()).toEqual(before);
  });

  it('is taken from a login that password and second factor have confirmed', async () => {
    await confirm();
    const before = await credentials();
    const done = await browser.post(path, given);
    if (path === '/admin/passkeys/remove') {
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
    const told = [await send('/admin/password', wrong, bearer), await browser.post('/admin/password', wrong)];
    expect(told.map(errorOf)).toEqual([
      expect.stringMatching(/^This takes a password/),
      'Confirm first that it is you: /admin/confirmation',
    ]);
  });

  it('is refused where the login ends while the new password is hashed', async () => {
    await confirm();
    whileHashing = async () => {
      await browser.at(application.app).post('/admin/logout');
    };
    const given = { password: PASSWORD, new_password: 'another password' };
    expect((await browser.post('/admin/password', given)).status).toBe(403);
    expect((await begin(new Browser(application.app))).status).toBe(200);
  });
});

describe('/admin/sessions/end', () => {
  it('ends the sessions of a person for an API token with the right admin:sessions alone', async () => {
    await application.services.policies.set(OPERATOR, {
      name: 'desk',
      scope: 'admin',
      action: 'show',
      user: 'anna',
      realm: '*',
      client: '',
      time: '',
      active: true,
    });
    const refused = await send('/admin/sessions/end', { all: '1' }, await apiToken('*'));
    expect(errorOf(refused)).toMatch(/action=sessions$/);
    await application.services.policies.remove(OPERATOR, 'desk');
    expect((await browser.post('/admin/sessions/end', { all: '1' })).status).toBe(200);
    expect((await browser.get('/admin/rights')).status).toBe(401);
  });
});
