import { z } from 'zod';
import type { AuditStore, TransactionRows } from '../audit/audit-store.ts';
import { coversRow, grantedRealms } from '../audit/audit-reading.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { type AccessControl, boundsOf, type Grant } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import { isCovered, isVisible } from '../tokens/token.ts';
import { readOcraSettings } from '../configuration/settings.ts';
import type { ChallengeFactory } from './challenge-factory.ts';
import type { ChallengeStore, StoredTransaction } from './challenge-store.ts';
import { type AuditRow, auditTime, withoutPinVerdict } from '../audit/audit-row.ts';
import {
  type ClosedBy,
  type Decision,
  expiryOf,
  REPEATED_DECLINE,
  REPORT_AFTER_DECLINE,
  VAIN_DECLINE,
  type WrongCause,
} from './challenge.ts';

/** The states of a transaction whose challenge is stored. */
export const STORED_STATES = [
  'open',
  'expired',
  'accepted',
  'given up',
  'superseded',
  'declined',
  'reported',
] as const;
/** `ended`: not answered, and no longer stored; whether it expired or was replaced is not known. */
export const TRANSACTION_STATES = [...STORED_STATES, 'ended'] as const;

const EVENT = z.object({
  at: z.string().meta({ column: 'TIME', description: 'UTC, to the microsecond' }),
  // `given up`: the wrong response that closes the challenge. `refused`: a response or a decline that changes nothing,
  // or a lock.
  event: z
    .enum([
      'issued',
      'wrong',
      'accepted',
      'given up',
      'refused',
      'expired',
      'superseded',
      'declined',
      'reported',
      'other',
    ])
    .meta({ column: 'EVENT' }),
  reason: z.string().meta({ column: 'REASON', description: 'in words; empty where the event says it all' }),
  action: z
    .string()
    .meta({ column: 'ACTION', description: 'the action of the audit row; empty for a derived event' }),
  // The actor, the client and the id of the request are empty for a derived event, too.
  actor: z.string().meta({ column: 'ACTOR' }),
  client: z.string().meta({ column: 'CLIENT' }),
  requestId: z.string().meta({ column: 'REQUEST' }),
  // From the challenge and the settings of now.
  isDerived: z.boolean().describe('true: no audit row reports the event, it follows from the challenge'),
});

/** A transaction, and what happened to it. Holds no key, and the question in the code alone. */
export const HISTORY = z.object({
  transactionId: z.string(),
  serial: z.string(),
  // Those of the token that the caller may see: of now, or, without a stored challenge, of its last event.
  realms: z.array(z.string()),
  state: z.enum(TRANSACTION_STATES),
  // False once housekeeping or the removal of the token has removed the challenge.
  isStored: z.boolean().describe('false: the challenge is removed, and the audit alone tells its history'),
  data: z.string().nullable().describe('the display data; null: not stored any more, or withheld'),
  isDataWithheld: z.boolean().describe('true: the caller lacks the right to the display data'),
  // `lseqr://req?…`, of an open challenge that a portal may have had issued; of any other, null.
  code: z
    .string()
    .nullable()
    .describe('what the QR code of an open challenge says, for callers with `ocra:request`, too'),
  // In the order of time.
  events: z.array(EVENT).meta({ column: 'Events' }),
  furtherEvents: z.int().nonnegative().describe('the number of further events that have no row here'),
});

type TransactionHistory = ReadonlyDeep<z.output<typeof HISTORY>>;
type TransactionEvent = TransactionHistory['events'][number];
type Timeline = Pick<TransactionHistory, 'state' | 'events'>;

/** The most audit rows of a history: a closed transaction can be replayed for ever. */
const MAX_ROWS = 500;
const MAX_ID_LENGTH = 255;

