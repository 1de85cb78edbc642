import type {
  AttemptOutcome,
  Claim,
  DeliveryStore,
  Receiver,
  Room,
  Upkeep,
  UpkeepLimits,
} from '../../webhooks/ports.ts';
import { isSubscribed } from '../../webhooks/webhook-event.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { keepUp } from './delivery-upkeep.ts';
import { SIGNING_COLUMNS, type SigningRow, toSigningWebhook } from './webhook-rows.ts';

interface EventRow {
  readonly id: string;
  readonly type: Parameters<typeof isSubscribed>[1]['type'];
  readonly realms: string[];
  readonly occurred_at: Date;
  /** JSON. */
  readonly data: string;
}

interface ClaimRow extends Omit<EventRow, 'realms' | 'type'> {
  readonly type: string;
  readonly event_id: string;
  readonly webhook_id: string;
  readonly attempts: number;
}

const RECEIVERS = `SELECT ${SIGNING_COLUMNS} FROM webhooks WHERE is_enabled ORDER BY id`;

const TAKE_EVENTS = `
  DELETE FROM webhook_events WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_events ORDER BY occurred_at LIMIT ? FOR UPDATE SKIP LOCKED))
  RETURNING id, type, realms, occurred_at, data`;

const STORE_DELIVERIES = `
  INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, data)
  SELECT webhook_id, event_id, type, occurred_at, data
  FROM json_to_recordset(?::json)
    AS delivery(webhook_id bigint, event_id uuid, type text, occurred_at timestamptz, data text)
  ORDER BY occurred_at`;

