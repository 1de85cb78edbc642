import type { ResponseReason } from '../challenges/challenge.ts';
import type { Database } from '../database/database.ts';

/** Responses that ended in a minute with an outcome. */
export interface ResponseMinute {
  /** Its beginning. */
  readonly minute: Date;
  readonly outcome: ResponseReason;
  /** Their numbers by class of duration. */
  readonly durations: readonly number[];
}

export interface ResolverUse {
  readonly resolver: string;
  /** The time of its last answer. */
  readonly succeededAt?: Date;
  /** The time at which it was last unavailable. */
  readonly failedAt?: Date;
}

export interface Observed {
  readonly responses: readonly ResponseMinute[];
  readonly resolvers: readonly ResolverUse[];
}

interface MinuteRow {
  readonly minute: Date;
  readonly outcome: ResponseReason;
  /** Of bigint, as texts. */
  readonly durations: readonly string[];
}

/** Numbers of responses by their outcome. */
export type ResponseOutcomes = Readonly<Partial<Record<ResponseReason, number>>>;

interface NumberRow {
  /** Of bigint and numeric, as texts. */
  readonly place: string;
  readonly outcome: ResponseReason;
  readonly responses: string;
}

interface UseRow {
  readonly name: string;
  readonly succeeded_at: Date | null;
  readonly failed_at: Date | null;
}

/** In the order of the keys, so that servers do not wait for each other crosswise. */
const ADD_RESPONSES = `
  INSERT INTO response_minutes AS kept (minute, outcome, durations)
  SELECT minute, outcome, durations
  FROM json_to_recordset(?) AS seen (minute timestamptz, outcome text, durations bigint[])
  ORDER BY minute, outcome
  ON CONFLICT (minute, outcome) DO UPDATE SET durations = (
    SELECT array_agg(coalesce(one, 0) + coalesce(other, 0) ORDER BY place)
    FROM unnest(kept.durations, excluded.durations) WITH ORDINALITY AS sums (one, other, place))`;

/**
 * A resolver that is gone has no row. The time of a server whose clock is ahead is now: a failure of tomorrow would
 * hide all successes until then.
 */
const ADD_USES = `
  INSERT INTO resolver_uses AS kept (resolver_id, succeeded_at, failed_at)
  SELECT id, CASE WHEN succeeded_at > clock_timestamp() THEN clock_timestamp() ELSE succeeded_at END,
    CASE WHEN failed_at > clock_timestamp() THEN clock_timestamp() ELSE failed_at END
  FROM json_to_recordset(?) AS seen (resolver text, succeeded_at timestamptz, failed_at timestamptz)
    JOIN resolvers ON resolvers.name = resolver
  ORDER BY id FOR KEY SHARE OF resolvers
  ON CONFLICT (resolver_id) DO UPDATE SET
    succeeded_at = greatest(kept.succeeded_at, excluded.succeeded_at),
    failed_at = greatest(kept.failed_at, excluded.failed_at)`;

const NUMBERS_SINCE = `
  SELECT periods.place, kept.outcome, sum((SELECT sum(number) FROM unnest(kept.durations) AS number)) AS responses
  FROM unnest(?::timestamptz[]) WITH ORDINALITY AS periods (since, place)
    JOIN response_minutes AS kept ON kept.minute >= periods.since
  GROUP BY periods.place, kept.outcome`;

/** The observations of servers, in PostgreSQL, for all of them. */
export class ObservationStore {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { readonly database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  /** Adds what a process has seen, in a statement for each kind. */
  async add({ responses, resolvers }: Observed): Promise<void> {
    if (responses.length > 0) {
      await this.#database.knex.raw(ADD_RESPONSES, [JSON.stringify(responses)]);
    }
    if (resolvers.length > 0) {
      const seen = resolvers.map(({ resolver, succeededAt, failedAt }) => ({
        resolver,
        succeeded_at: succeededAt,
        failed_at: failedAt,
      }));
      await this.#database.knex.raw(ADD_USES, [JSON.stringify(seen)]);
    }
  }

  /** @returns the responses from that minute on, oldest first */
  async responsesSince(minute: Date): Promise<readonly ResponseMinute[]> {
    const rows = await this.#database
      .knex('response_minutes')
      .where('minute', '>=', minute)
      .orderBy(['minute', 'outcome'])
      .select<MinuteRow[]>('minute', 'outcome', 'durations');
    return rows.map(({ durations, ...row }) => ({ ...row, durations: durations.map(Number) }));
  }

  /**
   * Thirty days have some thousand rows: those of the last day are of a minute each, older ones of an hour.
   * @returns the numbers of responses by outcome since each of these instants
   */
  async responseNumbersSince(instants: readonly Date[]): Promise<readonly ResponseOutcomes[]> {
    const { rows } = await this.#database.knex.raw<{ rows: NumberRow[] }>(NUMBERS_SINCE, [[...instants]]);
    return instants.map((_instant, index) =>
      Object.fromEntries(
        rows
          .filter(({ place }) => Number(place) === index + 1)
          .map(({ outcome, responses }) => [outcome, Number(responses)]),
      ),
    );
  }

  /** @returns the last uses of all resolvers that were used */
  async resolverUses(): Promise<readonly ResolverUse[]> {
    const rows = await this.#database
      .knex('resolver_uses')
      .join('resolvers', 'resolvers.id', 'resolver_id')
      .select<UseRow[]>('name', 'succeeded_at', 'failed_at');
    return rows.map(({ name, succeeded_at, failed_at }) => ({
      resolver: name,
      ...(succeeded_at !== null && { succeededAt: succeeded_at }),
      ...(failed_at !== null && { failedAt: failed_at }),
    }));
  }
}
