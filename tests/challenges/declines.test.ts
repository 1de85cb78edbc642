import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { IssuedChallenge } from '../../src/challenges/challenge-factory.ts';
import type { CheckedTransaction } from '../../src/challenges/challenge-service.ts';
import { computeResponse } from '../../src/ocra/compute.ts';
import { computeDecline, type DeclineKind } from '../../src/ocra/decline.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { callerNamed } from '../support/values/callers.ts';
import { KEY, keyedToken, type OcraHouse, OcraSite } from '../support/database/ocra-house.ts';
import { ACT } from '../support/values/token-values.ts';

const admin = callerNamed('admin');
const open = { client: '192.0.2.9', requestId: 'request-2' };
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const DECLINED = {
  known: true,
  dropped: false,
  failCount: 0,
  result: false,
  declined: true,
  isNews: true,
};
const UNKNOWN = { known: false, dropped: false, failCount: 0, result: false, declined: false };

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

let house: OcraHouse;
let issued: IssuedChallenge;
let drawn = 0;

beforeEach(async () => {
  house = await site.house({ tokens: [keyedToken('A1', { realms: ['alpha'] })] });
  // The audit keeps the rows of former houses: no transaction may have the id of one of theirs.
  for (let count = 0; count < drawn; count += 1) {
    house.random.bytes(1);
  }
  drawn += 8;
  issued = await house.ocra.requestChallenge(admin, { serial: 'A1', data: 'pay 5' });
});

function decline(
  kind: DeclineKind = 'declined',
  { transactionId, question } = issued,
  key = KEY,
): Promise<CheckedTransaction> {
  const text = computeDecline(SUITE, key, { transactionId, question }, kind);
  return house.ocra.declineTransaction(open, { transactionId, decline: text });
}

function respond(counter = 0n, { transactionId, question } = issued): Promise<CheckedTransaction> {
  const pass = computeResponse(SUITE, KEY, { question, counter });
  return house.ocra.checkTransaction(open, { transactionId, pass });
}

const outcomes = async (): Promise<readonly string[]> =>
  (await house.answers()).map(({ outcome }) => outcome);

describe('a declined transaction', () => {
  it.each(['declined', 'reported'] as const)(
    'is closed as %s, and accepts nothing any more',
    async (kind) => {
      expect(await decline(kind)).toEqual(DECLINED);
      const { transactionId } = issued;
      expect(await house.ocra.status(admin, { transactionId })).toMatchObject([
        { receivedTan: false, validTan: false, failCount: 0, dropped: true, declined: kind },
      ]);
      expect(await respond()).toMatchObject({ known: true, dropped: true, failCount: 0, result: false });
      expect(await outcomes()).toEqual([kind, 'dropped']);
      expect((await house.answers())[0]).toMatchObject({ subject: 'A1', action: 'ocra/check_t' });
    },
  );

  it('that is reported afterwards is reported to the portal, once', async () => {
    expect(await decline()).toEqual(DECLINED);
    expect(await decline('reported')).toEqual(DECLINED);
    expect(await decline('reported')).toEqual({ ...DECLINED, isNews: false });
    expect(await decline('declined')).toEqual({ ...DECLINED, isNews: false });
    expect(await respond()).toMatchObject({ dropped: true, result: false });
    const { transactionId } = issued;
    expect(await house.ocra.status(admin, { transactionId })).toMatchObject([{ declined: 'reported' }]);
    expect(await outcomes()).toEqual([
      'declined',
      'reported, after a decline',
      'reported again',
      'declined again',
      'dropped',
    ]);
  });

  it.each([
    ['locked', { failCount: 10 }],
    ['disabled', { active: false }],
  ])('may be that of a token that is %s, which loses a right and gets none', async (_state, change) => {
    await house.tokens.update('A1', change, ACT);
    expect(await decline('reported')).toMatchObject({ declined: true, result: false });
    await house.tokens.update('A1', { failCount: 0, active: true }, ACT);
    expect(await respond()).toMatchObject({ result: false });
  });
});

describe('a decline that comes too late', () => {
  it('is told so after the transaction has expired', async () => {
    house.clock.at = new Date(house.clock.at.getTime() + 21 * 60_000);
    expect(await decline()).toMatchObject({ known: true, declined: false });
    expect(await outcomes()).toEqual(['expired, decline']);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['accepted', () => respond(), 'closed'],
    [
      'expired',
      () => Promise.resolve((house.clock.at = new Date(house.clock.at.getTime() + 21 * 60_000))),
      'expired',
    ],
  ])(
    'is news once of each kind, however often it is sent: the transaction is %s',
    async (_state, end, reason) => {
      await end();
      const before = (await outcomes()).length;
      for (const kind of ['declined', 'declined', 'reported', 'reported', 'declined'] as const) {
        expect(await decline(kind)).toMatchObject({ known: true, declined: false });
      }
      expect((await outcomes()).slice(before)).toEqual([
        `${reason}, decline`,
        'declined again',
        `${reason}, report`,
        'reported again',
        'declined again',
      ]);
    },
  );
});

describe('a decline that the token has not signed', () => {
  it.each<[string, () => Promise<CheckedTransaction>]>([
    ['that of another key', () => decline('declined', issued, Buffer.alloc(32, 6))],
    ['that of another transaction', () => decline('declined', { ...issued, question: 'another' })],
    [
      'a right response to the transaction',
      () =>
        house.ocra.declineTransaction(open, {
          transactionId: issued.transactionId,
          decline: computeResponse(SUITE, KEY, { question: issued.question, counter: 0n }),
        }),
    ],
    [
      'nothing at all',
      () => house.ocra.declineTransaction(open, { transactionId: issued.transactionId, decline: '' }),
    ],
  ])('changes and counts nothing, and tells as much as an unknown transaction: %s', async (_what, send) => {
    await house.tokens.update('A1', { failCount: 4 }, ACT);
    for (let count = 0; count < 12; count += 1) {
      expect(await send()).toEqual(UNKNOWN);
    }
    expect(await house.tokens.findBySerial('A1')).toMatchObject({ failCount: 4 });
    expect(new Set(await outcomes())).toEqual(new Set(['wrong, decline']));
    expect(await respond()).toMatchObject({ result: true });
  });

  it('is as good as one to an unknown transaction', async () => {
    const unknown = { ...issued, transactionId: 'ffffffffffffffffffff' };
    expect(await decline('declined', unknown)).toEqual(UNKNOWN);
    expect(await house.ocra.declineTransaction(open, { transactionId: '', decline: '' })).toEqual(UNKNOWN);
  });

  it('is never taken for a response, not even one that the token has signed as a decline', async () => {
    const { transactionId, question } = issued;
    const pass = computeDecline(SUITE, KEY, { transactionId, question }, 'declined');
    expect(await house.ocra.checkTransaction(open, { transactionId, pass })).toMatchObject({ result: false });
  });
});

describe('a decline and a right response at the same time', () => {
  it.each(['decline first', 'response first'])(
    'end the transaction once, as one or the other: %s',
    async (order) => {
      const response = order === 'response first' ? respond() : undefined;
      const [declined, accepted] = await Promise.all([decline('reported'), response ?? respond()]);
      expect(declined.declined === true).toBe(!accepted.result);
      const [entry] = await house.ocra.status(admin, { transactionId: issued.transactionId });
      expect(entry?.declined === 'reported').toBe(declined.declined);
      expect(entry?.validTan).toBe(accepted.result);
    },
  );
});
