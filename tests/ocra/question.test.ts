import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Random } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { plainQuestion, questionFromData, questionKeys, ShownQuestions } from '../../src/ocra/question.ts';
import { questionFromHash } from '../support/values/modes.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';

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
    ['QA08', 'Pay 10 EUR to Jo', 'Pay10EUR'],
    ['QA08', 'ABCDEF', 'ABCDEF00'],
    ['QN04', 'none', '0000'],
    ['QN08', '٣٤½²１２３', '00009999'],
    ['QA08', 'äöüß😀', '00009999'],
    ['QN08', '', '99999999'],
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

  it('keep all of the text as long as something random behind it is free', () => {
    const questions = new ShownQuestions(suiteOf('QN08'), '123', systemRandom);
    const used = new Set<string>();
    for (let left = 10; left > 0; left -= 1) {
      const free = findFree(questions, used) ?? '';
      expect(free).toMatch(/^1230000[0-9]$/);
      used.add(free);
    }
    expect(findFree(questions, used)).toMatch(/^1230[0-9]{4}$/);
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

describe('questionFromHash', () => {
  it.each([
    ['QA08', 'abc', 'a9993e36'],
    ['QN06', 'abc', '111148'],
    ['QA64', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ])('%s makes of %j the question %s', (question, data, expected) => {
    expect(questionFromHash(suiteOf(question), data)).toBe(expected);
  });
});
