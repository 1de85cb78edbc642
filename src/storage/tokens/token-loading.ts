import type { Act } from '../../policy/caller.ts';
import type { NewToken, TokenChange } from '../../tokens/token.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { TokenLoading } from '../../challenges/enrolment/key-file.ts';
import { auditEntry } from '../audit/audit-rows.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { assertStorable } from '../database/stored-text.ts';
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

  async insertAll(
    tokens: readonly NewToken[],
    change: Required<Pick<TokenChange, 'realms'>>,
    act: Act,
  ): Promise<void> {
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
      const references = await holdReferences(unit.sql, change);
      for (let start = 0; start < inOrder.length; start += AT_ONCE) {
        await insert(unit, inOrder.slice(start, start + AT_ONCE), references, change.realms, act);
      }
    });
  }

  async taken(serials: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#database.knex.raw<{ rows: { serial: string }[] }>(
      `SELECT lower(serial COLLATE "default") AS serial FROM tokens WHERE lower(serial COLLATE "default") = ANY (?::text[])`,
      [serials.map((serial) => serial.toLowerCase())],
    );
    return new Set(rows.map(({ serial }) => serial));
  }
}

async function insert(
  { sql, audit }: UnitOfWork,
  tokens: readonly NewToken[],
  references: Columns,
  realms: readonly string[],
  act: Act,
): Promise<void> {
  const inserted = await sql('tokens')
    .insert(
      tokens.map((token) => ({
        serial: token.serial,
        type: token.type,
        ...stateColumns(token),
        ...references,
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
  await audit.writeAll(tokens.map(({ serial }) => auditEntry(act, serial, 'created', realms)));
}
