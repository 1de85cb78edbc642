import { describe, expect, it } from '@jest/globals';
import { computeResponse } from '../../src/ocra/compute.ts';
import type { Question } from '../../src/ocra/data-input.ts';
import {
  mutualClientQuestion,
  mutualServerQuestion,
  oneWayQuestion,
  signatureQuestion,
} from '../support/values/modes.ts';
import { type OcraSuite, parseOcraSuite } from '../../src/ocra/suite.ts';
import { verifyResponse } from '../../src/ocra/verify.ts';
import { readVectors } from '../support/values/vectors.ts';

interface Vector {
  readonly suite: string;
  readonly keyHex: string;
  readonly question: string;
  readonly counter?: number;
  readonly pinSha1Hex?: string;
  readonly timeSteps?: number;
  readonly response: string;
}

/** Appendix C names its questions after the mode: CLI and SRV for mutual, SIG for signatures. */
function questionOf(suite: OcraSuite, question: string): Question {
  const [first, second] = [question.slice(0, 8), question.slice(8)];
  switch (question.slice(0, 3)) {
    case 'CLI':
      return mutualServerQuestion(first, second);
    case 'SRV':
      return mutualClientQuestion(second, first);
    case 'SIG':
      return signatureQuestion(suite, question);
    default:
      return oneWayQuestion(question);
  }
}

function read(vector: Vector) {
  const suite = parseOcraSuite(vector.suite);
  const key = Buffer.from(vector.keyHex, 'hex');
  return {
    suite,
    key,
    question: questionOf(suite, vector.question),
    pinHash: vector.pinSha1Hex === undefined ? undefined : Buffer.from(vector.pinSha1Hex, 'hex'),
    counter: vector.counter === undefined ? undefined : BigInt(vector.counter),
    timeStep: vector.timeSteps === undefined ? undefined : BigInt(vector.timeSteps),
  };
}

const vectors = readVectors<Vector>('rfc6287');

describe('RFC 6287, Appendix C', () => {
  it('has seventy vectors', () => {
    expect(vectors).toHaveLength(70);
  });

  it.each(vectors)('$suite answers $question with $response', (vector) => {
    const { suite, key, ...inputs } = read(vector);
    expect(computeResponse(suite, key, inputs)).toBe(vector.response);
  });

  it.each(vectors)('$suite takes $response for $question', (vector) => {
    const { timeStep, ...inputs } = read(vector);
    const now = new Date(Number(timeStep ?? 0n) * 60_000);
    const found = verifyResponse({ ...inputs, response: vector.response, now });
    expect(found).toMatchObject({ matched: true });
  });
});
