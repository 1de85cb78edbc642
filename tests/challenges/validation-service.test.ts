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
});
