import type { Knex } from 'knex';
import type { Act } from '../policy/caller.ts';
import type { OwnerId } from '../users/user.ts';
import { freeCondition, isSearchable, LIKE_ESCAPE, likePattern } from '../resolvers/user-source.ts';
import type { TokenFilter, TokenOrder } from './token-selection.ts';
import {
  assertNoFactor,
  type LockedDecision,
  type NewToken,
  type SerialOrigin,
  type Token,
  type TokenChange,
  unknownSerial,
  weakensFactor,
} from './token.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { AuditEntry } from '../audit/audit-row.ts';
import { auditEntry } from '../audit/rows-store.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { SharedLookup } from '../database/shared-statements.ts';
import { assertStorable, isRowId, isStorable } from '../kernel/text.ts';
import { enrolmentEntry, insertTokens, SharedInsertion } from './token-insertion-store.ts';
import {
  closeOpenChallenges,
  type Columns,
  findToken,
  holdReferences,
  type LockedToken,
  loseFactor,
  REALMS_OF_TOKEN,
  revisionColumns,
  selectTokens,
  stateColumns,
  type TokenRow,
  toToken,
  withLockedTokens,
} from './token-rows-store.ts';

export class TokenStore {
  readonly #database: Database;

  readonly #bySerial: SharedLookup<TokenRow>;
  readonly #byOwner: SharedLookup<TokenRow>;
  readonly #insertion: SharedInsertion;

  constructor({ database }: { database: Database }) {
    this.#database = database;
    const bySerial = selectTokens(database.knex).whereRaw('tokens.serial = requested.key');
    this.#bySerial = new SharedLookup(database, 'find-serials', bySerial);
    const byOwner = selectTokens(database.knex)
      .whereRaw('tokens.owner_resolver_id = (requested.key::json ->> 0)::bigint')
      .whereRaw('tokens.owner_user_id = requested.key::json ->> 1')
      .orderBy('tokens.serial');
    this.#byOwner = new SharedLookup(database, 'find-tokens-of-owners', byOwner);
    this.#insertion = new SharedInsertion(database);
  }

  async findBySerial(serial: string): Promise<Token | undefined> {
    const row = isStorable(serial) ? await this.#bySerial.find(serial) : undefined;
    return row && toToken(row);
  }

  /** @returns the tokens of a user by serial */
  async ofOwner({ resolverId, userId }: OwnerId): Promise<readonly Token[]> {
    const isPossible = isRowId(resolverId) && isStorable(userId);
    const rows = isPossible ? await this.#byOwner.all(JSON.stringify([resolverId, userId])) : [];
    return rows.map(toToken);
  }

  async list(filter: TokenFilter): Promise<readonly Token[]> {
    if (!canMatch(filter)) {
      return [];
    }
    const { knex } = this.#database;
    const query = selectTokens(knex);
    order(query, filter);
    if (filter.offset === undefined) {
      part(query, filter);
    } else {
      // What is passed over on the way to a page is not joined, nor read from the table where an index has the order.
      const serials = knex('tokens').select('tokens.serial');
      if (filter.sort?.by === 'resolver') {
        serials.leftJoin('resolvers', 'resolvers.id', 'tokens.owner_resolver_id');
      }
      order(serials, filter);
      part(serials, filter);
      query.whereRaw('tokens.serial = ANY (ARRAY(?))', [serials]);
    }
    const rows = (await query) as TokenRow[];
    return rows.map(toToken);
  }

  /** @returns a part of the list, read from the end that is nearer, and the number of tokens in the whole list */
  async page(
    filter: TokenFilter & { readonly limit: number; readonly offset: number },
  ): Promise<{ tokens: readonly Token[]; total: number }> {
    const total = await this.count(filter);
    const { limit, offset, sort } = filter;
    const rest = total - offset;
    if (rest <= 0) {
      return { tokens: [], total };
    }
    if (rest - limit >= offset) {
      return { tokens: await this.list(filter), total };
    }
    const reversed = await this.list({
      ...filter,
      sort: { by: sort?.by ?? 'serial', descending: sort?.descending !== true },
      limit: Math.min(limit, rest),
      offset: Math.max(rest - limit, 0),
    });
    return { tokens: reversed.toReversed(), total };
  }

