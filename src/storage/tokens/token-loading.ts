import type { Act } from '../../policy/caller.ts';
import type { NewToken } from '../../tokens/token.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { TokenLoading } from '../../challenges/enrolment/token-key-file.ts';
import { auditEntry } from '../../audit/rows-store.ts';
import type { Database } from '../../database/database.ts';
import type { UnitOfWork } from '../../database/unit-of-work.ts';
import { assertStorable } from '../../database/stored-text.ts';
import { renewStatistics, WrittenRows } from '../../database/table-statistics.ts';
import { enrolmentEntry } from './token-consequences.ts';
import { holdReferences } from './token-references.ts';
import { type Columns, stateColumns } from './token-rows.ts';

/** Rows of one statement, which has room for 65 535 values. */
const AT_ONCE = 1_000;

/** Stores many tokens in PostgreSQL, all or none. */
export class SqlTokenLoading implements TokenLoading {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async insertAll(tokens: readonly NewToken[], act: Act): Promise<void> {
    for (const { serial, type, ocraSuite } of tokens) {
      assertStorable(serial, type, ocraSuite);
    }
    // Sorted, so that two loads of the same serials do not deadlock. The case is ignored, as it is where serials must be
    // unique.
    const inOrder = tokens
      .map((token) => ({ token, caseless: token.serial.toLowerCase() }))
      .sort((left, right) => (left.caseless < right.caseless ? -1 : 1))
      .map(({ token }) => token);
    await this.#database.transact(async (unit) => {
      const references = await holdAllReferences(unit.sql, inOrder);
      for (let start = 0; start < inOrder.length; start += AT_ONCE) {
        await insert(unit, inOrder.slice(start, start + AT_ONCE), references, act);
      }
    });
    const written = new WrittenRows();
    written.add(inOrder.length, 'tokens');
    await renewStatistics(this.#database, written.grownTables());
  }

  async existingSerials(serials: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#database.knex.raw<{ rows: { serial: string }[] }>(
      `SELECT lower(serial COLLATE "default") AS serial FROM tokens WHERE lower(serial COLLATE "default") = ANY (?::text[])`,
      [serials.map((serial) => serial.toLowerCase())],
    );
    return new Set(rows.map(({ serial }) => serial));
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

async function insert(
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
