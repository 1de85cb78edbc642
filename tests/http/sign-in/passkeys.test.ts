import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import { SoftwareAuthenticator } from '../../support/application/software-authenticator.ts';
import { applicationOfTests, OPERATOR } from '../../support/application/test-application.ts';

const ORIGIN = 'https://tan.example.com';
const PASSWORD = 'the password of anna';
const READ = '/monitoring/license';
const REFUSED = 'The passkey cannot be accepted: begin again';

const application = applicationOfTests({ publicUrl: ORIGIN, limits: { loginFailures: 1000 } });
let browser: Browser;
let authenticator: SoftwareAuthenticator;

beforeEach(async () => {
  await application.renewAdministrator('anna', PASSWORD);
  browser = new Browser(application.app);
  authenticator = new SoftwareAuthenticator(ORIGIN);
});

interface Options {
  readonly challenge: string;
}
type Deviations = Parameters<SoftwareAuthenticator['get']>[1];

const optionsOf = (response: Response): Options => (valueOf(response) as { options: Options }).options;

const password = (from = browser): Promise<Response> =>
  from.post('/admin/sign-in', { username: 'anna', password: PASSWORD });

/** Proves to be the one who signed in, with the passkey of the person if there is one. */
async function confirm(from = browser, device = authenticator): Promise<Response> {
  const begun = await from.post('/admin/confirmation', { password: PASSWORD });
  const { second_factor: factor } = valueOf(begun) as { second_factor?: string };
  return factor === undefined
    ? begun
    : from.post('/admin/confirmation/finish', { credential: device.get(optionsOf(begun)) });
}

async function register(
  from = browser,
  device = authenticator,
  deviations: Deviations = {},
): Promise<Response> {
  await confirm(from);
  const begun = await from.post('/admin/passkey/options');
  const credential = device.create(optionsOf(begun), deviations);
  return from.post('/admin/sign-in/passkey', { credential, name: 'laptop' });
}

async function registered(): Promise<void> {
  await password();
  expect(valueOf(await register())).toBe(true);
  await browser.post('/admin/logout');
}

async function assertWith(deviations: Deviations = {}, device = authenticator): Promise<Response> {
  const begun = await password();
  return browser.post('/admin/sign-in/finish', { credential: device.get(optionsOf(begun), deviations) });
}

describe('a passkey', () => {
  it('is registered with a confirmed login, and is the second factor from then on', async () => {
    const elsewhere = new Browser(application.app);
    await password(elsewhere);
    await password();
    expect(valueOf(await register())).toBe(true);
    // What the password alone has opened elsewhere ends; the own login stays.
    expect((await elsewhere.get(READ)).status).toBe(401);
    expect((await browser.get(READ)).status).toBe(200);
    expect(valueOf(await browser.get('/admin/passkey/list'))).toMatchObject([
      { name: 'laptop', last_used_at: null },
    ]);
    const begun = await password(elsewhere);
    expect(valueOf(begun)).toMatchObject({
      is_signed_in: false,
      second_factor: 'passkey',
      options: { rpId: 'tan.example.com', userVerification: 'required' },
    });
    expect((await elsewhere.get(READ)).status).toBe(401);
    const credential = authenticator.get(optionsOf(begun));
    expect(valueOf(await elsewhere.post('/admin/sign-in/finish', { credential }))).toEqual({
      is_signed_in: true,
    });
    expect((await elsewhere.get(READ)).status).toBe(200);
  });

  it.each<[string, Deviations]>([
    ['of another origin', { origin: 'https://tan.example.com.evil.example' }],
    ['for another relying party', { relyingParty: 'evil.example' }],
    ['without verification of the person', { isVerified: false }],
    ['of another ceremony', { type: 'webauthn.create' }],
    ['with a counter that does not go on: a copy', { counter: 1 }],
  ])('signs nobody in by an assertion %s; a right one does afterwards', async (_case, deviations) => {
    await registered();
    const refused = await assertWith(deviations);
    expect([refused.status, errorOf(refused)]).toEqual([401, 'The second factor is wrong']);
    expect(browser.cookies.has('access_token_cookie')).toBe(false);
    expect(valueOf(await assertWith({ counter: 50 }))).toEqual({ is_signed_in: true });
  });

  it('signs one challenge once', async () => {
    await registered();
    const begun = await password();
    const credential = authenticator.get(optionsOf(begun));
    const twins = [browser.at(application.app), browser.at(application.app), browser.at(application.app)];
    const answers = await Promise.all(
      twins.map((twin) => twin.post('/admin/sign-in/finish', { credential })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await browser.post('/admin/sign-in/finish', { credential })).status).toBe(401);
    // Nor the challenge of another sign-in.
    await password();
    expect((await browser.post('/admin/sign-in/finish', { credential })).status).toBe(401);
  });

  it.each([
    ['of another person', () => new SoftwareAuthenticator(ORIGIN).get({ challenge: 'AAAA' })],
    ['that is no JSON', () => '{'],
    ['that is no object', () => '7'],
    ['of another form', () => '{"id":"x","response":{"clientDataJSON":[]}}'],
    ['that is very long', () => JSON.stringify({ id: 'x'.repeat(30_000) })],
  ])('cannot be replaced by one %s', async (_case, made) => {
    await registered();
    await password();
    const refused = await browser.post('/admin/sign-in/finish', { credential: made() });
    expect([refused.status, errorOf(refused)]).toEqual([401, 'The second factor is wrong']);
  });
});

