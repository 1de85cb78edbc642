import type { Knex } from 'knex';

import type { Backlog, Upkeep, UpkeepLimits } from '../../webhooks/ports.ts';

/** "tank", "hook". One server at a time keeps up. */
const UPKEEP_LOCK = [0x74616e6b, 0x686f6f6b] as const;
/** Rows that one turn gives up, or removes as old. */
const AT_ONCE = 10_000;

interface BacklogRow {
  readonly id: string;
  readonly name: string;
  readonly waiting: string;
  readonly given_up: string;
  readonly oldest_age: number | null;
}

const BACKLOG = `
  SELECT webhooks.id::text AS id, webhooks.name, state.waiting, state.given_up, state.oldest_age
  FROM webhooks CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE given_up_at IS NULL) AS waiting,
      count(*) FILTER (WHERE given_up_at IS NOT NULL) AS given_up,
      extract(epoch FROM clock_timestamp() - min(occurred_at) FILTER (WHERE given_up_at IS NULL))::float8 AS oldest_age
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

/**
 * Bounds and tidies what waits.
 * @param now undefined: nothing is given up or removed for its age
 * @returns undefined while another server does so
 */
export async function keepUp(
  sql: Knex.Transaction,
  { giveUpAfter, keepGivenUp, maxKept }: UpkeepLimits,
  now: Date | undefined,
): Promise<Upkeep | undefined> {
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
  const { rows: backlogs } = await sql.raw<{ rows: BacklogRow[] }>(BACKLOG);
  const dropped = new Map<string, number>();
  for (const { id, name, waiting, given_up: givenUp } of backlogs) {
    const excess = Number(waiting) + Number(givenUp) - maxKept;
    if (excess > 0) {
      const { rowCount } = await sql.raw<{ rowCount: number }>(DROP_OLDEST, [id, excess]);
      dropped.set(name, rowCount);
    }
  }
  return { backlogs: backlogs.map(toBacklog), dropped };
}

function before(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1_000);
}

function toBacklog({ name, waiting, given_up: givenUp, oldest_age: oldestAge }: BacklogRow): Backlog {
  return { webhook: name, waiting: Number(waiting), givenUp: Number(givenUp), oldestAge: oldestAge ?? 0 };
}
