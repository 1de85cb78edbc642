import { REPORTED_AGAIN, REPORTED_LATE } from './transaction-texts.ts';

/** The reason why a token accepts no responses; `ready`: nothing. */
export type TokenState = 'ready' | 'lost' | 'locked' | 'disabled' | 'phase1' | 'phase2' | UseBound;

/** Before its period, after it, or with a count at its maximum. */
export type UseBound = 'early' | 'expired' | 'used-up';

/** The period of a token, and how often it may be used. */
export interface TokenUse {
  readonly valid_from: string | null;
  readonly valid_until: string | null;
  readonly use_count: number;
  readonly max_uses: number | null;
  readonly success_count: number;
  readonly max_successes: number | null;
}

interface Switches {
  readonly lost_at: string | null;
  readonly use: TokenUse;
  readonly active: boolean;
  readonly is_locked: boolean;
  readonly rollout: 'phase1' | 'phase2' | 'complete';
}

/** The rights of a session, as /admin/rights answers them. */
export interface Rights {
  readonly rights: readonly {
    readonly scope: string;
    readonly action: string;
    readonly realms: '*' | readonly string[];
  }[];
}

/** @returns the first reason why a response would be refused, as the helpdesk has to mend it */
export function stateOf(token: Switches, now = new Date()): TokenState {
  const { active, is_locked: locked, rollout, use } = token;
  if (token.lost_at !== null) {
    return 'lost';
  }
  if (rollout === 'phase1') {
    return 'phase1';
  }
  if (!active) {
    return 'disabled';
  }
  if (locked) {
    return 'locked';
  }
  return boundOf(use, now) ?? (rollout === 'phase2' ? 'phase2' : 'ready');
}

/** @returns what keeps the token from taking responses; undefined: neither its period nor a count does */
export function boundOf(use: TokenUse, now: Date): UseBound | undefined {
  if (use.valid_until !== null && now >= new Date(use.valid_until)) {
    return 'expired';
  }
  if (isReached(use.use_count, use.max_uses) || isReached(use.success_count, use.max_successes)) {
    return 'used-up';
  }
  return use.valid_from !== null && now < new Date(use.valid_from) ? 'early' : undefined;
}

interface OtpWords {
  readonly digits: (count: number) => string;
  readonly each: (seconds: number) => string;
}

/** As the server names it: `HOTP-SHA1-6`, `TOTP-SHA256-8:T30S`. */
const OTP_ALGORITHM = /^(HOTP|TOTP)-(SHA\d+)-(\d)(?::(T30S|T1M))?$/;

/** @returns the algorithm of HOTP and TOTP in words; an OCRA suite as it is */
export function algorithmOf(suite: string | null, words: OtpWords): string | null {
  const [, name, hash = '', digits, step] = OTP_ALGORITHM.exec(suite ?? '') ?? [];
  return name === undefined
    ? suite
    : [
        name,
        hash.replace('SHA', 'SHA-'),
        words.digits(Number(digits)),
        ...(step === undefined ? [] : [words.each(step === 'T1M' ? 60 : 30)]),
      ].join(', ');
}

/** What became of a transaction, as /admin/transaction/show answers it. */
interface Course {
  readonly state: string;
  readonly events: readonly { readonly event: string; readonly reason: string }[];
}

const REFUSALS: readonly string[] = ['wrong', 'given up', 'refused'];

/** @returns true if the user said “this was not me”, also after the transaction had ended */
export function wasReported({ state, events }: Course): boolean {
  return (
    state === 'reported' ||
    events.some(
      ({ event, reason }) => event === 'reported' || [REPORTED_LATE, REPORTED_AGAIN].includes(reason),
    )
  );
}

/** @returns what calls for a next step: a report before all else; undefined: nothing does */
export function occasionOf(course: Course): 'report' | 'refusal' | undefined {
  if (wasReported(course)) {
    return 'report';
  }
  const { state, events } = course;
  const isEnded = state === 'accepted' || state === 'declined';
  return !isEnded && events.some(({ event }) => REFUSALS.includes(event)) ? 'refusal' : undefined;
}

/** The remedies of a refused transaction. */
export interface Remedies {
  readonly switches: readonly ('reset' | 'enable')[];
  readonly acts: readonly ('resync' | 'pin' | 'use')[];
  /** True: a roll-out gives the token its key. */
  readonly isToEnrol: boolean;
}

/** @returns what mends the token as it is now, and what the last refusal tells: the next steps after refused responses */
export function remediesOf(
  token: Switches,
  { isOutOfStep, isPinWrong }: { readonly isOutOfStep: boolean; readonly isPinWrong: boolean },
  now = new Date(),
): Remedies {
  const isToEnrol = token.rollout === 'phase1';
  return {
    switches: [
      ...(token.is_locked ? (['reset'] as const) : []),
      ...(!token.active && !isToEnrol && token.lost_at === null ? (['enable'] as const) : []),
    ],
    acts: [
      ...(isOutOfStep ? (['resync'] as const) : []),
      ...(isPinWrong ? (['pin'] as const) : []),
      ...(boundOf(token.use, now) === undefined ? [] : (['use'] as const)),
    ],
    isToEnrol,
  };
}

function isReached(count: number, max: number | null): boolean {
  return max !== null && count >= max;
}

/**
 * @returns true if a right of the scope admin holds in one of the token's realms; without realms it must hold
 *   everywhere
 */
export function mayOnToken(
  { rights }: Rights,
  requested: string,
  { realms: ofToken }: { readonly realms: readonly string[] },
): boolean {
  return rights.some(
    ({ scope, action, realms }) =>
      scope === 'admin' &&
      action === requested &&
      (realms === '*' || ofToken.some((realm) => realms.includes(realm))),
  );
}

/** The acts on a token that need some input or a question. */
export type TokenAct =
  | 'lost'
  | 'found'
  | 'resync'
  | 'pin'
  | 'removePin'
  | 'describe'
  | 'use'
  | 'assign'
  | 'unassign'
  | 'realms'
  | 'remove';
