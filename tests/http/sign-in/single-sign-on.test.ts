import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import request, { type Response } from 'supertest';
import type { SingleSignOnSettings } from '../../../src/administrators/single-sign-on-service.ts';
import { SealedSignOns } from '../../../src/administrators/json-web-tokens.ts';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { CLIENT, TestOpenidProvider } from '../../support/servers/openid-provider.ts';

const REDIRECT = 'https://tan.example.com/admin/sign-in/oidc/callback';
const ENDED = 'This sign-in has ended, or was begun in another browser: begin again';
const REFUSED = 'The identity provider did not sign you in';
const AWAY = 'The identity provider cannot be asked. Sign in by password, or try again later';
const READ = '/admin/show';

let provider: TestOpenidProvider;
let application: TestApplication;
let browser: Browser;

beforeAll(async () => {
  provider = await TestOpenidProvider.start();
  application = await TestApplication.open({
    publicUrl: 'https://tan.example.com',
    singleSignOn: singleSignOn(),
  });
  await application.addRealm('north');
  await policy('desk', 'show, sessions', 'group:helpdesk');
});
afterAll(async () => {
  await application.close();
  await provider.stop();
});

beforeEach(() => {
  Object.assign(provider.behaviour, {
    claims: { preferred_username: 'anna', groups: ['staff', 'helpdesk-team'] },
    userinfo: {},
    nonce: undefined,
    audience: undefined,
    issuer: undefined,
    expiry: '1m',
    signsWrongly: false,
    secret: CLIENT.clientSecret,
    hangs: false,
    trickles: false,
    padding: 0,
  });
  browser = new Browser(application.app);
});

function singleSignOn(): SingleSignOnSettings {
  return {
    ...CLIENT,
    issuer: provider.issuer,
    redirectUrl: REDIRECT,
    scopes: 'openid profile',
    nameClaim: 'preferred_username',
    groupsClaim: 'groups',
    lifetime: 600,
    groups: new Map([
      ['helpdesk-team', 'helpdesk'],
      ['others', 'others'],
    ]),
  };
}

const policy = (name: string, action: string, user: string): Promise<void> =>
  application.setPolicy(name, 'admin', action, { user });

async function begin(from = browser): Promise<string> {
  const begun = await from.post('/admin/sign-in/oidc');
  expect(begun.status).toBe(200);
  return (valueOf(begun) as { url: string }).url;
}

type Parameters = Record<string, string>;

/** @returns the parameters with which the provider sends the browser back */
async function answered(url: string): Promise<Parameters> {
  const back = await provider.signIn(url);
  expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
  return Object.fromEntries(back.searchParams);
}

const callback = (parameters: Parameters, from = browser): Promise<Response> =>
  from.get('/admin/sign-in/oidc/callback', parameters);

const signIn = async (): Promise<Response> => callback(await answered(await begin()));

async function expectSignedOut(response: Response, message: string, status = 401): Promise<void> {
  expect([response.status, response.type]).toEqual([status, 'text/html']);
  expect(response.text).toContain(`<p>${message}</p>`);
  expect(browser.cookies.has('access_token_cookie')).toBe(false);
  expect((await browser.get(READ)).status).toBe(401);
}

