import type { Act } from '../../policy/caller.ts';
import type { SerialOrigin } from '../../tokens/ports.ts';
import type { NewToken, Token } from '../../tokens/token.ts';
import { auditEntry } from '../../audit/rows-store.ts';
import { type HeldRow, type ColumnValues, WritingStatement } from '../challenges/hot-rows.ts';
import { SharedWrites, type TokenWrite } from '../challenges/shared-writes.ts';
import type { Database } from '../../database/database.ts';
import { isRowId, isStorable } from '../../database/stored-text.ts';
import { enrolmentEntry } from './token-consequences.ts';
import { NEW_TOKEN_COLUMNS, secondFactorOf, stateColumns } from './token-rows.ts';

const INSERTED = Object.keys(NEW_TOKEN_COLUMNS);

interface InsertedRow extends HeldRow {
  readonly id: string;
  readonly created_at: Date;
  readonly is_second_factor: boolean;
}

/**
 * The tokens and their audit rows, all or none. `held` has the tokens whose serial is free, and whose owner and realm are
 * there and can be locked at once. The locks keep these from being removed until the token is there. Tokens are inserted
 * in the order of their serials, so that two groups do not block each other.
 */
const STATEMENT = new WritingStatement<InsertedRow>({
  name: 'insert-tokens',
  columns: { ...NEW_TOKEN_COLUMNS, managed_user_id: 'bigint', realm: 'text' },
  numbers: ['audit_id', 'audit_seq'],
  parts: `held AS MATERIALIZED (
      SELECT want.place, realm_set.id AS realm_set_id FROM want
      LEFT JOIN LATERAL (
        SELECT id, kind FROM resolvers WHERE id = want.owner_resolver_id FOR KEY SHARE SKIP LOCKED
      ) AS resolver ON true
      LEFT JOIN LATERAL (
        SELECT id FROM users WHERE id = want.managed_user_id AND resolver_id = want.owner_resolver_id
        FOR KEY SHARE SKIP LOCKED
      ) AS managed ON true
      LEFT JOIN LATERAL (
        SELECT id FROM realms WHERE name = want.realm FOR KEY SHARE SKIP LOCKED
      ) AS realm ON true
      LEFT JOIN LATERAL (
        SELECT id FROM tokens
        WHERE lower(serial COLLATE "default") = lower(want.serial COLLATE "default") LIMIT 1
      ) AS taken ON true
      CROSS JOIN LATERAL (
        SELECT id FROM realm_sets
        WHERE realm_ids = CASE WHEN realm.id IS NULL THEN '{}'::bigint[] ELSE ARRAY[realm.id] END LIMIT 1
      ) AS realm_set
      WHERE taken.id IS NULL
        AND (want.owner_resolver_id IS NULL OR resolver.id IS NOT NULL)
        AND (resolver.kind IS DISTINCT FROM 'managed' OR managed.id IS NOT NULL)
        AND (want.realm IS NULL OR realm.id IS NOT NULL)
    ), stored AS (
      INSERT INTO tokens (${INSERTED.join(', ')}, realm_set_id)
      SELECT ${INSERTED.map((column) => `want.${column}`).join(', ')}, held.realm_set_id
      FROM want JOIN held USING (place)
      WHERE (SELECT count(*) FROM held) = (SELECT count(*) FROM want)
      ORDER BY lower(want.serial) COLLATE "C"
      RETURNING id, serial, created_at
    ), token AS (
      SELECT want.place, stored.id, stored.created_at, ${secondFactorOf('stored')}
      FROM want JOIN stored ON stored.serial = want.serial COLLATE "C"
    )`,
  written: 'token',
  answer: `SELECT held.place, (SELECT count(*) FROM audited)::integer AS written, token.id, token.created_at,
      token.is_second_factor
    FROM held LEFT JOIN token USING (place)`,
});

/** Inserts tokens in statements that enrolments share. */
export class SharedInsertion {
  readonly #writes: SharedWrites<InsertedRow>;

  constructor(database: Database) {
    this.#writes = new SharedWrites(database, STATEMENT);
  }

  /**
   * @returns undefined, and nothing is stored, where the serial is taken, where owner or realm is unknown or just being
   *   changed, and where the token is one of the rare ones that this statement does not know, as in several realms
   * @throws the unique violation of a serial that is being stored by another statement
   */
  async insert(token: NewToken, act: Act, origin: SerialOrigin): Promise<Token | undefined> {
    const realms = [...new Set(token.realms.map((realm) => realm.trim().toLowerCase()))];
    if (realms.length > 1 || !isStorable(...realms) || !isRowId(token.owner?.resolverId ?? '1')) {
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
        ...token,
        realms,
        id: stored.id,
        version: '1',
        isSecondFactor: stored.is_second_factor,
        createdAt: stored.created_at,
        lastSuccessAt: null,
        syncMarker: null,
      }
    );
  }
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