describe('the registration of a passkey', () => {
  it.each<[string, Deviations]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { relyingParty: 'evil.example' }],
    ['no verification of the person', { isVerified: false }],
  ])('is refused with %s, and ends', async (_case, deviations) => {
    await password();
    expect(errorOf(await register(browser, authenticator, deviations))).toBe(REFUSED);
    expect(valueOf(await browser.get('/admin/passkey/list'))).toEqual([]);
    const late = await browser.post('/admin/sign-in/passkey', { credential: '{}', name: 'x' });
    expect(errorOf(late)).toBe('This registration has ended: begin again');
  });

  it('needs a confirmed login and the same browser', async () => {
    await password();
    const early = await browser.post('/admin/passkey/options');
    expect([early.status, errorOf(early)]).toEqual([
      403,
      'Confirm first that it is you: /admin/confirmation',
    ]);
    await confirm();
    const begun = await browser.post('/admin/passkey/options');
    const credential = authenticator.create(optionsOf(begun));
    const elsewhere = new Browser(application.app);
    expect((await elsewhere.post('/admin/sign-in/passkey', { credential, name: 'x' })).status).toBe(401);
    expect((await elsewhere.post('/admin/passkey/options')).status).toBe(401);
  });

  it('ends with a new password', async () => {
    await password();
    await confirm();
    const begun = await browser.post('/admin/passkey/options');
    await application.services.administrators.setPassword(OPERATOR, 'anna', 'another password');
    const credential = authenticator.create(optionsOf(begun));
    expect((await browser.post('/admin/sign-in/passkey', { credential, name: 'x' })).status).toBe(401);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['logout', () => browser.post('/admin/logout')],
    [
      'end at another browser',
      async () => {
        const owner = new Browser(application.app);
        await password(owner);
        const sessions = valueOf(await owner.get('/admin/session/list')) as { id: string; is_own: boolean }[];
        const stolen = sessions.find((one) => !one.is_own);
        expect(valueOf(await owner.post('/admin/session/end', { id: stolen?.id ?? '' }))).toBe(1);
      },
    ],
  ])('ends with the login that began it, as by %s', async (_case, end) => {
    await password();
    await confirm();
    const begun = await browser.post('/admin/passkey/options');
    await end();
    const credential = authenticator.create(optionsOf(begun));
    const late = await browser.post('/admin/sign-in/passkey', { credential, name: 'x' });
    expect(errorOf(late)).toBe('The registration has ended, or the passkey is registered already');
    expect(await application.services.administrators.list()).toContainEqual(
      expect.objectContaining({ name: 'anna', secondFactor: undefined }),
    );
  });

  it('does not take a passkey twice', async () => {
    await password();
    await register();
    expect(errorOf(await register())).toMatch(/or the passkey is registered already$/);
  });

  it('takes twenty passkeys of an administrator at most', async () => {
    await registered();
    await assertWith();
    for (let number = 2; number <= 20; number += 1) {
      expect(valueOf(await register(browser, new SoftwareAuthenticator(ORIGIN)))).toBe(true);
    }
    await confirm();
    const refused = await browser.post('/admin/passkey/options');
    expect(errorOf(refused)).toBe('An administrator has 20 passkeys at most');
  });

  it('takes the present passkey, not the password alone: a stolen session registers none', async () => {
    await registered();
    await assertWith();
    const thief = browser.at(application.app);
    const begun = await thief.post('/admin/confirmation', { password: PASSWORD });
    expect(valueOf(begun)).toMatchObject({ is_confirmed: false, second_factor: 'passkey' });
    expect(errorOf(await thief.post('/admin/passkey/options'))).toMatch(/^Confirm first/);
    const other = new SoftwareAuthenticator(ORIGIN).get(optionsOf(begun));
    expect((await thief.post('/admin/confirmation/finish', { credential: other })).status).toBe(403);
    const late = await thief.post('/admin/confirmation/finish', {
      credential: authenticator.get(optionsOf(begun)),
    });
    expect(errorOf(late)).toMatch(/^This confirmation has ended/);
    const [own] = valueOf(await browser.get('/admin/passkey/list')) as { id: string }[];
    const kept = await thief.post('/admin/passkey/remove', { id: own?.id ?? '' });
    expect([kept.status, errorOf(kept)]).toEqual([403, 'Confirm first that it is you: /admin/confirmation']);
    expect(valueOf(await register(browser, new SoftwareAuthenticator(ORIGIN)))).toBe(true);
  });

  it('by the link of an operator is done once, within an hour', async () => {
    await registered();
    const { passkeys } = application.services;
    const secretOf = (link: string): string => link.split('#link=')[1] ?? '';
    const { link } = await passkeys.makeLink(OPERATOR, 'anna');
    expect(link).toMatch(/^https:\/\/tan\.example\.com\/console\/#link=[\w-]{43}$/);
    const given = { link: secretOf(link) };
    // It is given by hand, perhaps for an account whose sessions were ended.
    await application.services.sessions.end(OPERATOR, { owner: 'anna', isAll: true });
    const begun = await browser.post('/admin/sign-in/passkey-link', given);
    const second = new SoftwareAuthenticator(ORIGIN);
    const credential = second.create(optionsOf(begun));
    expect(valueOf(await browser.post('/admin/sign-in/passkey', { credential, name: 'phone' }))).toBe(true);
    // The link signs nobody in.
    expect((await browser.get(READ)).status).toBe(401);
    expect(valueOf(await assertWith({}, second))).toEqual({ is_signed_in: true });
    const again = await browser.post('/admin/sign-in/passkey-link', given);
    expect(errorOf(again)).toBe('This link has been used or has expired: ask for another one');
    const late = { link: secretOf((await passkeys.makeLink(OPERATOR, 'anna')).link) };
    application.clock.advance(3601);
    expect((await browser.post('/admin/sign-in/passkey-link', late)).status).toBe(401);
    await expect(passkeys.makeLink(OPERATOR, 'nobody')).rejects.toMatchObject({
      code: 'administrator.unknown',
    });
  });
});

