import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { computeResponse, type DataInputs, timeStepAt, encodeDataInput } from '../../src/ocra/compute.ts';
import { parseOcraSuite, type OcraSuite, responseLength } from '../../src/ocra/suite.ts';
import { type ResponseCheck, verifyResponse } from '../../src/ocra/verify.ts';
import { createHash, createHmac } from 'node:crypto';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { plainQuestion, questionFromData } from '../../src/ocra/question.ts';
import { questionFromHash } from '../support/values/modes.ts';
import { bytes, questionFor, suiteText } from '../support/values/ocra-arbitraries.ts';
import { anyText } from '../support/values/any-text.ts';

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
  it.each([0, -5, 0.5])('looks at the stored counter at least, with a window of %d', (counterWindow) => {
    expect(found({ counter: 20n, counterWindow, lookBehind: true })).toEqual([20]);
  });

  it('never looks beyond the largest counter', () => {
    const largest = 2n ** 64n - 1n;
    expect(search('C-QN08', { counter: largest }, { counter: largest })).toEqual({ counter: largest });
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
  it('bounds the counter window as well', () => {
    const settings = { counter: 0n, counterWindow: Number.MAX_SAFE_INTEGER };
    expect(search('C-QN08', { counter: 9_999n }, settings)).toBeDefined();
    expect(search('C-QN08', { counter: 10_000n }, settings)).toBeUndefined();
    const bothWays = { ...settings, lookBehind: true };
    expect(search('C-QN08', { counter: 4_999n }, bothWays)).toBeDefined();
    expect(search('C-QN08', { counter: 5_000n }, bothWays)).toBeUndefined();
  });
});

const unsigned64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

/** A suite, and inputs that fit it. */
const computation = suiteText.map(parseOcraSuite).chain((suite) =>
  fc.record({
    suite: fc.constant(suite),
    key: bytes(1, 200),
    inputs: fc.record({
      question: questionFor(suite.question),
      counter: unsigned64,
      timeStep: unsigned64,
      pin: fc.string({ unit: 'grapheme' }),
      session: bytes(0, suite.session?.length ?? 0),
    }),
  }),
);

const hexOf = (value: bigint, digits: number) => value.toString(16).padStart(digits, '0');

/** RFC 6287 written down once more, in texts of hexadecimal digits and BigInt arithmetic. */
function straightforward(
  suite: OcraSuite,
  key: Buffer,
  inputs: DataInputs & { question: string; session: Buffer },
): string {
  const { question } = inputs;
  const digits = {
    N: () => BigInt(question).toString(16),
    H: () => question,
    A: () => Buffer.from(question).toString('hex'),
  }[suite.question.format]();
  const message = [
    Buffer.from(suite.text).toString('hex'),
    '00',
    suite.counter ? hexOf(inputs.counter ?? 0n, 16) : '',
    digits + '0'.repeat(256 - digits.length),
    suite.pin
      ? createHash(suite.pin.hash)
          .update(inputs.pin ?? '')
          .digest('hex')
      : '',
    suite.session ? inputs.session.toString('hex').padStart(2 * suite.session.length, '0') : '',
    suite.timeStep ? hexOf(inputs.timeStep ?? 0n, 16) : '',
  ].join('');
  const mac = createHmac(suite.hash, key).update(message, 'hex').digest('hex');
  if (suite.truncation === 0) {
    return mac;
  }
  const offset = 2 * Number.parseInt(mac.slice(-1), 16);
  const number = BigInt(`0x${mac.slice(offset, offset + 8)}`) % 2n ** 31n;
  return (number % 10n ** BigInt(suite.truncation)).toString().padStart(suite.truncation, '0');
}