describe('single sign-on', () => {
  it('stays below the path of a proxy, from the first cookie to the console', async () => {
    const { app } = application.restarted({
      trustProxy: ['loopback'],
      http: { consoleFiles: { folder: '', tags: new Map() } },
    });
    const below = new Browser(app, { 'X-Forwarded-Prefix': '/tan', 'X-Forwarded-Proto': 'https' });
    const begun = await below.post('/admin/sign-in/oidc');
    expect(begun.get('Set-Cookie')?.join()).toMatch(/^__Secure-sign_in_oidc=[\w.-]+; Path=\/tan\/; /);
    const done = await callback(await answered((valueOf(begun) as { url: string }).url), below);
    expect(done.text).toContain('content="0; url=/tan/console/"');
    expect(done.get('Set-Cookie')).toEqual([
      expect.stringMatching(/^access_token_cookie=.*; Path=\/tan\/; .*; Secure; HttpOnly$/),
      expect.stringMatching(/^csrf_access_token=.*; Path=\/tan\/; .*; Secure$/),
      expect.stringMatching(/^__Secure-sign_in_oidc=; Path=\/tan\/; /),
    ]);
  });

  it('signs in a person of a mapped group, with the rights of its policies', async () => {
    const begun = await browser.post('/admin/sign-in/oidc');
    expect(begun.get('Set-Cookie')?.join()).toMatch(
      /^sign_in_oidc=[\w.-]{300,1000}; Path=\/; Expires=[^;]+; SameSite=Lax; HttpOnly$/,
    );
    const { searchParams: asked } = new URL((valueOf(begun) as { url: string }).url);
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid profile',
      redirect_uri: REDIRECT,
      client_id: 'tankeeper',
    });
    const done = await signIn();
    expect([done.status, done.type]).toEqual([200, 'text/html']);
    expect(done.text).toContain('Signed in as oidc:anna.');
    expect((await browser.get(READ)).status).toBe(200);
    expect(errorOf(await browser.get('/system/getRealms'))).toMatch(/right/);
    const rows = await application.auditRows({ action: 'admin/sign-in/oidc/callback', limit: 1 });
    const outcome = 'session opened, helpdesk';
    expect(rows).toMatchObject([{ actor: 'oidc:anna', subject: 'oidc:anna', outcome }]);
  });

  it('gives no right without a policy that names the person or a group', async () => {
    provider.behaviour.claims = { preferred_username: 'bert', groups: ['others'] };
    await signIn();
    for (const path of [READ, '/system/getRealms', '/monitoring/license']) {
      expect(errorOf(await browser.get(path))).toMatch(/right|policy/i);
    }
    await policy('everybody', '*', '*');
    await policy('local', '*', 'bert');
    await policy('linotp', '*', '*@linotp_admins');
    await policy('pattern', '*', '.*');
    await policy('anywhere', '*', '*@*');
    expect(errorOf(await browser.get(READ))).toBeDefined();
    await policy('named', 'show', 'oidc:bert');
    expect(errorOf(await browser.get(READ))).toBeUndefined();
    for (const name of ['everybody', 'local', 'linotp', 'pattern', 'anywhere', 'named']) {
      await application.services.policies.remove(OPERATOR, name);
    }
  });

  it('reads groups of the user info endpoint, too', async () => {
    provider.behaviour.claims = { preferred_username: 'anna' };
    provider.behaviour.userinfo = { groups: 'helpdesk-team' };
    expect((await signIn()).status).toBe(200);
    expect((await browser.get(READ)).status).toBe(200);
  });

  it('begins at one server, goes on at another, and is listed and ended there', async () => {
    const other = application.beside();
    const back = await answered(await begin());
    const there = browser.at(other.app);
    expect((await callback(back, there)).status).toBe(200);
    const here = there.at(application.app);
    const listed = valueOf(await here.get('/admin/session/list')) as { is_own: boolean }[];
    expect(listed.filter((one) => one.is_own)).toMatchObject([{ administrator: 'oidc:anna', kind: 'login' }]);
    expect(valueOf(await here.post('/admin/session/end', { all: '1' }))).toBeGreaterThan(0);
    expect((await there.get(READ)).status).toBe(401);
  });

  it('is not ended by others that begin, and stores nothing for them', async () => {
    const back = await answered(await begin());
    for (let begun = 0; begun < 12; begun += 1) {
      await begin(new Browser(application.app));
    }
    expect(await application.sql('sign_in_attempts')).toEqual([]);
    expect((await callback(back)).status).toBe(200);
  });

  it('shows nothing of its secrets in the cookie', async () => {
    const { searchParams: asked } = new URL(await begin());
    const cookie = browser.cookies.get('sign_in_oidc') ?? '';
    const parts = cookie.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    for (const secret of [asked.get('state') ?? 'x', asked.get('nonce') ?? 'x', 'verifier']) {
      expect([cookie, ...parts].join(' ')).not.toContain(secret);
    }
  });

  it('ends after its own time', async () => {
    await signIn();
    application.clock.advance(599);
    expect((await browser.get(READ)).status).toBe(200);
    application.clock.advance(2);
    expect((await browser.get(READ)).status).toBe(401);
  });

  it('logs out, and needs the CSRF token', async () => {
    await signIn();
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const forged = await request(application.app)
      .post('/admin/session/end')
      .set('Cookie', cookie)
      .send('all=1');
    expect(forged.status).toBe(401);
    expect((await browser.post('/admin/logout')).status).toBe(200);
    expect((await browser.get(READ)).status).toBe(401);
  });

  it('has no password, passkeys or API tokens', async () => {
    await signIn();
    expect((await browser.post('/admin/passkey/options')).status).toBe(403);
    expect(errorOf(await browser.post('/admin/confirmation', { password: '' }))).toMatch(/^People of single/);
    const change = { password: '', new_password: 'a new password' };
    expect(errorOf(await browser.post('/admin/password', change))).toMatch(/^People of single sign-on/);
    expect(valueOf(await browser.get('/admin/passkey/list'))).toEqual([]);
    const begun = await browser.post('/admin/sign-in', { username: 'oidc:anna', password: '' });
    expect(begun.status).toBe(401);
  });
});