  async count(filter: TokenFilter): Promise<number> {
    if (!canMatch(filter)) {
      return 0;
    }
    const { knex } = this.#database;
    const query = isKept(filter)
      ? knex(knex.raw(KEPT_COUNTS)).sum('tokens.number as number')
      : knex('tokens').count('* as number');
    narrow(query, filter);
    const [row] = (await query) as { number: string }[];
    return Number(row?.number ?? 0);
  }

  /**
   * @param origin default: `given`
   * @throws 'token.exists' when a serial differs at most in case, 'realm.unknown'
   */
  async insert(token: NewToken, act: Act, origin: SerialOrigin = 'given'): Promise<Token> {
    assertStorable(token.serial, token.type);
    assertTokenStorable(token);
    return (await this.#insertShared(token, act, origin)) ?? this.#insertAlone(token, act);
  }

  /**
   * Stores all of them or none, in one transaction with their audit rows.
   * @throws ServiceError 'token.exists' that names a serial, 'realm.unknown', 'resolver.unknown', 'user.unknown'
   */
  async insertAll(tokens: readonly NewToken[], act: Act): Promise<void> {
    await insertTokens(this.#database, tokens, act);
  }

  /** @returns those of the serials that are in use, compared case-insensitively; in lower case */
  async existingSerials(serials: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#database.knex.raw<{ rows: { serial: string }[] }>(
      `SELECT lower(serial COLLATE "default") AS serial FROM tokens WHERE lower(serial COLLATE "default") = ANY (?::text[])`,
      [serials.map((serial) => serial.toLowerCase())],
    );
    return new Set(rows.map(({ serial }) => serial));
  }

  async #insertShared(token: NewToken, act: Act, origin: SerialOrigin): Promise<Token | undefined> {
    try {
      return await this.#insertion.insert(token, act, origin);
    } catch (error) {
      if (isSerialTaken(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /** Waits for others that store this serial or change the references of the token, and names the fault. */
  #insertAlone(token: NewToken, act: Act): Promise<Token> {
    return this.#database.transact(async ({ sql, audit }) => {
      const references = await holdReferences(sql, token);
      const inserted: unknown[] = await sql('tokens')
        .insert({ serial: token.serial, type: token.type, ...stateColumns(token), ...references })
        .onConflict()
        .ignore()
        .returning('id');
      const stored = inserted.length === 0 ? undefined : await findToken(sql, { serial: token.serial });
      if (stored === undefined) {
        throw new ServiceError('token.exists', `There is a token with the serial '${token.serial}' already`);
      }
      await audit.writeAll([enrolmentEntry(auditEntry(act, token.serial, 'created', stored.realms), stored)]);
      return stored;
    });
  }

  /**
   * Changes a token and writes the audit row, in one transaction.
   * @returns the token as it is afterwards, undefined when it does not exist
   * @throws 'realm.unknown'
   */
  async update(
    serial: string,
    change: TokenChange,
    act: Act,
    decide?: LockedDecision,
  ): Promise<Token | undefined> {
    if (!isStorable(serial)) {
      return undefined;
    }
    assertTokenStorable(change);
    return this.#database.transact((unit) => changeToken(unit, serial, change, act, decide));
  }

  /**
   * Changes tokens by their serials, all of them or none, each with its audit row.
   * @throws 'token.unknown' when one is gone
   */
  async updateAll(
    changes: ReadonlyMap<string, TokenChange>,
    act: Act,
    decide?: LockedDecision,
  ): Promise<void> {
    for (const change of changes.values()) {
      assertTokenStorable(change);
    }
    await this.#database.transact((unit) =>
      withLockedTokens(unit.sql, { serials: [...changes.keys()] }, async (locked) => {
        assertComplete(locked, [...changes.keys()]);
        for (const { serial } of locked) {
          await changeToken(unit, serial, changes.get(serial) ?? {}, act, decide);
        }
      }),
    );
  }

