import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import type { AdministratorService } from '../../../src/administrators/administrator-service.ts';
import { basic, callerNamed } from '../../support/values/callers.ts';
import { eventualRefusal } from '../../support/values/refusal.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
const PASSWORD = 'the password of anna';
const READ = '/monitoring/license';
const ENDED = 'This sign-in has ended: begin again with the password';
const WRONG = 'The second factor is wrong';

const application = applicationOfTests({
  publicUrl: 'https://tan.example.com',
  limits: { loginFailures: 1000 },
});
let serial: string;
let browser: Browser;

beforeEach(async () => {
  await application.renewAdministrator('anna', PASSWORD);
  serial = `SIGN${Math.random().toString(36).slice(2)}`;
  await application.enrolPlain(serial, SUITE);
  await setFactor(serial);
  browser = new Browser(application.app);
});

const ALL_OF_ANNA = { owner: 'anna', isAll: true };
const administrators = () => application.services.administrators;
const setFactor = (of: string | undefined) => administrators().setSecondFactor(OPERATOR, 'anna', of);

interface Begun {
  readonly response: Response;
  readonly transactionId: string;
  readonly url: string;
}

async function begin(from = browser, password = PASSWORD): Promise<Begun> {
  const response = await from.post('/admin/sign-in', { username: 'anna', password });
  const { detail } = response.body as { detail?: { transactionid: string; data: string } };
  return { response, transactionId: detail?.transactionid ?? '', url: detail?.data ?? '' };
}

function answerOf({ url }: Begun): string {
  return application.respond(SUITE, questionOf(url));
}

const finish = (given: Readonly<Record<string, string>> = {}, from = browser): Promise<Response> =>
  from.post('/admin/sign-in/finish', given);

async function expectSignedOut(from = browser): Promise<void> {
  expect(from.cookies.get('access_token_cookie')).toBeUndefined();
  expect((await from.get(READ)).status).toBe(401);
}

