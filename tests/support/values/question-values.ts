import { systemRandom } from '../../../src/kernel/system-random.ts';
import { ShownQuestions } from '../../../src/ocra/question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';

/** The questions of a challenge whose question a test chooses itself. */
export const QUESTIONS = new ShownQuestions(
  parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64'),
  undefined,
  systemRandom,
);
