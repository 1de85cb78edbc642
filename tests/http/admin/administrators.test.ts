import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import { applicationOfTests, OPERATOR } from '../../support/application/test-application.ts';

const PASSWORD = 'the password of anna';
const CONFIRM_FIRST = 'Confirm first that it is you: /admin/confirmation';
const NO_WRITE = /You are missing a policy scope=system, action=write$/;

const application = applicationOfTests({
  publicUrl: 'https://tan.example.com',
  limits: { loginFailures: 1000 },
});
let operator: Browser;
let number = 0;

beforeAll(async () => {
  await application.enrolPlain('QR17', 'OCRA-1:HOTP-SHA256-8:QA64');
  await policy('operators', 'read, write', 'admin');
  await policy('readers', 'read', '*');
});

beforeEach(async () => {
  operator = new Browser(application.app);
  await operator.post('/admin/sign-in', { username: 'admin', password: 'correct horse' });
  await operator.post('/admin/confirmation', { password: 'correct horse' });
});

async function policy(name: string, action: string, user: string): Promise<void> {
  await application.setPolicy(name, 'system', action, { user });
}

/** @returns the name of a new administrator, who may read only */
async function somebody(): Promise<string> {
  number += 1;
  const name = `anna${number}`;
  await application.services.administrators.add(OPERATOR, name, PASSWORD);
  return name;
}

/** @returns a browser whose login is confirmed */
async function confirmed(name: string): Promise<Browser> {
  const browser = await signedIn(name);
  await browser.post('/admin/confirmation', { password: PASSWORD });
  return browser;
}

async function signedIn(name: string, password = PASSWORD): Promise<Browser> {
  const browser = new Browser(application.app);
  await browser.post('/admin/sign-in', { username: name, password });
  return browser;
}

/** Every change, about that administrator. */
const CHANGES: readonly (readonly [path: string, given: Readonly<Record<string, string>>])[] = [
  ['/admin/admin/add', { password: PASSWORD }],
  ['/admin/admin/remove', {}],
  ['/admin/admin/password', { password: 'another password' }],
  ['/admin/second-factor/set', { serial: 'QR17' }],
  ['/admin/second-factor/remove', {}],
  ['/admin/second-factor/passkey-link', {}],
  ['/admin/api-token/add', { name: 'probe', rights: 'monitoring:*' }],
];

