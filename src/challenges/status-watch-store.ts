import type { Database } from '../database/database.ts';
import type { PreparedStatement } from '../database/prepared-statements.ts';
import type { Challenge, ClosedBy } from './challenge.ts';

/** The state of a challenge, as far as a request can wait for its change. */
export interface WatchedState extends Pick<Challenge, 'receivedTan' | 'validTan' | 'closedBy'> {
  readonly failCount: number;
}

interface StateRow {
  readonly id: string;
  readonly received_tan: boolean;
  readonly valid_tan: boolean;
  readonly closed_by: ClosedBy | null;
  readonly fail_count: number;
}

/** Seconds of a mark beyond those asked for: of several waits one after the other, most find it there. */
const LONGER = 60;

/**
 * Not a change of the token's row: it is no change of the state, and a response need not be decided anew. It holds one
 * lock at most, hence no statement that waits for it is in its way.
 */
const MARK: PreparedStatement<never> = {
  name: 'mark-watched-challenge',
  text: `UPDATE challenges SET watched_until = now() + make_interval(secs => $2::integer + ${LONGER})
    WHERE id = $1::bigint AND closed_by IS NULL
      AND (watched_until IS NULL OR watched_until < now() + make_interval(secs => $2::integer))`,
};

const STATES: PreparedStatement<StateRow> = {
  name: 'read-watched-challenges',
  text: `SELECT challenges.id, challenges.received_tan, challenges.valid_tan, challenges.closed_by, tokens.fail_count
    FROM challenges JOIN tokens ON tokens.id = challenges.token_id
    WHERE challenges.id = ANY ($1::bigint[])`,
};

export class StatusWatchStore {
  readonly #database: Pick<Database, 'prepared'>;

  constructor({ database }: { readonly database: Pick<Database, 'prepared'> }) {
    this.#database = database;
  }

  /**
   * Makes the database tell all servers of changes of an open challenge
   * (docs/adr/0026-waiting-for-a-transaction.md). A change that is under way is over when this returns.
   * @param id the challenge's
   */
  async mark(id: string, seconds: number): Promise<void> {
    await this.#database.prepared.run(MARK, [id, Math.ceil(seconds)]);
  }

  /** @returns the states by the ids of the challenges, without those that are no longer stored */
  async states(ids: readonly string[]): Promise<ReadonlyMap<string, WatchedState>> {
    const rows = await this.#database.prepared.run(STATES, [ids]);
    return new Map(
      rows.map(({ id, received_tan, valid_tan, closed_by, fail_count }) => [
        id,
        { receivedTan: received_tan, validTan: valid_tan, closedBy: closed_by, failCount: fail_count },
      ]),
    );
  }
}