describe('an administrator with a token as second factor', () => {
  it('signs in by password and the response of the app', async () => {
    const begun = await begin();
    expect(begun.response.status).toBe(200);
    expect(valueOf(begun.response)).toEqual({
      is_signed_in: false,
      second_factor: 'token',
      expires_at: '2026-11-20T12:05:00.000Z',
    });
    expect(parseQrTanUrl(begun.url)).toMatchObject({ message: 'Sign in as anna at tan.example.com' });
    expect(begun.response.get('Set-Cookie')?.join()).toMatch(
      /^sign_in=[\w-]{43}; Path=\/; Expires=Fri, 20 Nov 2026 12:05:00 GMT; SameSite=Strict; HttpOnly$/,
    );
    await expectSignedOut();
    const done = await finish({ response: answerOf(begun) });
    expect(valueOf(done)).toEqual({ is_signed_in: true });
    expect(browser.cookies.has('sign_in')).toBe(false);
    expect((await browser.get(READ)).status).toBe(200);
    expect((await browser.post('/admin/logout')).status).toBe(200);
    await expectSignedOut();
  });

  it('signs in without typing where the app sends the response itself', async () => {
    const begun = await begin();
    expect(valueOf(await finish())).toEqual({ is_signed_in: false });
    expect(await application.check(begun.transactionId, answerOf(begun))).toMatchObject({ result: true });
    expect(valueOf(await finish())).toEqual({ is_signed_in: true });
    expect((await browser.get(READ)).status).toBe(200);
  });

  it.each(['OCRA-1:HOTP-SHA256-8:QA08', 'OCRA-1:HOTP-SHA256-8:QN08'])(
    'has another challenge each time with %s, which the text would fill',
    async (suite) => {
      await application.enrolPlain(`${serial}S`, suite);
      await setFactor(`${serial}S`);
      const questions: string[] = [];
      for (let done = 0; done < 3; done += 1) {
        const read = parseQrTanUrl((await begin()).url);
        expect(read).toMatchObject({ kind: 'req', message: 'Sign in as anna at tan.example.com' });
        questions.push(read.kind === 'req' ? read.question : '');
      }
      expect(new Set(questions).size).toBe(3);
      expect(questions.every((question) => /^(?:Signinas|0000)/.test(question))).toBe(false);
    },
  );

  it('is refused with the password alone by Basic, getsession and login', async () => {
    const text =
      'This administrator has a second factor: sign in by /admin/sign-in. Programs use an API token';
    const client = request(application.app);
    const Authorization = basic('anna', PASSWORD);
    for (const response of [
      await client.get(READ).set({ Authorization }),
      await client.post('/admin/init').set({ Authorization }).send('serial=X'),
      await client.get('/admin/getsession').set({ Authorization }),
      await client.post('/admin/login').type('form').send({ username: 'anna', password: PASSWORD }),
    ]) {
      expect([response.status, errorOf(response)]).toEqual([401, text]);
      expect(response.get('WWW-Authenticate')).toBe('Sign-In realm="tankeeper"');
      expect(response.get('Set-Cookie')).toBeUndefined();
    }
    const audit = application.sql('audit').whereLike('outcome', 'refused: second factor%');
    expect(await audit.pluck('outcome')).not.toEqual([]);
  });

  it('is answered as an unknown name where the password is wrong', async () => {
    const wrong = await begin(browser, 'wrong');
    const unknown = await browser.post('/admin/sign-in', { username: 'nobody', password: 'wrong' });
    expect([wrong.response.status, errorOf(wrong.response)]).toEqual([401, 'Wrong user name or password']);
    expect([unknown.status, errorOf(unknown)]).toEqual([401, 'Wrong user name or password']);
    expect(wrong.response.get('WWW-Authenticate')).toBe('Sign-In realm="tankeeper"');
    expect(browser.cookies.size).toBe(0);
  });

  it('keeps API tokens', async () => {
    const token = await application.apiToken('probe', ['*'], 'anna');
    const response = await request(application.app).get(READ).set('Authorization', `Bearer ${token}`);
    expect(response.status).toBe(200);
  });

  it('goes on after a wrong response, which is audited', async () => {
    const begun = await begin();
    const right = answerOf(begun);
    const wrong = await finish({ response: wrongResponse(right) });
    expect([wrong.status, errorOf(wrong)]).toEqual([401, WRONG]);
    expect(valueOf(await finish({ response: right }))).toEqual({ is_signed_in: true });
  });

  it('begins at one server and goes on at another', async () => {
    const other = application.beside();
    const begun = await begin();
    const there = browser.at(other.app);
    expect(valueOf(await finish({ response: answerOf(begun) }, there))).toEqual({ is_signed_in: true });
    expect((await browser.at(application.app).get(READ)).status).toBe(401);
    expect((await there.at(application.app).get(READ)).status).toBe(200);
  });
});

