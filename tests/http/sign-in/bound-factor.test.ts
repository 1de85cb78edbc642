import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { BoundedAdministrators } from '../../support/application/bounded-administrators.ts';
import { basic } from '../../support/values/basic.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
const PASSWORD = 'the password of anna';
const READ = '/monitoring/license';
const ENDED = 'This sign-in has ended: begin again with the password';

let application: TestApplication;
let serial: string;
let browser: Browser;

beforeAll(async () => {
  application = await TestApplication.open({
    publicUrl: 'https://tan.example.com',
    limits: { loginFailures: 1000 },
  });
});
afterAll(() => application.close());

beforeEach(async () => {
  const { administrators, secondFactors } = application.services;
  const known = (await administrators.list()).map(({ name }) => name);
  if (known.includes('anna')) {
    await administrators.remove(OPERATOR, 'anna');
  }
  await administrators.add(OPERATOR, 'anna', PASSWORD);
  serial = `SIGN${Math.random().toString(36).slice(2)}`;
  await application.enrolPlain(serial, SUITE);
  await secondFactors.setToken(OPERATOR, 'anna', serial);
  browser = new Browser(application.app);
});

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
  const read = parseQrTanUrl(url);
  return application.respond(SUITE, read.kind === 'req' ? read.question : '');
}

const finish = (given: Readonly<Record<string, string>> = {}, from = browser): Promise<Response> =>
  from.post('/admin/sign-in/finish', given);

/** @returns the outcomes of the audit about `anna` with these words */
async function auditOfAnna(words: string): Promise<readonly string[]> {
  const rows = await queryOnce<{ outcome: string }>(
    application.databaseUrl,
    "SELECT outcome FROM audit WHERE subject = 'anna' AND outcome LIKE $1 ORDER BY id",
    [`%${words}%`],
  );
  return rows.map(({ outcome }) => outcome);
}

describe('the token that is a second factor', () => {
  const otpkey = 'ab'.repeat(20);
  let desk: BoundedAdministrators;

  beforeAll(async () => {
    desk = await BoundedAdministrators.of(application);
    await application.addRealm('people', ['carl']);
    await desk.add('desk', '*', '*');
    await desk.add('writer', '*', '*');
    const { policies } = application.services;
    const common = { scope: 'system', action: '*', realm: '*', client: '', time: '', active: true };
    await policies.set(OPERATOR, { ...common, name: 'system', user: 'admin, anna, writer' });
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
    return done.status === 200 && (valueOf(done) as { signed_in: boolean }).signed_in;
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
      const answer = await desk.post(name, path, { ...target, ...given });
      const { result } = answer.body as { result: { status: boolean; error?: { message: string } } };
      expect(result.status).toBe(false);
      if (path !== '/admin/assign' || 'realm' in given) {
        expect(result.error?.message).toMatch(text);
      }
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
    expect(await auditOfAnna('second factor lost')).toContain(`second factor lost: token ${serial}`);
  });

  it('is not the one of the same serial that is made after its removal', async () => {
    await application.services.tokens.remove(OPERATOR, { serial });
    const made = await desk.post('desk', '/admin/init', { type: 'ocra', serial, otpkey, ocrasuite: SUITE });
    expect((made.body as { result: { status: boolean } }).result.status).toBe(true);
    const begun = await begin();
    expect([begun.response.status, begun.transactionId]).toEqual([401, '']);
    expect(await auditOfAnna('second factor lost')).toContain(`second factor lost: token ${serial}`);
    const asAdmin = { Authorization: basic('admin', 'correct horse') };
    const listing = await request(application.app).get('/admin/admin/list').set(asAdmin);
    const listed = valueOf(listing) as { name: string }[];
    expect(listed.find(({ name }) => name === 'anna')).toMatchObject({ serial, second_factor_lost: true });
    await application.services.secondFactors.remove(OPERATOR, 'anna');
    expect(valueOf((await begin()).response)).toEqual({ signed_in: true });
  });

  it('ends a sign-in under way when its key changes', async () => {
    const begun = await begin();
    await application.services.enrolment.init(OPERATOR, { type: 'ocra', serial, otpkey, ocrasuite: SUITE });
    expect(errorOf(await finish({ response: answerOf(begun) }))).toBe(ENDED);
  });

  it('has the key that it had when it was set, whatever comes at the same moment', async () => {
    const { secondFactors } = application.services;
    for (let round = 0; round < 12; round += 1) {
      const raced = `RACED${round}`;
      await application.enrolPlain(raced, SUITE);
      const [rekeyed] = await Promise.all([
        desk.post('desk', '/admin/init', { type: 'ocra', serial: raced, otpkey, ocrasuite: SUITE }),
        secondFactors.setToken(OPERATOR, 'anna', raced),
      ]);
      const isNew = (rekeyed.body as { result: { status: boolean } }).result.status;
      const [bound] = await queryOnce<{ is_bound: boolean; changed: string }>(
        application.databaseUrl,
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
    const { enrolment, secondFactors } = application.services;
    const rolling = `${serial}R`;
    await enrolment.init(OPERATOR, { type: 'ocra', serial: rolling, genkey: '1', sharedsecret: '1' });
    await expect(secondFactors.setToken(OPERATOR, 'anna', rolling)).rejects.toMatchObject({
      code: 'token.state',
    });
  });
});
