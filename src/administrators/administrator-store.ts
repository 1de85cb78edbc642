import type { Knex } from 'knex';
import type { Act } from '../policy/caller.ts';
import {
  type Administrator,
  type ApiToken,
  type ProvenPassword,
  lastAdministrator,
  type SecondFactor,
} from './administrator.ts';
import type { OpenSession, SessionKind } from './session.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import type { RememberedCredentials } from './remembered-credentials.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { assertStorable, isStorable } from '../kernel/text.ts';
import { endOpened, insertSession } from './session-store.ts';
import type { Token } from '../tokens/token.ts';
import { findToken, withLockedTokens } from '../tokens/token-rows-store.ts';

interface AdministratorRow {
  readonly id: string;
  readonly name: string;
  readonly password_hash: string;
  readonly created_at: Date;
  readonly second_factor: SecondFactor['kind'] | null;
  readonly second_factor_serial: string | null;
  readonly second_factor_token_id: string | null;
}

interface SessionOwnerRow extends Pick<OpenSession, 'administrator' | 'expiresAt'> {
  /** Null for administrators of this server. */
  readonly groups: string[] | null;
}

/** The condition that the hash of a password is the one of that version. */
const HAS_VERSION = "sha256(convert_to(password_hash, 'UTF8')) = ?";

/** Administrators, their API tokens and their sessions. Tokens and sessions are stored as hashes. */
export class AdministratorStore {
  readonly #database: Database;
  readonly #credentials: RememberedCredentials | undefined;

  /** @param options.credentials remembers sessions and API tokens; by default each is read from the database */
  constructor(options: { database: Database; credentials?: RememberedCredentials | undefined }) {
    this.#database = options.database;
    this.#credentials = options.credentials;
  }

  async find(name: string): Promise<Administrator | undefined> {
    const row = isStorable(name)
      ? await this.#database.knex('administrators').where({ name }).first<AdministratorRow | undefined>()
      : undefined;
    return row === undefined ? undefined : toAdministrator(row);
  }

  async list(): Promise<readonly Administrator[]> {
    const rows = await this.#database.knex('administrators').orderBy('name').select<AdministratorRow[]>();
    return rows.map(toAdministrator);
  }

