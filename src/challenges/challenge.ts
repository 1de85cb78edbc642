import type { OwnerId } from '../users/user.ts';
import type { Sealed } from '../keys/vault.ts';
import type { DeclineKind } from '../ocra/decline.ts';
import type { ShownQuestions } from '../ocra/question.ts';
import {
  countedUse,
  isLocked,
  isReserved,
  isUsable,
  type Token,
  type TokenSecrets,
  type TokenStateChange,
} from '../tokens/token.ts';
import type { OcraSettings } from '../configuration/settings.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'transaction.unknown': NoPayload;
    'challenge.too-long': NoPayload;
    /** Every question that could be shown with the text is that of another text. */
    'challenge.no-question': NoPayload;
    /** The values of `qrtanurl`, and the realms of the token whose policies give them. */
    'challenge.url-ambiguous': { readonly urls: readonly string[]; readonly realms: readonly string[] };
  }
}

/**
 * Reason for which a challenge takes no more responses: a right response, too many wrong ones, its replacement by newer
 * challenges or by a new key or owner of the token, or the user, who declined it on the device.
 */
export type ClosedBy = 'accepted' | 'exhausted' | 'superseded' | DeclineKind;

/** A challenge, as one transaction sees it. */
export interface Challenge {
  readonly id: string;
  readonly transactionId: string;
  /** RFC 6287 Q. */
  readonly question: string;
  /** The display data from which the question was made. */
  readonly data: string;
  readonly issuedAt: Date;
  /** From then on it takes no responses, whatever the settings become meanwhile. */
  readonly expiresAt: Date;
  /** True for one that was issued to a PIN or password (`ChallengeTrigger`): the response alone answers it. */
  readonly isTriggered?: true | undefined;
  /** Wrong responses so far, without those given while the token was locked. */
  readonly wrongCount: number;
  readonly receivedTan: boolean;
  readonly validTan: boolean;
  /** null while it is open. A closed challenge never opens again; `declined` may become `reported`. */
  readonly closedBy: ClosedBy | null;
  /** True for that of a sign-in or another act at this server, as a roll-out at the account page: no payment. */
  readonly signIn?: true | undefined;
}

export interface NewChallenge {
  readonly tokenId: string;
  readonly transactionId: string;
  /** RFC 6287 Q, drawn from `questions`. */
  readonly question: string;
  /** The questions that may take its place. */
  readonly questions: ShownQuestions;
  /** The text that the device shows. */
  readonly data: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** As in `Challenge`. */
  readonly isTriggered?: true | undefined;
  /** True for that of a sign-in, which those of others do not supersede. */
  readonly signIn?: true | undefined;
  /** The user by whom the token was found. The token must still have this owner. */
  readonly owner?: OwnerId | undefined;
  /** The token's realms when a realm-bound administrator found it. The token must still have exactly these. */
  readonly realms?: readonly string[] | undefined;
  /** Present for a challenge to a PIN: the token must still have it, and be neither locked nor disabled. */
  readonly pin?: TokenSecrets['pin'];
  /** The token as it was read. While it has this version, all that is required of it holds. */
  readonly seen?: Token;
  /** Of the configuration, where the challenge is to be remembered (`IssuedChallenges`). */
  readonly revision?: bigint;
  /** The secret from which the token's key was derived, in roll-out phase 2. The token must still have it. */
  readonly sharedSecret?: Sealed;
  /** The key that signed the challenge. The token must still have it. */
  readonly key?: Pick<TokenSecrets, 'seed'> & Partial<Pick<TokenSecrets, 'sharedSecret'>>;
}

export interface ChallengeOfToken {
  readonly challenge: Challenge;
  readonly token: Token;
}

/** Selection of challenges: all given fields must match. At least one is given. */
export interface ChallengeFilter {
  readonly transactionId?: string;
  readonly serial?: string;
  readonly owner?: OwnerId;
  /** Selects those that are not closed, without those of sign-ins; they may have expired. */
  readonly open?: true;
}

/** The challenges of a token, or of all tokens of a user. */
export type TokenOrOwner =
  Required<Pick<ChallengeFilter, 'serial'>> | Required<Pick<ChallengeFilter, 'owner'>>;

export type Verdict =
  | {
      readonly kind: 'right';
      readonly advance: Pick<
        TokenStateChange,
        'counter' | 'replayMarkers' | 'syncMarker' | 'timeShift' | 'algorithm' | 'secrets'
      >;
      /** Present where the token's counter is past the response: it may have been made for a text accepted before. */
      readonly isBehind?: true;
    }
  | {
      readonly kind: 'wrong';
      /** Present for the first half of an automatic resynchronisation: the response is refused but remembered. */
      readonly remember?: Pick<TokenStateChange, 'syncMarker'>;
      readonly cause?: WrongCause | undefined;
      /** Present where what was given before the response is right, or rightly nothing. */
      readonly isPin?: true;
    };

