import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  application,
  ENDED,
  failureOf,
  openAccounts,
  REFUSED,
  someone,
  user,
  type Visitor,
} from '../../support/application/account-visitor.ts';
import { valueOf } from '../../support/application/browser.ts';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { APP_KEY, hotpAt, totpAt } from '../../support/values/authenticator-app.ts';

const WRONG = [401, 'The response is wrong'];

openAccounts();
let serial = '';

/** The person has an authenticator app alone. */
async function enrolApp(type: 'hmac' | 'totp', more: Record<string, string> = {}): Promise<void> {
  const owner = { user, realm: 'customers' };
  await application.services.enrolment.init(OPERATOR, { ...owner, type, serial, otpkey: APP_KEY, ...more });
}

beforeEach(async () => {
  serial = `${user}-app`;
  await application.services.tokens.remove(OPERATOR, { serial: `${user}-phone` });
});

const finish = async (visitor: Visitor, response: string): Promise<unknown> => {
  const answer = await visitor.post('/self/sign-in/finish', { response });
  return answer.status === 200 ? 'signed in' : failureOf(answer);
};

async function validate(pass: string): Promise<unknown> {
  return valueOf(await application.send('/validate/check', { user, realm: 'customers', pass }));
}

const now = (): Date => application.clock.now();

describe('the sign-in of a user with an authenticator app', () => {
  it.each([
    ['hmac', () => hotpAt(0)],
    ['totp', () => totpAt(now())],
  ] as const)('takes a code without the PIN, once (%s)', async (type, code) => {
    await enrolApp(type, { pin: 'pin' });
    const visitor = someone();
    const { response } = await visitor.begin();
    expect(valueOf(response)).toEqual({
      expires_at: new Date(now().getTime() + 300_000).toISOString(),
      token: 0,
      tokens: ['…-app'],
    });
    expect(valueOf(await visitor.post('/self/sign-in/finish'))).toEqual({ is_signed_in: false });
    expect(await finish(visitor, code())).toBe('signed in');
    expect(await visitor.tokens()).toMatchObject([{ serial, state: 'active', is_sign_in_token: true }]);
    expect(await validate(`pin${code()}`)).toBe(false);
    const again = someone();
    await again.begin();
    expect(await finish(again, code())).toEqual(WRONG);
  });

  it('refuses a code that was given as a pass', async () => {
    await enrolApp('hmac');
    expect(await validate(hotpAt(0))).toBe(true);
    const visitor = someone();
    await visitor.begin();
    expect(await finish(visitor, hotpAt(0))).toEqual(WRONG);
  });

  it('opens one session where two give one code at once, at two servers', async () => {
    await enrolApp('hmac');
    const visitors = [someone(), someone().at(application.beside())];
    await Promise.all(visitors.map((one) => one.begin()));
    const outcomes = await Promise.all(visitors.map((one) => finish(one, hotpAt(0))));
    expect(outcomes.filter((outcome) => outcome === 'signed in')).toHaveLength(1);
  });

  it('ends with half of the wrong codes that lock the token, and locks none', async () => {
    await enrolApp('hmac');
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 4 });
    const visitor = someone();
    await visitor.begin();
    expect(await finish(visitor, wrongResponse(hotpAt(0)))).toEqual(WRONG);
    expect(await finish(visitor, wrongResponse(hotpAt(0)))).toEqual([401, ENDED]);
    expect(await finish(visitor, hotpAt(0))).toEqual([401, ENDED]);
    expect(failureOf((await someone().begin()).response)).toEqual([401, REFUSED]);
    expect((await application.services.tokens.show(OPERATOR, serial)).failCount).toBe(2);
    expect(await validate(hotpAt(0))).toBe(true);
    expect((await someone().begin()).response.status).toBe(200);
  });

  it('counts no more of them where many come at once', async () => {
    await enrolApp('hmac');
    const visitor = someone();
    await visitor.begin();
    const wrong = wrongResponse(hotpAt(0));
    await Promise.all(Array.from({ length: 12 }, () => finish(visitor, wrong)));
    expect((await application.services.tokens.show(OPERATOR, serial)).failCount).toBe(5);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['is disabled', () => application.asAdmin('/admin/disable', { serial })],
    ['is removed', () => application.services.tokens.remove(OPERATOR, { serial })],
    ['has another key', () => enrolApp('hmac', { otpkey: `${APP_KEY}ff` })],
  ])('ends where the token %s', async (_case, happens) => {
    await enrolApp('hmac');
    const visitor = someone();
    await visitor.begin();
    await happens();
    expect(await finish(visitor, hotpAt(0))).toEqual([401, ENDED]);
    expect(await finish(visitor, hotpAt(0, `${APP_KEY}ff`))).toEqual([401, ENDED]);
  });

  it.each(['pw', 'spass'])('does not ask a token of the type %s', async (type) => {
    await enrolApp(type as 'hmac', { pin: 'pin', otpkey: 'a fixed text' });
    expect(failureOf((await someone().begin()).response)).toEqual([401, REFUSED]);
  });
});

it('a session that an authenticator app has opened enrols a QR-TAN app by another code, once', async () => {
  await enrolApp('hmac', { pin: 'pin' });
  const visitor = someone();
  await visitor.begin();
  await finish(visitor, hotpAt(0));
  const enrol = (response: string) => visitor.post('/self/enrol/finish', { response });
  expect(failureOf(await enrol(hotpAt(1)))).toEqual([401, ENDED]);
  expect(valueOf(await visitor.post('/self/enrol'))).toEqual({});
  expect(failureOf(await enrol(hotpAt(0)))).toEqual(WRONG);
  const { serial: added } = valueOf(await enrol(hotpAt(1))) as { serial: string };
  expect(failureOf(await enrol(hotpAt(2)))).toEqual([401, ENDED]);
  expect((await application.services.tokens.show(OPERATOR, added)).hasPin).toBe(true);
});
