import { MAX_FAIL_COUNT, type OpenDecision, type Verdict, type WrongCause } from '../challenges/challenge.ts';
import { countedUse, isLocked, type Token, type TokenStateChange } from '../tokens/token.ts';

/** A token that gives responses without a challenge, and what a pass is for it. */
export interface TriedToken {
  readonly token: Token;
  /** On the response, whatever the PIN. */
  readonly verdict: Verdict;
  /** What may be the text of which the token has a hash. The verdict is `wrong` until they are compared. */
  readonly text?: string | undefined;
  readonly isPin: boolean;
  /** False where there is neither PIN nor password, so that anybody could give it. */
  readonly hasSecret: boolean;
}

export interface TokenChangeByPass {
  readonly token: Token;
  readonly change: TokenStateChange;
}

/** Two tokens match: it is refused, and nothing changes. */
const RIGHT_FOR_SEVERAL = 'right for several tokens';

/** The decision on a pass, for all tokens that it may be of. */
export interface PassDecision {
  readonly result: boolean;
  readonly reason: 'accepted' | 'wrong' | 'locked';
  /** What is known of a wrong pass. Follows the reason in the outcome of the audit row, as `WrongCause`. */
  readonly cause?: WrongCause | typeof RIGHT_FOR_SEVERAL | undefined;
  /** The token of the audit row. */
  readonly subject: Token;
  readonly changes: readonly TokenChangeByPass[];
  /** What changes of an open challenge and its token. */
  readonly open?: OpenDecision;
  /** Present where it is refused, and a challenge is open: its PIN decides whether it counts for that. */
  readonly isBesideOpen?: true;
}

interface Tried {
  readonly tokens: readonly TriedToken[];
  /** What the pass would be for the open challenges of the user; undefined: none is open. */
  readonly open: OpenDecision | undefined;
  /** The token of a PIN that would have issued a challenge, were it right; counted as they are. */
  readonly guessed: Token | undefined;
  /** The token of the audit row where the pass is counted for none. */
  readonly first: Token;
}

/**
 * Decides on a pass for all tokens of a user, or for the one of a serial:
 *
 * - right for one: it moves on, and the fail counters of those without a challenge are 0 again, but for locked ones
 * - right for two: refused, and nothing changes
 * - wrong: counted for those that are not locked and whose PIN was right, or for all where there are none. A locked token
 *   takes nothing, right or wrong alike
 */
export function decidePass(tried: Tried, now: Date): PassDecision {
  const { tokens, open } = tried;
  const isOpenRight = open?.decision.result === true;
  const [matched, ...further] = tokens.filter(isRight);
  if (matched === undefined) {
    return isOpenRight
      ? { result: true, reason: 'accepted', subject: open.answered.token, changes: resets(tokens), open }
      : refused(tried);
  }
  const { token, verdict } = matched;
  if (isOpenRight || further.length > 0) {
    return { result: false, reason: 'wrong', cause: RIGHT_FOR_SEVERAL, subject: token, changes: [] };
  }
  const advance = verdict.kind === 'right' ? verdict.advance : {};
  const change = { ...advance, failCount: 0, lastSuccessAt: now, ...countedUse(token.use, true) };
  const others = tokens.filter((one) => one !== matched);
  return {
    result: true,
    reason: 'accepted',
    subject: token,
    changes: [{ token, change }, ...resets(others)],
  };
}

/** @returns true if the pass is right for the token, and it may be used */
export function isRight({ token, verdict, isPin }: TriedToken): boolean {
  return verdict.kind === 'right' && isPin && !isLocked(token);
}

/** @returns true if there is a response, and it is right, whatever the PIN */
export function isRightResponse({ token, verdict }: Pick<TriedToken, 'token' | 'verdict'>): boolean {
  return token.type !== 'spass' && verdict.kind === 'right';
}

function resets(tokens: readonly TriedToken[]): readonly TokenChangeByPass[] {
  return tokens
    .map(({ token }) => token)
    .filter((token) => token.failCount > 0 && !isLocked(token))
    .map((token) => ({ token, change: { failCount: 0 } }));
}

function refused({ tokens, open, guessed, first }: Tried): PassDecision {
  // A locked one would absorb the guesses at the others.
  const withPin = tokens.filter(({ token, isPin }) => isPin && !isLocked(token));
  const isOpenPin = open?.isPin === true;
  const isPin = withPin.length > 0 || isOpenPin;
  const counted = (isPin ? withPin : tokens).map((tried) => count(tried, isPin));
  const isTriggering = guessed !== undefined && !isPin && isUncountedFor(guessed, open);
  const changes = isTriggering ? [...counted, failed(guessed)] : counted;
  const refused = refusal(changes, isOpenPin || !isPin ? open : undefined, first);
  const beside = open === undefined ? {} : ({ isBesideOpen: true } as const);
  return { ...refused, result: false, ...beside, ...causeOf(refused, tokens) };
}

/** @returns true where no challenge counts a guess at the token: none is open, or that of another one that cannot answer */
export function isUncountedFor({ id }: Token, open: OpenDecision | undefined): boolean {
  if (open === undefined) {
    return true;
  }
  const { decision, answered } = open;
  const isCounted = decision.result || (decision.change !== null && decision.reason !== 'locked');
  return !isCounted && answered.token.id !== id;
}

function refusal(
  changes: readonly TokenChangeByPass[],
  open: OpenDecision | undefined,
  first: Token,
): Omit<PassDecision, 'result'> {
  const { token } = changes.find(locks) ?? changes[0] ?? open?.answered ?? { token: first };
  const isLockedAlready = changes.length > 0 && changes.every((change) => isLocked(change.token));
  return {
    reason: isLockedAlready ? 'locked' : 'wrong',
    subject: token,
    changes,
    ...(open !== undefined && { open }),
  };
}

/** A locked token tells nothing. */
function causeOf(
  { reason, subject }: Pick<PassDecision, 'reason' | 'subject'>,
  tokens: readonly TriedToken[],
): Pick<PassDecision, 'cause'> {
  const tried = tokens.find(({ token }) => token === subject);
  if (tried === undefined || reason === 'locked') {
    return {};
  }
  if (tried.isPin) {
    return tried.hasSecret ? { cause: 'right PIN' } : {};
  }
  return isRightResponse(tried) ? { cause: 'right response' } : {};
}

/** The first half of an automatic resynchronisation is one with the right PIN alone. */
function count({ token, verdict }: TriedToken, isPin: boolean): TokenChangeByPass {
  const { change } = failed(token);
  const remember = isPin && verdict.kind === 'wrong' ? verdict.remember : {};
  return { token, change: { ...change, ...countedUse(token.use, false), ...remember } };
}

function failed(token: Token): TokenChangeByPass {
  return { token, change: { failCount: Math.min(token.failCount + 1, MAX_FAIL_COUNT) } };
}

/** @returns true if the change locks the token */
export function locks({ token, change: { failCount = token.failCount } }: TokenChangeByPass): boolean {
  return !isLocked(token) && isLocked({ failCount, maxFail: token.maxFail });
}