describe('a second step is refused', () => {
  it.each<[string, (begun: Begun) => Promise<unknown>]>([
    [
      'after five minutes',
      () => {
        application.clock.advance(301);
        return Promise.resolve();
      },
    ],
    ['after all sessions were ended', () => application.services.sessions.end(OPERATOR, ALL_OF_ANNA)],
    ['in another browser', () => Promise.resolve((browser = new Browser(application.app)))],
    ['with a planted cookie', () => Promise.resolve(browser.cookies.set('sign_in', 'x'.repeat(43)))],
    ['after the administrator was removed', () => administrators().remove(OPERATOR, 'anna')],
    [
      'after the password was changed',
      () => administrators().setPassword(OPERATOR, 'anna', 'another password'),
    ],
    ['after the password was set again', () => administrators().setPassword(OPERATOR, 'anna', PASSWORD)],
    ['after the second factor was removed', () => setFactor(undefined)],
    [
      'after another token was set',
      async () => {
        await application.enrolPlain(`${serial}B`, SUITE);
        await setFactor(`${serial}B`);
      },
    ],
  ])('%s', async (_case, happens) => {
    const begun = await begin();
    const response = answerOf(begun);
    await happens(begun);
    const late = await finish({ response });
    expect([late.status, errorOf(late)]).toEqual([401, ENDED]);
    await expectSignedOut();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a disabled token', () => application.asAdmin('/admin/disable', { serial })],
    ['a removed token', () => application.services.tokens.remove(OPERATOR, { serial })],
  ])('with %s, and none can be begun', async (_case, happens) => {
    const begun = await begin();
    const response = answerOf(begun);
    await happens();
    expect((await finish({ response })).status).toBe(401);
    const polled = await finish();
    expect([polled.status, errorOf(polled)]).toEqual([401, ENDED]);
    const again = await begin();
    expect([again.response.status, errorOf(again.response)]).toEqual([
      401,
      'The second factor cannot be used. An operator can set another one: tankeeper second-factor',
    ]);
    await expectSignedOut();
    const rows = await application.auditRows({ action: 'admin/sign-in', limit: 1 });
    expect(rows).toMatchObject([{ subject: 'anna', outcome: 'refused: second factor' }]);
  });

  it('with a locked token', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 1 });
    const begun = await begin();
    const right = answerOf(begun);
    expect((await finish({ response: wrongResponse(right) })).status).toBe(401);
    expect((await finish({ response: right })).status).toBe(401);
    const polled = await finish();
    expect([polled.status, errorOf(polled)]).toEqual([401, ENDED]);
    expect(errorOf((await begin()).response)).toMatch(/^The second factor cannot be used/);
    await expectSignedOut();
  });

  it('with an expired challenge: the app can no longer answer', async () => {
    await application.asAdmin('/system/setConfig', { OcraChallengeTimeout: '1M' });
    try {
      const begun = await begin();
      application.clock.advance(59);
      expect(valueOf(await finish())).toEqual({ is_signed_in: false });
      application.clock.advance(1);
      const polled = await finish();
      expect([polled.status, errorOf(polled)]).toEqual([401, ENDED]);
      expect(await application.check(begun.transactionId, answerOf(begun))).toMatchObject({ result: false });
    } finally {
      await application.asAdmin('/system/delConfig', { key: 'OcraChallengeTimeout' });
    }
    await expectSignedOut();
  });

  it('with the transaction of another sign-in, answered by the app', async () => {
    const other = new Browser(application.app);
    const mine = await begin();
    await begin(other);
    await application.check(mine.transactionId, answerOf(mine));
    expect(valueOf(await finish({}, other))).toEqual({ is_signed_in: false });
    await expectSignedOut(other);
  });

  it('twice: of two requests at once, one signs in', async () => {
    const begun = await begin();
    await application.check(begun.transactionId, answerOf(begun));
    const attempts = [1, 2, 3, 4].map(() => finish({}, browser.at(application.app)));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect((await finish()).status).toBe(401);
  });
});

describe('the setting of a second factor', () => {
  it('ends what the password alone has opened', async () => {
    await setFactor(undefined);
    expect(valueOf((await begin()).response)).toEqual({ is_signed_in: true });
    expect((await browser.get(READ)).status).toBe(200);
    await setFactor(serial);
    expect((await browser.get(READ)).status).toBe(401);
  });

  it('needs a token of this server, an administrator, and a confirmed login', async () => {
    const codeOf = async (...given: Parameters<AdministratorService['setSecondFactor']>): Promise<string> =>
      (await eventualRefusal(administrators().setSecondFactor(...given))).code;
    expect(await codeOf(OPERATOR, 'anna', 'NONE')).toBe('token.unknown');
    expect(await codeOf(OPERATOR, 'nobody', serial)).toBe('administrator.unknown');
    expect(await codeOf(callerNamed('admin'), 'anna', undefined)).toBe('confirmation.required');
  });
});

