import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type { SigningWebhook, WebhookMessage } from './webhook.ts';
import { isSubscribed } from './webhook-event.ts';
import { SIGNING_COLUMNS } from './webhook-store.ts';

/** Room for further attempts at a receiver. */
interface Room {
  readonly webhookId: string;
  readonly free: number;
}

/** A delivery that this server has claimed: no other one tries it until the claim ends. */
export interface Claim extends WebhookMessage {
  readonly deliveryId: string;
  /** With this one. */
  readonly attempts: number;
  readonly webhookId: string;
}

export interface AttemptOutcome extends Pick<Claim, 'deliveryId' | 'attempts' | 'webhookId'> {
  /** Absent: delivered. */
  readonly failure?: string;
  /** Milliseconds until the next attempt, after a failure. */
  readonly delay: number;
}

/** The deliveries to a receiver that wait, for the metrics. */
export interface Backlog {
  readonly webhook: string;
  readonly waiting: number;
  readonly givenUp: number;
  /** Seconds; 0: none waits. */
  readonly oldestAge: number;
}

/** Limits of what waits. */
export interface UpkeepLimits {
  /** The most deliveries that are kept for a receiver; the oldest ones are dropped. */
  readonly maxKept: number;
  /** Seconds after which a delivery is given up. */
  readonly giveUpAfter: number;
  /** Seconds for which given up ones are kept. */
  readonly keepGivenUp: number;
}

interface Upkeep {
  readonly backlogs: readonly Backlog[];
  /** Number of deliveries dropped because there were too many, by the name of the receiver. */
  readonly dropped: ReadonlyMap<string, number>;
}

interface EventRow {
  readonly id: string;
  readonly type: Parameters<typeof isSubscribed>[1]['type'];
  readonly realms: string[];
  readonly occurred_at: Date;
  /** JSON. */
  readonly data: string;
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
  RETURNING delivery.id::text AS "deliveryId", delivery.webhook_id::text AS "webhookId", delivery.attempts,
    delivery.event_id AS id, delivery.type, delivery.occurred_at AS "occurredAt", delivery.data`;

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

/** "tank", "hook". One server at a time keeps up. */
const UPKEEP_LOCK = [0x74616e6b, 0x686f6f6b] as const;
/** Rows that one turn gives up, or removes as old. */
const AT_ONCE = 10_000;

const BACKLOG = `
  SELECT webhooks.id::text AS id, webhooks.name AS webhook, state.*
  FROM webhooks CROSS JOIN LATERAL (
    SELECT (count(*) FILTER (WHERE given_up_at IS NULL))::float8 AS waiting,
      (count(*) FILTER (WHERE given_up_at IS NOT NULL))::float8 AS "givenUp",
      coalesce(extract(epoch FROM clock_timestamp() - min(occurred_at) FILTER (WHERE given_up_at IS NULL)), 0)::float8
        AS "oldestAge"
    FROM webhook_deliveries WHERE webhook_id = webhooks.id
  ) AS state
  ORDER BY webhooks.name`;

/** A delivery is given up some time after its first attempt: none without one, however long the receiver was disabled. */
const GIVE_UP = `
  UPDATE webhook_deliveries SET given_up_at = ? WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries
    WHERE given_up_at IS NULL AND first_attempt_at < ? AND last_failure <> ''
    ORDER BY first_attempt_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED))`;

const FORGET = `
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries WHERE given_up_at < ?
    LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED))`;

/** Events that were stored just before the last receiver was removed or disabled. */
const EMPTY_OUTBOX = `
  DELETE FROM webhook_events WHERE NOT EXISTS (SELECT FROM webhooks WHERE is_enabled)`;

const DROP_OLDEST = `
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries WHERE webhook_id = ? ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED))`;

/** Deliveries in PostgreSQL. No method keeps a connection longer than its statements run. */
export class DeliveryStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** @returns false if this server knows of no enabled receiver */
  get hasReceivers(): boolean {
    return this.#database.audit.outbox.hasReceivers;
  }

  async receivers(): Promise<readonly SigningWebhook[]> {
    const { rows } = await this.#database.knex.raw<{ rows: SigningWebhook[] }>(RECEIVERS);
    return rows;
  }

  /**
   * Makes deliveries of events: one for each enabled receiver that wants it.
   * @returns the number of events
   */
  fanOut(max: number): Promise<number> {
    return this.#work(async (sql) => {
      const { rows: events } = await sql.raw<{ rows: EventRow[] }>(TAKE_EVENTS, [max]);
      if (events.length === 0) {
        return 0;
      }
      // Until the commit none of them is removed.
      const { rows: receivers } = await sql.raw<{ rows: SigningWebhook[] }>(`${RECEIVERS} FOR KEY SHARE`);
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

  /**
   * @param lease milliseconds for which the claims hold
   * @returns claimed deliveries that are due, in any order
   */
  claim(rooms: readonly Room[], lease: number): Promise<readonly Claim[]> {
    return this.#work(async (sql) => {
      const { rows } = await sql.raw<{ rows: Claim[] }>(CLAIM, { rooms: JSON.stringify(rooms), lease });
      return rows;
    });
  }

  /** Records results. A failure after a lost claim is not recorded: another server tries. */
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

  /**
   * Bounds and tidies what waits.
   * @param now undefined: the time is in doubt, and nothing is given up or removed for its age
   * @returns undefined while another server does so
   */
  keepUp(
    { giveUpAfter, keepGivenUp, maxKept }: UpkeepLimits,
    now: Date | undefined,
  ): Promise<Upkeep | undefined> {
    return this.#work(async (sql) => {
      const { rows } = await sql.raw<{ rows: { taken: boolean }[] }>(
        'SELECT pg_try_advisory_xact_lock(?, ?) AS taken',
        [...UPKEEP_LOCK],
      );
      if (rows[0]?.taken !== true) {
        return undefined;
      }
      await sql.raw(EMPTY_OUTBOX);
      if (now !== undefined) {
        await sql.raw(GIVE_UP, [now, before(now, giveUpAfter)]);
        await sql.raw(FORGET, [before(now, keepGivenUp)]);
      }
      const { rows: backlogs } = await sql.raw<{ rows: (Backlog & { id: string })[] }>(BACKLOG);
      const dropped = new Map<string, number>();
      for (const { id, webhook, waiting, givenUp } of backlogs) {
        const excess = waiting + givenUp - maxKept;
        if (excess > 0) {
          const { rowCount } = await sql.raw<{ rowCount: number }>(DROP_OLDEST, [id, excess]);
          dropped.set(webhook, rowCount);
        }
      }
      return { backlogs, dropped };
    });
  }

  /** A commit that is lost in a crash is repeated: the event is delivered again, under its id. */
  #work<T>(work: (sql: UnitOfWork['sql']) => Promise<T>): Promise<T> {
    return this.#database.transact(async ({ sql }) => {
      await sql.raw('SET LOCAL synchronous_commit = off');
      return work(sql);
    });
  }
}

/** @returns what the outcomes tell of each receiver, without `failure` where none failed */
function healthOf(outcomes: readonly AttemptOutcome[]) {
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

function before(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1_000);
}
