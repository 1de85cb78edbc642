import { ServiceError } from '../kernel/errors.ts';
import type { Question, QuestionPair } from './data-input.ts';
import type { OcraSuite } from './suite.ts';

/*
 * The modes of RFC 6287 §7 differ only in what is asked. Each function below names one computation of the RFC and gives
 * the question for it, to be put into a data input; whether the texts fit the suite is checked there.
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
 * Plain signature: the client signs what the server asks it to (RFC 6287 §7.3.1).
 * @throws ServiceError 'data-input.invalid' for a suite with session information, which signatures do not know (§6.3)
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