it('wrong second factors are limited like wrong passwords, and keep out the right one', async () => {
  const limited = application.restarted({ limits: { loginFailures: 3 } });
  const from = new Browser(limited.app);
  const begun = await begin(from);
  const right = answerOf(begun);
  const statuses: number[] = [];
  for (let tried = 0; tried < 5; tried += 1) {
    statuses.push((await finish({ response: wrongResponse(right) }, from)).status);
  }
  expect(statuses).toContain(429);
  expect((await finish({ response: right }, from)).status).toBe(429);
});

const LONG_PASSWORD = 'correct horse battery';
const SESSIONS = '/admin/session/list';

const listing = applicationOfTests();
let bounded: BoundedAdministrators;

beforeAll(async () => {
  await listing.addRealm('north');
  bounded = await BoundedAdministrators.of(listing);
  await bounded.add('desk', 'sessions', '*');
  await bounded.add('north', '*', 'north');
  await bounded.add('anna', 'show', '*');
  await bounded.add('bert', 'show', '*');
});

interface Listed {
  readonly id: string;
  readonly administrator: string;
  readonly kind: string;
  readonly is_own: boolean;
}

async function signedIn(username: string): Promise<Browser> {
  const browser = new Browser(listing.app);
  await browser.post('/admin/sign-in', { username, password: LONG_PASSWORD });
  return browser;
}

describe('the list of sessions', () => {
  it('has one’s own, newest first, of both kinds, and tells which one asks', async () => {
    await request(listing.app).get('/admin/getsession').set('Authorization', basic('anna', LONG_PASSWORD));
    const browser = await signedIn('anna');
    await signedIn('bert');
    const listed = valueOf(await browser.get(SESSIONS)) as Listed[];
    expect(listed).toMatchObject([
      { administrator: 'anna', kind: 'login', is_own: true, client: '127.0.0.1' },
      { administrator: 'anna', kind: 'session', is_own: false },
    ]);
    expect(listed[0]).toHaveProperty('expires_at', '2026-11-20T13:00:00.000Z');
  });

  it('has those of others with the right, in every realm', async () => {
    await signedIn('bert');
    for (const [name, message] of [
      ['anna', /^You do not have the administrative right|^ERR410/],
      ['north', /^ERR410: The right admin:sessions is bound to realms/],
    ] as const) {
      const refused = await bounded.get(name, SESSIONS, { administrator: 'bert' });
      expect(errorOf(refused)).toMatch(message);
    }
    const all = valueOf(await bounded.get('desk', SESSIONS, { administrator: '*' })) as Listed[];
    expect(new Set(all.map(({ administrator }) => administrator))).toEqual(new Set(['anna', 'bert']));
    const ofBert = valueOf(await bounded.get('desk', SESSIONS, { administrator: 'bert' })) as Listed[];
    expect(new Set(ofBert.map(({ administrator }) => administrator))).toEqual(new Set(['bert']));
  });

  it('does not have those that have ended', async () => {
    const browser = await signedIn('anna');
    const before = (valueOf(await browser.get(SESSIONS)) as Listed[]).length;
    const other = await signedIn('anna');
    await other.post('/admin/logout');
    expect(valueOf(await browser.get(SESSIONS)) as Listed[]).toHaveLength(before);
    listing.clock.advance(3599);
    const late = await signedIn('anna');
    listing.clock.advance(2);
    expect(valueOf(await late.get(SESSIONS)) as Listed[]).toHaveLength(1);
  });
});

