import { type AuditRow, auditTime, withoutPinVerdict } from '../audit/audit-row.ts';
import type { TransactionRows } from '../audit/audit-store.ts';
import type { DeclineKind } from '../ocra/decline.ts';
import {
  type ClosedBy,
  type Decision,
  REPEATED_DECLINE,
  REPORT_AFTER_DECLINE,
  VAIN_DECLINE,
  type WrongCause,
} from './challenge.ts';

/**
 * `given up`: the wrong response that closes the challenge. `refused`: a response or a decline that changes nothing, or a
 * lock.
 */
type TransactionEventKind =
  'issued' | 'wrong' | 'accepted' | 'given up' | 'refused' | 'expired' | 'superseded' | DeclineKind | 'other';

/** `ended`: not answered, and no longer stored; whether it expired or was replaced is not known. */
type TransactionState = 'open' | 'expired' | 'accepted' | 'given up' | 'superseded' | DeclineKind | 'ended';

/** One event of a transaction. */
export interface TransactionEvent {
  /** UTC, to the microsecond: `2026-11-21T09:30:00.123000Z`. */
  readonly at: string;
  readonly event: TransactionEventKind;
  /** In words; empty where the event says it all. */
  readonly reason: string;
  /** `ocra/request`, `ocra/check_t`, …; empty for a derived event, as are the next three. */
  readonly action: string;
  readonly actor: string;
  readonly client: string;
  readonly requestId: string;
  /** True if no audit row reports the event: it follows from the challenge and the settings of now. */
  readonly derived: boolean;
}

/** The history of a transaction. */
export interface Timeline {
  readonly state: TransactionState;
  /** In the order of time. */
  readonly events: readonly TransactionEvent[];
}

/** A stored challenge by its transaction, without question and key. */
export interface StoredTransaction {
  readonly serial: string;
  /** The realms of the token now. */
  readonly realms: readonly string[];
  /** The display data. */
  readonly data: string;
  readonly issuedAt: Date;
  readonly closedBy: ClosedBy | null;
  /** Null while it is open. */
  readonly closedAt: Date | null;
}

/** Sources of a history. */
interface HistorySources {
  /** Undefined: the challenge is no longer stored. */
  readonly stored: StoredTransaction | undefined;
  readonly trail: TransactionRows;
  /** Seconds for which a challenge is open. */
  readonly challengeTimeout: number;
  readonly now: Date;
  /** True: whether the PIN or the response was right is not told. */
  readonly isPinWithheld: boolean;
}

type EventMeaning = Pick<TransactionEvent, 'event' | 'reason'>;

/** The events by the outcome of their rows. */
const EVENT_BY_OUTCOME: Readonly<Record<'issued' | Decision['reason'], EventMeaning>> = {
  issued: { event: 'issued', reason: '' },
  accepted: { event: 'accepted', reason: '' },
  wrong: { event: 'wrong', reason: 'wrong response or PIN' },
  exhausted: { event: 'given up', reason: 'too many wrong responses' },
  closed: { event: 'refused', reason: 'replay: a response was accepted before' },
  dropped: { event: 'refused', reason: 'the challenge is declined, given up or superseded' },
  expired: { event: 'refused', reason: 'the challenge has expired' },
  disabled: { event: 'refused', reason: 'the token is disabled' },
  locked: { event: 'refused', reason: 'the token is locked' },
  unverifiable: { event: 'refused', reason: 'the token has no key to verify with' },
  declined: { event: 'declined', reason: '' },
  reported: { event: 'reported', reason: '' },
};

/** The events of further declines, by their outcome. */
const EVENT_BY_REPEAT: Readonly<Record<string, EventMeaning>> = {
  [REPORT_AFTER_DECLINE]: { event: 'reported', reason: '' },
  [REPEATED_DECLINE.declined]: { event: 'refused', reason: 'declined again' },
  [REPEATED_DECLINE.reported]: { event: 'refused', reason: 'reported again: this was not me' },
};

const FORGED_DECLINE = 'a decline that the token has not signed';

/** The reason of a wrong response whose token needs to be resynchronised. */
export const OUT_OF_STEP_REASON = 'the token is out of step';

const CAUSES: Readonly<Record<WrongCause, string>> = {
  'out of step': OUT_OF_STEP_REASON,
  'right PIN': 'the PIN was right, the response was wrong',
  'right response': 'the response was right, the PIN was wrong',
};

const EVENT_BY_CLOSING: Readonly<Record<ClosedBy, EventMeaning>> = {
  ...EVENT_BY_OUTCOME,
  superseded: { event: 'superseded', reason: 'a newer challenge, key or owner' },
};

/** @returns the history that the challenge and its rows tell, with the events that have no row */
export function timelineOf(sources: HistorySources): Timeline {
  const reported = sources.trail.rows.map((row) => reportedEvent(row, sources));
  const has = (event: TransactionEventKind): boolean => reported.some((one) => one.event === event);
  const issued = has('issued') ? [] : derivedIssue(sources);
  const closed = derivedClosing(sources, has);
  const known = [...issued, ...reported, ...closed];
  const expiry = expiryOf(sources, known);
  const events = [...known, ...derivedExpiry(sources, known, expiry)];
  // The sort is stable: of equal times, the rows keep their order.
  events.sort((left, right) => (left.at < right.at ? -1 : Number(left.at > right.at)));
  return { state: stateOf(sources.stored, events, expiry !== undefined), events };
}

