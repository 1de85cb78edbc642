import type { AuditRow } from '../audit/audit-row.ts';
import { auditFields, auditColumnValues, INSERTED_COLUMNS, JSON_COLUMNS } from '../audit/rows-store.ts';
import type { PreparedStatement, RunPrepared } from './prepared-statements.ts';
import { type EventRow, eventInsert } from '../webhooks/outbox-store.ts';

/** The columns of a row that a statement of the hot path writes, without its place and its audit row. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** A row of such a statement, with the audit row that is stored with it. */
export interface RowToWrite {
  readonly columns: ColumnValues;
  readonly audit: AuditRow;
}

/** A row of the statement's answer: a place that is held, and the number of audit rows written. */
export interface HeldRow {
  readonly place: number;
  readonly written: number;
}

interface WritingParts {
  /** Unique in the program. */
  readonly name: string;
  /** The columns of `want` beside its place and its audit row, with their types. */
  readonly columns: Readonly<Record<string, string>>;
  /** Numbers of `want` that are above 0. */
  readonly numbers: readonly string[];
  /** The parts of WITH up to the audit row, which refer to `want`. */
  readonly parts: string;
  /** The one of them with the places that are written. */
  readonly written: string;
  /** The last part. */
  readonly answer: string;
}

/** A statement in two forms: `withEvents` stores events, too, which are its last value. */
interface Forms<Row> {
  readonly plain: PreparedStatement<Row>;
  readonly withEvents: PreparedStatement<Row>;
}

/**
 * A prepared statement that writes rows of `want`, each with its audit row, all of them or none. Its part `held` locks all
 * rows that it changes, so that it cannot write in part because one of them is just being deleted. It waits for no lock: a
 * row that is locked counts as changed, hence no two such statements wait for each other.
 * Several rows come as one JSON value, so that
 * one plan serves any number. A row that comes alone comes as parameters, which the planner puts where `want` is named.
 */
export class WritingStatement<Row extends HeldRow = HeldRow> {
  readonly #columns: readonly string[];
  readonly #one: Forms<Row>;
  readonly #many: Forms<Row>;

  constructor(parts: WritingParts) {
    this.#columns = Object.keys(parts.columns);
    const types = Object.entries({ place: 'integer', ...parts.columns, ...JSON_COLUMNS });
    const row = types.map(([name, type], index) => `$${index + 1}::${type} AS ${name}`);
    this.#one = forms(
      { ...parts, name: `${parts.name}-one` },
      `want AS NOT MATERIALIZED (SELECT ${row.join(', ')})`,
      types.length + 1,
    );
    // The conditions always hold. Without them the planner would expect a hundred rows and read whole tables.
    this.#many = forms(
      parts,
      `want AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS want(${types.map((column) => column.join(' ')).join(', ')})
      WHERE place >= 0 AND ${parts.numbers.map((name) => `${name} > 0`).join(' AND ')}
    )`,
      2,
    );
  }

  /**
   * @param rows at least one
   * @param events are stored with the rows of their places
   */
  run(run: RunPrepared, rows: readonly RowToWrite[], events: readonly EventRow[]): Promise<readonly Row[]> {
    const [first] = rows;
    const isOne = first !== undefined && rows.length === 1;
    const { plain, withEvents } = isOne ? this.#one : this.#many;
    const values = isOne
      ? [0, ...this.#columns.map((name) => first.columns[name]), ...auditColumnValues(first.audit)]
      : [
          JSON.stringify(
            rows.map(({ columns, audit }, place) => ({ place, ...columns, ...auditFields(audit) })),
          ),
        ];
    return events.length === 0 ? run(plain, values) : run(withEvents, [...values, JSON.stringify(events)]);
  }
}

/**
 * @param want the first part of WITH
 * @param eventsPlace the number of the parameter with the events
 */
function forms<Row>(
  { name, parts, written, answer }: WritingParts,
  want: string,
  eventsPlace: number,
): Forms<Row> {
  const audited = `WITH ${want}, ${parts}, audited AS (
      INSERT INTO audit (${INSERTED_COLUMNS})
      SELECT ${Object.keys(JSON_COLUMNS)
        .map((column) => `want.${column}`)
        .join(', ')}
      FROM want JOIN ${written} USING (place) RETURNING id
    )`;
  return {
    plain: { name, text: `${audited} ${answer}` },
    withEvents: {
      name: `${name}-with-events`,
      text: `${audited}, noted AS (
      ${eventInsert(`$${eventsPlace}`, `JOIN ${written} USING (place)`)}
    ) ${answer}`,
    },
  };
}