describe('the removal of a passkey', () => {
  it('ends the other sessions and the sign-ins under way: it may have opened them', async () => {
    await registered();
    const thief = new Browser(application.app);
    const stolen = await password(thief);
    const credential = authenticator.get(optionsOf(stolen));
    await thief.post('/admin/sign-in/finish', { credential });
    await confirm(thief);
    const begun = await thief.post('/admin/passkey/options');
    const planted = new SoftwareAuthenticator(ORIGIN).create(optionsOf(begun));
    await assertWith();
    await register(browser, new SoftwareAuthenticator(ORIGIN));
    const [first] = valueOf(await browser.get('/admin/passkey/list')) as { id: string }[];
    expect((await thief.get(READ)).status).toBe(200);
    expect(valueOf(await browser.post('/admin/passkey/remove', { id: first?.id ?? '' }))).toBe(true);
    expect((await thief.get(READ)).status).toBe(401);
    const late = await thief.post('/admin/sign-in/passkey', { credential: planted, name: 'x' });
    expect(errorOf(late)).toBe('This registration has ended: begin again');
    expect((await browser.get(READ)).status).toBe(200);
  });

  it('leaves the last one, which an operator can remove', async () => {
    await registered();
    await assertWith();
    const second = new SoftwareAuthenticator(ORIGIN);
    await register(browser, second);
    const listed = valueOf(await browser.get('/admin/passkey/list')) as { id: string }[];
    const [first, last] = listed.map(({ id }) => id);
    expect(valueOf(await browser.post('/admin/passkey/remove', { id: first ?? '' }))).toBe(true);
    const refused = await browser.post('/admin/passkey/remove', { id: last ?? '' });
    expect(errorOf(refused)).toMatch(/^The last passkey stays/);
    for (const id of [first ?? '', '0', 'x', '999999999999999999999']) {
      const unknown = await browser.post('/admin/passkey/remove', { id });
      expect(errorOf(unknown)).toMatch(/^There is no passkey/);
    }
    await application.services.administrators.setSecondFactor(OPERATOR, 'anna', undefined);
    expect(valueOf(await password())).toEqual({ is_signed_in: true });
    expect(valueOf(await browser.get('/admin/passkey/list'))).toEqual([]);
  });

  it('reaches nobody else', async () => {
    await registered();
    await assertWith();
    const [own] = valueOf(await browser.get('/admin/passkey/list')) as { id: string }[];
    const other = new Browser(application.app);
    await other.post('/admin/sign-in', { username: 'admin', password: 'correct horse' });
    await other.post('/admin/confirmation', { password: 'correct horse' });
    const refused = await other.post('/admin/passkey/remove', { id: own?.id ?? '' });
    expect(errorOf(refused)).toMatch(/^There is no passkey/);
  });
});

