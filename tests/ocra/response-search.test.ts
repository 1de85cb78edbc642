import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { computeResponse, responseValues, timeStepAt } from '../../src/ocra/compute.ts';
import {
  MAX_FOR_CHECK,
  MAX_FOR_RESPONSE,
  type ResponseCheck,
  ResponseSearch,
} from '../../src/ocra/verify.ts';
import { parseAlgorithm } from '../../src/ocra/otp.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';

const KEY = Buffer.alloc(64, 5);
const NOON = new Date('2026-11-20T12:00:00Z');
const QUESTION = '12345678';
const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** A search that counts what it computes, and the turns that it waits for. */
class Counted {
  computed = 0;
  /** The number computed before each turn. */
  readonly turns: number[] = [];
  readonly search = new ResponseSearch(NOON, {
    turn: () => {
      this.turns.push(this.computed);
      return Promise.resolve();
    },
    responder: (suite, key) => {
      const respond = responseValues(suite, key);
      return (dataInput) => {
        this.computed += 1;
        return respond(dataInput);
      };
    },
  });

  constructor(questions = 1) {
    this.search.begin(questions);
  }
}

/** The answer of a device, and the window to search for it. */
function checkOf(
  suiteText: string,
  { counter = 0, seconds = 0, response }: { counter?: number; seconds?: number; response?: string } = {},
  more: Partial<ResponseCheck> = {},
): ResponseCheck {
  const suite = parseOcraSuite(suiteText);
  const timeStep = timeStepAt(suite, new Date(NOON.getTime() + seconds * 1000));
  const right = computeResponse(suite, KEY, { question: QUESTION, counter: BigInt(counter), timeStep });
  return {
    suite,
    key: KEY,
    question: QUESTION,
    now: NOON,
    lookBehind: true,
    counter: 100n,
    response: response ?? right,
    ...more,
  };
}

const COUNTER = 'OCRA-1:HOTP-SHA512-8:C-QN08';
const BOTH = 'OCRA-1:HOTP-SHA512-8:C-QN08-T1S';

describe('a search for a response', () => {
  it('finds in a second look what the first one has found, also where the budget ends before', async () => {
    const counted = new Counted(4);
    const right = checkOf(BOTH, { counter: 105 });
    const other = (question: string): ResponseCheck => ({ ...right, question });
    const all = [other('44444444'), right, other('22222222'), other('11111111')];
    for (const check of all) {
      const { found } = await counted.search.find(check, counted.search.share());
      expect(found !== undefined).toBe(check === right);
    }
    // One of the challenges has been closed meanwhile: the shares of the others are larger.
    counted.search.begin(3);
    for (const check of [...all.slice(2), right]) {
      const { found } = await counted.search.find(check, counted.search.share());
      expect(found !== undefined).toBe(check === right);
    }
    // Others have been issued, until nothing is left for them.
    for (const question of ['55555555', '66666666']) {
      counted.search.begin(2);
      for (const check of [other(question), right]) {
        const { found } = await counted.search.find(check, counted.search.share());
        expect(found !== undefined).toBe(check === right);
      }
    }
    expect(counted.computed).toBe(MAX_FOR_RESPONSE);
  });

  it('tells algorithms apart whose data inputs are alike', async () => {
    const { search } = new Counted(2);
    const [six, eight] = [parseAlgorithm('HOTP-SHA1-6'), parseAlgorithm('HOTP-SHA1-8')];
    const inputs = { key: KEY, question: '', counter: 100n, now: NOON };
    const response = computeResponse(eight, KEY, inputs);
    expect((await search.find({ ...inputs, suite: six, response }, 100)).found).toBeUndefined();
    expect((await search.find({ ...inputs, suite: eight, response }, 100)).found).toEqual({ counter: 100n });
  });

  it('computes every candidate of the windows once, whether one is right or none', async () => {
    for (const response of [undefined, 'xxxxxxxx']) {
      const counted = new Counted();
      const check = checkOf(BOTH, { counter: 103, seconds: 30, ...(response !== undefined && { response }) });
      const { found, computed } = await counted.search.find(check, EVERYTHING);
      expect(found !== undefined).toBe(response === undefined);
      expect([counted.computed, computed]).toEqual([15 * 360, 15 * 360]);
    }
  });

  it('finds a response at both ends of the windows of counter and time', async () => {
    for (const [counter, seconds, isFound] of [
      [95, -180, true],
      [109, 179, true],
      [94, 0, false],
      [110, 0, false],
      [100, 180, false],
    ] as const) {
      const { found } = await new Counted().search.find(checkOf(BOTH, { counter, seconds }), EVERYTHING);
      expect(found !== undefined).toBe(isFound);
    }
  });

  it('narrows the time around the present where there would be too many candidates', async () => {
    const wide = { counterWindow: 1_000, lookBehind: false };
    for (const [seconds, isFound] of [
      [-6, false],
      [-5, true],
      [0, true],
      [4, true],
      [5, false],
    ] as const) {
      const counted = new Counted();
      const check = checkOf(BOTH, { counter: 1_099, seconds }, wide);
      expect((await counted.search.find(check, EVERYTHING)).found !== undefined).toBe(isFound);
      expect(counted.computed).toBe(10_000);
    }
  });

  it('computes no more in one look than a look may, whatever is looked for', async () => {
    const counted = new Counted();
    for (let counter = 0n; counter < 5n; counter += 1n) {
      await counted.search.find(checkOf(BOTH, {}, { counter: counter * 1_000n }), EVERYTHING);
    }
    expect(counted.computed).toBe(MAX_FOR_CHECK);
    const { found, computed } = await counted.search.find(checkOf(COUNTER, { counter: 100 }), EVERYTHING);
    expect([found !== undefined, computed, counted.computed]).toEqual([false, 0, MAX_FOR_CHECK]);
  });
});

