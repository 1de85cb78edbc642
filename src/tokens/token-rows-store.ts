import type { Knex } from 'knex';
import type { Owner } from '../users/user.ts';
import type { Token, TokenChange, TokenSecrets, TokenStateChange, TokenUse } from './token.ts';
import { isRowId, isStorable } from '../kernel/text.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type { Act } from '../policy/caller.ts';

/** Values by the names of their columns. */
export type Columns = Readonly<Record<string, Knex.Value>>;

const STATE_COLUMNS = {
  description: 'description',
  active: 'active',
  failCount: 'fail_count',
  maxFail: 'max_fail',
  counter: 'counter',
  counterWindow: 'counter_window',
  syncWindow: 'sync_window',
  timeShift: 'time_shift',
  timeWindow: 'time_window',
  algorithm: 'algorithm',
  rollout: 'rollout',
  replayMarkers: 'replay_markers',
  lastSuccessAt: 'last_success_at',
  syncMarker: 'sync_marker',
  selfEnrolled: 'self_enrolled',
} as const satisfies Readonly<Record<keyof Omit<TokenStateChange, 'secrets' | 'use'>, string>>;
const SECRET_COLUMNS = {
  seed: 'seed',
  sharedSecret: 'shared_secret',
  nonce: 'nonce',
  pin: 'pin',
  ocraPin: 'ocra_pin',
} as const satisfies Readonly<Record<keyof TokenSecrets, string>>;
const USE_COLUMNS = {
  validFrom: 'valid_from',
  validUntil: 'valid_until',
  useCount: 'use_count',
  maxUses: 'max_uses',
  successCount: 'success_count',
  maxSuccesses: 'max_successes',
} as const satisfies Readonly<Record<keyof TokenUse, string>>;

/** The columns of `Fields`. bigint comes as text. */
type Stored<Fields, Columns extends Readonly<Record<keyof Columns, string>>> = {
  readonly [Field in keyof Columns & keyof Fields as Columns[Field]]: Fields[Field] extends bigint
    ? string
    : Fields[Field];
};

/** A token as `selectTokens` reads it. */
export interface TokenRow
  extends
    Pick<Token, 'id' | 'version' | 'serial' | 'type' | 'realms'>,
    Stored<Required<Token>, typeof STATE_COLUMNS>,
    Stored<TokenSecrets, typeof SECRET_COLUMNS>,
    Stored<TokenUse, typeof USE_COLUMNS>,
    Stored<Token, typeof CHANGE_COLUMNS> {
  readonly created_at: Date;
  readonly is_second_factor: boolean;
  readonly owner_resolver_id: string | null;
  readonly owner_resolver: string | null;
  readonly owner_user_id: string | null;
  readonly owner_login: string | null;
}

/** The columns of a new token, with their types, without its set of realms. */
export const NEW_TOKEN_COLUMNS = {
  serial: 'text',
  type: 'text',
  description: 'text',
  active: 'boolean',
  owner_resolver_id: 'bigint',
  owner_user_id: 'text',
  owner_login: 'text',
  fail_count: 'integer',
  max_fail: 'integer',
  counter: 'bigint',
  counter_window: 'integer',
  sync_window: 'integer',
  time_shift: 'integer',
  time_window: 'integer',
  algorithm: 'text',
  rollout: 'text',
  replay_markers: 'text[]',
  seed: 'bytea',
  shared_secret: 'bytea',
  nonce: 'bytea',
  pin: 'bytea',
  ocra_pin: 'bytea',
};

/** What changes by people alone write. */
const CHANGE_COLUMNS = {
  revision: 'revision',
  changedBy: 'changed_by',
  lostAt: 'lost_at',
  lostBy: 'lost_by',
} as const;

const TOKEN_COLUMNS = [
  'id',
  'version',
  'serial',
  'type',
  'created_at',
  'owner_resolver_id',
  'owner_user_id',
  'owner_login',
  ...Object.values(STATE_COLUMNS),
  ...Object.values(SECRET_COLUMNS),
  ...Object.values(USE_COLUMNS),
  ...Object.values(CHANGE_COLUMNS),
].map((column) => `tokens.${column}`);

const REALM_NAMES = `ARRAY(SELECT realms.name FROM realms WHERE realms.id = ANY (realm_sets.realm_ids)
  ORDER BY realms.name) AS realms`;

const IS_SECOND_FACTOR = `EXISTS (SELECT FROM administrators
  WHERE administrators.second_factor_token_id = tokens.id) AS is_second_factor`;

/**
 * Takes a token whose key changes, or which is removed, from the administrators who sign in with it. Their sessions and
 * sign-ins under way end by a trigger, and no password alone signs in: another factor must be set. The caller has locked
 * the token.
 */