  /**
   * Changes a token by what another one has, under the locks of both. Each has its audit row.
   * @param decide throws to prevent the change
   * @throws 'token.unknown' when one is gone
   */
  async changeBy(
    { from, to }: { readonly from: string; readonly to: string },
    act: Act,
    decide: (source: Token, target: Token) => TokenChange,
  ): Promise<void> {
    await this.#database.transact((unit) =>
      withLockedTokens(unit.sql, { serials: [from, to] }, async (locked) => {
        assertComplete(locked, [from, to]);
        const source = await findToken(unit.sql, { serial: from });
        const target = await findToken(unit.sql, { serial: to });
        if (source === undefined || target === undefined) {
          throw new Error('a locked token is gone');
        }
        const change = decide(source, target);
        const copied = Object.keys(change.secrets ?? {}).join(', ');
        await unit.audit.write(act, from, `copied ${copied}`, source.realms);
        await changeToken(unit, to, change, act);
      }),
    );
  }

  /**
   * Removes tokens with their challenges, all or none.
   * @throws 'token.unknown' when one is gone, 'token.second-factor'
   */
  async removeAll(serials: readonly string[], act: Act, removal: Removal = {}): Promise<void> {
    const removeAll = async (unit: UnitOfWork, locked: readonly LockedToken[]): Promise<void> => {
      assertComplete(locked, serials);
      for (const { serial } of locked) {
        await removeAssured(unit, serial, act, removal);
      }
    };
    await this.#database.transact((unit) =>
      withLockedTokens(unit.sql, { serials }, (locked) => removeAll(unit, locked), 'remove'),
    );
  }
}

interface Removal extends Pick<TokenChange, 'mayChangeFactor'> {
  /** Throws to prevent the removal of a locked token. */
  readonly assure?: (token: Token) => void;
}

function isSerialTaken(error: unknown): boolean {
  const { constraint } = (error ?? {}) as { constraint?: unknown };
  return constraint === 'tokens_serial_key' || constraint === 'tokens_serial_caseless';
}

async function changeToken(
  unit: UnitOfWork,
  serial: string,
  requested: TokenChange,
  act: Act,
  decide?: LockedDecision,
): Promise<Token | undefined> {
  const { sql, audit } = unit;
  const references = await holdReferences(sql, requested);
  const change = await decideLocked(sql, serial, requested, decide);
  const columns = { ...references, ...stateColumns(change) };
  if (Object.keys(columns).length > 0) {
    const [changed] = await sql('tokens')
      .where({ serial })
      .update({ ...columns, ...lossColumns(sql, change, act), ...revisionColumns(sql, act) })
      .returning<{ id: string }[]>('id');
    if (changed !== undefined && (change.isLost === true || changesHands(change))) {
      await closeOpenChallenges(sql, changed.id);
    }
    if (changed !== undefined && changesKey(change)) {
      await loseFactor(unit, { id: changed.id, serial }, act);
    }
  }
  const token = await findToken(sql, { serial });
  if (token !== undefined) {
    const entry = auditEntry(act, serial, describeChange(change), token.realms);
    await audit.writeAll([changeEntry(entry, token, change)]);
  }
  return token;
}

/** The first report of a loss counts. A lost device has no key of a later enrolment. */
function lossColumns(sql: Knex.Transaction, change: TokenChange, { actor }: Act): Columns {
  if (change.isLost === true) {
    return {
      lost_at: sql.raw('coalesce(lost_at, clock_timestamp())'),
      lost_by: sql.raw('coalesce(lost_by, ?)', [actor]),
    };
  }
  return change.isLost === false || changesKey(change) ? { lost_at: null, lost_by: null } : {};
}

