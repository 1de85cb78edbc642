import type { Knex } from 'knex';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import type { Person } from './person.ts';

/** What confirms a sign-in, or the next act of a session: a challenge, else a response of HOTP or TOTP. */
export interface Asked {
  readonly transactionId?: string;
}

/** A sign-in under way, or a session. */
export interface OwnSession {
  readonly person: Person;
  /** The token that signs in. */
  readonly serial: string;
  readonly tokenId: string;
  /** null: nothing is asked. */
  readonly asked: Asked | null;
  readonly expiresAt: Date;
}

interface SessionRow extends Omit<OwnSession, 'person' | 'asked'>, Person {
  readonly transactionId: string | null;
  readonly isCodeAsked: boolean;
}

/** A sign-in whose password was right. Its secret is stored as a hash. */
interface NewOwnSession {
  readonly hash: Buffer;
  readonly person: Person;
  readonly tokenId: string;
  readonly asked: Asked;
  readonly expiresAt: Date;
}

const COLUMNS = `owner_resolver_id AS "resolverId", owner_user_id AS "userId", login, realm,
  (SELECT serial FROM tokens WHERE tokens.id = token_id) AS serial, token_id AS "tokenId",
  transaction_id AS "transactionId", is_code_asked AS "isCodeAsked", expires_at AS "expiresAt"`;