function reportedEvent(row: AuditRow, { isPinWithheld }: HistorySources): TransactionEvent {
  const { at, action, actor, client, requestId } = row;
  const outcome = isPinWithheld ? withoutPinVerdict(row.outcome) : row.outcome;
  const meaning = meaningOf(outcome) ?? { event: 'other', reason: outcome };
  return { at, ...meaning, action, actor, client, requestId, derived: false };
}

function meaningOf(outcome: string): EventMeaning | undefined {
  if (Object.hasOwn(EVENT_BY_REPEAT, outcome)) {
    return EVENT_BY_REPEAT[outcome];
  }
  const [word = '', detail] = outcome.split(', ');
  if (!Object.hasOwn(EVENT_BY_OUTCOME, word)) {
    return undefined;
  }
  const known = EVENT_BY_OUTCOME[word as keyof typeof EVENT_BY_OUTCOME];
  switch (detail) {
    case undefined:
      return known;
    case VAIN_DECLINE.declined:
      return { event: 'refused', reason: word === 'wrong' ? FORGED_DECLINE : 'declined too late' };
    case VAIN_DECLINE.reported:
      return { event: 'refused', reason: 'reported too late: this was not me' };
    default:
      return Object.hasOwn(CAUSES, detail) ? { ...known, reason: CAUSES[detail as WrongCause] } : undefined;
  }
}

function derivedEvent(at: string, meaning: EventMeaning): TransactionEvent {
  return { at, ...meaning, action: '', actor: '', client: '', requestId: '', derived: true };
}

/** A challenge that was moved in from elsewhere, or whose row was pruned. */
function derivedIssue({ stored }: HistorySources): readonly TransactionEvent[] {
  return stored === undefined ? [] : [derivedEvent(auditTime(stored.issuedAt), EVENT_BY_OUTCOME.issued)];
}

/** A challenge that newer ones replaced has no row of its own for it; other closings have one, unless it was pruned. */
function derivedClosing(
  { stored, trail }: HistorySources,
  has: (event: TransactionEventKind) => boolean,
): readonly TransactionEvent[] {
  const { closedBy = null, closedAt = null } = stored ?? {};
  if (closedBy === null || closedAt === null || trail.more > 0) {
    return [];
  }
  const meaning = EVENT_BY_CLOSING[closedBy];
  return has(meaning.event) ? [] : [derivedEvent(auditTime(closedAt), meaning)];
}

/** Events that only an open challenge has. */
const WHILE_OPEN: readonly TransactionEventKind[] = [
  'issued',
  'wrong',
  'accepted',
  'given up',
  'declined',
  'reported',
];

/**
 * @returns the end of the time in which it could be answered, if that is over. Where the time was longer then than it is
 *   now, the end is not before the last sign that it was open
 */
function expiryOf(
  { stored, challengeTimeout, now }: HistorySources,
  known: readonly TransactionEvent[],
): string | undefined {
  const issuedAt = stored?.issuedAt.getTime() ?? Date.parse(known.find(isIssue)?.at ?? '');
  const end = new Date(issuedAt + challengeTimeout * 1000);
  if (!(end <= now)) {
    return undefined;
  }
  const signs = known.filter(({ event }) => WHILE_OPEN.includes(event)).map(({ at }) => at);
  return [auditTime(end), ...signs].reduce((latest, at) => (at > latest ? at : latest));
}

/** The expiry of a challenge that nothing closed before. Rows that are left out may have closed it. */
function derivedExpiry(
  { trail }: HistorySources,
  known: readonly TransactionEvent[],
  expiry: string | undefined,
): readonly TransactionEvent[] {
  if (expiry === undefined || trail.more > 0) {
    return [];
  }
  const isClosed = known.some(
    (one) =>
      ['accepted', 'given up', 'superseded', 'declined', 'reported'].includes(one.event) && one.at <= expiry,
  );
  return isClosed ? [] : [derivedEvent(expiry, { event: 'expired', reason: '' })];
}

function isIssue({ event }: TransactionEvent): boolean {
  return event === 'issued';
}

function stateOf(
  stored: StoredTransaction | undefined,
  events: readonly TransactionEvent[],
  isOver: boolean,
): TransactionState {
  const has = (event: TransactionEventKind): boolean => events.some((one) => one.event === event);
  const end = (['accepted', 'given up', 'reported', 'declined'] as const).find(has);
  if (end !== undefined) {
    return end;
  }
  if (stored === undefined) {
    return 'ended';
  }
  if (stored.closedBy !== null) {
    return EVENT_BY_CLOSING[stored.closedBy].event as TransactionState;
  }
  return isOver ? 'expired' : 'open';
}
