import type { AuditEntry } from '../audit/audit-row.ts';

/** The types of events, each with its meaning. */
export const EVENT_TYPES = {
  'response.accepted': 'A response was right and is accepted',
  'response.refused': 'A response was refused; `reason` says why',
  'challenge.declined':
    'The user declined a transaction on the device; `reason` is `reported` where the user says “this was not me”',
  'token.locked': 'The fail counter of a token has reached its limit',
  'token.enrolled':
    'A token has its key and is ready: made with a key, imported from a key file, or rolled out',
  'token.key_changed': 'An existing token was enrolled again: its old key is void',
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** A result of an act that its audit row does not say. */
type ResultingEvent = Exclude<EventType, `response.${string}` | 'challenge.declined'>;

/** An audit entry with what events tell beyond it. Neither is part of the audit row. */
export interface NotedEntry extends AuditEntry {
  /** The login of the token's owner. */
  readonly user?: string | null;
  readonly consequences?: readonly ResultingEvent[];
}

/** An event for receivers. Holds no PIN, key, response or display data. */
interface WebhookEvent {
  readonly type: EventType;
  /** The realms of the token. */
  readonly realms: readonly string[];
  /** The member `data` of the body. */
  readonly data: Readonly<Record<string, string | readonly string[]>>;
}

const RESPONSE_ACTS = [
  'ocra/check_t',
  'validate/check',
  'validate/check_s',
  'validate/check_t',
  'validate/simplecheck',
  'validate/samlcheck',
  'validate/check_status',
  'cli/check_t',
];

/** The outcomes of `Decision` that refuse a response. Requests that a limit refuses are no events. */
const REFUSALS = ['wrong', 'exhausted', 'locked', 'closed', 'dropped', 'expired', 'disabled', 'unverifiable'];

/** @returns the events of an act, by its audit entry: the one place that says which acts are events */
export function eventsOf(entry: NotedEntry): readonly WebhookEvent[] {
  const { consequences = [] } = entry;
  const types: readonly EventType[] = [...responseTypes(entry), ...consequences];
  if (types.length === 0) {
    return [];
  }
  const realms = entry.realm === '' ? [] : entry.realm.split(',');
  return types.map((type) => ({ type, realms, data: dataOf(type, entry, realms) }));
}

/** What a decline says, by the last word of its outcome. */
const DECLINES: Readonly<Record<string, string>> = {
  declined: 'declined',
  reported: 'reported',
  decline: 'declined',
  report: 'reported',
  'after a decline': 'reported',
};

function responseTypes({ action, outcome }: AuditEntry): readonly EventType[] {
  if (!RESPONSE_ACTS.includes(action)) {
    return [];
  }
  if (outcome === 'accepted') {
    return ['response.accepted'];
  }
  if (declineIn(outcome) !== undefined) {
    // Anybody who knows the transaction can send one that the token has not signed.
    return reasonIn(outcome) === 'wrong' ? [] : ['challenge.declined'];
  }
  return REFUSALS.includes(reasonIn(outcome)) ? ['response.refused'] : [];
}

/** @returns the outcome without the details, which are for the audit alone */
function reasonIn(outcome: string): string {
  return outcome.split(',')[0] ?? '';
}

/** @returns `declined` or `reported`; undefined: the outcome is that of no decline */
function declineIn(outcome: string): string | undefined {
  return DECLINES[outcome.split(', ').at(-1) ?? ''];
}

function dataOf(type: EventType, entry: NotedEntry, realms: readonly string[]): WebhookEvent['data'] {
  const { user, actor } = entry;
  return {
    serial: entry.subject,
    ...(typeof user === 'string' && user !== '' && { user }),
    realms,
    ...(entry.transaction !== '' && { transaction_id: entry.transaction }),
    ...(type === 'response.refused' && { reason: reasonIn(entry.outcome) }),
    ...(type === 'challenge.declined' && declineData(entry.outcome)),
    action: entry.action,
    ...(actor !== '' && { administrator: actor }),
    ...(entry.client !== '' && { client: entry.client }),
    request_id: entry.requestId,
  };
}

/** @returns the reason, and what had ended the transaction where the decline came too late */
function declineData(outcome: string): Readonly<Record<string, string>> {
  const reason = declineIn(outcome) ?? '';
  const end = reasonIn(outcome);
  return { reason, ...(end !== reason && { too_late: end }) };
}

/** The events that a receiver wants. */
export interface Subscription {
  readonly events: readonly EventType[];
  /** Realms of tokens; empty: all tokens, also those in no realm. */
  readonly realms: readonly string[];
}

/** @returns true if the receiver wants the event */
export function isSubscribed(
  { events, realms }: Subscription,
  event: Pick<WebhookEvent, 'type' | 'realms'>,
): boolean {
  return (
    events.includes(event.type) &&
    (realms.length === 0 || event.realms.some((realm) => realms.includes(realm)))
  );
}
