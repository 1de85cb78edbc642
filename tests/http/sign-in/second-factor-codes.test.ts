import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import { applicationOfTests, OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { APP_KEY, hotpAt, totpAt } from '../../support/values/authenticator-app.ts';

const PASSWORD = 'the password of anna';
const ENDED = [401, 'This sign-in has ended: begin again with the password'];
const WRONG = [401, 'The second factor is wrong'];
const UNUSABLE = [
  401,
  'The second factor cannot be used. An operator can set another one: tankeeper second-factor',
];

const application = applicationOfTests({
  publicUrl: 'https://tan.example.com',
  limits: { loginFailures: 1000 },
});
let number = 0;
let anna = '';
let serial = '';
let browser: Browser;

beforeAll(() => application.addRealm('staff'));

beforeEach(async () => {
  number += 1;
  anna = `anna${number}`;
  serial = `APP${number}`;
  await application.services.administrators.add(OPERATOR, anna, PASSWORD);
  browser = new Browser(application.app);
});

/** Enrols an authenticator app, and binds it to the administrator. */
async function bind(type: 'hmac' | 'totp', more: Record<string, string> = {}): Promise<void> {
  await application.services.enrolment.init(OPERATOR, { type, serial, otpkey: APP_KEY, ...more });
  await application.services.administrators.setSecondFactor(OPERATOR, anna, serial);
}

const begin = (from = browser): Promise<Response> =>
  from.post('/admin/sign-in', { username: anna, password: PASSWORD });

const finish = (given: Readonly<Record<string, string>> = {}, from = browser): Promise<Response> =>
  from.post('/admin/sign-in/finish', given);

/** @returns the status and the error, or the value, of a sign-in with that response */
async function signIn(response: string, from = new Browser(application.app)): Promise<unknown> {
  await begin(from);
  return outcomeOf(await finish({ response }, from));
}

function outcomeOf(answer: Response): unknown {
  return answer.status === 200 ? valueOf(answer) : [answer.status, errorOf(answer)];
}

async function validate(pass: string): Promise<unknown> {
  return valueOf(await application.send('/validate/check_s', { serial, pass }));
}

const now = (): Date => application.clock.now();

async function failCount(): Promise<number> {
  return (await application.services.tokens.show(OPERATOR, serial)).failCount;
}

describe('an administrator with an authenticator app as second factor', () => {
  it.each([
    ['hmac', () => hotpAt(0)],
    ['totp', () => totpAt(now())],
  ] as const)('signs in by password and a code without the PIN (%s)', async (type, code) => {
    await bind(type, { pin: 'pin' });
    const begun = await begin();
    expect(begun.body).not.toHaveProperty('detail');
    expect(valueOf(begun)).toEqual({
      is_signed_in: false,
      second_factor: 'code',
      expires_at: new Date(now().getTime() + 300_000).toISOString(),
    });
    expect(valueOf(await finish())).toEqual({ is_signed_in: false });
    expect((await browser.get('/admin/session/list')).status).toBe(401);
    expect(outcomeOf(await finish({ response: `pin${code()}` }))).toEqual(WRONG);
    expect(outcomeOf(await finish({ response: code() }))).toEqual({ is_signed_in: true });
    expect((await browser.get('/admin/session/list')).status).toBe(200);
  });

  it.each([
    ['hmac', () => hotpAt(0)],
    ['totp', () => totpAt(now())],
  ] as const)('gives each code once: at a sign-in or as a pass (%s)', async (type, code) => {
    await bind(type);
    expect(await signIn(code())).toEqual({ is_signed_in: true });
    expect(await validate(code())).toBe(false);
    expect(await signIn(code())).toEqual(WRONG);
    application.clock.advance(30);
    const next = type === 'hmac' ? hotpAt(1) : code();
    expect(await validate(next)).toBe(true);
    expect(await signIn(next)).toEqual(WRONG);
  });

  it('signs in once where two give one code at once, at two servers', async () => {
    await bind('hmac');
    const apps = [application.app, application.beside().app];
    const browsers = [0, 1, 2, 3].map((index) => new Browser(apps[index % 2] ?? application.app));
    await Promise.all(browsers.map((one) => begin(one)));
    const answers = await Promise.all(browsers.map((one) => finish({ response: hotpAt(0) }, one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('counts wrong codes, which lock the token, and takes none of a locked one', async () => {
    await bind('hmac');
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 2 });
    await begin();
    expect(outcomeOf(await finish({ response: wrongResponse(hotpAt(0)) }))).toEqual(WRONG);
    expect(await failCount()).toBe(1);
    expect(outcomeOf(await finish({ response: wrongResponse(hotpAt(0)) }))).toEqual(ENDED);
    expect(outcomeOf(await finish({ response: hotpAt(0) }))).toEqual(ENDED);
    expect(outcomeOf(await finish())).toEqual(ENDED);
    expect(outcomeOf(await begin())).toEqual(UNUSABLE);
    const rows = await application.rows<object>(
      "SELECT outcome FROM audit WHERE action = 'admin/sign-in/finish' AND subject = $1 ORDER BY id",
      [serial],
    );
    expect(rows).toEqual([{ outcome: 'wrong' }, { outcome: 'wrong' }, { outcome: 'locked' }]);
  });

  it('is limited in wrong codes as in wrong passwords', async () => {
    await bind('hmac');
    const limited = new Browser(application.restarted({ limits: { loginFailures: 3 } }).app);
    await begin(limited);
    const wrong = { response: wrongResponse(hotpAt(0)) };
    const statuses = [];
    for (let tried = 0; tried < 4; tried += 1) {
      statuses.push((await finish(wrong, limited)).status);
    }
    expect(statuses.at(-1)).toBe(429);
    expect((await finish({ response: hotpAt(0) }, limited)).status).toBe(429);
  });

  it('is told in the audit that the app is out of step, and resynchronises by the next code', async () => {
    await bind('hmac');
    expect(await signIn(hotpAt(100))).toEqual(WRONG);
    const [row] = await application.rows<{ outcome: string }>(
      'SELECT outcome FROM audit WHERE subject = $1 ORDER BY id DESC LIMIT 1',
      [serial],
    );
    expect(row?.outcome).toBe('wrong, out of step');
    await application.asAdmin('/system/setConfig', { AutoResync: 'True' });
    expect(await signIn(hotpAt(100))).toEqual(WRONG);
    expect(await signIn(hotpAt(101))).toEqual({ is_signed_in: true });
    await application.asAdmin('/system/delConfig', { key: 'AutoResync' });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['disabled', () => application.asAdmin('/admin/disable', { serial })],
    ['removed', () => application.services.tokens.remove(OPERATOR, { serial })],
    [
      'enrolled with another key',
      () => application.services.enrolment.init(OPERATOR, { type: 'hmac', serial, otpkey: `${APP_KEY}ff` }),
    ],
  ])('is refused once the token is %s', async (_case, happens) => {
    await bind('hmac');
    await begin();
    await happens();
    for (const response of [hotpAt(0), hotpAt(0, `${APP_KEY}ff`)]) {
      expect((await finish({ response })).status).toBe(401);
    }
    expect(outcomeOf(await finish())).toEqual(ENDED);
    expect(outcomeOf(await begin())).toEqual(UNUSABLE);
  });

  it('is told of a fault, which counts nothing, where the key of the token cannot be read', async () => {
    await bind('hmac');
    await begin();
    await application.rows(
      'UPDATE tokens SET seed = set_byte(seed, 40, 255 - get_byte(seed, 40)) WHERE serial = $1',
      [serial],
    );
    expect((await finish({ response: hotpAt(0) })).status).toBe(500);
    expect(await failCount()).toBe(0);
  });

  it('confirms a login by the next code', async () => {
    await bind('hmac');
    await signIn(hotpAt(0), browser);
    const asked = await browser.post('/admin/confirmation', { password: PASSWORD });
    expect(valueOf(asked)).toMatchObject({ is_confirmed: false, second_factor: 'code' });
    const confirm = async (response: string): Promise<number> =>
      (await browser.post('/admin/confirmation/finish', { response })).status;
    expect(await confirm(hotpAt(0))).toBe(403);
    expect(await confirm(hotpAt(1))).toBe(200);
    expect(await confirm(hotpAt(2))).toBe(403);
  });

  it('has no code that a help desk can find by guesses', async () => {
    await application.services.enrolment.init(OPERATOR, { type: 'hmac', serial, otpkey: APP_KEY });
    const found = async (): Promise<unknown> =>
      valueOf(await application.asAdmin('/admin/getSerialByOtp', { otp: hotpAt(7) }));
    const before = await found();
    await application.services.administrators.setSecondFactor(OPERATOR, anna, serial);
    expect([before, await found()]).toMatchObject([{ serial }, { serial: '' }]);
  });
});

it.each(['pw', 'spass'])('a token of the type %s is no second factor', async (type) => {
  const key = type === 'pw' ? { otpkey: 'a fixed text' } : {};
  await application.services.enrolment.init(OPERATOR, { type, serial, pin: 'pin', ...key });
  await expect(
    application.services.administrators.setSecondFactor(OPERATOR, anna, serial),
  ).rejects.toMatchObject({
    code: 'token.unknown',
  });
  expect(await application.services.consequences.ofSecondFactor(anna, { serial })).toContainEqual(
    expect.objectContaining({ code: 'second-factor.unusable' }),
  );
});