describe('responses', () => {
  it('are what the RFC says, computed in another way', () => {
    fc.assert(
      fc.property(computation, ({ suite, key, inputs }) => {
        const response = computeResponse(suite, key, inputs);
        expect(response).toBe(straightforward(suite, key, inputs));
        expect(response).toHaveLength(responseLength(suite));
      }),
      { numRuns: 500 },
    );
  });

  it('are found exactly within the counter window', () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA256-10:C-QN08');
    const window = fc.record({
      stored: fc.oneof(fc.bigInt({ min: 0n, max: 40n }), unsigned64),
      size: fc.integer({ min: 1, max: 30 }),
      offset: fc.bigInt({ min: -40n, max: 40n }),
      lookBehind: fc.boolean(),
    });
    fc.assert(
      fc.property(window, bytes(16, 32), ({ stored, size, offset, lookBehind }, key) => {
        const counter = stored + offset;
        fc.pre(counter >= 0n && counter < 2n ** 64n);
        const behind = lookBehind ? BigInt(Math.floor(size / 2)) : 0n;
        const response = computeResponse(suite, key, { question: '1', counter });
        const check = { suite, key, question: '1', response, counter: stored, lookBehind, now: new Date(0) };
        const inside = offset >= -behind && offset < BigInt(size);
        expect(verifyResponse({ ...check, counterWindow: size })).toEqual(inside ? { counter } : undefined);
      }),
    );
  });

  it('are found exactly within the time window', () => {
    const window = fc.record({
      step: fc.constantFrom('1S', '7S', '59S', '1M', '2M', '59M', '1H', '48H'),
      now: fc.integer({ min: 1_000_000, max: 4_000_000_000 }),
      offset: fc.integer({ min: -300, max: 300 }),
      timeWindow: fc.integer({ min: 0, max: 200 }),
      timeShift: fc.integer({ min: -5_000, max: 5_000 }),
    });
    fc.assert(
      fc.property(window, bytes(16, 32), ({ step, now, offset, timeWindow, timeShift }, key) => {
        const suite = parseOcraSuite(`OCRA-1:HOTP-SHA1-10:QN08-T${step}`);
        const size = suite.timeStep ?? 1;
        const present = now + timeShift;
        const timeStep = Math.floor((present + offset) / size);
        const response = computeResponse(suite, key, { question: '1', timeStep: BigInt(timeStep) });
        const touched =
          timeStep * size < present + timeWindow && (timeStep + 1) * size > present - timeWindow;
        const isPresent = timeStep === Math.floor(present / size);
        const result = verifyResponse({
          suite,
          key,
          question: '1',
          response,
          timeWindow,
          timeShift,
          now: new Date(now * 1_000),
        });
        expect(result !== undefined).toBe(touched || isPresent);
        expect(result === undefined ? BigInt(timeStep) : result.timeStep).toBe(BigInt(timeStep));
      }),
      { numRuns: 200 },
    );
  });
});

describe('questions', () => {
  it('always fit the suite, whatever the data', () => {
    fc.assert(
      fc.property(suiteText, fc.option(anyText(), { nil: undefined }), (text, data) => {
        const suite = parseOcraSuite(text);
        const inputs = { counter: 0n, timeStep: 0n, pin: '', session: '' };
        const question = questionFromData(suite, data, systemRandom);
        expect(question).toHaveLength(suite.question.length);
        for (const one of [question, questionFromHash(suite, data ?? '')]) {
          expect(computeResponse(suite, Buffer.from('k'), { ...inputs, question: one })).toBeTruthy();
        }
      }),
    );
  });

  it('have one plain text exactly where a device cannot tell them apart', () => {
    // From few digits, or chance would hardly ever find two spellings of the same.
    const spelling = (digits: string, most: number) =>
      fc.string({ unit: fc.constantFrom(...Array.from(digits)), minLength: 1, maxLength: most });
    const pair = fc.oneof(
      ...(['QN04', 'QN64', 'QH04', 'QH64', 'QA04'] as const).map((question) => {
        const suite = parseOcraSuite(`OCRA-1:HOTP-SHA1-6:${question}`);
        const one = spelling({ N: '0146', H: '0aAb', A: '0aA' }[suite.question.format], 4);
        const times = fc.constantFrom('', '0', '00');
        const sixteenfold = one.map((text) =>
          suite.question.format === 'N' ? String(BigInt(text) * 16n) : `${text}0`,
        );
        return fc.record({ suite: fc.constant(suite), one, other: fc.oneof(one, sixteenfold), times });
      }),
    );
    fc.assert(
      fc.property(pair, ({ suite, one, other, times }) => {
        const questions = [one, times + other].map((text) => text.slice(0, suite.question.length));
        const [plain, otherPlain] = questions.map((question) => plainQuestion(suite, question));
        const [bytesOf, otherBytes] = questions.map((question) =>
          Buffer.from(encodeDataInput(suite, { question })),
        );
        expect(plain === otherPlain).toBe(otherBytes?.equals(bytesOf ?? Buffer.of()));
        expect(encodeDataInput(suite, { question: plain ?? '' })).toEqual(new Uint8Array(bytesOf ?? []));
      }),
      { numRuns: 500 },
    );
  });
});
