import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import request, { type Response } from 'supertest';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { MAX_SIGN_INS } from '../../../src/self-service/person.ts';
import {
  addUser,
  ALL,
  allow,
  answerTo,
  application,
  askedBy,
  auditOf,
  ENDED,
  failureOf,
  openAccounts,
  PASSWORD,
  REFUSED,
  someone,
  SUITE,
  user,
} from '../../support/application/account-visitor.ts';
import { valueOf } from '../../support/application/browser.ts';
import { OPERATOR, QUICK_HASHER, wrongResponse } from '../../support/application/test-application.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

openAccounts();

describe('without a policy', () => {
  it('every address of the account page answers as one that is not there', async () => {
    const visitor = await someone().signIn();
    await allow(ALL, false);
    const nowhere = await someone().get('/nowhere');
    for (const response of [
      await someone().post('/self/sign-in', { user, realm: 'customers', password: PASSWORD }),
      await someone().post('/self/sign-in'),
      await someone().post('/self/rename'),
      await someone().post('/self/lock'),
      await visitor.post('/self/sign-in/finish'),
      await visitor.get('/self/tokens'),
      await visitor.post('/self/lock', { serial: `${user}-phone` }),
      await visitor.post('/self/rename', { serial: `${user}-phone`, description: 'x' }),
      await visitor.post('/self/enrol'),
      await visitor.post('/self/enrol/finish'),
      await visitor.post('/self/enrol/prove'),
      await visitor.post('/self/sign-out'),
    ]) {
      expect([response.status, response.body]).toEqual([nowhere.status, nowhere.body]);
      expect(Object.keys(response.headers).sort()).toEqual(Object.keys(nowhere.headers).sort());
    }
  });

  it.each([
    ['rename', 'show, lock, enrol', { description: 'x' }],
    ['lock', 'show, rename, enrol', {}],
    ['enrol', 'show, rename, lock', {}],
  ])('for %s, that act alone is not there', async (path, action, more) => {
    await allow(action);
    const visitor = await someone().signIn();
    const serial = `${user}-phone`;
    const refused = await visitor.post(`/self/${path}`, { serial, ...more });
    expect(failureOf(refused)).toEqual([404, 'There is nothing at this path']);
    expect(await visitor.tokens()).toHaveLength(1);
  });

  it('for the realm, a right password is answered as a wrong one', async () => {
    await addUser(user, 'closed');
    await application.enrolPlain(`${user}-closed`, SUITE, { user, realm: 'closed' });
    for (const realm of ['closed', 'nowhere']) {
      expect(failureOf((await someone().begin({ realm })).response)).toEqual([401, REFUSED]);
    }
  });
});

