import { describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'supertest';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import {
  addUser,
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
  type Visitor,
} from '../../support/application/account-visitor.ts';
import {
  BoundedAdministrators,
  OPERATOR,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { errorOf, valueOf } from '../../support/application/browser.ts';

openAccounts();

describe('the own tokens of a user', () => {
  it('are renamed and locked, with the person in the audit, and never those of others', async () => {
    const other = `${user}-other`;
    await addUser(other);
    await application.enrolPlain(other, SUITE, { user: other, realm: 'customers' });
    await application.enrolPlain(`${user}-tablet`, SUITE, { user, realm: 'customers' });
    const visitor = await someone().signIn({ token: '0' });
    for (const [path, more] of [
      ['/self/rename', { description: 'mine' }],
      ['/self/lock', {}],
    ] as const) {
      const theirs = await visitor.post(path, { serial: other, ...more });
      const nobodys = await visitor.post(path, { serial: 'nobodys', ...more });
      expect(errorOf(theirs)).toBe(`No token found with the serial '${other}'`);
      expect(errorOf(nobodys)).toBe("No token found with the serial 'nobodys'");
      expect((await visitor.post(path, { serial: '', ...more })).body).toMatchObject({
        result: { status: false },
      });
    }
    expect(await application.services.tokens.show(OPERATOR, other)).toMatchObject({
      active: true,
      description: '',
    });
    expect(errorOf(await visitor.post('/self/rename', { serial: `${user}-tablet` }))).toMatch(
      /Missing parameter 'description'\.$/,
    );
    const renamed = { serial: `${user}-tablet`, description: 'the tablet' };
    expect(valueOf(await visitor.post('/self/rename', renamed))).toBe(true);
    expect(valueOf(await visitor.post('/self/lock', { serial: `${user}-tablet` }))).toBe(true);
    expect(await visitor.tokens()).toMatchObject([
      { serial: `${user}-phone`, state: 'active', is_sign_in_token: true },
      { ...renamed, state: 'off', is_sign_in_token: false },
    ]);
    for (const action of ['token/set', 'token/lost']) {
      expect((await auditOf(action))[0]).toMatchObject({
        actor: `user:${user}@customers`,
        subject: `${user}-tablet`,
      });
    }
  });

  it('are those in the realm of the sign-in, not those of the same person in another one', async () => {
    await application.services.realms.set(OPERATOR, { name: 'corporate', resolvers: ['customers'] });
    const serial = `${user}-corporate`;
    await application.enrolPlain(serial, SUITE, { user, realm: 'corporate' });
    expect(failureOf((await someone().begin({ token: '1' })).response)).toEqual([401, REFUSED]);
    const visitor = await someone().signIn();
    expect((await visitor.tokens()).map((token) => token.serial)).toEqual([`${user}-phone`]);
    for (const [path, more] of [
      ['/self/rename', { description: 'mine' }],
      ['/self/lock', {}],
    ] as const) {
      const refused = await visitor.post(path, { serial, ...more });
      expect(errorOf(refused)).toBe(`No token found with the serial '${serial}'`);
    }
    expect(await application.services.tokens.show(OPERATOR, serial)).toMatchObject({ active: true });
  });

  it('are not locked here where one is the second factor of an administrator', async () => {
    const serial = `${user}-phone`;
    const visitor = await someone().signIn();
    await application.enrolPlain(`${user}-tablet`, SUITE, { user, realm: 'customers' });
    const { administrators, tokens } = application.services;
    await administrators.add(OPERATOR, `admin-${user}`, PASSWORD);
    await administrators.setSecondFactor(OPERATOR, `admin-${user}`, `${user}-tablet`);
    const refused = await visitor.post('/self/lock', { serial: `${user}-tablet` });
    expect(errorOf(refused)).toMatch(/^This token is the second factor of an administrator/);
    expect(await tokens.show(OPERATOR, `${user}-tablet`)).toMatchObject({ active: true });
    expect(valueOf(await visitor.post('/self/lock', { serial }))).toBe(true);
  });

  it('include the one that signed in: its lock ends the session', async () => {
    const visitor = await someone().signIn();
    expect(valueOf(await visitor.post('/self/lock', { serial: `${user}-phone` }))).toBe(true);
    expect(failureOf(await visitor.get('/self/tokens'))).toEqual([401, ENDED]);
    expect(failureOf((await someone().begin()).response)).toEqual([401, REFUSED]);
  });
});

describe('the enrolment of another token', () => {
  interface Enrolled {
    readonly is_enrolled: boolean;
    readonly serial: string;
    readonly init: string;
    readonly activation_code: string;
    readonly nonce: string;
    readonly transactionid: string;
  }

  it('is confirmed by the first one, once, and rolls out for the same person', async () => {
    const visitor = await someone().signIn();
    expect(failureOf(await visitor.post('/self/enrol/finish'))).toEqual([401, ENDED]);
    const asked = askedBy(await visitor.post('/self/enrol'));
    expect(parseQrTanUrl(asked.data)).toMatchObject({
      message: `Add another phone to the account of ${user} at tan.example.com`,
    });
    expect(valueOf(await visitor.post('/self/enrol/finish'))).toEqual({ is_enrolled: false });
    const right = answerTo(asked);
    const wrong = await visitor.post('/self/enrol/finish', { response: wrongResponse(right) });
    expect(failureOf(wrong)).toEqual([401, 'The response is wrong']);
    const twice = await Promise.all([
      visitor.post('/self/enrol/finish', { response: right, description: 'the new phone' }),
      visitor.post('/self/enrol/finish', { response: right, description: 'the new phone' }),
    ]);
    const [done] = twice.filter(({ status }) => status === 200);
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 401]);
    const value = valueOf(done ?? wrong) as Enrolled;
    expect([parseQrTanUrl(value.init).kind, parseQrTanUrl(value.nonce).kind]).toEqual(['init', 'nonce']);
    expect(value.activation_code).toMatch(/^[A-Z2-7]{16}[0-9A-F]{2}$/);
    expect(await application.services.tokens.show(OPERATOR, value.serial)).toMatchObject({
      owner: { login: user },
      realms: ['customers'],
      rollout: 'phase2',
      hasPin: false,
      description: 'the new phone',
    });
    expect((await visitor.tokens()).map(({ state }) => state).sort()).toEqual(['active', 'rollout']);
    expect((await auditOf('admin/init'))[0]).toMatchObject({ actor: `user:${user}@customers` });
  });

  /** Enrols another token. */
  async function enrol(visitor: Visitor): Promise<Enrolled> {
    const asked = askedBy(await visitor.post('/self/enrol'));
    const done = await visitor.post('/self/enrol/finish', { response: answerTo(asked) });
    return valueOf(done) as Enrolled;
  }

  it('leaves payments of the user as they were until the new phone is ready, and asks no added one for a locked one', async () => {
    const pay = async (): Promise<unknown> =>
      errorOf(await application.asAdmin('/ocra/request', { user, realm: 'customers', data: 'Pay 50 EUR' }));
    await enrol(await someone().signIn());
    expect(await pay()).toBeUndefined();
    await application.enrolPlain(`${user}-tablet`, SUITE, { user, realm: 'customers' });
    expect(await pay()).toBe(`More than one token found for the user '${user}': name its serial`);
    const visitor = await someone().signIn({ token: '1' });
    expect(valueOf(await visitor.post('/self/lock', { serial: `${user}-phone` }))).toBe(true);
    expect(await pay()).toMatch(/^More than one token found/);
  });

  it('ends with a lock of the phone that began it, as a finder may have', async () => {
    const visitor = await someone().signIn();
    const { serial } = await enrol(visitor);
    expect(valueOf(await visitor.post('/self/lock', { serial: `${user}-phone` }))).toBe(true);
    await expect(application.services.tokens.show(OPERATOR, serial)).rejects.toMatchObject({
      code: 'token.unknown',
    });
  });

  it.each(['/self/lock', '/self/enrol/cancel'])(
    'ends with %s also where the new phone was asked something else, and only where it was begun here',
    async (path) => {
      const { tokens, enrolment } = application.services;
      const { serial } = await enrol(await someone().signIn());
      await application.challenge(serial, 'Pay 50 EUR');
      const text = `This phone now belongs to the account of ${user} at tan.example.com`;
      const letter = { type: 'ocra', user, realm: 'customers', serial: `${user}-letter` };
      await enrolment.init(OPERATOR, { ...letter, genkey: '1', sharedsecret: '1' });
      await enrolment.init(OPERATOR, { ...letter, activationcode: 'GEZDGNBVGY3TQOJQ01', message: text });
      const visitor = await someone().signIn();
      expect(valueOf(await visitor.post(path, { serial: `${user}-phone` }))).toBe(true);
      const left = await tokens.list(OPERATOR, { user, userRealm: 'customers' });
      expect(left.map((token) => token.serial)).toEqual([letter.serial, `${user}-phone`]);
    },
  );

  it('is that of the helpdesk where it has enrolled the token anew', async () => {
    const { tokens, enrolment } = application.services;
    const { serial } = await enrol(await someone().signIn());
    await enrolment.init(OPERATOR, { type: 'ocra', serial, genkey: '1', sharedsecret: '1' });
    const visitor = await someone().signIn();
    expect(valueOf(await visitor.post('/self/enrol/cancel'))).toBe(true);
    expect(await tokens.show(OPERATOR, serial)).toMatchObject({ rollout: 'phase1' });
  });

  it('is, as the sign-in, no payment of the user at a portal, unless its transaction is named', async () => {
    const payment = await application.challenge(`${user}-phone`, 'Pay 50 EUR');
    application.clock.advance(1);
    const visitor = someone();
    const asked = await visitor.begin();
    await visitor.post('/self/sign-in/finish', { response: answerTo(asked) });
    const { serial, transactionid } = await enrol(visitor);
    const listed = async (named: Record<string, string>): Promise<unknown> =>
      (await application.status(named)).map((entry) => entry.transactionid);
    expect(await listed({ user, realm: 'customers' })).toEqual([payment.transactionid]);
    expect(await listed({ serial })).toEqual([]);
    for (const named of [asked.transactionId, transactionid]) {
      expect(await listed({ transactionid: named })).toEqual([named]);
    }
  });

  it('gives the new one the bounds of the first, and what is left of its counts', async () => {
    const { tokens } = application.services;
    const serial = `${user}-phone`;
    const validUntil = '2026-11-21T00:00:00.000Z';
    await tokens.set(
      OPERATOR,
      { serial },
      { maxFail: 6, use: { validUntil, maxUses: '50', maxSuccesses: '5' } },
    );
    const visitor = await someone().signIn();
    const enrolled = await enrol(visitor);
    expect(await tokens.show(OPERATOR, enrolled.serial)).toMatchObject({
      maxFail: 6,
      use: { validUntil: new Date(validUntil), maxUses: 48, maxSuccesses: 3 },
    });
    await tokens.set(OPERATOR, { serial }, { use: { maxSuccesses: '3' } });
    const last = askedBy(await visitor.post('/self/enrol'));
    const refused = await visitor.post('/self/enrol/finish', { response: answerTo(last) });
    expect(errorOf(refused)).toBe('The phone that confirmed it may confirm nothing more');
    expect(await tokens.list(OPERATOR, { user, userRealm: 'customers' })).toHaveLength(1);
  });

  it('takes the place of those that the person has begun and not completed, and of no other', async () => {
    const { tokens, enrolment } = application.services;
    const owner = { type: 'ocra', user, realm: 'customers', genkey: '1', sharedsecret: '1' };
    await enrolment.init(OPERATOR, { ...owner, serial: `${user}-letter` });
    await enrolment.init(OPERATOR, {
      ...owner,
      serial: `${user}-letter`,
      activationcode: 'GEZDGNBVGY3TQOJQ01',
    });
    const begun: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const enrolled = await enrol(await someone().signIn());
      begun.push(enrolled.serial);
      for (let wrong = 0; count === 5 && wrong < 3; wrong += 1) {
        await application.check(enrolled.transactionid, '00000000');
      }
      application.clock.advance(61);
    }
    const serials = async (): Promise<string[]> =>
      (await tokens.list(OPERATOR, { user, userRealm: 'customers' })).map(({ serial }) => serial).sort();
    expect(await serials()).toEqual([begun.at(-1), `${user}-letter`, `${user}-phone`].sort());
    const visitor = await someone().signIn();
    expect(valueOf(await visitor.post('/self/enrol/cancel'))).toBe(true);
    expect(await serials()).toEqual([`${user}-letter`, `${user}-phone`]);
    application.clock.set(new Date('2026-11-20T12:00:00Z'));
  });

  it('is told to have ended after three wrong responses of the new phone', async () => {
    const visitor = await someone().signIn();
    const { serial, transactionid } = await enrol(visitor);
    const stateOf = async (): Promise<unknown> =>
      (await visitor.tokens()).find((token) => token.serial === serial)?.state;
    expect(await stateOf()).toBe('rollout');
    for (let wrong = 0; wrong < 3; wrong += 1) {
      await application.check(transactionid, '00000000');
    }
    expect(await stateOf()).toBe('unfinished');
  });

  it('adds none where the phone that confirmed it is reported as lost meanwhile', async () => {
    const visitor = await someone().signIn();
    const asked = askedBy(await visitor.post('/self/enrol'));
    const { tokens, enrolment } = application.services;
    const init = enrolment.init.bind(enrolment);
    const losing = jest.spyOn(enrolment, 'init').mockImplementation(async (caller, request) => {
      const done = await init(caller, request);
      await (request.activationcode === undefined
        ? undefined
        : tokens.lose(OPERATOR, { serial: `${user}-phone` }));
      return done;
    });
    const refused = await visitor.post('/self/enrol/finish', { response: answerTo(asked) });
    losing.mockRestore();
    expect(failureOf(refused)).toEqual([401, ENDED]);
    expect(await tokens.list(OPERATOR, { user, userRealm: 'customers' })).toHaveLength(1);
  });

  it('is not asked of a phone that would confirm nothing after too many wrong responses', async () => {
    const visitor = await someone().signIn();
    const serial = `${user}-phone`;
    for (let wrong = 0; wrong < 5; wrong += 1) {
      const { transactionid } = await application.challenge(serial, `Pay ${wrong} EUR`);
      await application.check(transactionid, '00000000');
    }
    expect(errorOf(await visitor.post('/self/enrol'))).toMatch(
      /^The phone with which you signed in confirms nothing/,
    );
    expect((await visitor.get('/self/tokens')).status).toBe(200);
  });

  it('keeps its confirmation where the description is too long', async () => {
    const visitor = await someone().signIn();
    const asked = askedBy(await visitor.post('/self/enrol'));
    const response = answerTo(asked);
    for (const answered of [{ response }, {}]) {
      const long = await visitor.post('/self/enrol/finish', { ...answered, description: 'x'.repeat(256) });
      expect(errorOf(long)).toMatch(/255/);
    }
    const done = await visitor.post('/self/enrol/finish', { response, description: 'x'.repeat(255) });
    expect(valueOf(done)).toMatchObject({ is_enrolled: true });
  });

  it('ends its confirmation after three wrong responses, and the session goes on', async () => {
    const visitor = await someone().signIn();
    const right = answerTo(askedBy(await visitor.post('/self/enrol')));
    expect(await visitor.guess('/self/enrol/finish', right)).toEqual([
      'The response is wrong',
      'The response is wrong',
      ENDED,
    ]);
    expect(failureOf(await visitor.post('/self/enrol/finish', { response: right }))).toEqual([401, ENDED]);
    const again = answerTo(askedBy(await visitor.post('/self/enrol')));
    expect(valueOf(await visitor.post('/self/enrol/finish', { response: again }))).toMatchObject({
      is_enrolled: true,
    });
  });

  it('asks for as much as the first: it has the same PIN', async () => {
    await application.services.tokens.set(OPERATOR, { serial: `${user}-phone` }, { pin: '4711' });
    const visitor = someone();
    const asked = await visitor.begin();
    await visitor.post('/self/sign-in/finish', { response: `4711${answerTo(asked)}` });
    const again = askedBy(await visitor.post('/self/enrol'));
    const done = await visitor.post('/self/enrol/finish', { response: `4711${answerTo(again)}` });
    const { serial } = valueOf(done) as Enrolled;
    expect(await application.services.tokens.show(OPERATOR, serial)).toMatchObject({ hasPin: true });
  });

  it('asks for as much as the first: it is in the same realms, and not there for one that computes with a PIN', async () => {
    const { realms, tokens } = application.services;
    await realms.set(OPERATOR, { name: 'gold', resolvers: ['customers'] });
    await tokens.setRealms(OPERATOR, { serial: `${user}-phone`, realms: ['customers', 'gold'] });
    const visitor = await someone().signIn();
    const asked = askedBy(await visitor.post('/self/enrol'));
    const done = await visitor.post('/self/enrol/finish', { response: answerTo(asked) });
    const { serial } = valueOf(done) as Enrolled;
    expect(await tokens.show(OPERATOR, serial)).toMatchObject({ realms: ['customers', 'gold'] });
    const suite = 'OCRA-1:HOTP-SHA256-8:QA64-PSHA1';
    const strict = { user, realm: 'customers', ocrapin: '4711' };
    await application.enrolPlain(`${user}-strict`, suite, strict);
    const other = someone();
    const question = questionOf((await other.begin({ token: '1' })).data);
    const response = application.respond(suite, question, { pin: '4711' });
    expect((await other.post('/self/sign-in/finish', { response })).status).toBe(200);
    expect(errorOf(await other.post('/self/enrol'))).toMatch(/^No phone can be added here: .* PIN/);
  });

  it('is not confirmed by the response that signed in, nor by one to a payment', async () => {
    const visitor = someone();
    const asked = await visitor.begin();
    await visitor.post('/self/sign-in/finish', { response: answerTo(asked) });
    await visitor.post('/self/enrol');
    const payment = await application.challenge(`${user}-phone`, 'Pay 50 EUR');
    for (const response of [answerTo(asked), application.respond(SUITE, payment.question)]) {
      expect((await visitor.post('/self/enrol/finish', { response })).status).toBe(401);
    }
    expect(await visitor.tokens()).toHaveLength(1);
  });

  it('ends at ten tokens also where several are confirmed at once', async () => {
    for (let count = 0; count < 8; count += 1) {
      await application.enrolPlain(`${user}-${count}`, SUITE, { user, realm: 'customers' });
    }
    const visitors: Visitor[] = [];
    for (const token of ['0', '1', '2']) {
      const visitor = await someone().signIn({ token });
      const asked = askedBy(await visitor.post('/self/enrol'));
      await application.check(asked.transactionId, answerTo(asked));
      visitors.push(visitor);
    }
    await Promise.all(visitors.map((visitor) => visitor.post('/self/enrol/finish')));
    const { length } = (await visitors[0]?.tokens()) ?? [];
    expect([9, 10]).toContain(length);
  });

  it('ends at ten tokens, and where the new one would get no address', async () => {
    const visitor = await someone().signIn();
    await application.setPolicy('another-address', 'authentication', 'qrtanurl=https://other.example.com/', {
      realm: 'customers',
    });
    expect(errorOf(await visitor.post('/self/enrol'))).toMatch(/^No phone can be added now/);
    await application.services.policies.remove(OPERATOR, 'another-address');
    for (let count = 0; count < 9; count += 1) {
      await application.enrolPlain(`${user}-${count}`, SUITE, { user, realm: 'customers' });
    }
    expect(errorOf(await visitor.post('/self/enrol'))).toMatch(/^You have 10 tokens or more/);
  });
});

