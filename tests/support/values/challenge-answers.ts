import type { Token } from '../../../src/tokens/token.ts';
import {
  decide,
  decideWithoutResponse,
  type Decision,
  type ChallengeOfToken,
  type NewChallenge,
} from '../../../src/challenges/challenge.ts';
import { readOcraSettings } from '../../../src/configuration/settings.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { ShownQuestions } from '../../../src/ocra/question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';

/** The time of the tests. */
export const NOW = new Date('2026-11-20T12:00:00Z');
/** The end of challenges that are issued then. */
export const LATER = new Date('2026-11-20T12:20:00Z');

/** The defaults, except for the number of wrong responses that closes a challenge. */
function settingsWith(maxChallengeRequests = 3): ReturnType<typeof readOcraSettings> {
  return readOcraSettings(new Map([['OcraMaxChallengeRequests', String(maxChallengeRequests)]]));
}

/** Decides as the service does, on a right response. The counter is the read one plus one. */
export function rightly(maxRequests?: number): (found: ChallengeOfToken) => Promise<Decision> {
  return deciding(
    (token) => ({
      kind: 'right',
      advance: {
        counter: token.counter + 1n,
        replayMarkers: [...token.replayMarkers, `mark ${token.counter}`],
      },
    }),
    maxRequests,
  );
}

/** Decides as the service does, on a wrong response. */
export function wrongly(maxRequests?: number): (found: ChallengeOfToken) => Promise<Decision> {
  return deciding(() => ({ kind: 'wrong' }), maxRequests);
}

function deciding(
  verdict: (token: Token) => Parameters<typeof decide>[2],
  maxRequests?: number,
): (found: ChallengeOfToken) => Promise<Decision> {
  const settings = settingsWith(maxRequests);
  return ({ challenge, token }) =>
    Promise.resolve(
      decideWithoutResponse(challenge, token, NOW) ?? decide(challenge, token, verdict(token), settings, NOW),
    );
}

/** The questions of a challenge whose question a test chooses itself. */
export const QUESTIONS = new ShownQuestions(
  parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64'),
  undefined,
  systemRandom,
);

/** A challenge with the question Q of nobody's choice, as it is issued to a token. */
export function challengeOf(tokenId: string, transactionId: string): NewChallenge {
  const lifetime = { issuedAt: NOW, expiresAt: LATER };
  return { tokenId, transactionId, question: 'Q', questions: QUESTIONS, data: '', ...lifetime };
}
