import type { Knex } from 'knex';

import { ServiceError } from '../kernel/errors.ts';
import type { Sealed } from '../keys/vault.ts';
import { NEW_TOKEN_COLUMNS } from '../tokens/token-rows-store.ts';
import type { ImportedToken } from './token-mapping.ts';
import type { KeyForm, SecretName } from './secrets.ts';

/** A token in the target whose serial differs at most in case from a wanted one. */
export interface PresentToken {
  readonly id: string;
  readonly serial: string;
  /** Of the import that made it; null: it was not imported. */
  readonly fingerprint: Buffer | null;
  /** It has not been written since the import. */
  readonly isUntouched: boolean;
  /** An administrator signs in with it. */
  readonly isSecondFactor: boolean;
}

/** The owner of a token as this server knows them. */
export interface StoredOwner {
  readonly resolver: string;
  readonly userId: string;
  readonly login: string;
}

/** A token with its secrets sealed and its references resolved. */
export interface StoredToken extends Omit<ImportedToken, 'secrets' | 'owner'> {
  readonly owner: StoredOwner | null;
  readonly keyForm: KeyForm;
  readonly secrets: Readonly<Record<SecretName, Sealed | null>>;
  readonly fingerprint: Buffer;
}

/** The columns of tokens that an import writes, with their types. */
const TOKEN_COLUMNS = {
  ...NEW_TOKEN_COLUMNS,
  realm_set_id: 'bigint',
  valid_from: 'timestamptz',
  valid_until: 'timestamptz',
  use_count: 'integer',
  max_uses: 'integer',
  success_count: 'integer',
  max_successes: 'integer',
  last_success_at: 'timestamptz',
  created_at: 'timestamptz',
};
/** The same of imported_tokens, without `token_id` and `token_version`. */
const IMPORT_COLUMNS = {
  fingerprint: 'bytea',
  type_name: 'text',
  otp_length: 'integer',
  key_form: 'text',
  info: 'jsonb',
  resolver_class: 'text',
  resolver_id: 'text',
  user_id: 'text',
  last_match_at: 'timestamptz',
  so_pin: 'bytea',
};

const columnTypes = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
const columnList = (columns: Readonly<Record<string, string>>, prefix = ''): string =>
  Object.keys(columns)
    .map((name) => prefix + name)
    .join(', ');
const assignments = (columns: Readonly<Record<string, string>>): string =>
  Object.keys(columns)
    .map((name) => `${name} = incoming.${name}`)
    .join(', ');

/** Tokens of releases that noted no date are as old as their import. */
const SELECTED = columnList(TOKEN_COLUMNS).replace('created_at', 'coalesce(created_at, now())');
const CHANGED = assignments(TOKEN_COLUMNS).replace(
  'incoming.created_at',
  'coalesce(incoming.created_at, tokens.created_at)',
);

const INCOMING = `incoming AS (SELECT * FROM json_to_recordset(?::json)
  AS row(token_id bigint, ${columnTypes(TOKEN_COLUMNS)}, ${columnTypes(IMPORT_COLUMNS)}))`;
const INSERT = `WITH ${INCOMING},
  stored AS (
    INSERT INTO tokens (${columnList(TOKEN_COLUMNS)}) SELECT ${SELECTED} FROM incoming
    RETURNING id, version, serial)
  INSERT INTO imported_tokens (token_id, token_version, serial, ${columnList(IMPORT_COLUMNS)})
  SELECT stored.id, stored.version, stored.serial, ${columnList(IMPORT_COLUMNS, 'incoming.')}
  FROM stored JOIN incoming ON incoming.serial = stored.serial`;
const UPDATE = `WITH ${INCOMING},
  stored AS (
    UPDATE tokens SET ${CHANGED}, sync_marker = NULL FROM incoming WHERE tokens.id = incoming.token_id
    RETURNING tokens.id, tokens.version)
  UPDATE imported_tokens SET token_version = stored.version, ${assignments(IMPORT_COLUMNS)}
  FROM stored JOIN incoming ON incoming.token_id = stored.id WHERE imported_tokens.token_id = stored.id`;

/** Reads and writes tokens, within the transaction of an import. */
export class TokenImportStore {
  readonly #sql: Knex.Transaction;
  readonly #realmSets = new Map<string, string>();
  #references: Promise<References> | undefined;
  #notesSeen = false;

  constructor(sql: Knex.Transaction) {
    this.#sql = sql;
  }