/** Tells what happened to a transaction, as long as its challenge or its audit rows are kept. */
export class TransactionService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly challenges: Pick<ChallengeStore, 'find' | 'findStored'>;
    readonly factory: ChallengeFactory;
    readonly trail: Pick<AuditStore, 'ofTransaction'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Takes the right `admin:transaction`; the display data also takes `admin:transactiondata`. Whether PIN or response was
   * right takes `admin:set`, which sets PINs: to others it would be a way to guess one. The code takes the right to the
   * display data, which it holds, and `ocra:request`, by which one gets codes. Writes nothing.
   * @throws ServiceError 'right.missing', 'parameter.missing', and 'transaction.unknown' for an unknown one and alike
   *   for one of a token that is or was in none of the caller's realms
   */
  async history(caller: Caller, transactionId: string): Promise<TransactionHistory> {
    const { access, clock } = this.#deps;
    const { configuration, grant } = await access.authorizeAdmin(
      this.#deps.configuration,
      caller,
      'transaction',
    );
    if (transactionId === '') {
      throw new ServiceError('parameter.missing', 'No transaction is named', {
        parameters: ['transactionid'],
      });
    }
    const { stored, serial, trail } = await this.#find(grant, transactionId);
    const { challengeTimeout } = readOcraSettings(configuration.settings);
    const pins = access.grantOf(configuration, caller, { scope: 'admin', action: 'set' });
    const isPinWithheld = !coversRow({ realm: realmsOf(stored, trail) }, pins);
    const timeline = timelineOf({ stored, trail, challengeTimeout, now: clock.now(), isPinWithheld });
    const shown = this.#data(configuration, caller, stored);
    const hasCode = timeline.state === 'open' && shown.data !== null;
    return {
      transactionId,
      serial,
      realms: shownRealms(stored, trail, grant),
      isStored: stored !== undefined,
      ...shown,
      code: hasCode ? await this.#code(configuration, caller, transactionId) : null,
      ...timeline,
      furtherEvents: trail.more,
    };
  }

  /** @returns null also where no code can be made: the history is told without a key, or an address, too */
  async #code(configuration: Configuration, caller: Caller, transactionId: string): Promise<string | null> {
    const { access, challenges, factory } = this.#deps;
    const grant = access.grantOf(configuration, caller, { scope: 'ocra', action: 'request' });
    const [found] = await challenges.find({ transactionId, open: true });
    const isShown = grant !== undefined && found !== undefined && isCovered(found.token, grant);
    // The code of a roll-out holds its nonce, and a second factor's may begin a session.
    if (!isShown || found.token.rollout === 'phase2' || found.token.isSecondFactor) {
      return null;
    }
    try {
      return factory.code(configuration, found, {
        client: caller.principal.client,
        requestId: caller.requestId,
      });
    } catch (error) {
      if (isServiceError(error)) {
        return null;
      }
      throw error;
    }
  }

  async #find(
    grant: Grant,
    transactionId: string,
  ): Promise<{ stored: StoredTransaction | undefined; serial: string; trail: TransactionRows }> {
    const { challenges, trail } = this.#deps;
    const realms = boundsOf(grant);
    // The challenge first: the rows of all that it shows are then there.
    const stored = await challenges.findStored(transactionId);
    const found = await trail.ofTransaction(transactionId, MAX_ROWS, realms);
    const serial = stored?.serial ?? found?.rows[0]?.subject;
    const isHidden = stored !== undefined && !isVisible(stored, grant);
    if (found === undefined || serial === undefined || isHidden) {
      throw unknownTransaction(transactionId);
    }
    return { stored, serial, trail: found };
  }

  #data(
    configuration: Configuration,
    caller: Caller,
    stored: StoredTransaction | undefined,
  ): Pick<TransactionHistory, 'data' | 'isDataWithheld'> {
    if (stored === undefined) {
      return { data: null, isDataWithheld: false };
    }
    const isShown = this.#maySeeData(configuration, caller, stored);
    return { data: isShown ? stored.data : null, isDataWithheld: !isShown };
  }

  #maySeeData(configuration: Configuration, caller: Caller, stored: StoredTransaction): boolean {
    const right = { scope: 'admin', action: 'transactiondata' } as const;
    const grant = this.#deps.access.grantOf(configuration, caller, right);
    return grant !== undefined && isVisible(stored, grant);
  }
}

