import { describe, expect, it } from '@jest/globals';

import { plainQuestion } from '../../src/ocra/question.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';

describe('the plain form of a question', () => {
  it.each([
    ['QN08', ['1', '00000001', '16', '00000256', '4096'], '00000001'],
    ['QN08', ['0', '00000000'], '00000000'],
    ['QN08', ['17', '272'], '00000017'],
    ['QH08', ['AB', 'ab', 'aB000', 'ab000000'], 'ab000000'],
    ['QA08', ['aB'], 'aB'],
    ['QA08', ['aB00'], 'aB00'],
    // No questions of the suite: too long, or with what is not in its alphabet.
    ['QN08', ['000000001'], '000000001'],
    ['QN08', ['12a'], '12a'],
    ['QH08', ['Ag'], 'Ag'],
    ['QH08', ['ABCDEF0000'], 'ABCDEF0000'],
  ])('is one for all texts of %s that a device takes for the same: %j', (format, questions, plain) => {
    const suite = parseOcraSuite(`OCRA-1:HOTP-SHA256-8:C-${format}`);
    expect(questions.map((question) => plainQuestion(suite, question))).toEqual(questions.map(() => plain));
  });
});