describe('administrators over HTTP', () => {
  it('are added, listed, get second factors, and are removed', async () => {
    const administrator = `new${Date.now()}`;
    const added = { administrator, password: PASSWORD };
    expect(valueOf(await operator.post('/admin/admin/add', added))).toBe(true);
    expect(errorOf(await operator.post('/admin/admin/add', added))).toMatch(/already$/);
    const factor = { administrator, serial: 'QR17' };
    expect(valueOf(await operator.post('/admin/second-factor/set', factor))).toBe(true);
    const listed = valueOf(await operator.get('/admin/admin/list')) as { name: string }[];
    expect(listed.find(({ name }) => name === administrator)).toEqual({
      name: administrator,
      second_factor: 'token',
      serial: 'QR17',
      is_second_factor_lost: false,
      is_own: false,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(listed)).not.toMatch(/argon|hash/);
    const wrong = { administrator, serial: 'NONE' };
    expect(errorOf(await operator.post('/admin/second-factor/set', wrong))).toMatch(
      /no token of OCRA, HOTP or TOTP/,
    );
    await operator.post('/admin/second-factor/remove', { administrator });
    expect((await signedIn(administrator)).cookies.has('access_token_cookie')).toBe(true);
    expect(valueOf(await operator.post('/admin/admin/remove', { administrator }))).toBe(true);
    expect((await operator.get('/admin/admin/list')).text).not.toContain(administrator);
    const own = await operator.post('/admin/admin/remove', { administrator: 'admin' });
    expect(errorOf(own)).toBe('Nobody can remove themselves');
  });

  it('get a new password, which ends their sessions, and the API tokens on request', async () => {
    const administrator = await somebody();
    const theirs = await signedIn(administrator);
    await operator.post('/admin/api-token/add', { administrator, name: 'probe', rights: '*' });
    const given = { administrator, password: 'another password' };
    expect(valueOf(await operator.post('/admin/admin/password', given))).toEqual({ api_tokens_left: 1 });
    expect((await theirs.get('/admin/admin/list')).status).toBe(401);
    const all = { ...given, revoke_tokens: '1' };
    expect(valueOf(await operator.post('/admin/admin/password', all))).toEqual({ api_tokens_left: 0 });
    expect(valueOf(await operator.get('/admin/api-token/list', { administrator }))).toEqual([]);
    const own = { administrator: 'admin', password: 'another password' };
    expect(errorOf(await operator.post('/admin/admin/password', own))).toMatch(/the present one$/);
  });

  it('change their own password with the present one, without any right, and sign in anew', async () => {
    const name = await somebody();
    const own = await confirmed(name);
    const wrong = await own.post('/admin/password', { password: 'wrong', new_password: 'another password' });
    expect([wrong.status, errorOf(wrong)]).toEqual([403, 'Wrong password']);
    const short = await own.post('/admin/password', { password: PASSWORD, new_password: 'kurz' });
    expect(errorOf(short)).toMatch(/password/i);
    const changed = { password: PASSWORD, new_password: 'another password' };
    expect(valueOf(await own.post('/admin/password', changed))).toBe(true);
    expect((await own.get('/admin/admin/list')).status).toBe(401);
    expect((await signedIn(name)).cookies.has('access_token_cookie')).toBe(false);
    expect((await signedIn(name, 'another password')).cookies.has('access_token_cookie')).toBe(true);
  });

  it('change their own password once of three times at once', async () => {
    const name = await somebody();
    const own = await confirmed(name);
    const changes = ['first password', 'second password', 'third password'].map((password) =>
      own.at(application.app).post('/admin/password', { password: PASSWORD, new_password: password }),
    );
    const done = (await Promise.all(changes)).filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
  });

  it('are limited in guessing their present password', async () => {
    const strict = application.restarted({ limits: { loginFailures: 2 } });
    const name = await somebody();
    const own = (await confirmed(name)).at(strict.app);
    const guesses: Response[] = [];
    for (const password of ['a', 'b', 'c', 'd']) {
      guesses.push(await own.post('/admin/password', { password, new_password: 'another password' }));
    }
    expect(guesses.map(({ status }) => status)).toEqual([403, 403, 429, 429]);
  });
});

describe.each(CHANGES)('%s', (path, given) => {
  it('takes a confirmed login, the right system:write, and no API token', async () => {
    const administrator = path === '/admin/admin/add' ? 'mallory' : await somebody();
    const parameters = { administrator, ...given };
    const stolen = await signedIn('admin', 'correct horse');
    const unconfirmed = await stolen.post(path, parameters);
    expect([unconfirmed.status, errorOf(unconfirmed)]).toEqual([403, CONFIRM_FIRST]);

    const reader = await signedIn(await somebody());
    await reader.post('/admin/confirmation', { password: PASSWORD });
    expect(errorOf(await reader.post(path, parameters))).toMatch(NO_WRITE);

    const token = await application.apiToken(`all${path.replaceAll('/', ' ')}`, ['*']);
    const program = await application.send(path, parameters).set('Authorization', `Bearer ${token}`);
    expect([program.status, errorOf(program)]).toEqual([
      403,
      expect.stringMatching(/^This takes a password/),
    ]);
    expect((await application.send(path, parameters)).status).toBe(401);
    const foreign = await operator.post(path, parameters);
    expect([foreign.status, errorOf(foreign)]).toEqual([200, undefined]);
  });
});

describe('API tokens over HTTP', () => {
  it('are shown once, listed without themselves, and removed, also without a confirmation', async () => {
    const administrator = await somebody();
    const given = { administrator, name: 'probe', rights: 'monitoring:*, ocra:request', expires: '90D' };
    const { token } = valueOf(await operator.post('/admin/api-token/add', given)) as { token: string };
    expect(token).toMatch(/^tk_[\w-]{43}$/);
    const answer = await operator.get('/admin/api-token/list', { administrator });
    expect(valueOf(answer)).toMatchObject([
      {
        name: 'probe',
        administrator,
        rights: ['monitoring:*', 'ocra:request'],
        expires_at: new Date(application.clock.now().getTime() + 90 * 86_400_000).toISOString(),
      },
    ]);
    expect(answer.text).not.toContain(token.slice(3));
    const hasty = await signedIn('admin', 'correct horse');
    expect(valueOf(await hasty.post('/admin/api-token/remove', { administrator, name: 'probe' }))).toBe(true);
    const used = await application
      .send('/monitoring/license', {}, 'get')
      .set('Authorization', `Bearer ${token}`);
    expect(used.status).toBe(401);
  });

  it.each([
    ['an unknown right', { rights: 'monitoring:everything' }, /Unknown action 'everything'/],
    ['no name', { rights: '*', name: ' ' }, /name/],
    ['no right', { rights: ' , ' }, /needs at least one right/],
    ['an end that is past', { rights: '*', expires: '2020-01-01' }, /would have expired/],
    ['an end that is none', { rights: '*', expires: 'soon' }, /^expires must be a date/],
    ['an end beyond all times', { rights: '*', expires: '99999999D' }, /^expires must be a date/],
    ['an unknown administrator', { rights: '*', administrator: 'nobody' }, /There is no administrator/],
  ])('with %s are refused', async (_case, given, message) => {
    const draft = { administrator: 'admin', name: 'refused', ...given };
    expect(errorOf(await operator.post('/admin/api-token/add', draft))).toMatch(message);
  });
});
