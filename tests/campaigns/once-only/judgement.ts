import type { GivenResponse } from './operations.ts';
import { hasCounter, hasTime, look, plainQuestion, use, type Usable, type Verdict } from './responses.ts';
import type { Challenge, State, Token } from './state.ts';

/** A response on its way to be judged; the state is changed by it. */
export interface Hearing {
  readonly state: State;
  readonly pin: string;
  readonly response: GivenResponse;
  readonly now: number;
  /** Challenges are taken to be as old as they may be. */
  readonly isLate: boolean;
}

/** What became of a response. */
export interface Judged {
  readonly failcount: number;
  readonly result: boolean;
  readonly decision: string | null;
}

export const NOTHING: Judged = { failcount: 0, result: false, decision: null };

/** An open challenge with its token, and what the response is for it. */
interface Tried {
  readonly challenge: Challenge;
  readonly token: Token;
  readonly verdict: Verdict;
}

/** Applies the table "Life of a challenge" to a response for that challenge. */
export function judge(hearing: Hearing, challenge: Challenge, seen?: Verdict): Judged {
  const token = hearing.state.tokens[challenge.serial];
  if (token === undefined) {
    return NOTHING;
  }
  const decision = decide(hearing, challenge, token, seen);
  return { failcount: token.failCount, result: decision === 'accepted', decision };
}

/**
 * Judges a response without a transaction: for the newest open challenge that it is right for. Otherwise it counts once:
 * for the token that it begins to resynchronise, or the newest one; for a locked token only if all are locked.
 * @param challenges oldest first
 * @param most the most challenges of a token that are tried
 */
export function judgeOpen(hearing: Hearing, challenges: readonly Challenge[], most: number): Judged {
  const open = challenges
    .filter((one) => one.closed === null && !hasExpired(hearing, one))
    .sort((one, other) => one.issued[0] - other.issued[0])
    .reverse()
    .flatMap((challenge): Tried[] => {
      const token = hearing.state.tokens[challenge.serial];
      // A token that is not enabled may have no key.
      const verdict = token?.active === true ? lookAt(hearing, token, challenge) : null;
      return token === undefined ? [] : [{ challenge, token, verdict }];
    });
  const chosen = choose(open, most);
  const judged = chosen === undefined ? NOTHING : judge(hearing, chosen.challenge, chosen.verdict);
  if (judged.result && chosen !== undefined) {
    closeSharing(chosen, open);
  }
  return judged;
}

function choose(open: readonly Tried[], most: number): Tried | undefined {
  const active = open.filter(({ token }) => token.active);
  const unlocked = active.filter(({ token }) => token.failCount < token.maxFail);
  const tried = unlocked.filter((one) => unlocked.filter(isOfTheSame(one)).indexOf(one) < most);
  const right = tried.find(({ verdict }) => verdict !== null && 'usable' in verdict);
  const half = tried.find(({ verdict }) => verdict !== null && 'ahead' in verdict);
  const blamed = (half && unlocked.find(isOfTheSame(half))) ?? unlocked[0] ?? active[0] ?? open[0];
  return right ?? (blamed && { ...blamed, verdict: half?.verdict ?? null });
}

function isOfTheSame({ token }: Tried): (other: Tried) => boolean {
  return (other) => other.token === token;
}

/** Without counter and time, a response fits every challenge with its question: none of them stays open. */
function closeSharing(answered: Tried, open: readonly Tried[]): void {
  const { suite, key } = answered.token;
  if (hasCounter(suite) || hasTime(suite) || key === null) {
    return;
  }
  const question = ({ challenge }: Tried): string => plainQuestion(suite, challenge.question ?? '');
  for (const other of open.filter(isOfTheSame(answered))) {
    if (other.challenge.closed === null && question(other) === question(answered)) {
      other.challenge.closed = 'superseded';
    }
  }
}

function hasExpired({ now, isLate }: Hearing, { issued, lifetime }: Challenge): boolean {
  return now >= issued[isLate ? 0 : 1] + lifetime;
}

function decide(hearing: Hearing, challenge: Challenge, token: Token, seen: Verdict | undefined): string {
  if (challenge.closed !== null) {
    return challenge.closed === 'accepted' ? 'closed' : 'dropped';
  }
  if (hasExpired(hearing, challenge)) {
    return 'expired';
  }
  if (!token.active) {
    return 'disabled';
  }
  challenge.received = true;
  if (token.failCount >= token.maxFail) {
    token.failCount += 1;
    return 'locked';
  }
  const verdict = seen === undefined ? lookAt(hearing, token, challenge) : seen;
  if (verdict === null || 'ahead' in verdict) {
    return refuse(hearing.state, challenge, token, verdict);
  }
  return isOfAcceptedText(hearing.state, challenge, token, verdict.usable)
    ? refuse(hearing.state, challenge, token, null)
    : accept(hearing.state, challenge, token, verdict.usable);
}

/** @returns true for a response behind the counter that the device may have made for another text, accepted since */
function isOfAcceptedText(
  { challenges }: State,
  { serial, text, question }: Challenge,
  { suite, counter }: Token,
  { position }: Usable,
): boolean {
  const isBehind = hasCounter(suite) && position !== null && position < counter;
  return (
    isBehind &&
    challenges.some(
      (one) =>
        one.serial === serial &&
        one.valid &&
        one.text !== text &&
        plainQuestion(suite, one.question ?? '') === plainQuestion(suite, question ?? ''),
    )
  );
}

function lookAt({ state, pin, response, now }: Hearing, token: Token, { question }: Challenge): Verdict {
  const autoResync = state.configuration.AutoResync === 'True';
  return pin === token.pin && question !== null ? look(token, question, response, { now, autoResync }) : null;
}

function accept({ challenges }: State, challenge: Challenge, token: Token, usable: Usable): string {
  use(token, usable);
  Object.assign(challenge, { valid: true, closed: 'accepted' });
  for (const one of challenges.filter(({ serial }) => serial === token.serial)) {
    one.isPast = true;
  }
  token.failCount = 0;
  if (token.rollout === 'phase2') {
    Object.assign(token, { rollout: 'complete', secret: null });
  }
  return 'accepted';
}

function refuse(
  { configuration }: State,
  challenge: Challenge,
  token: Token,
  half: Pick<Token, 'ahead'> | null,
): string {
  token.failCount += 1;
  token.ahead = half?.ahead ?? token.ahead;
  challenge.wrong += 1;
  if (challenge.wrong < Number(configuration.OcraMaxChallengeRequests)) {
    return 'wrong';
  }
  challenge.closed = 'exhausted';
  if (token.rollout === 'phase2') {
    Object.assign(token, { rollout: 'phase1', active: false, key: null });
  }
  return 'exhausted';
}