describe('an answer of the provider is refused', () => {
  it('in another browser', async () => {
    const back = await answered(await begin());
    browser = new Browser(application.app);
    await expectSignedOut(await callback(back), ENDED);
  });

  it.each([
    ['with another state', (back: Parameters) => ({ ...back, state: 'x'.repeat(43) })],
    ['without a state', ({ code = '', iss = '' }: Parameters) => ({ code, iss })],
  ])('%s, which does not end the sign-in', async (_case, changed) => {
    const back = await answered(await begin());
    await expectSignedOut(await callback(changed(back)), ENDED);
    expect((await callback(back)).status).toBe(200);
  });

  it('of a sign-in that another person began: an attacker’s', async () => {
    const attacker = new Browser(application.app);
    const back = await answered(await begin(attacker));
    await begin();
    await expectSignedOut(await callback(back), ENDED);
  });

  it('twice', async () => {
    const back = await answered(await begin());
    const twins = [1, 2, 3].map(() => callback(back, browser.at(application.app)));
    const statuses = (await Promise.all(twins)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    await expectSignedOut(await callback(back), REFUSED);
  });

  it('to a sign-in that has signed somebody in, also with a fresh code and at another server', async () => {
    const url = await begin();
    const before = browser.at(application.app);
    const [first, second, third] = [await answered(url), await answered(url), await answered(url)];
    const other = application.beside();
    const raced = await Promise.all([
      callback(first, before.at(application.app)),
      callback(second, before.at(other.app)),
    ]);
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 401]);
    const late = before.at(other.app);
    const refused = await callback(third, late);
    expect([refused.status, late.cookies.has('access_token_cookie')]).toEqual([401, false]);
    expect(refused.text).toContain(`<p>${ENDED}</p>`);
    // A logout, also after housekeeping, makes it serve no second time.
    await application.sql('sessions').delete();
    expect((await callback(await answered(url), before.at(application.app))).status).toBe(401);
  });

  it('a second time, once the provider has refused to sign in by it', async () => {
    const back = await answered(await begin());
    await expectSignedOut(await callback({ ...back, code: 'guessed' }), REFUSED);
    expect(browser.cookies.has('sign_in_oidc')).toBe(false);
    await expectSignedOut(await callback(back), ENDED);
  });

  it('with a cookie that was made up, or sealed for another purpose', async () => {
    const back = await answered(await begin());
    const sealed = browser.cookies.get('sign_in_oidc') ?? '';
    await application.services.administrators.add(OPERATOR, 'zoe', 'the password of zoe');
    const login = new Browser(application.app);
    await login.post('/admin/sign-in', { username: 'zoe', password: 'the password of zoe' });
    const [head = '', ...rest] = sealed.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const foreign = new SealedSignOns({ keys: { derive: () => [{ keyId: 'a', bytes: randomBytes(32) }] } });
    const known = { state: back.state ?? '', nonce: 'n', verifier: 'v' };
    const made = await foreign.seal(known, new Date('2030-01-01'));
    for (const cookie of [
      'x',
      'x'.repeat(43),
      `${sealed.slice(0, -4)}AAAA`,
      [none, ...rest].join('.'),
      made,
      `${head}...x`,
      login.cookies.get('access_token_cookie') ?? '',
      'x'.repeat(5_000),
    ]) {
      browser.cookies.set('sign_in_oidc', cookie);
      await expectSignedOut(await callback(back), ENDED);
    }
    browser.cookies.set('sign_in_oidc', sealed);
    expect((await callback(back)).status).toBe(200);
  });

  it('after five minutes', async () => {
    const back = await answered(await begin());
    application.clock.advance(301);
    await expectSignedOut(await callback(back), ENDED);
  });

  it.each([
    ['of another issuer (mix-up)', (back: Parameters) => ({ ...back, iss: 'https://evil.example' })],
    ['with another code', (back: Parameters) => ({ ...back, code: 'guessed' })],
    [
      'that reports an error',
      ({ state = '', iss = '' }: Parameters) => ({ state, iss, error: 'access_denied' }),
    ],
  ])('%s', async (_case, changed) => {
    const back = await answered(await begin());
    await expectSignedOut(await callback(changed(back)), REFUSED);
  });

  const NO_GROUP = 'None of your groups may sign in here';
  const NO_NAME = 'The identity provider gave no name that this server takes';
  const groups = ['helpdesk-team'];

  it.each([
    ['a person of no mapped group', { preferred_username: 'anna', groups: ['staff'] }, NO_GROUP],
    ['a person without groups', { preferred_username: 'anna' }, NO_GROUP],
    ['no name', { groups }, NO_NAME],
    ['a name that policies would read as more', { preferred_username: 'a,*', groups }, NO_NAME],
    ['a name that would become that of another person', { preferred_username: 'anna ', groups }, NO_NAME],
    ['a name in another Unicode form', { preferred_username: 'ju\u0308rgen', groups }, NO_NAME],
  ])('with %s', async (_case, claims, message) => {
    provider.behaviour.claims = claims;
    await expectSignedOut(await signIn(), message);
  });
});

