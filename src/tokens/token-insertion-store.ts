import {
  isOcraToken,
  isPassToken,
  type NewToken,
  type SerialOrigin,
  type Token,
  UNBOUND_USE,
} from './token.ts';
import type { Act } from '../policy/caller.ts';
import { AUDIT_FIELDS, auditEntry, auditParts } from '../audit/rows-store.ts';
import {
  type ColumnValues,
  type LockedRow,
  SharedWrites,
  type TokenWrite,
  type WritingStatement,
} from '../database/shared-statements.ts';
import type { AuditEntry } from '../audit/audit-row.ts';
import { type Database, renewStatistics } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { assertStorable, isRowId, isStorable } from '../kernel/text.ts';
import { type Columns, holdReferences, NEW_TOKEN_COLUMNS, stateColumns } from './token-rows-store.ts';

const INSERTED = Object.keys(NEW_TOKEN_COLUMNS);
const TYPED = Object.entries(NEW_TOKEN_COLUMNS)
  .map((column) => column.join(' '))
  .join(', ');

interface InsertedRow extends LockedRow {
  readonly id: string;
  readonly created_at: Date;
}

/**
 * The tokens and their audit rows, all or none. `locked` has the tokens whose serial is free, and whose owner and realm are
 * there and can be locked at once. The locks keep these from being removed until the token is there. Tokens are inserted
 * in the order of their serials, so that two groups do not block each other.
 */
const INSERT: WritingStatement<InsertedRow> = {
  name: 'insert-tokens',
  text: `WITH request AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS request(place integer, ${TYPED},
        managed_user_id bigint, realm text, ${AUDIT_FIELDS})
      WHERE place >= 0 AND audit_at > '-infinity' AND audit_at < 'infinity'
    ), locked AS MATERIALIZED (
      SELECT request.place, realm_set.id AS realm_set_id FROM request
      LEFT JOIN LATERAL (
        SELECT id FROM tokens
        WHERE lower(serial COLLATE "default") = lower(request.serial COLLATE "default") LIMIT 1
      ) AS taken ON true
      LEFT JOIN LATERAL (
        SELECT id, kind FROM resolvers WHERE id = request.owner_resolver_id FOR KEY SHARE SKIP LOCKED
      ) AS resolver ON true
      LEFT JOIN LATERAL (
        SELECT id FROM users WHERE id = request.managed_user_id AND resolver_id = request.owner_resolver_id
        FOR KEY SHARE SKIP LOCKED
      ) AS managed ON true
      LEFT JOIN LATERAL (
        SELECT id FROM realms WHERE name = request.realm FOR KEY SHARE SKIP LOCKED
      ) AS realm ON true
      CROSS JOIN LATERAL (
        SELECT id FROM realm_sets
        WHERE realm_ids = CASE WHEN realm.id IS NULL THEN '{}'::bigint[] ELSE ARRAY[realm.id] END LIMIT 1
      ) AS realm_set
      WHERE taken.id IS NULL
        AND (request.owner_resolver_id IS NULL OR resolver.id IS NOT NULL)
        AND (resolver.kind IS DISTINCT FROM 'managed' OR managed.id IS NOT NULL)
        AND (request.realm IS NULL OR realm.id IS NOT NULL)
    ), stored AS (
      INSERT INTO tokens (${INSERTED.join(', ')}, realm_set_id)
      SELECT ${INSERTED.map((column) => `request.${column}`).join(', ')}, locked.realm_set_id
      FROM request JOIN locked USING (place)
      WHERE (SELECT count(*) FROM locked) = (SELECT count(*) FROM request)
      ORDER BY lower(request.serial) COLLATE "C"
      RETURNING id, serial, created_at
    ), token AS (
      SELECT request.place, stored.id, stored.created_at
      FROM request JOIN stored ON stored.serial = request.serial COLLATE "C"
    ), ${auditParts('token', '$2')}
    SELECT locked.place, (SELECT count(*) FROM audited)::integer AS written, token.id, token.created_at
    FROM locked LEFT JOIN token USING (place)`,
};

/** Inserts tokens in statements that enrolments share. */
export class SharedInsertion {
  readonly #writes: SharedWrites<InsertedRow>;

  constructor(database: Database) {
    this.#writes = new SharedWrites(database, INSERT);
  }

