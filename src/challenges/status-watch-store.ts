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