  /** @throws ServiceError 'administrator.exists' */
  async insert(name: string, passwordHash: string, act: Act): Promise<void> {
    assertStorable(name);
    return this.#database.transact(async ({ sql, audit }) => {
      const inserted: unknown[] = await sql('administrators')
        .insert({ name, password_hash: passwordHash })
        .onConflict()
        .ignore()
        .returning('id');
      if (inserted.length === 0) {
        throw new ServiceError('administrator.exists', `There is an administrator '${name}' already`);
      }
      await audit.write(act, name, 'created');
    });
  }

  /**
   * Creates the first administrator. Where several servers try at once, one succeeds.
   * @returns false when there is an administrator already, and nothing was stored
   */
  async insertFirst(name: string, passwordHash: string, act: Act): Promise<boolean> {
    assertStorable(name);
    return this.#database.transact(async ({ sql, audit }) => {
      await lockAdministrators(sql);
      const present: unknown = await sql('administrators').first('id');
      if (present !== undefined) {
        return false;
      }
      await sql('administrators').insert({ name, password_hash: passwordHash });
      await audit.write(act, name, 'created');
      return true;
    });
  }

  /**
   * Also ends every session of the administrator, and removes the API tokens on request.
   * @returns the number of API tokens; undefined for an unknown administrator, or where the password is not `replaces`
   */
  async setPassword(
    name: string,
    passwordHash: string,
    act: Act,
    {
      revokesApiTokens = false,
      replaces,
    }: { readonly revokesApiTokens?: boolean; readonly replaces?: ProvenPassword } = {},
  ): Promise<{ readonly apiTokens: number } | undefined> {
    if (!isStorable(name)) {
      return undefined;
    }
    return this.#revoke(async ({ sql, audit }) => {
      const chosen = sql('administrators').where({ name });
      const [administrator] = await (
        replaces === undefined ? chosen : chosen.whereRaw(HAS_VERSION, [replaces.version])
      )
        .update({ password_hash: passwordHash })
        .returning<{ id: string }[]>('id');
      if (administrator === undefined) {
        return undefined;
      }
      await endOpened(sql, administrator.id);
      const tokens = sql('api_tokens').where({ administrator_id: administrator.id });
      const apiTokens = revokesApiTokens
        ? await tokens.delete()
        : Number((await tokens.count<{ count: string }[]>())[0]?.count);
      const isRevoked = revokesApiTokens && apiTokens > 0;
      await audit.write(
        act,
        name,
        isRevoked ? `password changed, ${apiTokens} API tokens revoked` : 'password changed',
      );
      return { apiTokens };
    });
  }

  /**
   * Replaces the hash of a password by another hash of the same password. Sessions stay open.
   * @param proven names the hash that is replaced
   * @returns false if the password or its hash has been changed since it was proven, or the administrator is gone
   */
  renewHash({ administrator, version }: ProvenPassword, passwordHash: string, act: Act): Promise<boolean> {
    return this.#revoke(async ({ sql, audit }) => {
      const renewed = await sql('administrators')
        .where({ name: administrator })
        .whereRaw(HAS_VERSION, [version])
        .update({ password_hash: passwordHash });
      if (renewed > 0) {
        await audit.write(act, administrator, 'password hash renewed');
      }
      return renewed > 0;
    });
  }

  /**
   * Binds a token, as it then is, or removes the second factor. Also ends all sessions of the administrator and the
   * sign-ins under way, and removes the passkeys.
   * @param serial undefined: no second factor
   * @param assertFit throws for a token that cannot be one
   * @returns false for an unknown administrator
   */
  async setSecondFactor(
    administrator: string,
    serial: string | undefined,
    assertFit: (token: Token | undefined) => asserts token is Token,
    act: Act,
  ): Promise<boolean> {
    if (!isStorable(administrator, serial)) {
      return false;
    }
    return this.#revoke(({ sql, audit }) =>
      // Held: an act that gives it another key meanwhile waits, and then sees whose factor it is.
      withLockedTokens(sql, { serials: serial === undefined ? [] : [serial] }, async () => {
        const token = serial === undefined ? null : await findToken(sql, { serial });
        if (token !== null) {
          assertFit(token);
        }
        const [changed] = await sql('administrators')
          .where({ name: administrator })
          .update({
            second_factor: token && 'token',
            second_factor_serial: token?.serial ?? null,
            second_factor_token_id: token?.id ?? null,
          })
          .returning<{ id: string }[]>('id');
        if (changed === undefined) {
          return false;
        }
        await sql('passkeys').where({ administrator_id: changed.id }).delete();
        await endOpened(sql, changed.id);
        const outcome = token === null ? 'second factor removed' : `second factor: token ${token.serial}`;
        await audit.write(act, administrator, outcome);
        return true;
      }),
    );
  }

  /**
   * Also removes sessions and API tokens.
   * @throws ServiceError 'administrator.invalid' for the last one
   * @returns true if there was one
   */
  async remove(name: string, act: Act): Promise<boolean> {
    if (!isStorable(name)) {
      return false;
    }
    return this.#revoke(async ({ sql, audit }) => {
      await lockAdministrators(sql);
      const removed = await sql('administrators').where({ name }).delete();
      const remaining: unknown = await sql('administrators').first('id');
      if (removed > 0 && remaining === undefined) {
        throw lastAdministrator();
      }
      if (removed > 0) {
        await audit.write(act, name, 'removed');
      }
      return removed > 0;
    });
  }

  /**
   * @throws ServiceError 'administrator.unknown', 'administrator.exists' when the name is taken for that administrator
   */
  async insertApiToken(token: Omit<ApiToken, 'createdAt'>, tokenHash: Buffer, act: Act): Promise<void> {
    assertStorable(token.name, token.administrator, ...token.rights);
    await this.#database.transact(async ({ sql, audit }) => {
      const inserted: unknown[] = await sql('api_tokens')
        .insert({
          administrator_id: await findId(sql, token.administrator),
          name: token.name,
          token_hash: tokenHash,
          rights: token.rights,
          expires_at: token.expiresAt,
        })
        .onConflict(['administrator_id', 'name'])
        .ignore()
        .returning('id');
      if (inserted.length === 0) {
        throw new ServiceError(
          'administrator.exists',
          `The administrator '${token.administrator}' has an API token '${token.name}' already`,
        );
      }
      await audit.write(act, `${token.administrator}/${token.name}`, 'created');
    });
  }

  async listApiTokens(administrator: string): Promise<readonly ApiToken[]> {
    if (!isStorable(administrator)) {
      return [];
    }
    return (await selectApiTokens(this.#database.knex)
      .where('administrators.name', administrator)
      .orderBy('api_tokens.name')) as ApiToken[];
  }

  async removeApiToken(administrator: string, name: string, act: Act): Promise<boolean> {
    if (!isStorable(administrator, name)) {
      return false;
    }
    return this.#revoke(async ({ sql, audit }) => {
      const owner = sql('administrators').where({ name: administrator }).select('id');
      const removed = await sql('api_tokens').where({ name }).whereIn('administrator_id', owner).delete();
      if (removed > 0) {
        await audit.write(act, `${administrator}/${name}`, 'removed');
      }
      return removed > 0;
    });
  }

  /** @returns the token of that hash, unless it has expired by `now` */
  async findApiToken(tokenHash: Buffer, now: Date): Promise<ApiToken | undefined> {
    // Taken before the read: a change during the read replaces the memory, and the stale result goes to the old one.
    const memory = this.#credentials?.current?.apiTokens;
    const key = tokenHash.toString('base64');
    const kept = memory?.get(key);
    if (kept !== undefined) {
      return kept.expiresAt === null || kept.expiresAt > now ? kept : undefined;
    }
    const found = (await selectApiTokens(this.#database.knex)
      .where('api_tokens.token_hash', tokenHash)
      .whereRaw('(api_tokens.expires_at IS NULL OR api_tokens.expires_at > ?)', [now])
      .first()) as ApiToken | undefined;
    if (found !== undefined) {
      memory?.set(key, found);
    }
    return found;
  }

  /** @returns false if the password is not the one that was proven or not enough, or the administrator is gone */
  insertSession(
    proven: ProvenPassword,
    hash: Buffer,
    expiresAt: Date,
    act: Act,
    kind: SessionKind = 'session',
  ): Promise<boolean> {
    return this.#database.transact((unit) =>
      insertSession(unit, proven, undefined, { hash, expiresAt, kind }, act),
    );
  }

  /** @returns the administrator's name, unless the session has expired by `now` or was revoked */
  async findSession(sessionHash: Buffer, now: Date): Promise<string | undefined> {
    return (await this.findOpenSession(sessionHash, now))?.administrator;
  }

  /** @returns the session, unless it has expired by `now` or was revoked */
  async findOpenSession(sessionHash: Buffer, now: Date): Promise<OpenSession | undefined> {
    const memory = this.#credentials?.current?.sessions;
    const key = sessionHash.toString('base64');
    const kept = memory?.get(key);
    if (kept !== undefined) {
      return kept.expiresAt > now ? kept : undefined;
    }
    const found = await this.#readSession(sessionHash, now);
    if (found !== undefined) {
      memory?.set(key, found);
    }
    return found;
  }

  async #readSession(sessionHash: Buffer, now: Date): Promise<OpenSession | undefined> {
    const { knex } = this.#database;
    const row = await knex('sessions')
      .leftJoin('administrators', 'administrators.id', 'sessions.administrator_id')
      .where({ session_hash: sessionHash, revoked_at: null })
      .where('expires_at', '>', now)
      .first<SessionOwnerRow | undefined>(
        knex.raw('coalesce(person, administrators.name) AS administrator'),
        'expires_at as expiresAt',
        'groups',
      );
    return (
      row && {
        administrator: row.administrator,
        expiresAt: row.expiresAt,
        ...(row.groups !== null && { groups: row.groups }),
      }
    );
  }

  /** @returns true if it was open */
  revokeSession(sessionHash: Buffer, act: Act): Promise<boolean> {
    return this.#revoke(async ({ sql, audit }) => {
      const { rows } = await sql.raw<{ rows: { name: string }[] }>(
        `UPDATE sessions SET revoked_at = now() WHERE session_hash = ? AND revoked_at IS NULL
         RETURNING coalesce(person, (SELECT name FROM administrators WHERE id = administrator_id)) AS name`,
        [sessionHash],
      );
      for (const { name } of rows) {
        await audit.write(act, name, 'session closed');
      }
      return rows.length > 0;
    });
  }

  /** Runs a transaction that may revoke credentials, and forgets them on this server at once. */
  #revoke<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    // Also after a failure, see `forget`.
    return this.#database.transact(work).finally(() => this.#credentials?.forget());
  }
}

