import type { Knex } from 'knex';
import type { ClosedBy } from '../challenges/challenge.ts';
import type { Database } from '../database/database.ts';
import { isRowId, isStorable } from '../kernel/text.ts';
import { selectTokens, type TokenRow, toToken } from '../tokens/token-rows-store.ts';
import type { TokenFilter } from '../tokens/token-selection.ts';
import type { Token } from '../tokens/token.ts';
import type { OwnerId } from '../users/user.ts';

/** Conditions on the tokens of a page; an absent one does not restrict. */
export interface TokenPageFilter extends Pick<TokenFilter, 'inRealms' | 'owner' | 'active' | 'assigned'> {
  /** True: tokens in no realm. */
  readonly inNoRealm?: boolean;
  /** The beginning of the serial, in any case. */
  readonly serialPrefix?: string | undefined;
  /** True: locked tokens only. */
  readonly isLocked?: boolean;
  /** The serial after which the page begins, in the order of the page; absent: the first page. */
  readonly after?: string | undefined;
  /** True: the last serials first. */
  readonly isDescending?: boolean;
  /** The most tokens. */
  readonly limit: number;
}

/** The order of the pages, which is also the expression of their indexes. */
const KEY = 'lower(tokens.serial COLLATE "default")';
/** No text of letters, digits and signs is greater. */
const GREATEST = '\u{10FFFF}';

/** A part of a statement with its values. */
interface Fragment {
  readonly sql: string;
  readonly values: readonly Knex.Value[];
}

/**
 * Pages of tokens by serial, up or down, without regard to case. A page takes the same time wherever it is and whatever
 * it leaves out.
 *
 * Every page is read from the beginning of a range of an index, so that no statement passes over tokens that it leaves
 * out: without a filter by serial; by owner, for the few tokens that an owner has; otherwise for each combination of
 * realm set, activity and assignment that the filter allows, from which the first ones are merged. The work of the last
 * kind grows with the number of realm sets, not of tokens.
 */
export class TokenPageStore {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { readonly database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  async page(filter: TokenPageFilter): Promise<readonly Token[]> {
    const { serialPrefix, after, owner } = filter;
    if (
      !isStorable(serialPrefix, after, owner?.userId) ||
      (owner !== undefined && !isRowId(owner.resolverId))
    ) {
      return [];
    }
    const { knex } = this.#database;
    const { sql, values } = pageStatement(filter);
    // One statement: a token that goes between two of them would shorten the page, which then looks like the last one.
    const found: unknown = await selectTokens(knex)
      .whereRaw(`tokens.id = ANY (ARRAY(${sql}))`, [...values])
      .orderByRaw(orderOf(filter));
    return (found as TokenRow[]).map(toToken);
  }

  /**
   * @param owners a few
   * @param inRealms looks at tokens in at least one of these realms; undefined: at all
   * @returns for each owner true if one of their tokens is locked
   */
  async haveLocked(
    owners: readonly OwnerId[],
    inRealms: readonly string[] | undefined,
  ): Promise<readonly boolean[]> {
    const { sql, values } = lockedStatement(inRealms);
    // There is no resolver 0.
    const resolverIds = owners.map(({ resolverId }) => (isRowId(resolverId) ? resolverId : '0'));
    const userIds = owners.map(({ userId }) => (isStorable(userId) ? userId : ''));
    const { rows } = await this.#database.knex.raw<{ rows: { has_locked: boolean }[] }>(sql, [
      ...values,
      resolverIds,
      userIds,
    ]);
    return rows.map(({ has_locked: hasLocked }) => hasLocked);
  }
}

/** @returns the statement that tells for each owner whether a locked token is theirs */
function lockedStatement(inRealms: readonly string[] | undefined): Fragment {
  const sets = inRealms === undefined ? undefined : setsStatement({ inRealms, limit: 0 });
  return {
    sql: `SELECT EXISTS (
        SELECT FROM tokens WHERE owner_resolver_id = wanted.resolver_id AND owner_user_id = wanted.user_id
          AND tokens.locked ${sets === undefined ? '' : `AND tokens.realm_set_id IN (${sets.sql})`}
      ) AS has_locked
      FROM unnest(?::bigint[], ?::text[]) WITH ORDINALITY AS wanted (resolver_id, user_id, place) ORDER BY place`,
    values: sets?.values ?? [],
  };
}

