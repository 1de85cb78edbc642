import { AUDIT_COLUMNS, JSON_COLUMNS } from '../audit/audit-rows.ts';
import type { PreparedStatement } from '../database/prepared-statements.ts';
import { eventInsert } from '../webhooks/event-outbox.ts';

/*
 * Rows for the prepared statements of the hot path. They come as one JSON value, so that the same plan serves one row
 * and many.
 */

/** The rows that a write for a token is about. */
interface HeldRows {
  /** The tables, as in FROM, with their conditions. */
  readonly from: string;
  /** Those whose rows are locked: all that the statement changes. */
  readonly locked: string;
}

/**
 * The parts of a statement that writes for several tokens together, all or nothing: a row of `want` for each token,
 * `held` for those whose token still has the version that was read. It waits for no lock: a row that is locked counts as
 * changed, hence no two such statements wait for each other. All rows that the statement changes are locked first: it
 * cannot write in part because one of them is just being deleted.
 * @param columns the further columns of `want`, with their types
 */
export function heldTokens(
  columns: Readonly<Record<string, string>>,
  { from, locked }: HeldRows = { from: 'tokens', locked: 'tokens' },
): string {
  const all = {
    place: 'integer',
    token_id: 'bigint',
    version: 'bigint',
    ...columns,
    ...JSON_COLUMNS,
  };
  const types = Object.entries(all).map(([name, type]) => `${name} ${type}`);
  // The conditions on `want` always hold. Without them the planner would expect a hundred rows and read whole tables.
  return `want AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS want(${types.join(', ')})
      WHERE place >= 0 AND token_id > 0 AND version > 0
    ), held AS MATERIALIZED (
      SELECT want.place FROM want CROSS JOIN LATERAL (
        SELECT FROM ${from}
        WHERE tokens.id = want.token_id AND tokens.version = want.version
        FOR NO KEY UPDATE OF ${locked} SKIP LOCKED
      ) AS token
    )`;
}

/** The condition of an UPDATE of tokens from `want`: every token of the statement is held. */
export const ALL_HELD = `tokens.id = want.token_id AND tokens.version = want.version
      AND (SELECT count(*) FROM held) = (SELECT count(*) FROM want)`;

/** @returns the statement that writes the audit rows of `want` for the places of `written` */
function auditInsert(written: string): string {
  return `INSERT INTO audit (${Object.keys(AUDIT_COLUMNS).join(', ')})
      SELECT ${Object.keys(JSON_COLUMNS)
        .map((name) => `want.${name}`)
        .join(', ')}
      FROM want JOIN ${written} USING (place) RETURNING id`;
}

/** A statement in two forms: `withEvents` stores events, too, which are its second value. */
export interface WritingStatement<Row> {
  readonly plain: PreparedStatement<Row>;
  readonly withEvents: PreparedStatement<Row>;
}

/**
 * @param parts the statement up to its last part
 * @param written the part with the places that are written
 * @param answer the last part
 */
export function writingStatement<Row>(
  name: string,
  parts: string,
  written: string,
  answer: string,
): WritingStatement<Row> {
  const audited = `${parts}, audited AS (
      ${auditInsert(written)}
    )`;
  return {
    plain: { name, text: `${audited} ${answer}` },
    withEvents: {
      name: `${name}-with-events`,
      text: `${audited}, noted AS (
      ${eventInsert('$2', `JOIN ${written} USING (place)`)}
    ) ${answer}`,
    },
  };
}