/** Every reason of the end of a response: that of the decision, or of none. */
export const RESPONSE_REASONS = [
  'accepted',
  'wrong',
  'exhausted',
  'locked',
  'closed',
  'dropped',
  'expired',
  'disabled',
  'unverifiable',
  'declined',
  'reported',
  'unknown',
  'nothing open',
] as const;

/**
 * The reason of the end of a response. `unknown`: there is no such transaction; `nothing open`: it names none, and no
 * challenge is open.
 */
export type ResponseReason = (typeof RESPONSE_REASONS)[number];

/** Reason of a decision: for the audit, never for the client. */
type Reason = Exclude<ResponseReason, 'unknown' | 'nothing open'>;

/**
 * What is known of a wrong response. `out of step`: PIN and response are right, but for a position beyond the windows,
 * within the sync window; `right PIN`: the response alone is wrong, of a token that takes a PIN or password before it;
 * `right response`: what was given before it is wrong. Follows the reason in the outcome of the audit row.
 */
export type WrongCause = 'out of step' | 'right PIN' | 'right response';

/** Follows the reason of a decline that ended nothing: it came too late, or the token has not signed it (`wrong`). */
export const VAIN_DECLINE: Readonly<Record<DeclineKind, string>> = {
  declined: 'decline',
  reported: 'report',
};

/** The outcome of “this was not me” about a transaction that was only declined: the news of a fraud. */
export const REPORT_AFTER_DECLINE = 'reported, after a decline';

/** The outcomes of a decline of an ended transaction that says nothing new: it was declined so before, in time or too late. */
export const REPEATED_DECLINE: Readonly<Record<DeclineKind, string>> = {
  declined: 'declined again',
  reported: 'reported again',
};

type ChallengeChange = Pick<Challenge, 'wrongCount' | 'receivedTan' | 'validTan' | 'closedBy'>;

/** Wrong responses that close the challenge of a sign-in, if the settings do not allow fewer. */
const SIGN_IN_RESPONSES = 3;

/** The largest value of the database column; far beyond any limit. */
export const MAX_FAIL_COUNT = 2 ** 31 - 1;

/** A challenge that lives longer never expires: the latest time that every program reads, in milliseconds. */
const MAX_TIME = Date.UTC(9999, 11, 31);

export interface Decision {
  readonly result: boolean;
  /** The token's fail counter afterwards, as the client gets it. */
  readonly failCount: number;
  readonly reason: Reason;
  /** As in the verdict. For the audit alone, as the reason. */
  readonly cause?: WrongCause;
  /** Present for a decline that ended nothing. */
  readonly decline?: DeclineKind;
  /** The earlier decline of a transaction that is declined already. */
  readonly repeats?: DeclineKind;
  /** Null if nothing changes. */
  readonly change: { readonly challenge: ChallengeChange; readonly token: TokenStateChange } | null;
  /** Takes its place where a challenge of the token with another text and the same question was accepted. */
  readonly ifConfirmed?: Decision;
}

/** The decision on a response that may answer any of several challenges. */
export interface OpenDecision {
  /** The challenge that the decision is on. */
  readonly answered: ChallengeOfToken;
  readonly decision: Decision;
  /** True where the PIN is right for one of the tokens that were tried and are not locked. */
  readonly isPin?: boolean;
  /** Ids of the challenges of the same token that close with it. */
  readonly supersedes?: readonly string[];
}

export function isOpen(
  { closedBy, expiresAt }: Pick<Challenge, 'closedBy' | 'expiresAt'>,
  now: Date,
): boolean {
  return closedBy === null && now < expiresAt;
}

export function isDropped({ closedBy }: Pick<Challenge, 'closedBy'>): boolean {
  return closedBy !== null && closedBy !== 'accepted';
}

/** @returns the way in which the user has declined the challenge; undefined: not at all */
export function declineOf({ closedBy }: Pick<Challenge, 'closedBy'>): DeclineKind | undefined {
  return closedBy === 'declined' || closedBy === 'reported' ? closedBy : undefined;
}

/**
 * Decides without the response where no response to this challenge can change anything.
 * @returns the decision, or null when the response must be verified
 */
export function decideWithoutResponse(challenge: Challenge, token: Token, now: Date): Decision | null {
  if (challenge.closedBy !== null) {
    return decisionWithoutChange(token, isDropped(challenge) ? 'dropped' : 'closed');
  }
  if (!isOpen(challenge, now)) {
    return decisionWithoutChange(token, 'expired');
  }
  return isUsable(token, now) ? null : decisionWithoutChange(token, 'disabled');
}

/**
 * Decides on a decline. It takes rights away and gives none, so it also ends the challenge of a token that is locked or
 * disabled, and counts nothing. One that the token has not signed is no wrong response: the transaction
 * alone would do to lock the token by it.
 * @param kind undefined: the token has not signed it
 */
