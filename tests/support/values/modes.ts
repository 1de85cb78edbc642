import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { hashOf, type Question, type QuestionPair } from '../../../src/ocra/compute.ts';
import { encodeHex } from '../../../src/ocra/hex.ts';
import type { OcraSuite } from '../../../src/ocra/suite.ts';

/*
 * The modes of RFC 6287 §7 differ only in the question. Each function below names one computation of the RFC and
 * returns the question for it, to be put into a data input, which checks that the texts fit the suite.
 */

/** One-way challenge-response: the client answers the server's question (RFC 6287 §7.1). */
export function oneWayQuestion(serverQuestion: string): Question {
  return serverQuestion;
}

/** Mutual challenge-response, the server's answer, which the client checks: client's question, then server's (§7.2). */
export function mutualServerQuestion(clientQuestion: string, serverQuestion: string): QuestionPair {
  return { first: clientQuestion, second: serverQuestion };
}

/** Mutual challenge-response, the client's answer, which the server checks: server's question, then client's (§7.2). */
export function mutualClientQuestion(clientQuestion: string, serverQuestion: string): QuestionPair {
  return { first: serverQuestion, second: clientQuestion };
}

/**
 * Plain signature: the client signs the server's text (RFC 6287 §7.3.1).
 * @throws ServiceError 'data-input.invalid' for a suite with session information, which signatures do not have (§6.3)
 */
export function signatureQuestion(suite: OcraSuite, toBeSigned: string): Question {
  if (suite.session !== undefined) {
    throw new ServiceError(
      'data-input.invalid',
      'No signature can be computed: a suite for signatures has no session information (S).',
    );
  }
  return toBeSigned;
}

/**
 * The question for a document of any length, made from its hash (RFC 6287 §7.3): the first digits of the suite's hash
 * of the UTF-8 data, in hexadecimal; for a numeric question, the first decimal digits of the number that these are.
 * @returns a question of the suite's length, or shorter where the hash has fewer digits
 */
export function questionFromHash(suite: OcraSuite, data: string): string {
  const { format, length } = suite.question;
  const digits = encodeHex(hashOf(suite.hash, utf8ToBytes(data))).slice(0, length);
  return format === 'N' ? BigInt(`0x${digits}`).toString().slice(0, length) : digits;
}