/** @returns the statement that finds the ids of a page */
function pageStatement(filter: TokenPageFilter): Fragment {
  if (filter.owner !== undefined) {
    return ownerStatement(filter, filter.owner);
  }
  const { inRealms, inNoRealm, active, assigned, isLocked } = filter;
  const isWhole = [inRealms, inNoRealm, active, assigned, isLocked].every((one) => one === undefined);
  return isWhole ? wholeStatement(filter) : mergedStatement(filter);
}

function wholeStatement(filter: TokenPageFilter): Fragment {
  const range = rangeOf(filter);
  return {
    sql: `SELECT tokens.id FROM tokens WHERE ${range.sql} ORDER BY ${orderOf(filter)} LIMIT ?`,
    values: [...range.values, filter.limit],
  };
}

/** MATERIALIZED: the planner would walk the order of serials for an owner of more tokens than usual. */
function ownerStatement(
  filter: TokenPageFilter,
  { resolverId, userId }: NonNullable<TokenPageFilter['owner']>,
): Fragment {
  const conditions: Fragment[] = [rangeOf(filter), ...realmConditions(filter)];
  for (const [sql, value] of [
    ['tokens.active = ?', filter.active],
    ['(tokens.owner_user_id IS NOT NULL) = ?', filter.assigned],
    ['tokens.locked = ?', filter.isLocked],
  ] as const) {
    if (value !== undefined) {
      conditions.push({ sql, values: [value] });
    }
  }
  return {
    sql: `WITH tokens AS MATERIALIZED (SELECT * FROM tokens WHERE owner_resolver_id = ? AND owner_user_id = ?)
      SELECT tokens.id FROM tokens WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
      ORDER BY ${orderOf(filter)} LIMIT ?`,
    values: [resolverId, userId, ...conditions.flatMap(({ values }) => values), filter.limit],
  };
}

function realmConditions(filter: TokenPageFilter): readonly Fragment[] {
  if (filter.inRealms === undefined && filter.inNoRealm !== true) {
    return [];
  }
  const sets = setsStatement(filter);
  return [{ sql: `tokens.realm_set_id IN (${sets.sql})`, values: sets.values }];
}

/** The values of `active` and `assigned` come from rows: as constants they would not match the columns of the index. */
function mergedStatement(filter: TokenPageFilter): Fragment {
  const { active, assigned, isLocked, limit } = filter;
  const sets = setsStatement(filter);
  const range = rangeOf(filter);
  return {
    sql: `WITH sets AS MATERIALIZED (${sets.sql})
      SELECT first_ones.id FROM sets
        CROSS JOIN unnest(?::boolean[]) AS activity (active) CROSS JOIN unnest(?::boolean[]) AS assignment (assigned)
        CROSS JOIN LATERAL (
          SELECT tokens.id, ${KEY} AS key FROM tokens
          WHERE tokens.realm_set_id = sets.id AND tokens.active = activity.active
            AND (tokens.owner_user_id IS NOT NULL) = assignment.assigned ${isLocked === true ? 'AND tokens.locked' : ''}
            AND ${range.sql}
          ORDER BY ${orderOf(filter)} LIMIT ?
        ) AS first_ones
      ORDER BY ${orderOf(filter, 'first_ones.key')} LIMIT ?`,
    values: [...sets.values, valuesOf(active), valuesOf(assigned), ...range.values, limit, limit],
  };
}

function setsStatement({ inRealms, inNoRealm }: TokenPageFilter): Fragment {
  if (inNoRealm === true) {
    return { sql: "SELECT id FROM realm_sets WHERE realm_ids = '{}'", values: [] };
  }
  if (inRealms === undefined) {
    return { sql: 'SELECT id FROM realm_sets', values: [] };
  }
  return {
    sql: 'SELECT id FROM realm_sets WHERE realm_ids && ARRAY(SELECT realms.id FROM realms WHERE realms.name = ANY (?))',
    values: [inRealms.filter((name) => isStorable(name))],
  };
}