export async function loseFactor(
  { sql, audit }: UnitOfWork,
  { id, serial }: Pick<Token, 'id' | 'serial'>,
  act: Act,
): Promise<void> {
  const losers = await sql('administrators')
    .where({ second_factor_token_id: id })
    .update({ second_factor_token_id: null })
    .returning<{ name: string }[]>('name');
  for (const { name } of losers) {
    await audit.write(act, name, `second factor lost: token ${serial}`);
  }
}

/** The token's realms in the RETURNING list of a statement that writes tokens. */
export const REALMS_OF_TOKEN = `ARRAY(SELECT realms.name FROM realm_sets
  JOIN realms ON realms.id = ANY (realm_sets.realm_ids)
  WHERE realm_sets.id = tokens.realm_set_id ORDER BY realms.name) AS realms`;

/** @returns a query for `TokenRow`s, to be narrowed by the caller */
export function selectTokens(connection: Knex): Knex.QueryBuilder {
  return connection('tokens')
    .join('realm_sets', 'realm_sets.id', 'tokens.realm_set_id')
    .leftJoin('resolvers', 'resolvers.id', 'tokens.owner_resolver_id')
    .select(
      ...TOKEN_COLUMNS,
      'resolvers.name as owner_resolver',
      connection.raw(REALM_NAMES),
      connection.raw(IS_SECOND_FACTOR),
    );
}

export function toToken(row: TokenRow): Token {
  return {
    id: row.id,
    version: row.version,
    serial: row.serial,
    type: row.type,
    realms: row.realms,
    owner: toOwner(row),
    isSecondFactor: row.is_second_factor,
    createdAt: row.created_at,
    ...stateOf(row),
    ...lastChangeOf(row),
    counter: BigInt(row.counter),
    secrets: secretsOf(row),
    use: useOf(row),
  };
}

const stateOf = fieldsReader(STATE_COLUMNS);
const lastChangeOf = fieldsReader(CHANGE_COLUMNS);
const secretsOf = fieldsReader(SECRET_COLUMNS);
const useOf = fieldsReader(USE_COLUMNS);

/** @returns a function to the fields that these columns hold, which lists the columns once for all rows */
function fieldsReader<Fields extends Readonly<Record<string, keyof TokenRow>>>(
  columns: Fields,
): (row: TokenRow) => { readonly [Field in keyof Fields]: TokenRow[Fields[Field]] } {
  const all = Object.entries(columns);
  return (row) => {
    const fields: Record<string, unknown> = {};
    for (const [field, column] of all) {
      fields[field] = row[column];
    }
    return fields as { readonly [Field in keyof Fields]: TokenRow[Fields[Field]] };
  };
}

/** @returns only the columns of the change: other columns must not be overwritten with values of an earlier read */
export function stateColumns(change: TokenStateChange): Columns {
  return {
    ...changedColumns(STATE_COLUMNS, change),
    ...changedColumns(SECRET_COLUMNS, change.secrets ?? {}),
    ...changedColumns(USE_COLUMNS, change.use ?? {}),
  };
}

/** @returns the columns that each change by people writes beside its own */
export function revisionColumns(sql: Knex.Transaction, { actor }: Act): Columns {
  return { revision: sql.raw('revision + 1'), changed_by: actor };
}

function changedColumns<Key extends string>(
  columns: Readonly<Record<Key, string>>,
  change: Readonly<Partial<Record<NoInfer<Key>, unknown>>>,
): Columns {
  const names = (Object.keys(columns) as Key[]).filter((key) => change[key] !== undefined);
  return Object.fromEntries(names.map((key) => [columns[key], toValue(change[key])]));
}

function toValue(value: unknown): Knex.Value {
  return typeof value === 'bigint' ? value.toString() : (value as Knex.Value);
}

function toOwner(row: TokenRow): Owner | null {
  const { owner_resolver_id, owner_resolver, owner_user_id, owner_login } = row;
  // A constraint of the table ensures all or none; the compiler does not know it.
  return owner_resolver_id === null ||
    owner_resolver === null ||
    owner_user_id === null ||
    owner_login === null
    ? null
    : { resolverId: owner_resolver_id, resolver: owner_resolver, userId: owner_user_id, login: owner_login };
}

/** Tokens by their ids, by their serials, or by their owner. */
type LockSelection =
  | { readonly ids: readonly string[] }
  | { readonly serials: readonly string[] }
  | { readonly owner: { readonly resolverId: string; readonly userId: string } };

/** A token whose row is locked. */
export interface LockedToken {
  readonly id: string;
  readonly serial: string;
}

/** `remove` also blocks transactions that only refer to the row; `change` lets them pass. */
type LockStrength = 'change' | 'remove';

/**
 * Locks the rows of the selected tokens until the end of the transaction, in the order of their ids, then runs `work`.
 * `work` itself reads the data for its decision, in statements that begin under the lock: one statement for lock and
 * read would return the new token with the challenges of its old snapshot (docs/adr/0003-accepting-a-response-once.md).
 * @param work receives the tokens that exist; also runs if none does
 */