  /**
   * @returns undefined, and nothing is stored, where the serial is taken, where owner or realm is unknown or just being
   *   changed, and where the token is one of the rare ones that this statement does not know, as in several realms, with bounds of use or self-enrolled
   * @throws the unique violation of a serial that is being stored by another statement
   */
  async insert(token: NewToken, act: Act, origin: SerialOrigin): Promise<Token | undefined> {
    const realms = [...new Set(token.realms.map((realm) => realm.trim().toLowerCase()))];
    if (!isPlain(token, realms) || !isStorable(...realms) || !isRowId(token.owner?.resolverId ?? '1')) {
      return undefined;
    }
    const write: TokenWrite = {
      key: token.serial.toLowerCase(),
      columns: { ...columnsOf(token), realm: realms[0] ?? null },
      entry: enrolmentEntry(auditEntry(act, token.serial, 'created', realms), token),
    };
    // A given serial may also be that of a long import, whose end its statement then waits for.
    const stored = await (origin === 'given' ? this.#writes.doAlone(write) : this.#writes.do(write));
    return (
      stored && {
        timeWindow: null,
        ...token,
        realms,
        id: stored.id,
        version: '1',
        use: UNBOUND_USE,
        isSecondFactor: false,
        createdAt: stored.created_at,
        lastSuccessAt: null,
        syncMarker: null,
        revision: '1',
        changedBy: '',
        lostAt: null,
        lostBy: null,
        selfEnrolled: false,
      }
    );
  }
}

function isPlain({ use, selfEnrolled }: NewToken, realms: readonly string[]): boolean {
  return realms.length <= 1 && use === undefined && selfEnrolled !== true;
}

/** @returns the columns of the statement but the realm, for JSON */
function columnsOf(token: NewToken): ColumnValues {
  const { owner } = token;
  const state = Object.entries(stateColumns(token)).map(([column, value]): [string, unknown] => [
    column,
    Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
  ]);
  return {
    serial: token.serial,
    type: token.type,
    ...Object.fromEntries<unknown>(state),
    ...(owner !== null && {
      owner_resolver_id: owner.resolverId,
      owner_user_id: owner.userId,
      owner_login: owner.login,
      managed_user_id: isRowId(owner.userId) ? owner.userId : null,
    }),
  };
}

/** Rows of one statement, which has room for 65 535 values. */
const AT_ONCE = 1_000;
/** Fewer rows change no plan much. */
const MANY_ROWS = 1_000;

/**
 * Stores many tokens, all of them or none, in one transaction with their audit rows.
 * @throws ServiceError 'token.exists' that names a serial, 'realm.unknown', 'resolver.unknown', 'user.unknown'
 */
export async function insertTokens(database: Database, tokens: readonly NewToken[], act: Act): Promise<void> {
  for (const { serial, type, algorithm } of tokens) {
    assertStorable(serial, type, algorithm);
  }
  // Sorted, so that two loads of the same serials do not deadlock. The case is ignored, as it is where serials must be
  // unique.
  const inOrder = tokens
    .map((token) => ({ token, caseless: token.serial.toLowerCase() }))
    .sort((left, right) => (left.caseless < right.caseless ? -1 : 1))
    .map(({ token }) => token);
  await database.transact(async (unit) => {
    const references = await holdAllReferences(unit.sql, inOrder);
    for (let start = 0; start < inOrder.length; start += AT_ONCE) {
      await insertRows(unit, inOrder.slice(start, start + AT_ONCE), references, act);
    }
  });
  if (inOrder.length >= MANY_ROWS) {
    await renewStatistics(database, ['tokens']);
  }
}

/**
 * Holds the owners first, then the realms, each in one order: another load of the same ones waits and does not deadlock.
 * @returns the columns of a token by its owner and realms
 */
async function holdAllReferences(
  sql: UnitOfWork['sql'],
  tokens: readonly NewToken[],
): Promise<(token: NewToken) => Columns> {
  const ownerKey = ({ owner }: NewToken): string =>
    owner === null ? '' : JSON.stringify([owner.resolverId, owner.userId]);
  const realmsKey = ({ realms }: NewToken): string => JSON.stringify(realms);
  const owners = new Map<string, Columns>();
  for (const [key, { owner }] of distinct(tokens, ownerKey)) {
    owners.set(key, await holdReferences(sql, { owner }));
  }
  const sets = new Map<string, Columns>();
  for (const [key, { realms }] of distinct(tokens, realmsKey)) {
    sets.set(key, await holdReferences(sql, { realms }));
  }
  return (token) => ({ ...owners.get(ownerKey(token)), ...sets.get(realmsKey(token)) });
}

/** @returns one token of each key, in the order of the keys */
function distinct(
  tokens: readonly NewToken[],
  keyOf: (token: NewToken) => string,
): readonly (readonly [string, NewToken])[] {
  const byKey = new Map(tokens.map((token) => [keyOf(token), token]));
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1));
}

async function insertRows(
  { sql, audit }: UnitOfWork,
  tokens: readonly NewToken[],
  references: (token: NewToken) => Columns,
  act: Act,
): Promise<void> {
  const inserted = await sql('tokens')
    .insert(
      tokens.map((token) => ({
        serial: token.serial,
        type: token.type,
        ...stateColumns(token),
        ...references(token),
      })),
    )
    .onConflict()
    .ignore()
    .returning<{ serial: string }[]>('serial');
  const stored = new Set(inserted.map(({ serial }) => serial));
  const taken = tokens.find(({ serial }) => !stored.has(serial));
  if (taken !== undefined) {
    throw new ServiceError('token.exists', `There is a token with the serial '${taken.serial}' already`);
  }
  await audit.writeAll(
    tokens.map((token) => enrolmentEntry(auditEntry(act, token.serial, 'created', token.realms), token)),
  );
}

/** @returns the entry of a new token: enrolled, unless its roll-out has only begun */
export function enrolmentEntry(
  entry: AuditEntry,
  token: Pick<NewToken, 'type' | 'rollout' | 'owner' | 'algorithm' | 'secrets'>,
): NotedEntry {
  const isReady = (isOcraToken(token) || isPassToken(token)) && token.rollout === 'complete';
  return { ...entry, user: token.owner?.login ?? null, consequences: isReady ? ['token.enrolled'] : [] };
}
