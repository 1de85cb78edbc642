import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyQrTanSignature } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { whileHeld, WRITING_A_TOKEN } from '../../support/database/held-statement.ts';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
const STORING = /^WITH request AS.*INSERT INTO challenges|^update "tokens" set "last_challenge_at"/s;
const ANN = { user: 'ann', realm: 'bank' };

let application: TestApplication;
let serial: string;
let number = 0;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('bank', ['ann', 'bob']);
});
afterAll(() => application.close());

beforeEach(async () => {
  for (const one of await application.services.tokens.list(OPERATOR, {})) {
    await application.services.tokens.remove(OPERATOR, { serial: one.serial });
  }
  number += 1;
  serial = `HANDS${number}`;
});

const CHANGES: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    'assigned to another',
    () => application.services.tokens.assign(OPERATOR, { serial, user: 'bob', realm: 'bank' }),
  ],
  ['unassigned', () => application.services.tokens.unassign(OPERATOR, { serial })],
];
const ask = (path: string, parameters: Record<string, string>): Promise<string> =>
  application.asAdmin(path, parameters).then(({ body }) => JSON.stringify(body));
const shown = () => application.services.tokens.show(OPERATOR, serial);

describe('a challenge for a user', () => {
  it.each(CHANGES)('is not issued to their token when that is %s at that moment', async (_how, change) => {
    await application.enrolPlain(serial, SUITE, ANN);
    const answer = await whileHeld(STORING, () => ask('/ocra/request', { ...ANN, data: 'pay 100' }), change);
    expect(answer).toContain("No token found for the user 'ann'");
    expect(await application.status({ serial })).toEqual([]);
  });

  it.each(CHANGES)(
    'in the second phase of the roll-out is not issued to their token when that is %s at that moment',
    async (_how, change) => {
      await ask('/admin/init', { ...ANN, type: 'ocra', genkey: '1', sharedsecret: '1', serial });
      // It is stored under the lock of the token: the change comes before the lock, or waits for its end.
      const answer = await whileHeld(
        WRITING_A_TOKEN,
        () => ask('/admin/init', { ...ANN, type: 'ocra', genkey: '1', activationcode: 'GEZDGNBVGY3TQOJQ01' }),
        change,
      );
      expect(answer).toContain("The user 'ann' has no token in roll-out");
      expect(await application.status({ serial })).toEqual([]);
      expect(await shown()).toMatchObject({ rollout: 'phase1', active: false });
    },
  );

  it('is not accepted any more when the user is removed', async () => {
    await application.services.users.add(OPERATOR, {
      resolver: 'bank',
      login: 'eve',
      givenName: '',
      surname: '',
      email: '',
      phone: '',
    });
    await application.enrolPlain(serial, SUITE, { ...ANN, user: 'eve' });
    const { transactionid } = await application.challenge(serial, DATA);
    await application.services.users.remove(OPERATOR, { resolver: 'bank', login: 'eve' });
    const pass = application.respond(SUITE, DATA);
    expect(await application.check(transactionid, pass)).toEqual({ failcount: 0, result: false });
  });
});

describe('a challenge that is requested while its token gets another key', () => {
  const key = Buffer.alloc(32, 0xaa);

  it('is signed with the new key, so that only its new holder can answer it', async () => {
    await application.enrolPlain(serial, SUITE);
    const context = await whileHeld(
      STORING,
      () => application.challenge(serial, DATA),
      () => application.enrolPlain(serial, SUITE, { otpkey: key.toString('hex') }),
    );
    expect(verifyQrTanSignature(parseOcraSuite(SUITE), key, context.url)).toBe(true);
    const pass = application.respond(SUITE, DATA, { key });
    expect(await application.check(context.transactionid, pass)).toEqual({ failcount: 0, result: true });
  });
});

describe('an operation on all tokens of a user', () => {
  it.each<readonly [string, Record<string, string>]>([
    ['/admin/reset', {}],
    ['/admin/enable', {}],
    ['/admin/disable', {}],
    ['/admin/unassign', {}],
    ['/admin/remove', {}],
    ['/admin/set', { pin: 'of ann' }],
  ])('by %s leaves out a token that is assigned to another user at that moment', async (path, more) => {
    await application.enrolPlain(serial, SUITE, ANN);
    const giving = async (): Promise<void> => {
      const { tokens } = application.services;
      await tokens.assign(OPERATOR, { serial, user: 'bob', realm: 'bank', pin: 'of bob' });
      const { transactionid } = await application.challenge(serial, DATA);
      await application.check(transactionid, wrongResponse(application.respond(SUITE, DATA)));
      await (path === '/admin/enable' ? tokens.disable(OPERATOR, { serial }) : undefined);
    };
    const answer = await whileHeld(WRITING_A_TOKEN, () => ask(path, { ...ANN, ...more }), giving);
    expect(answer).toContain("The user 'ann' has no token");
    expect(await shown()).toMatchObject({
      owner: { login: 'bob' },
      failCount: 1,
      active: path !== '/admin/enable',
    });
    if (path !== '/admin/enable') {
      const { transactionid } = await application.challenge(serial, DATA);
      const pass = `of bob${application.respond(SUITE, DATA)}`;
      expect(await application.check(transactionid, pass)).toEqual({ failcount: 0, result: true });
    }
  });
});