async function decideLocked(
  sql: Knex.Transaction,
  serial: string,
  requested: TokenChange,
  decide: LockedDecision | undefined,
): Promise<TokenChange> {
  if (decide === undefined && !weakensFactor(requested)) {
    return requested;
  }
  const decided = await withLockedTokens(sql, { serials: [serial] }, async () => {
    const token = await findToken(sql, { serial });
    if (token === undefined) {
      return {};
    }
    const decision = decide?.(token) ?? {};
    if (weakensFactor(requested)) {
      assertNoFactor(token, requested.mayChangeFactor);
    }
    return decision;
  });
  assertTokenStorable(decided);
  const secrets = { ...requested.secrets, ...decided.secrets };
  return { ...requested, ...decided, ...(Object.keys(secrets).length > 0 && { secrets }) };
}

async function removeAssured(
  unit: UnitOfWork,
  serial: string,
  act: Act,
  { assure, mayChangeFactor }: Removal,
): Promise<void> {
  const { sql, audit } = unit;
  const token = await findToken(sql, { serial });
  if (token !== undefined) {
    assure?.(token);
    assertNoFactor(token, mayChangeFactor);
    await loseFactor(unit, token, act);
  }
  const [removed] = await sql('tokens')
    .where({ serial })
    .delete()
    .returning<{ realms: string[] }[]>(sql.raw(REALMS_OF_TOKEN));
  if (removed !== undefined) {
    await audit.write(act, serial, 'removed', removed.realms);
  }
}

function assertComplete(locked: readonly LockedToken[], serials: readonly string[]): void {
  const missing = serials.find((serial) => locked.every((token) => token.serial !== serial));
  if (missing !== undefined) {
    throw unknownSerial(missing);
  }
}

function assertTokenStorable(token: TokenChange | NewToken): void {
  const { description, algorithm, owner, replayMarkers = [] } = token;
  assertStorable(description, algorithm, owner?.userId, owner?.login, ...replayMarkers);
}

/**
 * @returns true if the holder or the secret changes: the next holder must not answer open challenges of the last one
 */
function changesHands({ owner, secrets = {} }: TokenChange): boolean {
  return owner !== undefined || changesKey({ secrets });
}

function changesKey({ secrets = {} }: TokenChange): boolean {
  return secrets.seed !== undefined || secrets.sharedSecret !== undefined;
}

/** @returns the names of the changed fields, never their values; the act says that a device is lost */
function describeChange({ secrets = {}, use = {}, ...change }: TokenChange): string {
  if (change.isLost === false) {
    return 'found again';
  }
  const own = Object.keys(change).filter((name) => name !== 'isLost' && name !== 'mayChangeFactor');
  const fields = [...own, ...Object.keys(use), ...Object.keys(secrets)].sort();
  const isRemoval =
    fields.length > 0 && fields.every((name) => secrets[name as keyof typeof secrets] === null);
  return `${isRemoval ? 'removed' : 'changed'} ${fields.join(', ')}`.trimEnd();
}

/**
 * @param token after the change
 * @returns the entry of a changed token. An enrolment with another key, or a new roll-out, begins with another counter;
 *   one with the same key keeps it
 */
function changeEntry(entry: AuditEntry, token: Token, { secrets = {}, counter }: TokenChange): NotedEntry {
  const isKeyChanged = (secrets.seed ?? secrets.sharedSecret ?? null) !== null && counter !== undefined;
  return {
    ...entry,
    user: token.owner?.login ?? null,
    consequences: isKeyChanged ? ['token.key_changed'] : [],
  };
}

/** The counts that the database keeps (docs/adr/0010-counts-kept-by-the-database.md), with the columns for `narrow`. */
const KEPT_COUNTS = `(
  SELECT realm_set_id, active, CASE WHEN assigned THEN '' END AS owner_user_id, tokens AS number FROM token_counts
  UNION ALL SELECT realm_set_id, active, user_id AS owner_user_id, tokens AS number FROM count_deltas) AS tokens`;

/** @returns true if the counts that the database keeps are those of the filter */
function isKept({ serial, serialPrefix, owner, search }: TokenFilter): boolean {
  return [serial, serialPrefix, owner, search].every((condition) => condition === undefined);
}

