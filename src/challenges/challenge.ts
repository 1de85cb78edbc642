import { isLocked, type Token, type TokenStateChange } from '../tokens/token.ts';
import type { OcraSettings } from './ocra-settings.ts';

/**
 * Why a challenge takes no more responses: answered rightly, answered wrongly too often, or pushed out by newer ones or by
 * a new key or owner of the token.
 */
export type ClosedBy = 'accepted' | 'exhausted' | 'superseded';

/** A challenge, as one transaction sees it. */
export interface Challenge {
  readonly id: string;
  readonly transactionId: string;
  /** RFC 6287 Q. */
  readonly question: string;
  /** The display data that the question was made from. */
  readonly data: string;
  readonly issuedAt: Date;
  /** Wrong responses so far, without those given while the token was locked. */
  readonly wrongCount: number;
  readonly receivedTan: boolean;
  readonly validTan: boolean;
  /** null while it is open. A closed challenge never opens again. */
  readonly closedBy: ClosedBy | null;
}

/** What the look at a response said, with the changes that follow for the token. */
export type Verdict =
  | {
      readonly kind: 'right';
      readonly advance: Pick<TokenStateChange, 'counter' | 'replayMarkers' | 'syncMarker' | 'timeShift'>;
    }
  | {
      readonly kind: 'wrong';
      /** Given where it is the first half of an automatic resynchronisation: refused all the same, but remembered. */
      readonly remember?: Pick<TokenStateChange, 'syncMarker'>;
    };

/** Why a response was taken or not: for the audit, never for the client. */
type Reason =
  | 'accepted'
  | 'wrong'
  | 'exhausted'
  | 'locked'
  | 'closed'
  | 'dropped'
  | 'expired'
  | 'disabled'
  | 'unverifiable';

/** What changes of the challenge. */
type ChallengeChange = Pick<Challenge, 'wrongCount' | 'receivedTan' | 'validTan' | 'closedBy'>;

/** What the database holds; far beyond any limit. */
const LARGEST_FAIL_COUNT = 2 ** 31 - 1;

/** The end of one look at one response. */
export interface Decision {
  readonly result: boolean;
  /** The token's fail counter afterwards, as the client is told. */
  readonly failCount: number;
  readonly reason: Reason;
  /** null: nothing changes. */
  readonly change: { readonly challenge: ChallengeChange; readonly token: TokenStateChange } | null;
}

/** @returns whether the challenge still takes responses at `now` */
export function isOpen(
  challenge: Pick<Challenge, 'closedBy' | 'issuedAt'>,
  settings: Pick<OcraSettings, 'challengeTimeout'>,
  now: Date,
): boolean {
  return challenge.closedBy === null && !isExpired(challenge, settings, now);
}

/** @returns whether the challenge was closed without a right response */
export function isDropped({ closedBy }: Pick<Challenge, 'closedBy'>): boolean {
  return closedBy === 'exhausted' || closedBy === 'superseded';
}

/**
 * Whether a response to this challenge can change anything at all; if not, it need not be looked at.
 * @returns the decision that stands without a look, or null when the response must be verified
 */
export function decideUnseen(
  challenge: Challenge,
  token: Token,
  settings: OcraSettings,
  now: Date,
): Decision | null {
  if (challenge.closedBy !== null) {
    return unchanged(token, isDropped(challenge) ? 'dropped' : 'closed');
  }
  if (isExpired(challenge, settings, now)) {
    return unchanged(token, 'expired');
  }
  return token.active ? null : unchanged(token, 'disabled');
}

/** @returns the decision that changes nothing: the response cannot be verified with what the server has */
export function decideUnverifiable(token: Token): Decision {
  return unchanged(token, 'unverifiable');
}

/**
 * Decides on a response to an open challenge, by the table "Life of a challenge". Right and wrong are told apart only
 * while the token is not locked, so that a locked token tells nothing.
 */
export function decide(
  challenge: Challenge,
  token: Token,
  verdict: Verdict,
  settings: OcraSettings,
  now: Date,
): Decision {
  if (isLocked(token)) {
    return refused(token, 'locked', challenge.wrongCount);
  }
  if (verdict.kind === 'right') {
    return accepted(challenge, token, verdict, now);
  }
  const wrongCount = challenge.wrongCount + 1;
  const reason = wrongCount >= settings.maxChallengeRequests ? 'exhausted' : 'wrong';
  return refused(token, reason, wrongCount, verdict.remember);
}

function accepted(
  challenge: Challenge,
  token: Token,
  verdict: Extract<Verdict, { kind: 'right' }>,
  now: Date,
): Decision {
  return {
    result: true,
    failCount: 0,
    reason: 'accepted',
    change: {
      challenge: {
        wrongCount: challenge.wrongCount,
        receivedTan: true,
        validTan: true,
        closedBy: 'accepted',
      },
      token: { ...verdict.advance, failCount: 0, lastSuccessAt: now, ...completion(token) },
    },
  };
}

function refused(
  token: Token,
  reason: 'wrong' | 'exhausted' | 'locked',
  wrongCount: number,
  remember: Pick<TokenStateChange, 'syncMarker'> = {},
): Decision {
  const failCount = Math.min(token.failCount + 1, LARGEST_FAIL_COUNT);
  return {
    result: false,
    failCount,
    reason,
    change: {
      challenge: {
        wrongCount,
        receivedTan: true,
        validTan: false,
        closedBy: reason === 'exhausted' ? 'exhausted' : null,
      },
      token: { failCount, ...remember, ...(reason === 'exhausted' ? fallback(token) : {}) },
    },
  };
}

/** The first right response completes the roll-out: shared secret and nonce have done their work. */
function completion(token: Token): TokenStateChange {
  return token.rollout === 'phase2'
    ? { rollout: 'complete', secrets: { sharedSecret: null, nonce: null } }
    : {};
}

/** Too many wrong responses in roll-out phase 2: back to phase 1, where only the shared secret is known. */
function fallback(token: Token): TokenStateChange {
  return token.rollout === 'phase2'
    ? { rollout: 'phase1', active: false, secrets: { seed: null, nonce: null } }
    : {};
}

function isExpired(
  challenge: Pick<Challenge, 'issuedAt'>,
  settings: Pick<OcraSettings, 'challengeTimeout'>,
  now: Date,
): boolean {
  return now.getTime() >= challenge.issuedAt.getTime() + settings.challengeTimeout * 1000;
}

function unchanged(
  token: Token,
  reason: 'closed' | 'dropped' | 'expired' | 'disabled' | 'unverifiable',
): Decision {
  return { result: false, failCount: token.failCount, reason, change: null };
}
