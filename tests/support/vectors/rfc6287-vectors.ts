import { computeResponse, type Question } from '../../../src/ocra/compute.ts';
import { type OcraSuite, parseOcraSuite } from '../../../src/ocra/suite.ts';
import { verifyResponse } from '../../../src/ocra/verify.ts';
import {
  mutualClientQuestion,
  mutualServerQuestion,
  oneWayQuestion,
  signatureQuestion,
} from '../values/modes.ts';
import { type CheckedRow, fromHex, parseExactly } from './checked-row.ts';

interface Vector {
  readonly suite: string;
  readonly keyHex: string;
  readonly question: string;
  readonly counter?: number;
  readonly pinSha1Hex?: string;
  readonly timeSteps?: number;
  readonly response: string;
}

/** The vectors tell the hash of it. */
const PIN = '1234';

/** Computes each response of RFC 6287, Appendix C, and verifies it. */
export function checkRfc6287(text: string): CheckedRow[] {
  const { vectors } = parseExactly(text) as { readonly vectors: readonly Vector[] };
  return vectors.map((vector) => {
    const { suite, key, ...inputs } = read(vector);
    const now = new Date((vector.timeSteps ?? 0) * 60_000);
    return {
      name: `${vector.suite} ${vector.question} ${vector.response}`,
      holds:
        computeResponse(suite, key, inputs) === vector.response &&
        verifyResponse({ suite, key, ...withoutTime(inputs), response: vector.response, now }) !== undefined,
    };
  });
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
  return {
    suite,
    key: fromHex(vector.keyHex),
    question: questionOf(suite, vector.question),
    pin: vector.pinSha1Hex === undefined ? undefined : PIN,
    counter: vector.counter === undefined ? undefined : BigInt(vector.counter),
    timeStep: vector.timeSteps === undefined ? undefined : BigInt(vector.timeSteps),
  };
}

function withoutTime({ question, pin, counter }: Omit<ReturnType<typeof read>, 'suite' | 'key'>) {
  return { question, pin, counter };
}
