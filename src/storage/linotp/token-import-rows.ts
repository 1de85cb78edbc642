import type { Knex } from 'knex';

import type { PresentToken, StoredToken } from '../../linotp/ports.ts';
import { NEW_TOKEN_COLUMNS } from '../tokens/token-rows.ts';

/** The columns of tokens that an import writes, with their types. */
const TOKEN_COLUMNS = {
  ...NEW_TOKEN_COLUMNS,
  realm_set_id: 'bigint',
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

/** A token with the ids of its references. */
export interface ReferringToken {
  readonly tokenId: string | null;
  readonly token: StoredToken;
  readonly realmSetId: string;
  readonly resolverId: string | null;
}

export async function insertTokens(sql: Knex, tokens: readonly ReferringToken[]): Promise<void> {
  await sql.raw(INSERT, [JSON.stringify(tokens.map(toRow))]);
}

/**
 * Replaces the tokens that have not been written since their import. Also removes their challenges: those that the source
 * still has are imported anew.
 * @returns the ids of the replaced tokens
 */
export async function updateTokens(
  sql: Knex,
  tokens: readonly ReferringToken[],
): Promise<ReadonlySet<string>> {
  const untouched = await lockUntouched(
    sql,
    tokens.flatMap(({ tokenId }) => tokenId ?? []),
  );
  const replaced = tokens.filter(({ tokenId }) => tokenId !== null && untouched.has(tokenId));
  await sql('challenges')
    .whereIn('token_id', [...untouched])
    .delete();
  await sql.raw(UPDATE, [JSON.stringify(replaced.map(toRow))]);
  return untouched;
}

/** A response may be accepted after a token was found: the row is judged again under its lock. */
async function lockUntouched(sql: Knex, tokenIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql.raw<{ rows: { id: string }[] }>(
    `SELECT tokens.id FROM tokens JOIN imported_tokens ON imported_tokens.token_id = tokens.id
     WHERE tokens.id = ANY (?::bigint[]) AND tokens.version = imported_tokens.token_version
     ORDER BY tokens.id FOR UPDATE OF tokens`,
    [[...tokenIds]],
  );
  return new Set(rows.map(({ id }) => id));
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

/** @returns tokens by serial in lower case, as the database has it */
export async function findTokens(
  sql: Knex,
  serials: readonly string[],
): Promise<ReadonlyMap<string, PresentToken>> {
  const { rows } = await sql.raw<{ rows: PresentTokenRow[] }>(
    `SELECT tokens.id, tokens.serial, requested.serial AS requested, imported_tokens.fingerprint,
       imported_tokens.token_version = tokens.version AS is_untouched
     FROM unnest(?::text[]) AS requested(serial)
     JOIN tokens ON lower(tokens.serial COLLATE "default") = lower(requested.serial)
     LEFT JOIN imported_tokens ON imported_tokens.token_id = tokens.id`,
    [[...serials]],
  );
  return new Map(
    rows.map(({ id, serial, requested, fingerprint, is_untouched }) => [
      requested,
      { id, serial, fingerprint, isUntouched: is_untouched === true },
    ]),
  );
}

interface PresentTokenRow {
  readonly id: string;
  readonly serial: string;
  readonly requested: string;
  readonly fingerprint: Buffer | null;
  readonly is_untouched: boolean | null;
}

/** @returns a row of `GIVEN` */
function toRow({ tokenId, token, realmSetId, resolverId }: ReferringToken): Record<string, unknown> {
  const { secrets, source, owner } = token;
  return {
    token_id: tokenId,
    serial: token.serial,
    type: token.type,
    description: token.description,
    active: token.active,
    realm_set_id: realmSetId,
    owner_resolver_id: resolverId,
    owner_user_id: owner?.userId,
    owner_login: owner?.login,
    fail_count: token.failCount,
    max_fail: token.maxFail,
    counter: token.counter,
    counter_window: token.counterWindow,
    sync_window: token.syncWindow,
    time_shift: token.timeShift,
    ocra_suite: token.ocraSuite,
    rollout: token.rollout,
    replay_markers: token.replayMarkers,
    seed: bytea(secrets.seed),
    shared_secret: bytea(secrets.sharedSecret),
    nonce: bytea(secrets.nonce),
    pin: bytea(secrets.pin),
    ocra_pin: bytea(secrets.ocraPin),
    so_pin: bytea(token.soPin),
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
