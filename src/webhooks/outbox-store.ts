import type { Knex } from 'knex';

import type { NewAuditRow } from '../audit/audit-row.ts';
import { eventsOf, isSubscribed, type NotedEntry, type Subscription } from './webhook-event.ts';

/** A row for the outbox, as JSON. */
export interface EventRow {
  /** The place of its act among those that are written together. */
  readonly place: number;
  readonly type: string;
  readonly realms: readonly string[];
  readonly occurred_at: string;
  /** JSON. */
  readonly data: string;
}

/**
 * The events of a pool's acts. Each is stored by the statement that writes the audit row, if a receiver wants it. The
 * receivers are known from memory: without any, no event is made.
 */
export class EventOutbox {
  #subscriptions: readonly Subscription[] = [];
  #isOpen = false;

  /** True if there was an enabled receiver when they were last read. */
  get hasReceivers(): boolean {
    return this.#subscriptions.length > 0;
  }

  /** Reads the enabled receivers before a pool's first act, on the connection of that act. */
  async open(connection: Knex): Promise<void> {
    if (!this.#isOpen) {
      await this.refresh(connection);
    }
  }

  /** Reads the enabled receivers again, after each change of the configuration. */
  async refresh(connection: Knex): Promise<void> {
    this.#subscriptions = await connection('webhooks')
      .where({ is_enabled: true })
      .select<Subscription[]>('events', 'realms');
    this.#isOpen = true;
  }

  /**
   * @param rows those of the entries
   * @returns the events of acts that are about to be stored; none if nobody wants them
   */
  eventsOf(entries: readonly NotedEntry[], rows: readonly Pick<NewAuditRow, 'at'>[]): readonly EventRow[] {
    const subscriptions = this.#subscriptions;
    return subscriptions.length === 0
      ? []
      : entries.flatMap((entry, place) =>
          eventsOf(entry)
            .filter((event) => subscriptions.some((one) => isSubscribed(one, event)))
            .map(({ type, realms, data }) => ({
              place,
              type,
              realms,
              occurred_at: rows[place]?.at ?? '',
              data: JSON.stringify(data),
            })),
        );
  }
}

/**
 * @param json the placeholder of `EventRow`s as JSON
 * @param condition joins them with the rows that the statement has written
 * @returns the statement that stores events
 */
export function eventInsert(json: string, condition = ''): string {
  return `INSERT INTO webhook_events (type, realms, occurred_at, data)
      SELECT event.type, event.realms, event.occurred_at, event.data
      FROM json_to_recordset(${json}::json)
        AS event(place integer, type text, realms text[], occurred_at timestamptz, data text) ${condition}`;
}
