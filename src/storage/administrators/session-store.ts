import type { Knex } from 'knex';

import type { ListedSession, SessionChoice, SessionStore } from '../../administrators/session-service.ts';
import type { Act } from '../../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../database/stored-text.ts';
import { lockAdministrator } from './administrator-lock.ts';
import type { ConfirmedCredentials } from './confirmed-credentials.ts';

interface SessionRow extends Omit<ListedSession, 'isOwn'> {
  readonly session_hash: Buffer;
}

/** The open sessions of administrators in PostgreSQL. */
export class SqlSessionStore implements SessionStore {
  readonly #database: Database;
  readonly #credentials: ConfirmedCredentials | undefined;

  constructor(options: { database: Database; credentials?: ConfirmedCredentials | undefined }) {
    this.#database = options.database;
    this.#credentials = options.credentials;
  }

  async list(
    owner: string | undefined,
    { now, max, own }: { readonly now: Date; readonly max: number; readonly own: Buffer | undefined },
  ): Promise<readonly ListedSession[]> {
    if (owner !== undefined && !isStorable(owner)) {
      return [];
    }
    const { knex } = this.#database;
    const rows = (await knex
      .from(openSessions(knex, now).as('open'))
      .where(owner === undefined ? {} : { owner })
      .orderBy('id', 'desc')
      .limit(max)) as SessionRow[];
    return rows.map(({ session_hash: hash, ...listed }) => ({
      ...listed,
      isOwn: own !== undefined && hash.equals(own),
    }));
  }

  async end({ owner, id }: SessionChoice, now: Date, act: Act): Promise<number> {
    if (!isStorable(owner)) {
      return 0;
    }
    try {
      return await this.#database.transact(async ({ sql, audit }) => {
        // A sign-in that succeeds at this moment either has opened its session, or ends.
        const administrator = id === undefined ? await lockAdministrator(sql, owner) : undefined;
        const chosen = sql
          .from(openSessions(sql, now).as('open'))
          .where({ owner, ...(id !== undefined && { id }) })
          .select('id');
        const ended = await sql('sessions')
          .whereIn('id', chosen)
          .where({ revoked_at: null })
          .update({ revoked_at: sql.fn.now() });
        if (administrator !== undefined) {
          await endSignInsOf(sql, administrator.id);
        }
        if (ended > 0) {
          await audit.write(act, owner, ended === 1 ? 'session closed' : `session closed, ${ended} of them`);
        }
        return ended;
      });
    } finally {
      // Also after a failure: it may be a commit whose confirmation was lost.
      this.#credentials?.expire();
    }
  }
}

/** A link of an operator stays: the operator gives it to the owner. */
async function endSignInsOf(sql: Knex.Transaction, administratorId: string): Promise<void> {
  await sql('sign_in_attempts')
    .where({ administrator_id: administratorId })
    .whereNot({ kind: 'link' })
    .delete();
}

/** @returns a query for the open sessions, with the names of their owners */
function openSessions(connection: Knex, now: Date): Knex.QueryBuilder {
  return connection('sessions')
    .leftJoin('administrators', 'administrators.id', 'sessions.administrator_id')
    .where({ revoked_at: null })
    .where('expires_at', '>', now)
    .select(
      'sessions.id',
      'kind',
      'client',
      'session_hash',
      'sessions.created_at as createdAt',
      'expires_at as expiresAt',
      connection.raw('coalesce(person, administrators.name) AS owner'),
    );
}