  /** @returns true if an earlier import left tokens */
  async hasImported(): Promise<boolean> {
    return (await this.#sql('imported_tokens').first<unknown>('token_id')) !== undefined;
  }

  /** @returns the ids of the users of a managed resolver, by login */
  async managedUsers(resolverId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#sql('users')
      .where({ resolver_id: resolverId })
      .select<{ id: string; login: string }[]>('id', 'login');
    return new Map(rows.map(({ id, login }) => [login, id]));
  }

  /** @returns tokens by the serial that was asked for; case does not matter */
  async find(serials: readonly string[]): Promise<ReadonlyMap<string, PresentToken>> {
    const { rows } = await this.#sql.raw<{ rows: (PresentToken & { requested: string })[] }>(
      `SELECT tokens.id, tokens.serial, requested.serial AS requested, imported_tokens.fingerprint,
         coalesce(imported_tokens.token_version = tokens.version, false) AS "isUntouched",
         EXISTS (SELECT FROM administrators WHERE second_factor_token_id = tokens.id) AS "isSecondFactor"
       FROM unnest(?::text[]) AS requested(serial)
       JOIN tokens ON lower(tokens.serial COLLATE "default") = lower(requested.serial)
       LEFT JOIN imported_tokens ON imported_tokens.token_id = tokens.id`,
      [[...serials]],
    );
    return new Map(rows.map((row) => [row.requested, row]));
  }

  /** @returns those of the serials whose imported tokens have been removed here */
  async removedHere(serials: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await this.#removals(serials).pluck<string[]>('name'));
  }

  async insert(tokens: readonly StoredToken[]): Promise<void> {
    const rows = await this.#rows(tokens.map((token) => [null, token]));
    await this.#sql.raw(INSERT, [JSON.stringify(rows)]);
  }

  /**
   * Replaces tokens, by their ids, that have not been written since their import. Also removes their challenges: those
   * that the source still has are imported anew.
   * @returns the ids of the replaced ones
   */
  async update(tokens: ReadonlyMap<string, StoredToken>): Promise<ReadonlySet<string>> {
    const rows = await this.#rows([...tokens]);
    const untouched = await lockUntouched(this.#sql, [...tokens.keys()]);
    await this.#sql('challenges')
      .whereIn('token_id', [...untouched])
      .delete();
    await this.#sql.raw(UPDATE, [
      JSON.stringify(rows.filter(({ token_id: id }) => untouched.has(String(id)))),
    ]);
    return untouched;
  }

  /** Notes that the source still has the tokens with these serials. */
  async noteSeen(serials: readonly string[]): Promise<void> {
    await this.#createSeen();
    await this.#sql.raw(
      'INSERT INTO seen_tokens SELECT id FROM tokens WHERE serial = ANY (?::text[]) ON CONFLICT DO NOTHING',
      [[...serials]],
    );
  }

  /**
   * Removes imported tokens that are not noted as seen, up to a number.
   * @returns their serials, and those that stay because they have been used or changed here since; empty: no more
   */
  async removeUnseen(
    max: number,
  ): Promise<{ readonly removed: readonly string[]; readonly kept: readonly string[] }> {
    await this.#createSeen();
    const { rows } = await this.#sql.raw<{ rows: { id: string; serial: string; is_untouched: boolean }[] }>(
      `SELECT tokens.id, tokens.serial, imported_tokens.token_version = tokens.version AS is_untouched
       FROM imported_tokens JOIN tokens ON tokens.id = imported_tokens.token_id
       WHERE NOT EXISTS (SELECT FROM seen_tokens WHERE seen_tokens.token_id = imported_tokens.token_id)
       ORDER BY tokens.id LIMIT ? FOR UPDATE OF tokens`,
      [max],
    );
    const factors = await secondFactorsOf(
      this.#sql,
      rows.map(({ id }) => id),
    );
    const gone = rows.filter(({ id, is_untouched }) => is_untouched && !factors.has(id));
    const removed = gone.map(({ serial }) => serial);
    const kept = rows.filter((row) => !gone.includes(row)).map(({ serial }) => serial);
    const ids = gone.map(({ id }) => id);
    await this.#sql('tokens').whereIn('id', ids).delete();
    // A trigger has noted them as removed here. Without that note they come back when the source has them again.
    await this.#removals(removed).delete();
    await this.noteSeen(kept);
    return { removed, kept };
  }

  #removals(serials: readonly string[]): Knex.QueryBuilder {
    return this.#sql('imported_entries')
      .where({ kind: 'removed token' })
      .whereRaw('name = ANY (?::text[])', [[...serials]]);
  }

  async #createSeen(): Promise<void> {
    if (!this.#notesSeen) {
      await this.#sql.raw('CREATE TEMPORARY TABLE seen_tokens (token_id bigint PRIMARY KEY) ON COMMIT DROP');
      this.#notesSeen = true;
    }
  }

  /** @returns rows of `incoming` */
  async #rows(
    tokens: readonly (readonly [id: string | null, token: StoredToken])[],
  ): Promise<readonly Record<string, unknown>[]> {
    this.#references ??= readReferences(this.#sql);
    const { realms, resolvers } = await this.#references;
    const rows: Record<string, unknown>[] = [];
    for (const [tokenId, token] of tokens) {
      const realmIds = token.realms.map((name) => required(realms.get(name), 'realm', name));
      const { resolver } = token.owner ?? {};
      rows.push({
        ...toRow(token),
        token_id: tokenId,
        realm_set_id: await this.#realmSet(realmIds),
        owner_resolver_id:
          resolver === undefined ? null : required(resolvers.get(resolver), 'resolver', resolver),
      });
    }
    return rows;
  }

  async #realmSet(realmIds: readonly string[]): Promise<string> {
    const key = realmIds.join();
    const known = this.#realmSets.get(key);
    if (known !== undefined) {
      return known;
    }
    const { rows } = await this.#sql.raw<{ rows: { id: string }[] }>(
      'SELECT intern_realm_set(?::bigint[]) AS id',
      [[...realmIds]],
    );
    const id = rows[0]?.id ?? '';
    this.#realmSets.set(key, id);
    return id;
  }
}

