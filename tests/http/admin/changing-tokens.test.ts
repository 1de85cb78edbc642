import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyQrTanSignature } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { whileHeld, WRITING_A_TOKEN } from '../../support/database/held-statement.ts';
import { applicationOfTests, OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { callerNamed } from '../../support/values/callers.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
const STORING = /^WITH request AS.*INSERT INTO challenges|^update "tokens" set "last_challenge_at"/s;
const ANN = { user: 'ann', realm: 'bank' };

const application = applicationOfTests();
let serial: string;
let number = 0;

beforeAll(async () => {
  await application.addRealm('bank', ['ann', 'bob']);
  await application.addRealm('shop', ['bob']);
  await application.addRealm('third');
  for (const [name, user, realm] of [
    ['all', 'admin', '*'],
    ['clerk', 'clerk', 'bank'],
  ] as const) {
    await application.setPolicy(name, 'admin', '*', { realm, user });
  }
});

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
    await application.addUser('eve', 'bank');
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

it.each<readonly [string, Record<string, string>]>([
  ['/admin/reset', {}],
  ['/admin/enable', {}],
  ['/admin/disable', {}],
  ['/admin/unassign', {}],
  ['/admin/remove', {}],
  ['/admin/set', { pin: 'of ann' }],
])(
  'an operation on all tokens of a user by %s leaves out a token that is assigned to another user at that moment',
  async (path, more) => {
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
  },
);

/** A person whom a policy binds to the realm bank. */
const CLERK = callerNamed('clerk');

beforeEach(async () => {
  number += 1;
  serial = `REALMS${number}`;
  await application.enrolPlain(serial, SUITE, { realm: 'bank' });
});

const move = (realms: readonly string[], caller = OPERATOR): Promise<{ realms: readonly string[] }> =>
  application.services.tokens.setRealms(caller, { serial, realms });
/** For a resync. */
const twoResponses = () => ({
  challenge1: '1',
  challenge2: '2',
  otp1: application.respond(SUITE, '1', { counter: 4n }),
  otp2: application.respond(SUITE, '2', { counter: 5n }),
});

describe('the realms of a token that two administrators change at once', () => {
  it('are those of both, where it is given to a user and put into another realm', async () => {
    const { tokens } = application.services;
    const assigned = await whileHeld(
      WRITING_A_TOKEN,
      () => tokens.assign(OPERATOR, { serial, user: 'bob', realm: 'shop' }),
      () => move(['bank', 'third']),
    );
    expect(assigned.realms).toEqual(['bank', 'shop', 'third']);
    expect(await shown()).toMatchObject({ realms: ['bank', 'shop', 'third'], owner: { login: 'bob' } });
  });

  it('that one of them may not touch stay as the other has set them', async () => {
    await whileHeld(
      WRITING_A_TOKEN,
      () => move(['bank'], CLERK),
      () => move(['bank', 'third']),
    );
    expect((await shown()).realms).toEqual(['bank', 'third']);
  });
});

describe('a token that is enrolled anew by an administrator who is bound to a realm', () => {
  const enrol = () =>
    application.services.enrolment.init(CLERK, { type: 'ocra', genkey: '1', serial, realm: 'bank' });

  it('stays in another realm that it is put into meanwhile', async () => {
    await whileHeld(WRITING_A_TOKEN, enrol, () => move(['bank', 'third']));
    expect((await shown()).realms).toEqual(['bank', 'third']);
  });

  it('does not come back into another realm that it leaves meanwhile', async () => {
    await move(['bank', 'third']);
    await whileHeld(WRITING_A_TOKEN, enrol, () => move(['bank']));
    expect((await shown()).realms).toEqual(['bank']);
  });
});

it.each<readonly [string, () => Promise<unknown>]>([
  ['reset', () => application.services.tokens.reset(CLERK, { serial })],
  ['disable', () => application.services.tokens.disable(CLERK, { serial })],
  ['unassign', () => application.services.tokens.unassign(CLERK, { serial })],
  ['set', () => application.services.tokens.set(CLERK, { serial }, { pin: 'of the clerk' })],
  ['remove', () => application.services.tokens.remove(CLERK, { serial })],
])(
  'a token that leaves the realm of an administrator at that moment is not there any more for %s',
  async (_name, act) => {
    const before = await shown();
    const acting = whileHeld(
      WRITING_A_TOKEN,
      () =>
        act().then(
          () => 'done',
          (error: unknown) => error,
        ),
      () => move(['shop']),
    );
    expect(await acting).toMatchObject({ code: 'token.unknown' });
    expect(await shown()).toEqual({ ...before, realms: ['shop'], revision: '2' });
  },
);

describe('a token that leaves the realms of an administrator while that one is at it', () => {
  const leave = (): Promise<unknown> => move(['shop']);

  it('is not brought in step by them', async () => {
    const context = { serial, ...twoResponses() };
    const resync = (): Promise<unknown> =>
      application.services.resynchronisation.resync(CLERK, context).catch(String);
    expect(await whileHeld(WRITING_A_TOKEN, resync, leave)).toContain('No token found');
    expect(await shown()).toMatchObject({ realms: ['shop'], counter: 0n });
  });

  it('does not go into the second phase of its roll-out by them', async () => {
    const { enrolment } = application.services;
    const phase = { type: 'ocra', genkey: '1', serial };
    await enrolment.init(OPERATOR, { ...phase, sharedsecret: '1' });
    const begin = (): Promise<unknown> =>
      enrolment.init(CLERK, { ...phase, activationcode: 'GEZDGNBVGY3TQOJQ01' }).catch(String);
    expect(await whileHeld(WRITING_A_TOKEN, begin, leave)).toContain('init tokens in this realm');
    expect(await shown()).toMatchObject({ realms: ['shop'], rollout: 'phase1', active: false });
  });

  it('goes on with the second phase where it stays in one of them', async () => {
    const { enrolment } = application.services;
    const phase = { type: 'ocra', genkey: '1', serial };
    await enrolment.init(OPERATOR, { ...phase, sharedsecret: '1' });
    const begun = await whileHeld(
      WRITING_A_TOKEN,
      () => enrolment.init(CLERK, { ...phase, activationcode: 'GEZDGNBVGY3TQOJQ01' }),
      () => move(['bank', 'third']),
    );
    expect(begun).toMatchObject({ kind: 'phase2', serial });
    expect(await shown()).toMatchObject({ realms: ['bank', 'third'], rollout: 'phase2' });
  });
});

it('a token that gets another owner while it is resynchronised as the token of its user is left as it is', async () => {
  const { tokens, resynchronisation } = application.services;
  await tokens.assign(OPERATOR, { serial, user: 'ann', realm: 'bank' });
  const context = { user: 'ann', realm: 'bank', serial, ...twoResponses() };
  const resync = (): Promise<unknown> => resynchronisation.resync(OPERATOR, context).catch(String);
  const give = (): Promise<unknown> => tokens.assign(OPERATOR, { serial, user: 'bob', realm: 'shop' });
  expect(await whileHeld(WRITING_A_TOKEN, resync, give)).toContain('No token found');
  expect((await shown()).counter).toBe(0n);
});