describe('the sign-in of a user', () => {
  it('takes login@realm also where splitAtSign is off', async () => {
    await addUser('somebody', 'closed');
    await application.asAdmin('/system/setDefaultRealm', { realm: 'closed' });
    await application.asAdmin('/system/setConfig', { splitAtSign: 'False' });
    const asked = await someone().begin({ user: `${user}@customers`, realm: '' });
    await application.asAdmin('/system/setConfig', { splitAtSign: 'True' });
    await application.asAdmin('/system/setDefaultRealm', { realm: 'customers' });
    expect(asked.response.status).toBe(200);
  });

  it('takes the password and a response of an own token, and is told by the app', async () => {
    const visitor = someone();
    const asked = await visitor.begin();
    expect(valueOf(asked.response)).toMatchObject({
      token: 0,
      tokens: ['…hone'],
      expires_at: '2026-11-20T12:05:00.000Z',
    });
    expect(parseQrTanUrl(asked.data)).toMatchObject({
      message: `Sign in to your account as ${user} at tan.example.com`,
    });
    expect(failureOf(await visitor.get('/self/tokens'))).toEqual([401, ENDED]);
    const done = await visitor.post('/self/sign-in/finish', { response: answerTo(asked) });
    expect(done.get('Set-Cookie')?.[0]).toMatch(
      /^user_session=[\w-]{43}; Path=\/; Expires=Fri, 20 Nov 2026 12:30:00 GMT; SameSite=Strict; HttpOnly$/,
    );
    expect(valueOf(await visitor.get('/self/tokens'))).toMatchObject({
      login: user,
      realm: 'customers',
      acts: ['show', 'rename', 'lock', 'enrol'],
      tokens: [{ serial: `${user}-phone`, state: 'active', is_sign_in_token: true }],
    });
    expect(await auditOf('self/sign-in/finish')).toContainEqual({
      actor: `user:${user}@customers`,
      subject: user,
      outcome: 'session opened',
    });
  });

  it('is over https a cookie that no other site sends or plants', async () => {
    const secure = application.restarted({ trustProxy: ['127.0.0.0/8', '::1'] });
    const given = { user, realm: 'customers', password: PASSWORD };
    const begun = await secure.send('/self/sign-in', given).set('X-Forwarded-Proto', 'https');
    expect(begun.get('Set-Cookie')?.[0]).toMatch(
      /^__Host-user_sign_in=[\w-]{43}; Path=\/; .*SameSite=Strict; HttpOnly; Secure$/,
    );
  });

  it('speaks the language of the person in the app', async () => {
    const given = { user, realm: 'customers', password: PASSWORD };
    const begun = await application.send('/self/sign-in', given).set('Accept-Language', 'de-AT');
    expect(parseQrTanUrl(askedBy(begun).data)).toMatchObject({
      message: `Anmeldung an Ihrem Konto als ${user} bei tan.example.com`,
    });
  });

  it('goes on by itself where the app sends the response, also at another server', async () => {
    const other = application.beside();
    const visitor = someone();
    const asked = await visitor.begin();
    expect(valueOf(await visitor.post('/self/sign-in/finish'))).toEqual({ is_signed_in: false });
    expect(await application.check(asked.transactionId, answerTo(asked))).toMatchObject({
      result: true,
    });
    expect(valueOf(await visitor.at(other).post('/self/sign-in/finish'))).toMatchObject({
      is_signed_in: true,
    });
    expect(await visitor.at(application).tokens()).toHaveLength(1);
    await visitor.at(other).post('/self/sign-out');
    expect(failureOf(await visitor.at(application).get('/self/tokens'))).toEqual([401, ENDED]);
  });

  it('answers a wrong password, an unknown user and tokens that cannot answer alike', async () => {
    const { tokens } = application.services;
    const refusals = [
      await someone().begin({ password: 'wrong' }),
      await someone().begin({ password: '' }),
      await someone().begin({ user: 'nobody' }),
      await someone().begin({ user: 'nobody', password: 'wrong' }),
      await someone().begin({ token: '1' }),
    ];
    await tokens.disable(OPERATOR, { serial: `${user}-phone` });
    refusals.push(await someone().begin());
    await tokens.remove(OPERATOR, { serial: `${user}-phone` });
    refusals.push(await someone().begin());
    for (const { response } of refusals) {
      expect(failureOf(response)).toEqual([401, REFUSED]);
      expect(response.headers['tankeeper-failure']).toBe('sign-in.refused/password');
      expect(response.get('Set-Cookie')).toBeUndefined();
    }
    expect(new Set(refusals.map(({ response }) => Object.keys(response.headers).join())).size).toBe(1);
    // The audit tells a wrong password from a right one of somebody without a token.
    const own = (await auditOf('self/sign-in')).filter(({ subject }) => subject === user);
    expect(own.map(({ outcome }) => outcome)).toEqual([
      'refused: token',
      'refused: token',
      'refused: token',
      'refused: password',
    ]);
  });

  it('checks a password also where nobody is meant', async () => {
    const asked: string[] = [];
    const hasher = {
      ...QUICK_HASHER,
      verifyNothing: (password: string) => {
        asked.push(password);
        return Promise.resolve(false as const);
      },
    };
    const watched = application.restarted({ hasher });
    await someone().at(watched).begin({ user: 'nobody', password: 'of an unknown user' });
    await someone().at(watched).begin({ realm: 'closed', password: 'of a closed realm' });
    await someone().at(watched).begin({ realm: 'nowhere', password: 'of no realm' });
    expect(asked).toEqual(['of an unknown user', 'of a closed realm', 'of no realm']);
  });

  it('goes on after a wrong response, which counts for the token, and takes the right one once', async () => {
    const visitor = someone();
    const asked = await visitor.begin();
    const right = answerTo(asked);
    const wrong = await visitor.post('/self/sign-in/finish', { response: wrongResponse(right) });
    expect(failureOf(wrong)).toEqual([401, 'The response is wrong']);
    expect(await application.services.tokens.show(OPERATOR, `${user}-phone`)).toMatchObject({ failCount: 1 });
    const twice = await Promise.all([
      visitor.post('/self/sign-in/finish', { response: right }),
      visitor.post('/self/sign-in/finish', { response: right }),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 401]);
    const late = someone();
    late.cookies.set('user_sign_in', visitor.cookies.get('user_sign_in') ?? '');
    expect((await late.post('/self/sign-in/finish', { response: right })).status).toBe(401);
  });

  it('opens one session of two polls at once, after the app has answered', async () => {
    const asked = await someone().begin();
    await application.check(asked.transactionId, answerTo(asked));
    const [cookie = ''] = asked.response.get('Set-Cookie') ?? [];
    const poll = async (): Promise<Response> =>
      application.send('/self/sign-in/finish', {}).set('Cookie', cookie.split(';')[0] ?? '');
    const polls = await Promise.all([poll(), poll()]);
    expect(polls.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('wants the PIN of the token', async () => {
    await application.services.tokens.set(OPERATOR, { serial: `${user}-phone` }, { pin: '4711' });
    const visitor = someone();
    const asked = await visitor.begin();
    const right = answerTo(asked);
    expect((await visitor.post('/self/sign-in/finish', { response: right })).status).toBe(401);
    expect((await visitor.post('/self/sign-in/finish', { response: `0000${right}` })).status).toBe(401);
    expect((await visitor.post('/self/sign-in/finish', { response: `4711${right}` })).status).toBe(200);
  });

  it('takes no response of another person or to another transaction, nor gives one for it', async () => {
    const other = `${user}-other`;
    await addUser(other);
    await application.enrolPlain(other, SUITE, { user: other, realm: 'customers' });
    const payment = await application.challenge(`${user}-phone`, 'Pay 50 EUR');
    const paid = application.respond(SUITE, payment.question);
    const visitor = someone();
    const asked = await visitor.begin();
    const strange = await someone().begin({ user: other });
    for (const response of [paid, answerTo(strange)]) {
      expect((await visitor.post('/self/sign-in/finish', { response })).status).toBe(401);
    }
    expect(await application.check(payment.transactionid, answerTo(asked))).toMatchObject({
      result: false,
    });
    expect(await application.check(payment.transactionid, paid)).toMatchObject({ result: true });
    expect(valueOf(await visitor.post('/self/sign-in/finish'))).toEqual({ is_signed_in: false });
  });

  it('asks the token that the person chooses, and never the second factor of an administrator', async () => {
    await application.enrolPlain(`${user}-tablet`, SUITE, { user, realm: 'customers' });
    const chosen = await someone().begin({ token: '1' });
    expect(valueOf(chosen.response)).toMatchObject({ token: 1, tokens: ['…hone', '…blet'] });
    const { serial } = await application.services.transactions.history(OPERATOR, chosen.transactionId);
    expect(serial).toBe(`${user}-tablet`);
    const { administrators } = application.services;
    await administrators.add(OPERATOR, `admin-${user}`, PASSWORD);
    await administrators.setSecondFactor(OPERATOR, `admin-${user}`, `${user}-tablet`);
    const refused = await someone().begin({ token: '1' });
    expect(failureOf(refused.response)).toEqual([401, REFUSED]);
  });

  it('shows by the password alone no serial and no description', async () => {
    const owned = { user, realm: 'customers', description: 'my old one' };
    await application.enrolPlain(`1-of-${user}`, SUITE, owned);
    const { response } = await someone().begin();
    expect(valueOf(response)).toMatchObject({ token: 0, tokens: [`…${`1-of-${user}`.slice(-4)}`, '…hone'] });
    expect(response.text).not.toContain(`${user}-phone`);
    expect(response.text).not.toContain('my phone');
    expect(response.text).not.toContain('my old one');
  });

  it('ends after three wrong responses, whatever is allowed for payments', async () => {
    const { settings, tokens } = application.services;
    await settings.set(OPERATOR, new Map([['OcraMaxChallengeRequests', '1000']]));
    const visitor = someone();
    const right = answerTo(await visitor.begin());
    const answers = await visitor.guess('/self/sign-in/finish', right);
    await settings.remove(OPERATOR, 'OcraMaxChallengeRequests');
    expect(answers).toEqual(['The response is wrong', 'The response is wrong', ENDED]);
    for (const sent of [{ response: right }, {}]) {
      expect(failureOf(await visitor.post('/self/sign-in/finish', sent))).toEqual([401, ENDED]);
    }
    expect(await tokens.show(OPERATOR, `${user}-phone`)).toMatchObject({ failCount: 3 });
  });

  it('never locks the token for payments, also where many guess at once', async () => {
    const serial = `${user}-phone`;
    const begun = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const visitor = someone();
        return { visitor, asked: await visitor.begin() };
      }),
    );
    const guesses = [1, 2, 3].flatMap(() =>
      begun.flatMap(({ visitor, asked }) => {
        const response = wrongResponse(answerTo(asked));
        return [
          visitor.post('/self/sign-in/finish', { response }),
          application.check(asked.transactionId, response),
        ];
      }),
    );
    await Promise.all<unknown>(guesses);
    expect(await application.services.tokens.show(OPERATOR, serial)).toMatchObject({ failCount: 5 });
    for (const { visitor, asked } of begun) {
      const response = answerTo(asked);
      expect(failureOf(await visitor.post('/self/sign-in/finish', { response }))).toEqual([401, ENDED]);
    }
    expect(failureOf((await someone().begin()).response)).toEqual([401, REFUSED]);
    const payment = await application.challenge(serial, 'Pay 50 EUR');
    const paid = application.respond(SUITE, payment.question);
    expect(await application.check(payment.transactionid, paid)).toMatchObject({ result: true });
    await someone().signIn();
  });

  it('is refused in words, after the right password alone, where one wrong response locks each token', async () => {
    const { tokens } = application.services;
    const serial = `${user}-phone`;
    await tokens.set(OPERATOR, { serial }, { maxFail: 1 });
    const limited = application.restarted({ limits: { loginFailures: 3 }, trustProxy: [] });
    const begin = async (password: string): Promise<unknown> =>
      failureOf((await someone().at(limited).begin({ password })).response);
    expect(await begin('wrong')).toEqual([401, REFUSED]);
    const { response } = await someone().at(limited).begin();
    expect(response.headers['tankeeper-failure']).toBe('sign-in.refused/token');
    expect(failureOf(response)).toEqual([
      401,
      'A token that the first wrong response locks (maxfail 1) signs nobody in here: ask your helpdesk',
    ]);
    expect((await auditOf('self/sign-in'))[0]).toMatchObject({ subject: user, outcome: 'refused: token' });
    // As sign-ins that are begun.
    await Promise.all([begin(PASSWORD), begin(PASSWORD)]);
    expect(await begin(PASSWORD)).toEqual([429, expect.any(String)]);
    await application.enrolPlain(`${user}-tablet`, SUITE, { user, realm: 'customers' });
    expect(valueOf((await someone().begin()).response)).toMatchObject({ tokens: ['…blet'] });
    await tokens.disable(OPERATOR, { serial: `${user}-tablet` });
    await tokens.set(OPERATOR, { serial }, { maxFail: 2 });
    await someone().signIn();
  });

  it('is told to have ended, and counts nothing, where its token has been locked or it has expired', async () => {
    const limited = application.restarted({ limits: { loginFailures: 2 }, trustProxy: [] });
    const visitor = someone().at(limited);
    const response = wrongResponse(answerTo(await visitor.begin()));
    await application.services.tokens.lose(OPERATOR, { serial: `${user}-phone` });
    await application.services.tokens.enable(OPERATOR, { serial: `${user}-phone` }, true);
    const other = someone().at(limited);
    await other.begin();
    application.clock.advance(301);
    for (let count = 0; count < 3; count += 1) {
      for (const one of [visitor, other]) {
        expect(failureOf(await one.post('/self/sign-in/finish', { response }))).toEqual([401, ENDED]);
      }
    }
    application.clock.set(new Date('2026-11-20T12:00:00Z'));
  });

  it('is limited by user, however the login is spelled, and for each login that nobody has', async () => {
    const limited = application.restarted({ limits: { loginFailures: 5 }, trustProxy: [] });
    const guess = async (name: string, password: string): Promise<number> =>
      (await someone().at(limited).begin({ user: name, password })).response.status;
    const statuses: number[] = [];
    for (const name of [user, user.toUpperCase(), ` ${user}`, user, user.toUpperCase(), user]) {
      statuses.push(await guess(name, `wrong ${statuses.length}`));
    }
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect(await guess(user, PASSWORD)).toBe(429);
  });
});