function orderOf({ isDescending = false }: TokenPageFilter, key = KEY): string {
  return `${key} USING ${isDescending ? '~>~' : '~<~'}`;
}

function rangeOf({ serialPrefix = '', after = '', isDescending = false }: TokenPageFilter): Fragment {
  const beginning = `${KEY} ~>=~ lower(?::text) AND ${KEY} ~<~ (lower(?::text) || '${GREATEST}')`;
  return after === ''
    ? { sql: beginning, values: [serialPrefix, serialPrefix] }
    : {
        sql: `${beginning} AND ${KEY} ${isDescending ? '~<~' : '~>~'} lower(?::text)`,
        values: [serialPrefix, serialPrefix, after],
      };
}

function valuesOf(requested: boolean | undefined): boolean[] {
  return requested === undefined ? [false, true] : [requested];
}

/** A stored challenge of a token, without its question and data. */
export interface LatestTransaction {
  readonly transactionId: string;
  readonly serial: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly closedBy: ClosedBy | null;
  /** The number of wrong responses to it. */
  readonly failCount: number;
}

/** A token may have been in other realms before. */
const HAS_NO_FOREIGN_ROW = `NOT EXISTS (
  SELECT FROM audit WHERE audit.transaction_id = latest.transaction_id AND audit.transaction_id <> ''
    AND NOT string_to_array(audit.realm, ',') && ?::text[])`;

/** For how many times as many as are wanted the audit is looked at. */
const MERGED_FOR_BOUND = 10;

/** The latest challenges of tokens, and how many are open. */
export class LatestTransactionStore {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { readonly database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  /** @returns the numbers of challenges that take responses, by the ids of their tokens; without those that have none */
  async openOfTokens(tokenIds: readonly string[], now: Date): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#database.knex.raw<{ rows: { token_id: string; open: number }[] }>(
      `SELECT token_id, count(*)::integer AS open FROM challenges
       WHERE token_id = ANY (?::bigint[]) AND closed_by IS NULL AND open_until > ? GROUP BY token_id`,
      [[...tokenIds], now],
    );
    return new Map(rows.map(({ token_id: id, open }) => [id, open]));
  }

  /**
   * Reads the newest ones of each token from an index, merges them, and looks for the audit rows of what is left:
   * of some more for a caller who may not see all of them.
   * @param realms audit rows in none of these realms hide a transaction, as in its history; undefined: none does
   * @returns the latest stored challenges of these tokens, newest first, at most so many
   */
  async ofTokens(
    tokenIds: readonly string[],
    max: number,
    realms?: readonly string[],
  ): Promise<readonly LatestTransaction[]> {
    const merged = realms === undefined ? max : max * MERGED_FOR_BOUND;
    const { rows } = await this.#database.knex.raw<{ rows: LatestTransaction[] }>(
      `WITH latest AS MATERIALIZED (
         SELECT newest.*, tokens.serial FROM unnest(?::bigint[]) AS wanted (id) JOIN tokens USING (id)
           CROSS JOIN LATERAL (
             SELECT transaction_id, issued_at, open_until, closed_by, wrong_count FROM challenges
             WHERE token_id = wanted.id ORDER BY issued_at DESC, id DESC LIMIT ?
           ) AS newest
         ORDER BY newest.issued_at DESC, newest.transaction_id LIMIT ?)
       SELECT transaction_id AS "transactionId", serial, issued_at AS "issuedAt", open_until AS "expiresAt",
         closed_by AS "closedBy", wrong_count AS "failCount"
       FROM latest ${realms === undefined ? '' : `WHERE ${HAS_NO_FOREIGN_ROW}`}
       ORDER BY issued_at DESC, transaction_id LIMIT ?`,
      [[...tokenIds], merged, merged, ...(realms === undefined ? [] : [[...realms]]), max],
    );
    return rows;
  }
}
