import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import type { Random } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { plainQuestion, questionFromData, questionKeys, ShownQuestions } from '../../src/ocra/question.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { textComparison, type DataInputs, encodeDataInput } from '../../src/ocra/compute.ts';
import { refusalOf } from '../support/values/refusal.ts';

const suiteOf = (question: string) => parseOcraSuite(`OCRA-1:HOTP-SHA1-6:${question}`);

/** Draws the last of each alphabet. */
const last: Random = { bytes: (size) => Buffer.alloc(size), below: (bound) => bound - 1 };

function findFree(questions: ShownQuestions, used: ReadonlySet<string>): string | undefined {
  for (const one of questions.others()) {
    if (!used.has(one)) {
      return one;
    }
  }
  return undefined;
}

describe('questionFromData', () => {
  it.each([
    ['QA16', 'Pay 10 EUR!', 'Pay10EUR00009999'],
    ['QN10', 'Pay 10 EUR!', '1000009999'],
    ['QH10', 'Pay 10 EUR!', 'a10E0000ff'],
    ['QA08', 'ABCDEF', 'ABCDEF00'],
    ['QN08', '٣٤½²１２３', '00009999'],
    ['QA08', 'äöüß😀', '00009999'],
    ['QN08', undefined, '99999999'],
  ])('%s makes of %j the question %s', (question, data, expected) => {
    expect(questionFromData(suiteOf(question), data, last)).toBe(expected);
  });

  it('makes a new question of the same data each time', () => {
    const suite = suiteOf('QA64');
    const questions = Array.from({ length: 50 }, () => questionFromData(suite, 'abc', systemRandom));
    expect(new Set(questions).size).toBe(50);
  });
});

describe('the plain form of what is no question of the suite', () => {
  it.each([
    ['QN08', '000000001'],
    ['QN08', '12a'],
    ['QH08', 'Ag'],
    ['QH08', 'ABCDEF0000'],
  ])('is the same text: %s, %j', (question, text) => {
    expect(plainQuestion(suiteOf(question), text)).toBe(text);
  });
});