it('the sessions of a user are seen and ended by the helpdesk of their realm with a right of its own, as is a sign-in under way', async () => {
  const bounded = await BoundedAdministrators.of(application);
  await bounded.add('desk', 'show, sessions', 'customers');
  await bounded.add('looker', 'show', 'customers');
  await bounded.add('other-desk', 'show, sessions', 'closed');
  const [visitor, again] = [await someone().signIn(), await someone().signIn()];
  const named = { user, realm: 'customers' };
  const seenBy = async (name: string): Promise<unknown> =>
    (valueOf(await bounded.get(name, '/admin/helpdesk/person', named)) as { sessions: unknown }).sessions;
  const endBy = (name: string): Promise<Response> =>
    bounded.post(name, '/admin/helpdesk/end-sessions', named);
  expect([await seenBy('desk'), await seenBy('looker')]).toEqual([2, null]);
  expect(errorOf(await endBy('looker'))).toMatch(/right/i);
  expect(errorOf(await endBy('other-desk'))).toMatch(/no user/i);
  expect(await visitor.tokens()).toHaveLength(1);
  const begun = someone();
  await begun.begin();
  expect(valueOf(await endBy('desk'))).toBe(2);
  for (const ended of [
    await visitor.get('/self/tokens'),
    await again.get('/self/tokens'),
    await begun.post('/self/sign-in/finish'),
  ]) {
    expect(ended.status).toBe(401);
  }
  expect(await seenBy('desk')).toBe(0);
  expect(valueOf(await endBy('desk'))).toBe(0);
  expect(await auditOf('user/session')).toEqual([
    { actor: 'desk', subject: user, outcome: 'session closed, 3 of them' },
  ]);
});
