import type { Knex } from 'knex';

import type { ProvenPassword, SecondFactor } from './administrator.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type { ListedSession, SessionChoice, SessionKind } from './session.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../kernel/text.ts';
import type { RememberedCredentials } from './remembered-credentials.ts';

interface SessionRow extends Omit<ListedSession, 'isOwn'> {
  readonly session_hash: Buffer;
}

/** The open sessions of administrators. */
export class SessionStore {
  readonly #database: Database;
  readonly #credentials: RememberedCredentials | undefined;

  constructor(options: { database: Database; credentials?: RememberedCredentials | undefined }) {
    this.#database = options.database;
    this.#credentials = options.credentials;
  }

  /**
   * @param owner undefined: of everybody
   * @returns open sessions, newest first, `max` at most
   */
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
      .where(owner === undefined ? {} : { administrator: owner })
      .orderBy('id', 'desc')
      .limit(max)) as SessionRow[];
    return rows.map(({ session_hash: hash, ...listed }) => ({
      ...listed,
      isOwn: own !== undefined && hash.equals(own),
    }));
  }

  /** All of an owner: also the sign-ins under way. @returns the number of sessions that were open and are ended */
  async end({ owner, id }: SessionChoice, now: Date, act: Act): Promise<number> {
    if (!isStorable(owner)) {
      return 0;
    }
    const work = async ({ sql, audit }: UnitOfWork): Promise<number> => {
      // A sign-in that succeeds at this moment either has opened its session, or ends.
      const administrator = id === undefined ? await lockAdministrator(sql, owner) : undefined;
      const chosen = sql
        .from(openSessions(sql, now).as('open'))
        .where({ administrator: owner, ...(id !== undefined && { id }) })
        .select('id');
      const ended = await sql('sessions')
        .whereIn('id', chosen)
        .where({ revoked_at: null })
        .update({ revoked_at: sql.fn.now() });
      if (administrator !== undefined) {
        // A link of an operator stays: the operator gives it to the owner.
        await sql('sign_in_attempts')
          .where({ administrator_id: administrator.id })
          .whereNot({ kind: 'link' })
          .delete();
      }
      if (ended > 0) {
        await audit.write(act, owner, ended === 1 ? 'session closed' : `session closed, ${ended} of them`);
      }
      return ended;
    };
    // Also after a failure, see `forget`.
    return this.#database.transact(work).finally(() => this.#credentials?.forget());
  }
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
      connection.raw('coalesce(person, administrators.name) AS administrator'),
    );
}

/**
 * Ends the sign-ins under way and the open sessions of an administrator, as a change of the password or the second factor
 * must. The caller holds the administrator's row.
 * @param keeps the hash of the session that stays open
 */
export async function endOpened(
  sql: Knex.Transaction,
  administratorId: string,
  keeps?: Buffer,
): Promise<void> {
  const owned = { administrator_id: administratorId };
  await sql('sign_in_attempts').where(owned).delete();
  const ended = sql('sessions').where({ ...owned, revoked_at: null });
  if (keeps !== undefined) {
    void ended.whereNot({ session_hash: keeps });
  }
  await ended.update({ revoked_at: sql.fn.now() });
}

/** The row of an administrator that is held. */
interface LockedAdministrator {
  readonly id: string;
  readonly second_factor: string | null;
}

/**
 * Holds the administrator's row until commit. Sign-ins, and changes of the password or the second factor, wait: the
 * holder may lock sessions, sign-ins under way and passkeys of the administrator in any order.
 * @returns undefined where there is no such administrator
 */
export async function lockAdministrator(
  sql: Knex.Transaction,
  name: string,
): Promise<LockedAdministrator | undefined> {
  return isStorable(name)
    ? sql('administrators')
        .where({ name })
        .forUpdate()
        .first<LockedAdministrator | undefined>('id', 'second_factor')
    : undefined;
}

/** A session to be stored. */
interface NewSession {
  readonly hash: Buffer;
  readonly expiresAt: Date;
  readonly kind: SessionKind;
}

/**
 * Holds the administrator's row until commit: a change of the password or the second factor waits, and then sees what was
 * stored.
 * @param factor the second factor; undefined: none
 * @returns the id; undefined if the password has changed since it was proven, the administrator has another second
 *   factor, or is gone
 */
export async function lockProven(
  sql: Knex.Transaction,
  { administrator, version }: ProvenPassword,
  factor: SecondFactor | undefined,
): Promise<string | undefined> {
  if (!isStorable(administrator)) {
    return undefined;
  }
  const token = factor?.kind === 'token' ? (factor.tokenId ?? null) : null;
  const { rows } = await sql.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM administrators
     WHERE name = :administrator AND sha256(convert_to(password_hash, 'UTF8')) = :version
       AND second_factor IS NOT DISTINCT FROM :factor::text
       AND (second_factor IS DISTINCT FROM 'token' OR second_factor_token_id = :token::bigint)
     FOR SHARE`,
    { administrator, version, factor: factor?.kind ?? null, token },
  );
  return rows[0]?.id;
}

/**
 * Opens a session under the lock of the administrator's row: a change of the password or the second factor either is
 * seen here, or sees the session and ends it.
 * @param factor the second factor that was proven; undefined: none
 * @returns false if the password has changed since it was proven, the administrator has another second factor, or is
 *   gone
 */
export async function insertSession(
  { sql, audit }: UnitOfWork,
  proven: ProvenPassword,
  factor: SecondFactor | undefined,
  session: NewSession,
  act: Act,
): Promise<boolean> {
  const owner = await lockProven(sql, proven, factor);
  if (owner === undefined) {
    return false;
  }
  await sql('sessions').insert({
    administrator_id: owner,
    session_hash: session.hash,
    kind: session.kind,
    client: act.client,
    expires_at: session.expiresAt,
  });
  await audit.write(act, proven.administrator, 'session opened');
  return true;
}
