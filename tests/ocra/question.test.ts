import { describe, expect, it } from '@jest/globals';
import { type Random } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { questionFromData } from '../../src/ocra/question.ts';
import { questionFromHash } from '../support/values/modes.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';

const suiteOf = (question: string) => parseOcraSuite(`OCRA-1:HOTP-SHA1-6:${question}`);

/** Draws the last of each alphabet. */
const last: Random = { bytes: (size) => Buffer.alloc(size), below: (bound) => bound - 1 };

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

describe('questionFromHash', () => {
  it.each([
    ['QA08', 'abc', 'a9993e36'],
    ['QN06', 'abc', '111148'],
    ['QA64', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ])('%s makes of %j the question %s', (question, data, expected) => {
    expect(questionFromHash(suiteOf(question), data)).toBe(expected);
  });
});