describe('the questions of a text', () => {
  it.each([
    ['QN08', 'No. 12345678', '12345678', '12349999'],
    ['QN08', 'No. 1234567', '12345670', '12349999'],
    ['QN08', '12', '12000099', '12000099'],
    ['QN08', 'текст', '00009999', '00009999'],
    ['QN05', '12345', '12345', '12999'],
    ['QN04', 'текст', '0000', '9999'],
    ['QA08', 'PayMallory', 'PayMallo', 'PayM9999'],
    ['QN08', '', '99999999', '99999999'],
  ])('%s are for %j first %s, then as %s', (question, data, first, other) => {
    const questions = new ShownQuestions(suiteOf(question), data, last);
    expect(questions.draw()).toBe(first);
    expect(questions.drawOthers(2)).toEqual([other, other]);
  });

  it.each([
    ['QN04', '1234', '12', 100],
    ['QN04', '1', '10', 100],
    ['QN08', '123', '1230', 10_000],
    ['QN04', 'текст', '', 10_000],
    ['QH04', 'abcd', 'ab', 256],
    ['QN04', '', '', 10_000],
  ])('%s are %j each free once, until none is: %s and what follows', (question, data, beginning, count) => {
    const suite = suiteOf(question);
    const questions = new ShownQuestions(suite, data, systemRandom);
    const used = new Set<string>();
    for (;;) {
      const free = findFree(questions, used);
      if (free === undefined) {
        break;
      }
      used.add(free);
    }
    expect(used.size).toBe(count);
    expect([...used].filter((one) => one.length !== 4 && one.length !== 8)).toEqual([]);
    expect([...used].filter((one) => !one.startsWith(beginning))).toEqual([]);
  });

  it('are found by their keys in every spelling that a device cannot tell apart', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '1', '2', '4', '6'), minLength: 1, maxLength: 4 });
    const hex = fc.string({
      unit: fc.constantFrom('0', 'a', 'A', 'b', 'B', '1'),
      minLength: 1,
      maxLength: 8,
    });
    const pair = fc.oneof(
      fc
        .record({ one: digits, times: fc.nat({ max: 3 }), zeros: fc.constantFrom('', '0', '00') })
        .map(({ one, times, zeros }) => ({
          suite: suiteOf('QN08'),
          one: one.padStart(8, '0'),
          other: zeros + String(BigInt(one) * 16n ** BigInt(times)),
        }))
        .filter(({ other }) => other.length <= 8),
      fc.record({ suite: fc.constantFrom(suiteOf('QH08'), suiteOf('QA08')), one: hex, other: hex }),
    );
    fc.assert(
      fc.property(pair, ({ suite, one, other }) => {
        const isSame = plainQuestion(suite, one) === plainQuestion(suite, other);
        const stored = other.replace(/^0+|0+$/g, '').toLowerCase();
        expect(!isSame || questionKeys(suite, one).includes(stored)).toBe(true);
        const key = one.replace(/^0+|0+$/g, '').toLowerCase();
        expect(!isSame || questionKeys(suite, other).includes(key)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A text that reports which of its characters are read. */
function watched(text: string): { readonly text: string; readonly read: number[] } {
  const read: number[] = [];
  const charCodeAt = (index: number): number => {
    read.push(index);
    return text.charCodeAt(index);
  };
  return { text: { length: text.length, charCodeAt } as unknown as string, read };
}

describe('comparison of a response', () => {
  it.each([
    ['12345678', '12345678', true],
    ['12345678', '12345679', false],
    ['12345678', '02345678', false],
    ['12345678', '1234567', false],
    ['1234567', '1234567', false],
    ['1234567', '12345670', false],
    ['123456789', '12345678', false],
    ['', '12345678', false],
    ['', '\0\0\0\0\0\0\0\0', false],
    ['1234567é', '1234567é', true],
    ['1234567e', '1234567é', false],
    // The same low byte.
    ['1234567ı', '12345671', false],
  ])('%j is %j of eight characters: %s', (expected, text, isEqual) => {
    expect(textComparison(expected, 8)(text)).toBe(isEqual);
  });

  it('reads every character, whatever differs', () => {
    for (const text of ['12345678', '02345678', '12345670', 'xxxxxxxx']) {
      const { text: given, read } = watched(text);
      textComparison('12345678', 8)(given);
      expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    }
  });
});

const suiteWith = (dataInput: string) => parseOcraSuite(`OCRA-1:HOTP-SHA1-6:${dataInput}`);

/** The bytes after the suite and the zero byte. */
function encoded(dataInput: string, inputs: DataInputs): string {
  const suite = suiteWith(dataInput);
  const bytes = Buffer.from(encodeDataInput(suite, inputs));
  expect(bytes.subarray(0, suite.text.length + 1).toString('ascii')).toBe(`${suite.text}\0`);
  return bytes.subarray(suite.text.length + 1).toString('hex');
}

const question = (hex: string) => hex.padEnd(256, '0');

describe('encodeDataInput', () => {
  it('joins two numeric questions of full length without rounding', () => {
    const both = encoded('QN64', { question: { first: '9'.repeat(64), second: '8'.repeat(64) } });
    expect(both).toBe(question(BigInt('9'.repeat(64) + '8'.repeat(64)).toString(16)));
  });

  it('writes the largest counter', () => {
    expect(encoded('C-QN08', { question: '1', counter: 2n ** 64n - 1n })).toMatch(/^f{16}/);
  });

  it.each<[string, Partial<DataInputs>, RegExp]>([
    ['QN08', { question: '' }, /question is empty/],
    ['QN08', { question: '123456789' }, /question is too long: 9 characters, the suite allows 8/],
    ['QN08', { question: '0000000f' }, /question must be digits/],
    ['QN08', { question: '-1' }, /question must be digits/],
    ['QN08', { question: '0x10' }, /question must be digits/],
    ['QN08', { question: '١٢' }, /question must be digits/],
    ['QN08', { question: '12\n' }, /question must be digits/],
    ['QH08', { question: 'xyz' }, /question must be hexadecimal/],
    ['QA08', { question: 'a b' }, /question must be letters and digits/],
    ['QA08', { question: 'ä' }, /question must be letters and digits/],
    ['QA08', { question: { first: 'CLI22220SRV11110', second: 'x' } }, /question is too long/],
    ['QA08', { question: { first: 'CLI22220', second: '' } }, /question is empty/],
    ['C-QN08', {}, /asks for a counter, and none is given/],
    ['C-QN08', { counter: -1n }, /counter must be a number from 0/],
    ['C-QN08', { counter: 2n ** 64n }, /counter must be a number from 0/],
    ['QN08-P', {}, /asks for a PIN, and none is given/],
    ['QN08-S004', {}, /asks for session information, and none is given/],
    ['QN08-S004', { session: 'ääx' }, /session information is too long: 5 bytes, the suite allows 4/],
    ['QN08-T', {}, /asks for a time step, and none is given/],
    ['QN08-T', { timeStep: -1n }, /time step must be a number from 0/],
  ])('%s with %o is refused', (format, inputs, message) => {
    const error = refusalOf(() => encodeDataInput(suiteWith(format), { question: '1', ...inputs }));
    expect(error.code).toBe('data-input.invalid');
    expect(error.message).toMatch(message);
  });
});