const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT delivery.id FROM json_to_recordset(:rooms::json) AS room("webhookId" bigint, free integer)
    CROSS JOIN LATERAL (
      SELECT id FROM webhook_deliveries
      WHERE webhook_id = room."webhookId" AND given_up_at IS NULL AND next_attempt_at <= clock_timestamp()
      ORDER BY next_attempt_at LIMIT room.free FOR UPDATE SKIP LOCKED
    ) AS delivery
  )
  UPDATE webhook_deliveries AS delivery
  SET attempts = delivery.attempts + 1, next_attempt_at = clock_timestamp() + :lease * interval '1 ms',
    first_attempt_at = coalesce(delivery.first_attempt_at, clock_timestamp())
  FROM due WHERE delivery.id = due.id
  RETURNING delivery.id::text AS id, delivery.webhook_id::text AS webhook_id, delivery.event_id, delivery.type,
    delivery.occurred_at, delivery.data, delivery.attempts`;

const FAILED = `
  UPDATE webhook_deliveries AS delivery
  SET next_attempt_at = clock_timestamp() + outcome.delay * interval '1 ms', last_failure = outcome.failure
  FROM json_to_recordset(?::json)
    AS outcome("deliveryId" bigint, attempts integer, delay double precision, failure text)
  WHERE delivery.id = outcome."deliveryId" AND delivery.attempts = outcome.attempts`;

const HEALTH = `
  INSERT INTO webhook_health AS known (webhook_id, delivered, last_success_at, last_failure_at, last_failure)
  SELECT "webhookId", delivered, CASE WHEN delivered > 0 THEN clock_timestamp() END,
    CASE WHEN failure IS NOT NULL THEN clock_timestamp() END, coalesce(failure, '')
  FROM json_to_recordset(?::json) AS health("webhookId" bigint, delivered bigint, failure text)
  JOIN webhooks ON webhooks.id = "webhookId" ORDER BY "webhookId"
  ON CONFLICT (webhook_id) DO UPDATE SET
    delivered = known.delivered + excluded.delivered,
    last_success_at = coalesce(excluded.last_success_at, known.last_success_at),
    last_failure_at = coalesce(excluded.last_failure_at, known.last_failure_at),
    last_failure = CASE WHEN excluded.last_failure = '' THEN known.last_failure ELSE excluded.last_failure END`;

/** Deliveries in PostgreSQL. */
export class SqlDeliveryStore implements DeliveryStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  get hasReceivers(): boolean {
    return this.#database.audit.outbox.hasReceivers;
  }

  async receivers(): Promise<readonly Receiver[]> {
    const { rows } = await this.#database.knex.raw<{ rows: SigningRow[] }>(RECEIVERS);
    return rows.map((row) => ({ ...toSigningWebhook(row), id: row.id }));
  }

  fanOut(max: number): Promise<number> {
    return this.#work(async (sql) => {
      const { rows: events } = await sql.raw<{ rows: EventRow[] }>(TAKE_EVENTS, [max]);
      if (events.length === 0) {
        return 0;
      }
      // Until the commit none of them is removed.
      const { rows: receivers } = await sql.raw<{ rows: SigningRow[] }>(`${RECEIVERS} FOR KEY SHARE`);
      const deliveries = events.flatMap(({ id: eventId, ...event }) =>
        receivers
          .filter((receiver) => isSubscribed(receiver, event))
          .map(({ id }) => ({
            webhook_id: id,
            event_id: eventId,
            type: event.type,
            occurred_at: event.occurred_at,
            data: event.data,
          })),
      );
      await sql.raw(STORE_DELIVERIES, [JSON.stringify(deliveries)]);
      return events.length;
    });
  }

  claim(rooms: readonly Room[], lease: number): Promise<readonly Claim[]> {
    return this.#work(async (sql) => {
      const { rows } = await sql.raw<{ rows: ClaimRow[] }>(CLAIM, { rooms: JSON.stringify(rooms), lease });
      return rows.map((row) => ({
        deliveryId: row.id,
        webhookId: row.webhook_id,
        attempts: row.attempts,
        id: row.event_id,
        type: row.type,
        occurredAt: row.occurred_at,
        data: row.data,
      }));
    });
  }

  async settle(outcomes: readonly AttemptOutcome[]): Promise<void> {
    const failed = outcomes.filter(({ failure }) => failure !== undefined);
    const delivered = outcomes
      .filter(({ failure }) => failure === undefined)
      .map(({ deliveryId }) => deliveryId);
    const health = healthOf(outcomes);
    await this.#work(async (sql) => {
      // Before the deliveries, as their removal does.
      await sql.raw('SELECT FROM webhooks WHERE id = ANY (?::bigint[]) ORDER BY id FOR KEY SHARE', [
        health.map(({ webhookId }) => webhookId),
      ]);
      if (delivered.length > 0) {
        await sql.raw('DELETE FROM webhook_deliveries WHERE id = ANY (?::bigint[])', [delivered]);
      }
      if (failed.length > 0) {
        await sql.raw(FAILED, [JSON.stringify(failed)]);
      }
      await sql.raw(HEALTH, [JSON.stringify(health)]);
    });
  }

  keepUp(limits: UpkeepLimits, now: Date | undefined): Promise<Upkeep | undefined> {
    return this.#work((sql) => keepUp(sql, limits, now));
  }

  /** A commit that is lost in a crash is repeated: the event is delivered again, under its id. */
  #work<T>(work: (sql: UnitOfWork['sql']) => Promise<T>): Promise<T> {
    return this.#database.transact(async ({ sql }) => {
      await sql.raw('SET LOCAL synchronous_commit = off');
      return work(sql);
    });
  }
}

interface Health {
  readonly webhookId: string;
  readonly delivered: number;
  readonly failure: string | undefined;
}

function healthOf(outcomes: readonly AttemptOutcome[]): readonly Health[] {
  const ids = [...new Set(outcomes.map(({ webhookId }) => webhookId))];
  return ids.map((webhookId) => {
    const own = outcomes.filter((outcome) => outcome.webhookId === webhookId);
    return {
      webhookId,
      delivered: own.filter(({ failure }) => failure === undefined).length,
      failure: own.findLast(({ failure }) => failure !== undefined)?.failure,
    };
  });
}
