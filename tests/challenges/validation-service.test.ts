import { jest, afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { computeResponse } from '../../src/ocra/compute.ts';
import type { IssuedChallenge } from '../../src/challenges/challenge-factory.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { callerNamed } from '../support/values/callers.ts';
import {
  ANNA,
  BERND,
  CAROL,
  KEY,
  keyedToken,
  type OcraHouse,
  OcraSite,
} from '../support/database/ocra-house.ts';

const admin = callerNamed('admin');
const open = { client: '192.0.2.9', requestId: 'request-2' };
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

let house: OcraHouse;
let issued: IssuedChallenge;

beforeEach(async () => {
  house = await site.house({
    tokens: [
      keyedToken('A1', { owner: ANNA }),
      keyedToken('B1', { owner: BERND }),
      keyedToken('C1', { owner: CAROL }),
    ],
  });
  issued = await house.ocra.requestChallenge(admin, { serial: 'A1' });
});

function response(counter = 0n): string {
  return computeResponse(SUITE, KEY, { question: issued.question, counter });
}

describe('a response by serial or user', () => {
  it.each([
    [{ serial: 'A1' }, 'validate/check_s'],
    [{ user: 'anna' }, 'validate/check'],
    [{ user: 'anna', realm: 'alpha' }, 'validate/check'],
    [{ user: 'anna@alpha', transactionId: '' }, 'validate/check'],
  ])('of %j is taken for the only open challenge', async (reference, action) => {
    expect(await house.validation.check(open, { ...reference, pass: response() })).toBe(true);
    const accepted = { ...open, actor: '', action, subject: 'A1', outcome: 'accepted' };
    expect(await house.answers()).toEqual([accepted]);
    expect(await house.validation.check(open, { ...reference, pass: response() })).toBe(false);
    expect(await house.answers()).toHaveLength(1);
  });

  it('is taken for the transaction that is named, where several are open', async () => {
    const other = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const { transactionId } = issued;
    for (const reference of [{ serial: 'B1' }, { user: 'bernd' }]) {
      const named = { ...reference, transactionId, pass: response() };
      expect(await house.validation.check(open, named)).toBe(false);
    }
    expect(await house.answers()).toEqual([]);
    const answer = computeResponse(SUITE, KEY, { question: other.question, counter: 0n });
    expect(await house.validation.check(open, { serial: 'A1', transactionId, pass: answer })).toBe(false);
    expect(await house.validation.check(open, { serial: 'A1', transactionId, pass: response() })).toBe(true);
    expect((await house.ocra.status(admin, { transactionId: other.transactionId }))[0]).toMatchObject({
      receivedTan: false,
    });
  });

  it("that cannot be decided on is recorded, never with the client's text", async () => {
    await house.validation.check(open, { user: 'bernd', pass: response() });
    await house.validation.check(open, { serial: 'unheard', pass: response() });
    await house.validation.check(open, { serial: 'A1', transactionId: 'unheard', pass: response() });
    const nothing = { ...open, actor: '', outcome: 'nothing is open', subject: '', realm: '' };
    expect(house.refusals).toEqual([
      { ...nothing, action: 'validate/check' },
      { ...nothing, action: 'validate/check_s' },
      { ...nothing, action: 'validate/check_s' },
    ]);
  });

  it('to a transaction that is closed is a refused answer to it', async () => {
    const { transactionId } = issued;
    const replay = { serial: 'A1', transactionId, pass: response() };
    expect(await house.validation.check(open, replay)).toBe(true);
    expect(await house.validation.check(open, replay)).toBe(false);
    expect(house.refusals).toEqual([]);
    expect(await house.answers()).toMatchObject([{ outcome: 'accepted' }, { outcome: 'closed' }]);
  });

  it('of an empty serial reads no challenges', async () => {
    const answerOpen = jest.spyOn(house.challenges, 'answerOpen');
    expect(await house.validation.check(open, { serial: '', pass: response() })).toBe(false);
    expect(answerOpen).not.toHaveBeenCalled();
  });

  it('of unknown users reads the challenges of no user, different ones for each name', async () => {
    const answerOpen = jest.spyOn(house.challenges, 'answerOpen');
    for (const user of ['nobody', 'noone', 'nobody']) {
      expect(await house.validation.check(open, { user, pass: response() })).toBe(false);
    }
    const [first, second, again] = answerOpen.mock.calls.map(([whose]) =>
      'owner' in whose ? whose.owner : undefined,
    );
    expect([first?.resolverId, second?.resolverId]).toEqual(['999999999999999999', '999999999999999999']);
    expect(first).not.toEqual(second);
    expect(again).toEqual(first);
    expect(first?.userId).not.toContain('nobody');
  });

  it('counts as wrong where it is wrong', async () => {
    expect(await house.validation.check(open, { user: 'anna', pass: '00000000' })).toBe(false);
    expect((await house.tokens.findBySerial('A1'))?.failCount).toBe(1);
  });

  it.each([
    [{ serial: '' }],
    [{ serial: 'X' }],
    [{ user: 'nobody' }],
    [{ user: '' }],
    [{}],
    [{ user: 'anna', realm: 'beta' }],
    [{ serial: 'B1', user: 'anna' }],
  ])('of %j changes nothing', async (reference) => {
    expect(await house.validation.check(open, { ...reference, pass: response() })).toBe(false);
    expect(await house.answers()).toEqual([]);
  });

  it('is refused after the time of the challenge', async () => {
    house.clock.at = new Date(house.clock.at.getTime() + 1_200_000);
    expect(await house.validation.check(open, { serial: 'A1', pass: response() })).toBe(false);
    const later = await house.ocra.requestChallenge(admin, { serial: 'A1' });
    const pass = computeResponse(SUITE, KEY, { question: later.question, counter: 0n });
    expect(await house.validation.check(open, { serial: 'A1', pass })).toBe(true);
  });
});

describe('a response by transaction', () => {
  it('reports the token and its fail counter', async () => {
    const { transactionId } = issued;
    const token = { serial: 'A1', type: 'ocra2' };
    const wrong = await house.validation.checkTransaction(open, { transactionId, pass: '00000000' });
    expect(wrong).toEqual({ token, failCount: 1, result: false });
    const right = await house.validation.checkTransaction(open, { transactionId, pass: response() });
    expect(right).toEqual({ token, failCount: 0, result: true });
    const answers = (await house.answers()).map(({ action }) => action);
    expect(answers).toEqual(['validate/check_t', 'validate/check_t']);
  });

  it.each(['', 'f'.repeat(20)])('to the transaction %j is wrong', async (transactionId) => {
    const checked = await house.validation.checkTransaction(open, { transactionId, pass: response() });
    expect(checked).toEqual({ token: undefined, failCount: 0, result: false });
  });
});
