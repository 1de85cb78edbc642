import { describe, expect, it } from '@jest/globals';
import { computeResponse, type DataInputs, timeStepAt } from '../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { type ResponseCheck, verifyResponse } from '../../src/ocra/verify.ts';

const key = Buffer.from('12345678901234567890');
const question = '12345678';
const now = new Date('2026-11-20T12:00:00Z');
const nowSecond = BigInt(now.getTime() / 1_000);

const suiteOf = (dataInput: string, truncation = 8) =>
  parseOcraSuite(`OCRA-1:HOTP-SHA256-${truncation}:${dataInput}`);

/** The answer of a token with these inputs, looked for with these settings. */
function search(
  dataInput: string,
  used: Partial<DataInputs>,
  settings: Partial<ResponseCheck> = {},
): ReturnType<typeof verifyResponse> {
  const suite = suiteOf(dataInput);
  const response = computeResponse(suite, key, { question, ...used });
  return verifyResponse({ suite, key, question, response, now, ...settings });
}

/** The counters below 60 whose responses are found. */
function found(settings: Partial<ResponseCheck>): number[] {
  return Array.from({ length: 60 }, (_, used) => used).filter(
    (used) => search('C-QN08', { counter: BigInt(used) }, settings) !== undefined,
  );
}

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('verifyResponse for a suite without counter and time', () => {
  it('takes the right response and no other', () => {
    expect(search('QN08', {})).toEqual({});
    expect(search('QN08', {}, { question: '12345679' })).toBeUndefined();
    expect(search('QN08', {}, { key: Buffer.from('another key') })).toBeUndefined();
  });

  it.each(['', ' ', '1', '12345678 ', '0'.repeat(65_536), '\u0661\u0662'])(
    'refuses what is no response at all',
    (response) => {
      expect(search('QN08', {}, { response })).toBeUndefined();
    },
  );

  it('refuses a response with something before or after it', () => {
    const suite = suiteOf('QN08');
    const response = computeResponse(suite, key, { question });
    for (const near of [`${response}0`, `0${response}`, ` ${response}`, response.slice(1)]) {
      expect(search('QN08', {}, { response: near })).toBeUndefined();
    }
  });

  it('takes hexadecimal responses in capitals, too', () => {
    const suite = suiteOf('QN08', 0);
    const response = computeResponse(suite, key, { question }).toUpperCase();
    expect(verifyResponse({ suite, key, question, response, now })).toEqual({});
  });

  it('needs the PIN that the suite asks for', () => {
    expect(search('QN08-P', { pin: '1234' }, { pin: '1234' })).toEqual({});
    expect(search('QN08-P', { pin: '1234' }, { pin: '1235' })).toBeUndefined();
    expect(() => search('QN08-P', { pin: '1234' })).toThrow(/asks for a PIN/);
  });
});

describe('verifyResponse for a suite with a counter', () => {
  it('looks from the stored counter on, a window long', () => {
    expect(found({ counter: 20n })).toEqual(from(20, 29));
    expect(found({ counter: 20n, counterWindow: 3 })).toEqual(from(20, 22));
  });

  it('looks half a window back, rounded down, when told to', () => {
    expect(found({ counter: 20n, lookBehind: true })).toEqual(from(15, 29));
    expect(found({ counter: 20n, counterWindow: 5, lookBehind: true })).toEqual(from(18, 24));
    expect(found({ counter: 20n, counterWindow: 1, lookBehind: true })).toEqual([20]);
  });

  it('never looks below zero', () => {
    expect(found({ counter: 2n, lookBehind: true })).toEqual(from(0, 11));
  });

  it.each([0, -5, 0.5])('looks at the stored counter at least, with a window of %d', (counterWindow) => {
    expect(found({ counter: 20n, counterWindow, lookBehind: true })).toEqual([20]);
  });

  it('says which counter the token used', () => {
    expect(search('C-QN08', { counter: 23n }, { counter: 20n })).toEqual({ counter: 23n });
  });

  it('never looks beyond the largest counter', () => {
    const largest = 2n ** 64n - 1n;
    expect(search('C-QN08', { counter: largest }, { counter: largest })).toEqual({
      counter: largest,
    });
  });

  describe('when several counters match', () => {
    // Four digits only, so that one and the same response comes up again: here at two counters below 2500 and at none
    // of the thousands after them.
    const suite = suiteOf('C-QN08', 4);
    const all = Array.from({ length: 7_600 }, (_, index) =>
      computeResponse(suite, key, { question, counter: BigInt(index) }),
    );
    const places = new Map<string, number[]>();
    all.forEach((response, place) => places.set(response, [...(places.get(response) ?? []), place]));
    const [response = '', [first = 0, second = 0] = []] =
      [...places].find(([, [, two = 9_999, three]]) => two < 2_500 && three === undefined) ?? [];
    const check = { suite, key, question, response, now, lookBehind: true };

    it('prefers the lowest from the stored one on', () => {
      const counterWindow = 2 * (second + 1);
      expect(second).toBeGreaterThan(first);
      for (const stored of [first + 1, second]) {
        expect(verifyResponse({ ...check, counter: BigInt(stored), counterWindow })).toEqual({
          counter: BigInt(second),
        });
      }
      expect(verifyResponse({ ...check, counter: BigInt(first), counterWindow })).toEqual({
        counter: BigInt(first),
      });
    });

    it('takes the highest below it otherwise', () => {
      const stored = second + 1;
      expect(verifyResponse({ ...check, counter: BigInt(stored), counterWindow: 2 * stored })).toEqual({
        counter: BigInt(second),
      });
    });
  });
});