describe('the end of a session', () => {
  it('is told to all servers: its cookie is refused', async () => {
    const [own, other] = [await signedIn('anna'), await signedIn('anna')];
    const listed = valueOf(await own.get(SESSIONS)) as Listed[];
    const id = listed.find((one) => !one.is_own)?.id ?? '';
    expect(valueOf(await own.post('/admin/session/end', { id }))).toBe(1);
    expect((await other.get(SESSIONS)).status).toBe(401);
    expect((await own.get(SESSIONS)).status).toBe(200);
    expect(valueOf(await own.post('/admin/session/end', { id }))).toBe(0);
  });

  it('reaches all of one’s own, and nobody else’s', async () => {
    const [anna, bert] = [await signedIn('anna'), await signedIn('bert')];
    const [ofBert] = valueOf(await bert.get(SESSIONS)) as Listed[];
    expect(valueOf(await anna.post('/admin/session/end', { id: ofBert?.id ?? '' }))).toBe(0);
    expect(errorOf(await anna.post('/admin/session/end', { administrator: 'bert', all: '1' }))).toMatch(
      /right|ERR410/,
    );
    expect(valueOf(await anna.post('/admin/session/end', { all: '1' }))).toBeGreaterThan(0);
    expect((await anna.get(SESSIONS)).status).toBe(401);
    expect((await bert.get(SESSIONS)).status).toBe(200);
    expect(await listing.services.sessions.end(OPERATOR, { owner: 'bert', isAll: true })).toBeGreaterThan(0);
    expect((await bert.get(SESSIONS)).status).toBe(401);
  });

  it.each<Readonly<Record<string, string>>>([
    {},
    { id: '1', all: '1' },
    { all: '0' },
    { id: 'x' },
    { id: '1e9' },
  ])('needs one id or all: %j', async (given) => {
    const anna = await signedIn('anna');
    const refused = await anna.post('/admin/session/end', given);
    expect(errorOf(refused)).toBeDefined();
    expect((await anna.get(SESSIONS)).status).toBe(200);
  });
});

const auditOfAnna = (): Promise<readonly string[]> =>
  application.sql('audit').where({ subject: 'anna' }).pluck('outcome');