describe('several questions', () => {
  it('get equal shares, and what one leaves the next ones get', async () => {
    const { search } = new Counted(4);
    const shares: number[] = [];
    for (const suite of [COUNTER, BOTH, BOTH, BOTH]) {
      const share = search.share();
      shares.push(share);
      await search.find(checkOf(suite, {}, { question: `${shares.length}` }), share);
    }
    expect(shares[0]).toBe(MAX_FOR_CHECK / 4);
    expect(shares[1]).toBe(Math.floor((MAX_FOR_CHECK - 15) / 3));
    expect(Math.min(...shares.slice(1))).toBeGreaterThan(3_400);
  });

  it('are each tried at the present time at least, however many there are', async () => {
    const counted = new Counted(1_000);
    for (let index = 0; index < 1_000; index += 1) {
      const question = String(index);
      const suite = parseOcraSuite(BOTH);
      const timeStep = timeStepAt(suite, NOON);
      const response = computeResponse(suite, KEY, { question, counter: 100n, timeStep });
      const { found } = await counted.search.find(
        checkOf(BOTH, {}, { question, response }),
        counted.search.share(),
      );
      expect(found !== undefined).toBe(true);
    }
    expect(counted.computed).toBeLessThanOrEqual(MAX_FOR_CHECK);
  });
});

describe('a second look at a response', () => {
  it('computes nothing again where the token is as it was, and finds the same', async () => {
    const counted = new Counted();
    const check = checkOf(BOTH, { counter: 103, seconds: 30 });
    const first = await counted.search.find(check, EVERYTHING);
    counted.search.begin(1);
    expect(await counted.search.find(check, EVERYTHING)).toEqual(first);
    expect(counted.computed).toBe(5_400);
  });

  it('computes what the token has moved on to, and no more', async () => {
    const counted = new Counted();
    const given = { counter: 112, seconds: 30 };
    const check = checkOf(BOTH, given);
    expect((await counted.search.find(check, EVERYTHING)).found).toBeUndefined();
    counted.search.begin(1);
    const moved = await counted.search.find({ ...check, counter: 103n }, EVERYTHING);
    expect(moved.found).toMatchObject({ counter: 112n });
    expect(counted.computed).toBe(5_400 + 3 * 360);
  });

  it('takes what was computed for that very question, key and PIN alone', async () => {
    const suite = 'OCRA-1:HOTP-SHA512-8:C-QN08-PSHA1';
    const parsed = parseOcraSuite(suite);
    const response = computeResponse(parsed, KEY, { question: QUESTION, counter: 100n, pin: '1234' });
    const check = checkOf(COUNTER, {}, { suite: parsed, pin: '1234', response });
    const counted = new Counted();
    const others = [{ pin: '1235' }, { question: '87654321' }, { key: Buffer.alloc(64, 6) }];
    for (const other of others) {
      expect((await counted.search.find({ ...check, ...other }, EVERYTHING)).found).toBeUndefined();
    }
    expect((await counted.search.find(check, EVERYTHING)).found).toBeDefined();
    expect(counted.computed).toBe(4 * 15);
  });

  it('does not take a long key for the hash of it', async () => {
    const long = Buffer.alloc(100, 5);
    const hashed = createHash('sha256').update(long).digest();
    const suite = parseOcraSuite(COUNTER);
    const response = computeResponse(suite, long, { question: QUESTION, counter: 100n });
    const { search } = new Counted(2);
    const matched: boolean[] = [];
    for (const key of [long, hashed]) {
      const { found } = await search.find(checkOf(COUNTER, {}, { key, response }), search.share());
      matched.push(found !== undefined);
    }
    expect(matched).toEqual([true, false]);
  });
});