export function decideDecline(
  challenge: Challenge,
  token: Token,
  kind: DeclineKind | undefined,
  now: Date,
): Decision {
  if (kind === undefined) {
    return { ...decisionWithoutChange(token, 'wrong'), decline: 'declined' };
  }
  const repeats = declineOf(challenge);
  const { wrongCount, receivedTan, validTan } = challenge;
  const closed = { wrongCount, receivedTan, validTan, closedBy: kind };
  if (repeats !== undefined) {
    // The news of a fraud: it stays closed, for another reason.
    return kind === 'reported' && repeats === 'declined'
      ? { ...decisionWithoutChange(token, kind), repeats, change: { challenge: closed, token: {} } }
      : { ...decisionWithoutChange(token, 'dropped'), decline: kind, repeats };
  }
  if (!isOpen(challenge, now)) {
    const end = challenge.closedBy === 'accepted' ? 'closed' : isDropped(challenge) ? 'dropped' : 'expired';
    return { ...decisionWithoutChange(token, end), decline: kind };
  }
  return {
    ...decisionWithoutChange(token, kind),
    change: { challenge: closed, token: fallback(token) },
  };
}

/** @returns the decision that changes nothing: the server cannot verify the response */
export function decideUnverifiable(token: Token): Decision {
  return decisionWithoutChange(token, 'unverifiable');
}

/**
 * Decides on a response to an open challenge. Correct and wrong responses differ only while the token is not locked, so
 * that a locked token reveals nothing.
 */
export function decide(
  challenge: Challenge,
  token: Token,
  verdict: Verdict,
  settings: OcraSettings,
  now: Date,
): Decision {
  if (isLocked(token)) {
    return refusal(token, 'locked', challenge.wrongCount);
  }
  if (challenge.signIn && isReserved(token)) {
    return reservation(challenge, token);
  }
  if (verdict.kind === 'right') {
    const accepted = acceptance(challenge, token, verdict, now);
    return verdict.isBehind
      ? { ...accepted, ifConfirmed: decide(challenge, token, { kind: 'wrong' }, settings, now) }
      : accepted;
  }
  const wrongCount = challenge.wrongCount + 1;
  const most = Math.min(settings.maxChallengeRequests, challenge.signIn ? SIGN_IN_RESPONSES : Infinity);
  const reason = wrongCount >= most ? 'exhausted' : 'wrong';
  return {
    ...refusal(token, reason, wrongCount, verdict.remember),
    ...(verdict.cause !== undefined && { cause: verdict.cause }),
  };
}

function acceptance(
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
      token: {
        ...verdict.advance,
        failCount: 0,
        lastSuccessAt: now,
        ...countedUse(token.use, true),
        ...completion(token),
      },
    },
  };
}

/** Ends a challenge for which no response is taken. It counts nothing. */
function reservation({ wrongCount }: Challenge, token: Token): Decision {
  return {
    ...decisionWithoutChange(token, 'dropped'),
    change: {
      challenge: { wrongCount, receivedTan: true, validTan: false, closedBy: 'exhausted' },
      token: {},
    },
  };
}

function refusal(
  token: Token,
  reason: 'wrong' | 'exhausted' | 'locked',
  wrongCount: number,
  remember: Pick<TokenStateChange, 'syncMarker'> = {},
): Decision {
  const failCount = Math.min(token.failCount + 1, MAX_FAIL_COUNT);
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
      token: {
        failCount,
        ...remember,
        ...countedUse(token.use, false),
        ...(reason === 'exhausted' ? fallback(token) : {}),
      },
    },
  };
}

/**
 * The changes by the first right response: it completes the roll-out, which needs shared secret and nonce no longer.
 */
function completion(token: Token): TokenStateChange {
  return token.rollout === 'phase2'
    ? { rollout: 'complete', secrets: { sharedSecret: null, nonce: null } }
    : {};
}

/**
 * The changes by too many wrong responses, or a decline, in roll-out phase 2: back to phase 1, where only the shared
 * secret is known.
 */
function fallback(token: Token): TokenStateChange {
  return token.rollout === 'phase2'
    ? { rollout: 'phase1', active: false, secrets: { seed: null, nonce: null } }
    : {};
}

/** @returns the end of a challenge that is issued then: the time from which it takes no responses */
export function expiryOf(issuedAt: Date, { challengeTimeout }: Pick<OcraSettings, 'challengeTimeout'>): Date {
  return new Date(Math.min(issuedAt.getTime() + challengeTimeout * 1000, MAX_TIME));
}

function decisionWithoutChange(
  token: Token,
  reason: Exclude<Reason, 'accepted' | 'exhausted' | 'locked'>,
): Decision {
  return { result: false, failCount: token.failCount, reason, change: null };
}