describe('the session of a user', () => {
  it('ends after five minutes without a request, and after half an hour in any case', async () => {
    const idle = await someone().signIn();
    const busy = await someone().signIn();
    for (let minutes = 0; minutes < 28; minutes += 4) {
      application.clock.advance(240);
      expect((await busy.get('/self/tokens')).status).toBe(200);
    }
    expect(failureOf(await idle.get('/self/tokens'))).toEqual([401, ENDED]);
    application.clock.advance(150);
    expect(failureOf(await busy.get('/self/tokens'))).toEqual([401, ENDED]);
    application.clock.set(new Date('2026-11-20T12:00:00Z'));
  });

  it.each([
    ['the token is disabled', (serial: string) => application.services.tokens.disable(OPERATOR, { serial })],
    ['the token is removed', (serial: string) => application.services.tokens.remove(OPERATOR, { serial })],
    [
      'the token has no owner',
      (serial: string) => application.services.tokens.unassign(OPERATOR, { serial }),
    ],
    [
      'the user leaves the realm',
      () => application.services.users.remove(OPERATOR, { resolver: 'customers', login: user }),
    ],
    [
      'the policy is for others',
      () =>
        application.setPolicy('self-service', 'selfservice', ALL, { realm: 'customers', user: `!${user}` }),
    ],
  ])('ends when %s', async (_case, change) => {
    const visitor = await someone().signIn();
    await change(`${user}-phone`);
    expect(failureOf(await visitor.get('/self/tokens'))).toEqual([401, ENDED]);
    expect(await application.sql('user_sessions').where({ login: user })).toEqual([]);
  });

  it('ends with all that the finder of a lost phone has confirmed, also once its token has a new key', async () => {
    const serial = `${user}-phone`;
    const pending = someone();
    const visitor = await someone().signIn();
    for (const asked of [await pending.begin(), askedBy(await visitor.post('/self/enrol'))]) {
      expect(await application.check(asked.transactionId, answerTo(asked))).toMatchObject({
        result: true,
      });
    }
    await application.services.tokens.lose(OPERATOR, { serial });
    await application.enrolPlain(serial, SUITE, { otpkey: '11'.repeat(32) });
    for (const response of [
      await pending.post('/self/sign-in/finish'),
      await visitor.post('/self/enrol/finish'),
      await visitor.get('/self/tokens'),
    ]) {
      expect(failureOf(response)).toEqual([401, ENDED]);
    }
  });

  it('ends where its token gets another key or goes to somebody else, also for a moment', async () => {
    const serial = `${user}-phone`;
    const before = await someone().signIn();
    await application.services.tokens.unassign(OPERATOR, { serial });
    await application.services.tokens.assign(OPERATOR, { serial, user, realm: 'customers' });
    expect(failureOf(await before.get('/self/tokens'))).toEqual([401, ENDED]);
    const after = await someone().signIn();
    await application.enrolPlain(serial, SUITE, { otpkey: '11'.repeat(32) });
    expect(failureOf(await after.get('/self/tokens'))).toEqual([401, ENDED]);
  });

  it('gives no right of an administrator, and that of an administrator none here', async () => {
    const visitor = await someone().signIn();
    const secret = visitor.cookies.get('user_session') ?? '';
    for (const name of ['user_session', 'admin_session', 'access_token_cookie']) {
      const response = await request(application.app)
        .get('/admin/show')
        .set('Cookie', `${name}=${secret}`)
        .query({ session: secret });
      expect(response.status).toBe(401);
    }
    const admin = someone();
    await admin.post('/admin/login', { username: 'admin', password: 'correct horse' });
    const session = admin.cookies.get('access_token_cookie') ?? '';
    expect(session).not.toBe('');
    expect(failureOf(await admin.get('/self/tokens'))).toEqual([401, ENDED]);
    admin.cookies.set('user_session', session);
    expect(failureOf(await admin.get('/self/tokens'))).toEqual([401, ENDED]);
    const posted = failureOf(await someone().post('/self/tokens'));
    expect(posted).toEqual([405, 'The method POST is not allowed here']);
    const asAdmin = await application.asAdmin('/self/lock', { serial: `${user}-phone` });
    expect(failureOf(asAdmin)).toEqual([401, ENDED]);
  });

  it('changes nothing without the value that a page of this site shows, or by an opened address', async () => {
    const visitor = await someone().signIn();
    const { csrf } = visitor;
    const stranger = await someone().signIn();
    const serial = `${user}-phone`;
    for (const shown of ['', 'wrong', stranger.csrf]) {
      visitor.csrf = shown;
      expect((await visitor.post('/self/lock', { serial })).status).toBe(401);
      expect((await visitor.post('/self/sign-out')).status).toBe(401);
    }
    const cookie = `user_session=${visitor.cookies.get('user_session') ?? ''}`;
    const sent = (headers: Record<string, string>): request.Test =>
      application.send('/self/lock', { serial }).set({ Cookie: cookie, 'X-CSRF-TOKEN': csrf, ...headers });
    expect((await sent({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await sent({ 'Sec-Fetch-Mode': 'navigate' })).status).toBe(403);
    visitor.csrf = csrf;
    expect(await visitor.tokens()).toMatchObject([{ state: 'active' }]);
  });
});

it('who knows a password alone ends no sign-in of the owner, no confirmation of a session, and keeps the owner out only while the sign-ins live', async () => {
  const owner = await someone().signIn();
  const confirming = askedBy(await owner.post('/self/enrol'));
  const signingIn = someone();
  const asked = await signingIn.begin();
  const statuses: number[] = [];
  for (let count = 0; count < MAX_SIGN_INS; count += 1) {
    statuses.push((await someone().begin()).response.status);
  }
  expect(statuses).toEqual([...Array<number>(MAX_SIGN_INS - 1).fill(200), 429]);
  for (const [visitor, path, one] of [
    [owner, '/self/enrol/finish', confirming],
    [signingIn, '/self/sign-in/finish', asked],
  ] as const) {
    expect((await visitor.post(path, { response: answerTo(one) })).status).toBe(200);
  }
  await someone().begin();
  const { response } = await someone().begin();
  expect(failureOf(response)).toEqual([429, 'Too many sign-ins are under way']);
  expect(response.headers['retry-after']).toBe('300');
  application.clock.advance(301);
  await someone().signIn();
  application.clock.set(new Date('2026-11-20T12:00:00Z'));
});

describe('who asks for the sign-in of a user', () => {
  it('learns from the limits of no login whether somebody has it', async () => {
    const { realms, policies } = application.services;
    await realms.set(OPERATOR, { name: 'corporate', resolvers: ['customers'] });
    await policies.set(OPERATOR, { name: 'other', scope: 'selfservice', action: 'show', realm: 'corporate' });
    await application.enrolPlain(`${user}-corporate`, SUITE, { user, realm: 'corporate' });
    const limited = application.restarted({ limits: { loginFailures: 5 }, trustProxy: [] });
    const statusesOf = async (name: string): Promise<number[]> => {
      const statuses: number[] = [];
      for (const realm of ['customers', 'customers', 'customers', 'customers', 'customers', 'corporate']) {
        const password = `wrong ${statuses.length}`;
        const begun = await someone().at(limited).begin({ user: name, realm, password });
        statuses.push(begun.response.status);
      }
      return statuses;
    };
    const known = await statusesOf(user);
    const right = await someone().at(limited).begin({ realm: 'corporate' });
    expect((await someone().begin({ realm: 'corporate' })).response.status).toBe(200);
    expect(await statusesOf(`nobody-${user}`)).toEqual(known);
    // The passwords of both realms are those of one person.
    expect(failureOf(right.response)).toEqual([401, REFUSED]);
    await policies.remove(OPERATOR, 'other');
  });

  it('is counted, but not as a wrong password, until its response is right', async () => {
    const limited = application.restarted({ limits: { loginFailures: 3 }, trustProxy: [] });
    const begin = async (): Promise<number> => (await someone().at(limited).begin()).response.status;
    for (let count = 0; count < 4; count += 1) {
      await someone().at(limited).signIn();
    }
    const last = someone().at(limited);
    const statuses = [await begin(), await begin()];
    const asked = await last.begin();
    statuses.push(asked.response.status, await begin(), await begin());
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(failureOf((await someone().at(limited).begin()).response)).toEqual([
      429,
      'Too many sign-ins are under way',
    ]);
    const text = await limited.metrics.text();
    expect(text).toContain('tankeeper_limit_refusals_total{limit="begun-sign-ins"} 3');
    expect(text).not.toContain('limit="login-failures"');
    const outcomes = (await auditOf('self/sign-in')).map(({ outcome }) => outcome);
    expect(outcomes).toContain('refused: too many sign-ins');
    expect(outcomes).not.toContain('refused: too many passwords');
    const response = answerTo(asked);
    expect((await last.post('/self/sign-in/finish', { response })).status).toBe(200);
    const atOnce = await Promise.all([begin(), begin(), begin(), begin()]);
    expect(atOnce).toContain(429);
    expect(atOnce.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('learns from no begun sign-in of somebody else whether somebody has the login', async () => {
    const limited = application.restarted({ limits: { loginFailures: 2 }, trustProxy: [] });
    await someone().at(limited).begin();
    await someone().at(limited).begin();
    const wrong = await someone().at(limited).begin({ password: 'wrong' });
    expect(failureOf(wrong.response)).toEqual([401, REFUSED]);
  });

  it('is refused at one of few times after the request, for whatever reason', async () => {
    const waits: number[] = [];
    const slow = application.restarted({
      pause: (milliseconds) => {
        waits.push(milliseconds);
        return Promise.resolve();
      },
    });
    await application.services.tokens.disable(OPERATOR, { serial: `${user}-phone` });
    const refusals = [
      await someone().at(slow).begin({ password: 'wrong' }),
      await someone().at(slow).begin({ user: 'nobody' }),
      await someone().at(slow).begin(),
      await someone().at(slow).begin({ realm: 'nowhere' }),
    ];
    expect(refusals.map(({ response }) => response.status)).toEqual([401, 401, 401, 401]);
    expect(waits).toHaveLength(4);
    expect(waits.every((wait) => wait > 0 && wait <= 500)).toBe(true);
  });

  it('chooses no time of a refusal by sending the body slowly', async () => {
    let refusedAt = 0;
    const slow = application.restarted({
      pause: (milliseconds) => {
        refusedAt = performance.now() + milliseconds;
        return Promise.resolve();
      },
    });
    const server = slow.app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const body = new URLSearchParams({ user, realm: 'customers', password: 'wrong' }).toString();
    const socket = connect(port, '127.0.0.1').resume();
    socket.write(
      `POST /self/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await setTimeout(250);
    const sentAt = performance.now();
    socket.write(body);
    await expectSoon(() => refusedAt).toBeGreaterThan(0);
    expect(refusedAt - sentAt).toBeGreaterThanOrEqual(500);
    socket.destroy();
    server.close();
  });

  it('is refused as for a wrong password where the token is removed meanwhile', async () => {
    const change = (sql: string): Promise<unknown> => application.rows(sql, []);
    await change(`CREATE FUNCTION remove_token() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.token_id = 0; RETURN NEW; END $$`);
    await change(`CREATE TRIGGER remove_token BEFORE INSERT ON user_sessions
      FOR EACH ROW EXECUTE FUNCTION remove_token()`);
    const { response } = await someone().begin();
    await change('DROP TRIGGER remove_token ON user_sessions');
    expect(failureOf(response)).toEqual([401, REFUSED]);
  });
});

it.each(['documented', 'linotp'] as const)(
  'without a policy no method, header or body tells the paths of the account page from others, in the dialect %s',
  async (dialect) => {
    await allow(ALL, false);
    const { app } = application.restarted({ dialect });
    for (const ask of [
      (path: string) => request(app).get(path),
      (path: string) => request(app).put(path),
      (path: string) => request(app).options(path),
      (path: string) => request(app).post(path),
      (path: string) => request(app).post(path).set('Sec-Fetch-Site', 'cross-site'),
      (path: string) => request(app).post(path).set('Content-Type', 'text/xml').send('<a/>'),
    ]) {
      const [here, nowhere] = [await ask('/self/sign-in'), await ask('/self/nowhere')];
      expect([here.status, here.text]).toEqual([nowhere.status, nowhere.text]);
      expect(Object.keys(here.headers).sort()).toEqual(Object.keys(nowhere.headers).sort());
    }
  },
);