describe('the token that is a second factor', () => {
  const otpkey = 'ab'.repeat(20);
  let desk: BoundedAdministrators;

  beforeAll(async () => {
    desk = await BoundedAdministrators.of(application);
    await application.addRealm('people', ['carl']);
    await desk.add('desk', '*', '*');
    await desk.add('writer', '*', '*');
    await application.setPolicy('system', 'system', '*', { user: 'admin, anna, writer' });
  });

  afterAll(async () => {
    const { administrators, policies } = application.services;
    for (const name of ['desk', 'writer']) {
      await administrators.remove(OPERATOR, name);
      await policies.remove(OPERATOR, name);
    }
    await policies.remove(OPERATOR, 'all');
    await policies.remove(OPERATOR, 'system');
  });

  const canAnswer = async (): Promise<boolean> => {
    const from = new Browser(application.app);
    const begun = await begin(from);
    const done = await finish({ response: answerOf(begun) }, from);
    return done.status === 200 && (valueOf(done) as { is_signed_in: boolean }).is_signed_in;
  };

  it.each([
    ['a new key', '/admin/init', { type: 'ocra', otpkey, ocrasuite: SUITE }],
    ['a new roll-out', '/admin/init', { type: 'ocra', genkey: '1', sharedsecret: '1' }],
    ['a PIN', '/admin/set', { pin: '1234' }],
    ['the PIN of another token', '/admin/copyTokenPin', { from: 'WITHPIN' }],
    ['a copy of its PIN', '/admin/copyTokenPin', { to: 'WITHPIN' }],
    ['an owner with a PIN', '/admin/assign', { user: 'nobody', pin: '1234' }],
    ['another owner', '/admin/assign', { user: 'carl', realm: 'people' }],
    ['no owner', '/admin/unassign', {}],
    ['a fail counter of 0', '/admin/reset', {}],
    ['more guesses', '/admin/set', { MaxFailCount: '1000' }],
    ['a wider window', '/admin/set', { CounterWindow: '1000' }],
    ['a wider search', '/admin/set', { SyncWindow: '10000' }],
    ['its removal', '/admin/remove', {}],
  ])('takes %s from nobody without system:write and a confirmed login', async (_what, path, given) => {
    if (path === '/admin/copyTokenPin') {
      await application.enrolPlain('WITHPIN', SUITE, { pin: '4321' });
    }
    const target = 'from' in given ? { to: serial } : 'to' in given ? { from: serial } : { serial };
    for (const [name, text] of [
      ['desk', /system|write|right/i],
      ['writer', /password|sign in/i],
    ] as const) {
      const refused = errorOf(await desk.post(name, path, { ...target, ...given }));
      expect(refused).toMatch(path !== '/admin/assign' || 'realm' in given ? text : /./);
    }
    expect(await canAnswer()).toBe(true);
    await application.services.tokens.remove(OPERATOR, { serial: 'WITHPIN' }).catch(() => undefined);
  });

  it.each([
    ['with another key', { otpkey, ocrasuite: SUITE }],
    ['in another roll-out', { genkey: '1', sharedsecret: '1' }],
  ])('is none any more %s: sessions end, and no password alone opens one', async (_how, given) => {
    await finish({ response: answerOf(await begin()) });
    expect((await browser.get(READ)).status).toBe(200);
    await application.services.enrolment.init(OPERATOR, { type: 'ocra', serial, ...given });
    expect((await browser.get(READ)).status).toBe(401);
    const again = await begin(new Browser(application.app));
    expect([again.response.status, again.transactionId]).toEqual([401, '']);
    const Authorization = basic('anna', PASSWORD);
    expect((await request(application.app).get(READ).set({ Authorization })).status).toBe(401);
    expect(await auditOfAnna()).toContain(`second factor lost: token ${serial}`);
  });

  it('is not the one of the same serial that is made after its removal', async () => {
    await application.services.tokens.remove(OPERATOR, { serial });
    const made = await desk.post('desk', '/admin/init', { type: 'ocra', serial, otpkey, ocrasuite: SUITE });
    expect((made.body as { result: { status: boolean } }).result.status).toBe(true);
    const begun = await begin();
    expect([begun.response.status, begun.transactionId]).toEqual([401, '']);
    expect(await auditOfAnna()).toContain(`second factor lost: token ${serial}`);
    expect((await application.ask('/admin/admin/list', {}, 'get')).value).toContainEqual(
      expect.objectContaining({ name: 'anna', serial, is_second_factor_lost: true }),
    );
    await setFactor(undefined);
    expect(valueOf((await begin()).response)).toEqual({ is_signed_in: true });
  });

  it('ends a sign-in under way when its key changes', async () => {
    const begun = await begin();
    await application.services.enrolment.init(OPERATOR, { type: 'ocra', serial, otpkey, ocrasuite: SUITE });
    expect(errorOf(await finish({ response: answerOf(begun) }))).toBe(ENDED);
  });

  it('has the key that it had when it was set, whatever comes at the same moment', async () => {
    for (let round = 0; round < 12; round += 1) {
      const raced = `RACED${round}`;
      await application.enrolPlain(raced, SUITE);
      const [rekeyed] = await Promise.all([
        desk.post('desk', '/admin/init', { type: 'ocra', serial: raced, otpkey, ocrasuite: SUITE }),
        setFactor(raced),
      ]);
      const isNew = (rekeyed.body as { result: { status: boolean } }).result.status;
      const [bound] = await application.rows<{ is_bound: boolean; changed: string }>(
        `SELECT second_factor_token_id IS NOT NULL AS is_bound,
           (SELECT count(*) FROM audit WHERE subject = $1 AND action = 'admin/init' AND outcome NOT LIKE 'refused%') AS changed
         FROM administrators WHERE name = 'anna'`,
        [raced],
      );
      // Two rows of /admin/init: the new key came first, and the operator bound the token as it then was.
      expect([bound?.is_bound, isNew ? 2 : 1]).toEqual([true, Number(bound?.changed)]);
    }
  });

  it('is set only once its roll-out is finished', async () => {
    const rolling = { type: 'ocra', serial: `${serial}R`, genkey: '1', sharedsecret: '1' };
    await application.services.enrolment.init(OPERATOR, rolling);
    await expect(setFactor(rolling.serial)).rejects.toMatchObject({ code: 'token.state' });
  });
});