/** A response may be accepted after a token was found: the row is judged again under its lock. */
async function lockUntouched(sql: Knex, tokenIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql.raw<{ rows: { id: string }[] }>(
    `SELECT tokens.id FROM tokens JOIN imported_tokens ON imported_tokens.token_id = tokens.id
     WHERE tokens.id = ANY (?::bigint[]) AND tokens.version = imported_tokens.token_version
     ORDER BY tokens.id FOR UPDATE OF tokens`,
    [[...tokenIds]],
  );
  const factors = await secondFactorsOf(
    sql,
    rows.map(({ id }) => id),
  );
  return new Set(rows.flatMap(({ id }) => (factors.has(id) ? [] : [id])));
}

/** @returns those of the tokens with which administrators sign in. Read under the locks of the tokens: it stays so */
async function secondFactorsOf(sql: Knex, tokenIds: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = await sql('administrators')
    .whereRaw('second_factor_token_id = ANY (?::bigint[])', [[...tokenIds]])
    .pluck<string[]>('second_factor_token_id');
  return new Set(ids);
}

/**
 * Lets tokens count as untouched since their import although their rows were just written once, for upkeep. The caller
 * holds their locks.
 */
export async function keepUntouched(sql: Knex, tokenIds: readonly string[]): Promise<void> {
  await sql.raw(
    `UPDATE imported_tokens SET token_version = tokens.version FROM tokens
     WHERE tokens.id = imported_tokens.token_id AND tokens.id = ANY (?::bigint[])
       AND imported_tokens.token_version = tokens.version - 1`,
    [[...tokenIds]],
  );
}

interface References {
  readonly realms: ReadonlyMap<string, string>;
  readonly resolvers: ReadonlyMap<string, string>;
}

interface NamedRow {
  readonly id: string;
  readonly name: string;
}

/** Reads the ids of realms and resolvers, and holds them until the end of the transaction. */
async function readReferences(sql: Knex): Promise<References> {
  const resolvers = await sql('resolvers').orderBy('id').forKeyShare().select<NamedRow[]>('id', 'name');
  const realms = await sql('realms').orderBy('id').forKeyShare().select<NamedRow[]>('id', 'name');
  const byName = (rows: readonly NamedRow[]): ReadonlyMap<string, string> =>
    new Map(rows.map(({ id, name }) => [name, id]));
  return { realms: byName(realms), resolvers: byName(resolvers) };
}

function required(id: string | undefined, what: 'realm' | 'resolver', name: string): string {
  if (id === undefined) {
    throw new ServiceError(`${what}.unknown`, `There is no ${what} '${name}'`);
  }
  return id;
}

function toRow(token: StoredToken): Record<string, unknown> {
  const { secrets, source, owner } = token;
  return {
    serial: token.serial,
    type: token.type,
    description: token.description,
    active: token.active,
    owner_user_id: owner?.userId,
    owner_login: owner?.login,
    fail_count: token.failCount,
    max_fail: token.maxFail,
    counter: token.counter,
    counter_window: token.counterWindow,
    sync_window: token.syncWindow,
    time_shift: token.timeShift,
    time_window: token.timeWindow,
    algorithm: token.algorithm,
    rollout: token.rollout,
    replay_markers: token.replayMarkers,
    seed: bytea(secrets.seed),
    shared_secret: bytea(secrets.sharedSecret),
    nonce: bytea(secrets.nonce),
    pin: bytea(secrets.pin),
    ocra_pin: bytea(secrets.userPin),
    so_pin: bytea(secrets.soPin),
    valid_from: token.use.validFrom,
    valid_until: token.use.validUntil,
    use_count: token.use.useCount,
    max_uses: token.use.maxUses,
    success_count: token.use.successCount,
    max_successes: token.use.maxSuccesses,
    last_success_at: token.lastSuccessAt,
    created_at: token.createdAt,
    fingerprint: bytea(token.fingerprint),
    type_name: token.typeName,
    otp_length: token.otpLength,
    key_form: token.keyForm,
    info: token.info,
    last_match_at: token.lastMatchAt,
    resolver_class: source.resolverClass,
    resolver_id: source.resolverId,
    user_id: source.userId,
  };
}

function bytea(bytes: Buffer | null): string | null {
  return bytes === null ? null : `\\x${bytes.toString('hex')}`;
}