/** Sign-ins and sessions of users at the account page: any server goes on with one that another has begun. */
export class OwnSessionStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** @returns the number of the person's sign-ins that wait for a response */
  async countPending({ resolverId, userId }: Person, now: Date): Promise<number> {
    const { rows } = await this.#database.knex.raw<{ rows: { number: number }[] }>(
      `SELECT count(*)::integer AS number FROM user_sessions LEFT JOIN challenges USING (transaction_id)
        WHERE owner_resolver_id = ? AND owner_user_id = ? AND NOT is_open AND expires_at > ? AND closed_by IS NULL
          AND (challenges.id IS NOT NULL OR is_code_asked)`,
      [resolverId, userId, now],
    );
    return rows[0]?.number ?? 0;
  }

  /** Stores a sign-in. @returns false where its token has just been removed */
  async begin({ hash, person, tokenId, ...session }: NewOwnSession, act: Act): Promise<boolean> {
    try {
      await this.#database.transact(async ({ sql, audit }) => {
        // It waits for a removal of the token, which ends the other sign-ins.
        await sql('user_sessions').insert({
          session_hash: hash,
          token_id: tokenId,
          owner_resolver_id: person.resolverId,
          owner_user_id: person.userId,
          login: person.login,
          realm: person.realm,
          ...askedColumns(session.asked),
          expires_at: session.expiresAt,
          ends_at: session.expiresAt,
        });
        await audit.write(act, person.login, 'second factor requested', [person.realm]);
      });
      return true;
    } catch (error) {
      if ((error as { constraint?: unknown } | null)?.constraint === 'user_sessions_token_fkey') {
        return false;
      }
      throw error;
    }
  }

  /** @returns the sign-in, while it waits for its second step */
  async pending(hash: Buffer, now: Date): Promise<OwnSession | undefined> {
    const { rows } = await this.#database.knex.raw<{ rows: SessionRow[] }>(
      `SELECT ${COLUMNS} FROM user_sessions WHERE session_hash = ? AND NOT is_open AND expires_at > ?`,
      [hash, now],
    );
    return toSession(rows[0]);
  }

  /**
   * Opens the session of a sign-in, under another secret. Of several at once, one opens it.
   * @returns false where the sign-in has ended
   */
  open(
    pending: Buffer,
    person: Person,
    opened: { readonly hash: Buffer; readonly now: Date; readonly expiresAt: Date; readonly endsAt: Date },
    act: Act,
  ): Promise<boolean> {
    return this.#database.transact(async ({ sql, audit }) => {
      const changed = await sql('user_sessions')
        .where({ session_hash: pending, is_open: false })
        .where('expires_at', '>', opened.now)
        .update({
          session_hash: opened.hash,
          is_open: true,
          ...askedColumns(null),
          expires_at: opened.expiresAt,
          ends_at: opened.endsAt,
        });
      if (changed > 0) {
        await audit.write(act, person.login, 'session opened', [person.realm]);
      }
      return changed > 0;
    });
  }

  /**
   * Finds an open session, and lets it live on.
   * @param idleUntil the instant at which it expires without another request, unless it ends before
   */
  async use(hash: Buffer, now: Date, idleUntil: Date): Promise<OwnSession | undefined> {
    const { rows } = await this.#database.knex.raw<{ rows: SessionRow[] }>(
      `UPDATE user_sessions SET expires_at = least(ends_at, ?::timestamptz)
       WHERE session_hash = ? AND is_open AND expires_at > ? RETURNING ${COLUMNS}`,
      [idleUntil, hash, now],
    );
    return toSession(rows[0]);
  }

  /** Keeps what confirms the next act of an open session, in place of an earlier one. */
  async ask(hash: Buffer, asked: Asked): Promise<boolean> {
    const { knex } = this.#database;
    return (
      (await knex('user_sessions').where({ session_hash: hash, is_open: true }).update(askedColumns(asked))) >
      0
    );
  }

  /** Takes a confirmation, which serves for one act. @returns false where it was taken, or another one is asked */
  take(
    hash: Buffer,
    asked: Asked,
    { login, realm }: Pick<Person, 'login' | 'realm'>,
    act: Act,
  ): Promise<boolean> {
    return this.#database.transact(async ({ sql, audit }) => {
      const taken = await sql('user_sessions')
        .where({ session_hash: hash, is_open: true, ...askedColumns(asked) })
        .update(askedColumns(null));
      if (taken > 0) {
        await audit.write(act, login, 'confirmed', [realm]);
      }
      return taken > 0;
    });
  }

  /**
   * Waits for a loss, removal or new key of the session's token that is under way.
   * @returns false where the session has ended
   */
  async isOpen(hash: Buffer): Promise<boolean> {
    const { knex } = this.#database;
    return (
      (await knex('user_sessions').where({ session_hash: hash, is_open: true }).forShare().first('id')) !==
      undefined
    );
  }

  /** Ends a sign-in or session. */
  async end(hash: Buffer, { login, realm }: Pick<Person, 'login' | 'realm'>, act: Act): Promise<void> {
    await this.#database.transact(async ({ sql, audit }) => {
      if ((await sql('user_sessions').where({ session_hash: hash }).delete()) > 0) {
        await audit.write(act, login, 'session closed', [realm]);
      }
    });
  }

  /** @returns the number of open sessions of a user, in any of these realms; undefined: in all */
  async countOpen(owner: SessionOwner, now: Date, realms: readonly string[] | undefined): Promise<number> {
    const [row] = await sessionsOf(this.#database.knex, owner, realms)
      .where({ is_open: true })
      .where('expires_at', '>', now)
      .count<{ count: string }[]>('* as count');
    return Number(row?.count ?? 0);
  }

  /**
   * Ends the sessions of a user, and the sign-ins under way.
   * @param realms ends those in any of these; undefined: in all
   * @returns the number of sessions that were open
   */
  endAll(
    owner: SessionOwner & Pick<Person, 'login'>,
    now: Date,
    realms: readonly string[] | undefined,
    act: Act,
  ): Promise<number> {
    return this.#database.transact(async ({ sql, audit }) => {
      // In one order: two at once wait for each other.
      const chosen = sessionsOf(sql, owner, realms).select('id').orderBy('id').forUpdate();
      const ended = await sql('user_sessions')
        .whereIn('id', chosen)
        .delete()
        .returning<{ is_open: boolean; expires_at: Date; realm: string }[]>([
          'is_open',
          'expires_at',
          'realm',
        ]);
      const open = ended.filter((session) => session.is_open && session.expires_at > now);
      if (ended.length > 0) {
        const outcome = ended.length === 1 ? 'session closed' : `session closed, ${ended.length} of them`;
        await audit.write(act, owner.login, outcome, [...new Set(ended.map(({ realm }) => realm))].sort());
      }
      return open.length;
    });
  }
}

type SessionOwner = Pick<Person, 'resolverId' | 'userId'>;

function sessionsOf(
  connection: Knex,
  { resolverId, userId }: SessionOwner,
  realms: readonly string[] | undefined,
): Knex.QueryBuilder {
  const sessions = connection('user_sessions').where({
    owner_resolver_id: resolverId,
    owner_user_id: userId,
  });
  return realms === undefined ? sessions : sessions.whereIn('realm', [...realms]);
}

function toSession(row: SessionRow | undefined): OwnSession | undefined {
  if (row === undefined) {
    return undefined;
  }
  const { resolverId, userId, login, realm, transactionId, isCodeAsked, ...session } = row;
  const asked = isCodeAsked ? {} : transactionId === null ? null : { transactionId };
  return { ...session, asked, person: { resolverId, userId, login, realm } };
}

function askedColumns(asked: Asked | null): {
  readonly transaction_id: string | null;
  readonly is_code_asked: boolean;
} {
  const { transactionId = null } = asked ?? {};
  return { transaction_id: transactionId, is_code_asked: asked !== null && transactionId === null };
}