describe('the reason of a refusal is in one line of the log and one row of the audit', () => {
  /** Signs in, is refused. @returns the warnings and the rows of it */
  async function refusedBy(change: (back: Parameters) => Parameters = (back) => back): Promise<unknown> {
    application.clock.advance(61);
    const back = await answered(await begin());
    application.lines.length = 0;
    const refused = await callback(change(back));
    expect([refused.status, browser.cookies.has('access_token_cookie')]).toEqual([401, false]);
    const warned = application.lines.filter(({ level }) => level === 'warn');
    const rows: unknown[] = await application
      .sql('audit')
      .where({ request_id: warned[0]?.fields.requestId })
      .select('actor', 'subject', 'outcome');
    const told = JSON.stringify([warned, rows]);
    for (const secret of [back.code, back.state, CLIENT.clientSecret, browser.cookies.get('sign_in_oidc')]) {
      expect(told).not.toContain(secret ?? 'no cookie');
    }
    return {
      rows,
      warned: warned.map(({ fields }) => [fields.administrator, fields.reason ?? fields.faultDetail]),
    };
  }

  const facts = (person: string | undefined, why: string, said = why): object => ({
    rows: [{ actor: person ?? '', subject: person ?? '', outcome: `refused: single sign-on, ${why}` }],
    warned: [[person, said]],
  });

  const many = Array.from({ length: 400 }, (_, index) => `group ${index}`);

  it.each<[unknown, string | RegExp]>([
    [undefined, 'is not there'],
    [[], 'has no text'],
    [{ roles: ['helpdesk-team'] }, 'has no text'],
    ['staff', 'has staff'],
    [
      ['CN=Staff,DC=bank', 'a\u001b[31m\n\0\u202eb\ud800'],
      'has CN=Staff,DC=bank, a\\u001b[31m\\u000a\u{fffd}\\u202eb\u{fffd}',
    ],
    [many, /^has group 0, group 1, .* and 3\d\d others$/],
    [['x'.repeat(100_000)], `has ${'x'.repeat(100)}`],
  ])('where no group may sign in: %#', async (groups, described) => {
    provider.behaviour.claims = { preferred_username: 'anna', groups };
    const found = await refusedBy();
    const [, text = ''] = /the claim groups (.*?)"\}\]/.exec(JSON.stringify(found)) ?? [];
    const why = `no group that may sign in: the claim groups ${JSON.parse(`"${text}"`) as string}`;
    expect(found).toEqual(facts('oidc:anna', why));
    expect(JSON.parse(`"${text}"`)).toEqual(
      typeof described === 'string' ? described : expect.stringMatching(described),
    );
    expect(why.length).toBeLessThan(500);
  });

  it.each([
    [undefined, 'the claim preferred_username is not there'],
    [17, 'the claim preferred_username has no text'],
    ['a,*', 'the claim preferred_username has a,*'],
  ])('where the name cannot be taken: %s', async (name, described) => {
    provider.behaviour.claims = { preferred_username: name, groups: ['helpdesk-team'] };
    expect(await refusedBy()).toEqual(facts(undefined, `no name that can be taken: ${described}`));
  });

  it.each<[string, Partial<TestOpenidProvider['behaviour']>]>([
    ['unexpected ID Token "nonce" claim value', { nonce: 'another' }],
    ['unexpected JWT "aud" (audience) claim value', { audience: 'another' }],
    ['JWT signature verification failed', { signsWrongly: true }],
    ['the provider says: invalid_client', { secret: 'another' }],
    [
      'unexpected JWT "exp" (expiration time) claim value, expiration is past current timestamp',
      { expiry: '-1m' },
    ],
  ])('%s', async (why, behaviour) => {
    Object.assign(provider.behaviour, behaviour);
    expect(await refusedBy()).toEqual(facts(undefined, why));
  });

  it('with the issuers that differ in the log', async () => {
    provider.behaviour.issuer = 'https://evil.example';
    const issuers = `the issuer is https://evil.example, expected is ${provider.issuer}`;
    const why = 'unexpected JWT "iss" (issuer) claim value';
    expect(await refusedBy()).toEqual(facts(undefined, why, issuers));
  });

  it('without text of the browser in the audit', async () => {
    const made = { error: 'my-password', error_description: 'of mine' };
    const said = 'the provider says: my-password (of mine)';
    const found = await refusedBy(({ state = '', iss = '' }) => ({ state, iss, ...made }));
    expect(found).toEqual(facts(undefined, 'the provider says: another error', said));
    const denied = await refusedBy(({ state = '', iss = '' }) => ({ state, iss, error: 'access_denied' }));
    expect(denied).toEqual(facts(undefined, 'the provider says: access_denied'));
  });

  it('where it is the answer to another sign-in, to none, or the second one', async () => {
    const other = await refusedBy((back) => ({ ...back, state: 'x'.repeat(43) }));
    expect(other).toEqual(facts(undefined, 'the answer to another sign-in'));
    const none = await refusedBy((back) => {
      browser.cookies.delete('sign_in_oidc');
      return back;
    });
    expect(none).toEqual(facts(undefined, 'begun in another browser, or expired'));
    const url = await begin();
    const [first, second] = [await answered(url), await answered(url)];
    const before = browser.at(application.app);
    await callback(first, before);
    application.lines.length = 0;
    expect((await callback(second)).status).toBe(401);
    expect(application.lines).toContainEqual(
      expect.objectContaining({
        message: 'Single sign-on refused',
        fields: expect.objectContaining({ administrator: 'oidc:anna', reason: 'it has signed in before' }),
      }),
    );
  });
});