export async function withLockedTokens<T>(
  transaction: Knex.Transaction,
  selection: LockSelection,
  work: (locked: readonly LockedToken[]) => Promise<T>,
  strength: LockStrength = 'change',
): Promise<T> {
  const query = transaction('tokens')
    .modify(select, selection)
    .orderBy('id')
    .select<LockedToken[]>('id', 'serial');
  return work(await (strength === 'remove' ? query.forUpdate() : query.forNoKeyUpdate()));
}

function select(query: Knex.QueryBuilder, selection: LockSelection): void {
  if ('ids' in selection) {
    query.whereIn('id', selection.ids);
  } else if ('serials' in selection) {
    query.whereIn(
      'serial',
      selection.serials.filter((serial) => isStorable(serial)),
    );
  } else {
    const { resolverId, userId } = selection.owner;
    query.where({ owner_resolver_id: resolverId, owner_user_id: userId });
  }
}

/**
 * Finds the rows that a token is to refer to, and holds them until the end of the transaction, so that they cannot be
 * removed meanwhile. Must come before the token's own row is locked (docs/architecture.md, "Order of locks").
 * @returns the columns of the token for the given owner and realms
 * @throws ServiceError 'resolver.unknown', 'user.unknown', 'realm.unknown'
 */
export async function holdReferences(
  transaction: Knex.Transaction,
  change: Pick<TokenChange, 'owner' | 'realms'>,
): Promise<Columns> {
  const owner = change.owner === undefined ? {} : await holdOwner(transaction, change.owner);
  const realms = change.realms === undefined ? {} : await holdRealms(transaction, change.realms);
  return { ...owner, ...realms };
}

async function holdOwner(transaction: Knex.Transaction, owner: Owner | null): Promise<Columns> {
  if (owner === null) {
    return { owner_resolver_id: null, owner_user_id: null, owner_login: null };
  }
  const resolver = isRowId(owner.resolverId)
    ? await transaction('resolvers')
        .where({ id: owner.resolverId })
        .forKeyShare()
        .first<{ kind: string } | undefined>('kind')
    : undefined;
  if (resolver === undefined) {
    throw new ServiceError('resolver.unknown', `There is no resolver '${owner.resolver}'`);
  }
  if (resolver.kind === 'managed') {
    await holdManagedUser(transaction, owner);
  }
  return {
    owner_resolver_id: owner.resolverId,
    owner_user_id: owner.userId,
    owner_login: owner.login,
  };
}

async function holdManagedUser(transaction: Knex.Transaction, owner: Owner): Promise<void> {
  const user: unknown = isRowId(owner.userId)
    ? await transaction('users')
        .where({ id: owner.userId, resolver_id: owner.resolverId })
        .forKeyShare()
        .first('id')
    : undefined;
  if (user === undefined) {
    throw new ServiceError('user.unknown', `There is no user '${owner.login}'`, {
      user: owner.login,
      login: owner.login,
    });
  }
}

async function holdRealms(transaction: Knex.Transaction, realms: readonly string[]): Promise<Columns> {
  const names = [...new Set(realms.map((realm) => realm.trim().toLowerCase()))];
  const found = await transaction('realms')
    .whereIn(
      'name',
      names.filter((name) => isStorable(name)),
    )
    .orderBy('id')
    .forKeyShare()
    .select<{ id: string; name: string }[]>('id', 'name');
  const unknown = names.find((name) => !found.some((realm) => realm.name === name));
  if (unknown !== undefined) {
    throw new ServiceError('realm.unknown', `There is no realm '${unknown}'`, { name: unknown });
  }
  const { rows } = await transaction.raw<{ rows: { id: string }[] }>(
    'SELECT intern_realm_set(?::bigint[]) AS id',
    [found.map(({ id }) => id)],
  );
  return { realm_set_id: rows[0]?.id ?? null };
}

/**
 * Closes all open challenges of a token, which is lost or has a new key or owner, and ends what its user has signed in
 * with it. The caller has written its row before.
 */
export async function closeOpenChallenges(transaction: Knex.Transaction, tokenId: string): Promise<void> {
  await transaction('challenges')
    .where({ token_id: tokenId, closed_by: null })
    .update({ closed_by: 'superseded', closed_at: transaction.raw('clock_timestamp()') });
  await transaction('user_sessions').where({ token_id: tokenId }).delete();
}

/** @returns the token with exactly this serial, or of this id */
export async function findToken(
  connection: Knex,
  selection: { readonly serial: string } | { readonly id: string },
): Promise<Token | undefined> {
  const [[column, value] = ['id', '']] = Object.entries(selection);
  const row = (await selectTokens(connection).where(`tokens.${column}`, value).first()) as
    TokenRow | undefined;
  return row && toToken(row);
}