function shownRealms(
  stored: StoredTransaction | undefined,
  trail: TransactionRows,
  grant: Grant,
): readonly string[] {
  return grantedRealms({ realm: realmsOf(stored, trail) }, grant);
}

/** @returns the token's realms, of now, or, without a stored challenge, of its last event, comma separated */
function realmsOf(stored: StoredTransaction | undefined, { rows }: TransactionRows): string {
  return stored?.realms.join(',') ?? rows.at(-1)?.realm ?? '';
}

function unknownTransaction(transactionId: string): ServiceError {
  const shown = transactionId.slice(0, MAX_ID_LENGTH);
  return new ServiceError('transaction.unknown', `There is no transaction '${shown}'`);
}

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
const OUT_OF_STEP_REASON = 'the token is out of step';

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
  const has = (event: TransactionEvent['event']): boolean => reported.some((one) => one.event === event);
  const issued = has('issued') ? [] : derivedIssue(sources);
  const closed = derivedClosing(sources, has);
  const known = [...issued, ...reported, ...closed];
  const expiry = endOf(sources, known);
  const events = [...known, ...derivedExpiry(sources, known, expiry)];
  // The sort is stable: of equal times, the rows keep their order.
  events.sort((left, right) => (left.at < right.at ? -1 : Number(left.at > right.at)));
  return { state: stateOf(sources.stored, events, expiry !== undefined), events };
}

function reportedEvent(row: AuditRow, { isPinWithheld }: HistorySources): TransactionEvent {
  const { at, action, actor, client, requestId } = row;
  const outcome = isPinWithheld ? withoutPinVerdict(row.outcome) : row.outcome;
  const meaning = meaningOf(outcome) ?? { event: 'other', reason: outcome };
  return { at, ...meaning, action, actor, client, requestId, isDerived: false };
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
  return { at, ...meaning, action: '', actor: '', client: '', requestId: '', isDerived: true };
}

/** A challenge that was moved in from elsewhere, or whose row was pruned. */
function derivedIssue({ stored }: HistorySources): readonly TransactionEvent[] {
  return stored === undefined ? [] : [derivedEvent(auditTime(stored.issuedAt), EVENT_BY_OUTCOME.issued)];
}

/** A challenge that newer ones replaced has no row of its own for it; other closings have one, unless it was pruned. */
function derivedClosing(
  { stored, trail }: HistorySources,
  has: (event: TransactionEvent['event']) => boolean,
): readonly TransactionEvent[] {
  const { closedBy = null, closedAt = null } = stored ?? {};
  if (closedBy === null || closedAt === null || trail.more > 0) {
    return [];
  }
  const meaning = EVENT_BY_CLOSING[closedBy];
  return has(meaning.event) ? [] : [derivedEvent(auditTime(closedAt), meaning)];
}

/** Events that only an open challenge has. */
const WHILE_OPEN: readonly TransactionEvent['event'][] = [
  'issued',
  'wrong',
  'accepted',
  'given up',
  'declined',
  'reported',
];

/**
 * @returns the end of the time in which it could be answered, if that is over. Of one that is no longer stored: by the
 *   present setting, but not before the last sign that it was open
 */
function endOf(
  { stored, challengeTimeout, now }: HistorySources,
  known: readonly TransactionEvent[],
): string | undefined {
  const issued = new Date(known.find(isIssue)?.at ?? '');
  const end = stored?.expiresAt ?? expiryOf(issued, { challengeTimeout });
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
): Timeline['state'] {
  const has = (event: TransactionEvent['event']): boolean => events.some((one) => one.event === event);
  const end = (['accepted', 'given up', 'reported', 'declined'] as const).find(has);
  if (end !== undefined) {
    return end;
  }
  if (stored === undefined) {
    return 'ended';
  }
  if (stored.closedBy !== null) {
    return EVENT_BY_CLOSING[stored.closedBy].event as Timeline['state'];
  }
  return isOver ? 'expired' : 'open';
}