describe('verifyResponse for a suite with time steps', () => {
  const lookAt = (dataInput: string, offset: number, settings: Partial<ResponseCheck> = {}) =>
    search(
      dataInput,
      { timeStep: timeStepAt(suiteOf(dataInput), new Date(now.getTime() + offset * 1_000)) },
      settings,
    );

  it('finds a token whose clock is off by less than the window', () => {
    for (const offset of [-180, -61, -1, 0, 59, 179]) {
      expect(lookAt('QN08-T1M', offset)).toBeDefined();
    }
    for (const offset of [-181, 180, 3_600]) {
      expect(lookAt('QN08-T1M', offset)).toBeUndefined();
    }
  });

  it('says which step it was, and its first second within the window', () => {
    expect(lookAt('QN08-T1M', 61)).toEqual({
      timeStep: nowSecond / 60n + 1n,
      second: nowSecond + 60n,
    });
    expect(lookAt('QN08-T1H', -1)).toMatchObject({ second: nowSecond - 180n });
  });

  it('always tries the present step, however long it is', () => {
    expect(lookAt('QN08-T48H', 0)).toBeDefined();
    expect(lookAt('QN08-T48H', 0, { timeWindow: 0 })).toBeDefined();
    expect(lookAt('QN08-T1M', 60, { timeWindow: 0 })).toBeUndefined();
  });

  it('considers how far the clock is known to be off', () => {
    expect(lookAt('QN08-T1M', -3_600, { timeShift: -3_600 })).toBeDefined();
    expect(lookAt('QN08-T1M', 0, { timeShift: -3_600 })).toBeUndefined();
  });

  it('takes no second before the stored one, unless the transaction was never answered', () => {
    const counter = nowSecond;
    expect(lookAt('QN08-T1M', -60, { counter })).toBeUndefined();
    expect(lookAt('QN08-T1M', -60, { counter, lookBehind: true })).toBeDefined();
    expect(lookAt('QN08-T1M', 0, { counter: nowSecond + 999n })).toBeUndefined();
  });

  it('never looks before 1970', () => {
    expect(lookAt('QN08-T1M', 0, { now: new Date(0) })).toBeUndefined();
    expect(search('QN08-T1M', { timeStep: 0n }, { now: new Date(0) })).toMatchObject({ timeStep: 0n });
    expect(search('QN08-T1M', { timeStep: 0n }, { now: new Date(-86_400_000) })).toBeUndefined();
  });
});

describe('verifyResponse for a suite with counter and time steps', () => {
  it('searches both windows', () => {
    const timeStep = nowSecond / 60n - 2n;
    expect(search('C-QN08-T1M', { counter: 7n, timeStep }, { counter: 5n })).toEqual({
      counter: 7n,
      timeStep,
      second: timeStep * 60n,
    });
    expect(search('C-QN08-T1M', { counter: 4n, timeStep }, { counter: 5n })).toBeUndefined();
    expect(search('C-QN08-T1M', { counter: 7n, timeStep: timeStep - 2n }, { counter: 5n })).toBeUndefined();
  });

  it('narrows the time window around the present rather than compute without end', () => {
    const settings = { counter: 0n, counterWindow: 1_000, timeWindow: 86_400 };
    const at = (offset: bigint) =>
      search('C-QN08-T1S', { counter: 999n, timeStep: nowSecond + offset }, settings) !== undefined;
    expect([at(-6n), at(-5n), at(0n), at(4n), at(5n)]).toEqual([false, true, true, true, false]);
  });

  it('bounds the counter window as well', () => {
    const settings = { counter: 0n, counterWindow: Number.MAX_SAFE_INTEGER };
    expect(search('C-QN08', { counter: 9_999n }, settings)).toBeDefined();
    expect(search('C-QN08', { counter: 10_000n }, settings)).toBeUndefined();
    const bothWays = { ...settings, lookBehind: true };
    expect(search('C-QN08', { counter: 4_999n }, bothWays)).toBeDefined();
    expect(search('C-QN08', { counter: 5_000n }, bothWays)).toBeUndefined();
  });
});