/** Holds the table until commit: no other transaction adds or removes an administrator before. */
async function lockAdministrators(sql: Knex.Transaction): Promise<void> {
  await sql.raw('LOCK TABLE administrators IN SHARE ROW EXCLUSIVE MODE');
}

/**
 * Holds the administrator's row until commit: a change of the password waits, and then sees the added row.
 * @throws ServiceError 'administrator.unknown'
 */
async function findId(sql: Knex.Transaction, name: string): Promise<string> {
  const row = isStorable(name)
    ? await sql('administrators').where({ name }).forShare().first<{ id: string } | undefined>('id')
    : undefined;
  if (row === undefined) {
    throw new ServiceError('administrator.unknown', `There is no administrator '${name}'`, { name });
  }
  return row.id;
}

function toAdministrator(row: AdministratorRow): Administrator {
  return {
    id: row.id,
    name: row.name,
    passwordHash: row.password_hash,
    createdAt: row.created_at,
    secondFactor: secondFactorOf(row),
  };
}

/** @returns a query for `ApiToken`s, whose rows are shown as they are: never a hash; to be narrowed by the caller */
function selectApiTokens(connection: Knex): Knex.QueryBuilder {
  return connection('api_tokens')
    .join('administrators', 'administrators.id', 'api_tokens.administrator_id')
    .select(
      'api_tokens.name',
      'administrators.name as administrator',
      'api_tokens.rights',
      'api_tokens.created_at as createdAt',
      'api_tokens.expires_at as expiresAt',
    );
}

/** @returns the second factor of a row of `administrators` */
function secondFactorOf({
  second_factor: kind,
  second_factor_serial: serial,
  second_factor_token_id: tokenId,
}: AdministratorRow): SecondFactor | undefined {
  if (kind === 'token') {
    return { kind, serial: serial ?? '', tokenId: tokenId ?? undefined };
  }
  return kind === null ? undefined : { kind };
}
