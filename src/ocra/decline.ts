import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { encodeDataInput, responder, textComparison } from './compute.ts';
import { hashLength, type OcraSuite } from './suite.ts';

/** `declined`: the user does not want it. `reported`: the user says that somebody else has started it. */
export type DeclineKind = 'declined' | 'reported';

/** The challenge that is declined. */
interface DeclinedChallenge {
  /** RFC 6287 Q. */
  readonly question: string;
  readonly transactionId: string;
}

/**
 * The algorithm in place of `OCRA-1`. The data input of a response begins with that, and the text of a signed code with
 * `lseqr`: what one of the three says is never said by another (docs/adr/0034-declined-challenges.md).
 */
const ALGORITHMS: Readonly<Record<DeclineKind, string>> = { declined: 'DECLINE-1', reported: 'REPORT-1' };

/**
 * Computes the decline of a challenge: the whole HMAC of `algorithm:suite | 00 | Q | transaction`, under the token's key.
 * It takes no counter, time or PIN: it is bound to the transaction, and can only end it.
 * @returns lower-case hexadecimal digits, two for each byte of the suite's hash
 * @throws ServiceError 'data-input.invalid' for a question that the suite does not allow, or an empty key
 */
export function computeDecline(
  suite: OcraSuite,
  key: Uint8Array,
  { question, transactionId }: DeclinedChallenge,
  kind: DeclineKind,
): string {
  const form: OcraSuite = {
    text: `${ALGORITHMS[kind]}:${suite.text}`,
    hash: suite.hash,
    truncation: 0,
    counter: false,
    question: suite.question,
  };
  const dataInput = concatBytes(encodeDataInput(form, { question }), utf8ToBytes(transactionId));
  return responder(form, key)(dataInput);
}

/**
 * Verifies a decline in constant time: both kinds are computed, whatever it is.
 * @returns undefined unless it is signed with the key, for this challenge
 */
export function verifyDecline(
  suite: OcraSuite,
  key: Uint8Array,
  challenge: DeclinedChallenge,
  decline: string,
): DeclineKind | undefined {
  const isEqual = textComparison(decline.toLowerCase(), 2 * hashLength(suite.hash));
  const [declined, reported] = (['declined', 'reported'] as const).map((kind) =>
    isEqual(computeDecline(suite, key, challenge, kind)),
  );
  return declined === true ? 'declined' : reported === true ? 'reported' : undefined;
}