describe('a server with an address that browsers bind no passkey to', () => {
  it.each([
    [undefined, 'unset', /^Passkeys need PUBLIC_URL/],
    ['http://127.0.0.1:5209', 'address', /^Passkeys need a name in PUBLIC_URL/],
    ['https://192.0.2.10/tan', 'address', /^Passkeys need a name in PUBLIC_URL/],
    ['https://[2001:db8::10]', 'address', /^Passkeys need a name in PUBLIC_URL/],
  ])('has none at %s, and says why', async (publicUrl, cause, text) => {
    const { app, services } = application.restarted({ publicUrl } as object);
    const from = new Browser(app);
    await password(from);
    expect(errorOf(await from.post('/admin/passkey/options'))).toMatch(text);
    await expect(services.passkeys.makeLink(OPERATOR, 'anna')).rejects.toThrow(text);
    const methods = valueOf(await from.post('/admin/sign-in/methods'));
    expect(methods).toMatchObject({ has_passkeys: false, no_passkeys_reason: cause });
  });

  it.each(['http://localhost:5209', 'https://tan.example.com', 'https://1.example'])(
    'has them at %s',
    async (publicUrl) => {
      const { app } = application.restarted({ publicUrl });
      const methods = valueOf(await new Browser(app).post('/admin/sign-in/methods'));
      expect(methods).toMatchObject({ has_passkeys: true });
      expect(methods).not.toHaveProperty('no_passkeys_reason');
    },
  );
});