describe('a provider that is away', () => {
  it('is told so, and the password signs in', async () => {
    const gone = await TestOpenidProvider.start();
    const server = application.restarted({ singleSignOn: { ...singleSignOn(), issuer: gone.issuer } });
    browser = new Browser(server.app);
    const { port } = gone;
    await gone.stop();
    const away = await browser.post('/admin/sign-in/oidc');
    expect([away.status, errorOf(away)]).toEqual([503, AWAY]);
    const known = { username: 'admin', password: 'correct horse' };
    expect(valueOf(await browser.post('/admin/sign-in', known))).toEqual({ is_signed_in: true });
    const back = await TestOpenidProvider.start(port);
    expect((await browser.post('/admin/sign-in/oidc')).status).toBe(200);
    await back.stop();
  });

  it.each<[string, Partial<TestOpenidProvider['behaviour']>]>([
    ['between the steps ends the sign-in with the same text', { hangs: true }],
    ['or answers without an end does so, too', { trickles: true }],
  ])('%s', async (_case, behaviour) => {
    const impatient = application.restarted({ singleSignOn: { ...singleSignOn(), requestTimeout: 1 } });
    browser = new Browser(impatient.app);
    const back = await answered(await begin());
    Object.assign(provider.behaviour, behaviour);
    await expectSignedOut(await callback(back), AWAY, 503);
  });

  it('or answers too much does so, too', async () => {
    const back = await answered(await begin());
    provider.behaviour.padding = 300_000;
    await expectSignedOut(await callback(back), AWAY, 503);
  });
});