/** The columns of orders: only they get into a statement. */
const ORDER_COLUMNS: Readonly<Record<TokenOrder, string>> = {
  id: 'tokens.id',
  serial: 'tokens.serial',
  type: 'tokens.type',
  description: 'tokens.description',
  login: 'tokens.owner_login',
  userId: 'tokens.owner_user_id',
  resolver: 'resolvers.name',
  active: 'tokens.active',
  failCount: 'tokens.fail_count',
  maxFail: 'tokens.max_fail',
  counter: 'tokens.counter',
  counterWindow: 'tokens.counter_window',
  syncWindow: 'tokens.sync_window',
  created: 'tokens.created_at',
};

/** Sorts the list; of equal tokens the serial decides, so that no page has one that another has. */
function order(query: Knex.QueryBuilder, { sort }: TokenFilter): void {
  const { by, descending } = sort ?? { by: 'serial', descending: false };
  const direction = descending ? 'desc' : 'asc';
  query.orderBy(ORDER_COLUMNS[by], direction);
  if (by !== 'serial') {
    query.orderBy('tokens.serial', direction);
  }
}

/** @returns false if a text or id cannot be stored in the database, and so matches nothing */
function canMatch({ serial, serialPrefix, owner, realm, search }: TokenFilter): boolean {
  return (
    (search === undefined || isSearchable(freeCondition(search))) &&
    isStorable(serial, serialPrefix, owner?.userId, realm ?? undefined) &&
    (owner === undefined || isRowId(owner.resolverId))
  );
}

/** Narrows the query to the part of the list that is asked for. */
function part(query: Knex.QueryBuilder, filter: TokenFilter): void {
  narrow(query, filter);
  if (filter.after !== undefined) {
    query.where('tokens.serial', '>', filter.after);
  }
  if (filter.limit !== undefined) {
    query.limit(filter.limit);
  }
  if (filter.offset !== undefined) {
    query.offset(filter.offset);
  }
}

function narrow(query: Knex.QueryBuilder, filter: TokenFilter): void {
  query.modify(narrowByName, filter);
  if (filter.owner !== undefined) {
    const { resolverId, userId } = filter.owner;
    query.where({ 'tokens.owner_resolver_id': resolverId, 'tokens.owner_user_id': userId });
  }
  if (filter.search !== undefined) {
    const pattern = likePattern(freeCondition(filter.search).pattern);
    const columns = ['tokens.serial', 'tokens.type', 'tokens.description', 'tokens.owner_login'];
    query.whereRaw(
      `(${columns.map((column) => `${column} ILIKE ? ESCAPE '${LIKE_ESCAPE}'`).join(' OR ')})`,
      columns.map(() => pattern),
    );
  }
  if (filter.active !== undefined) {
    query.where('tokens.active', filter.active);
  }
  if (filter.assigned !== undefined) {
    query[filter.assigned ? 'whereNotNull' : 'whereNull']('tokens.owner_user_id');
  }
  if (filter.realm === null) {
    query.whereRaw("tokens.realm_set_id = (SELECT id FROM realm_sets WHERE realm_ids = '{}')");
  } else if (filter.realm !== undefined) {
    narrowToRealms(query, [filter.realm.trim().toLowerCase()]);
  }
  if (filter.inRealms !== undefined) {
    narrowToRealms(query, filter.inRealms);
  }
}

function narrowByName(query: Knex.QueryBuilder, filter: TokenFilter): void {
  if (filter.serial !== undefined) {
    query.where('tokens.serial', filter.serial);
  }
  if (filter.serialPrefix !== undefined) {
    query.whereRaw('starts_with(tokens.serial, ?)', [filter.serialPrefix]);
  }
  if (filter.types !== undefined) {
    query.whereIn('tokens.type', filter.types);
  }
}

/** Narrows the query to tokens in at least one of these realms. */
function narrowToRealms(query: Knex.QueryBuilder, realms: readonly string[]): void {
  query.whereRaw(
    `tokens.realm_set_id IN (SELECT sets.id FROM realm_sets AS sets
       JOIN realms ON sets.realm_ids @> ARRAY[realms.id] WHERE realms.name = ANY (?))`,
    [realms.filter((name) => isStorable(name))],
  );
}
