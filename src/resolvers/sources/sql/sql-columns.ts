import type { SqlSettings } from '../../settings/sql-settings.ts';

/** A column of an answer, as one of the drivers describes it. */
export interface AnsweredColumn {
  readonly name: string;
  /** PostgreSQL: the OID of its type. */
  readonly dataTypeID?: number;
  /** MySQL: the type in its protocol, and its character set. */
  readonly columnType?: number;
  readonly characterSet?: number;
}

/**
 * The types of columns, as far as ids depend on them. `bits`: MySQL's BIT. `padded`: of a fixed width, whose last blanks
 * mean nothing. `moment`: told in the time zone of the session. `inexact`: several values may have one text.
 */
export type ColumnKind = 'text' | 'padded' | 'bytes' | 'number' | 'bits' | 'moment' | 'inexact';

/** A column by which users are found. */
export interface KeyColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly database: SqlSettings['database'];
}

/** A part of a statement, with its bindings for Knex. */
export type SqlPart = readonly [sql: string, bindings: string[]];

/** OIDs of PostgreSQL: bytea; char(n); timestamptz; int8, int2, int4, oid, numeric. */
const POSTGRESQL_KINDS: ReadonlyMap<number, ColumnKind> = new Map([
  [17, 'bytes'],
  [1042, 'padded'],
  [1184, 'moment'],
  ...[20, 21, 23, 26, 1700].map((oid) => [oid, 'number'] as const),
]);

/**
 * Types in MySQL's protocol: BIT; FLOAT, which is told with six digits; TIMESTAMP, in whose text the hour that a zone
 * repeats is one; JSON, which no text is equal to; VECTOR and GEOMETRY; the whole and the decimal numbers, and YEAR.
 */
const MYSQL_KINDS: ReadonlyMap<number, ColumnKind> = new Map([
  [16, 'bits'],
  ...[4, 7, 245].map((type) => [type, 'inexact'] as const),
  ...[242, 255].map((type) => [type, 'bytes'] as const),
  ...[0, 1, 2, 3, 8, 9, 13, 246].map((type) => [type, 'number'] as const),
]);
/** VARCHAR, the four BLOBs and TEXTs, VAR_STRING, STRING: with the character set `binary` they hold bytes. */
const MYSQL_STRINGS: readonly (number | undefined)[] = [15, 249, 250, 251, 252, 253, 254];
const MYSQL_BINARY = 63;

export function kindOf({ dataTypeID, columnType, characterSet }: AnsweredColumn): ColumnKind {
  if (dataTypeID !== undefined) {
    return POSTGRESQL_KINDS.get(dataTypeID) ?? 'text';
  }
  if (characterSet === MYSQL_BINARY && MYSQL_STRINGS.includes(columnType)) {
    return 'bytes';
  }
  return MYSQL_KINDS.get(columnType ?? -1) ?? 'text';
}

/** The text of a column, in the form of `readCell`. */
export function textForm({ name, kind, database }: KeyColumn): SqlPart {
  if (database === 'mysql') {
    const form = kind === 'bytes' ? 'LOWER(HEX(??))' : `CAST(??${kind === 'text' ? '' : ' + 0'} AS CHAR)`;
    return [form, [name]];
  }
  switch (kind) {
    case 'bytes':
      return [`encode(??, 'hex')`, [name]];
    case 'moment':
      return [
        `(CAST(?? AT TIME ZONE 'UTC' AS text) || CASE WHEN isfinite(??) THEN '+00' ELSE '' END)`,
        [name, name],
      ];
    default:
      return ['CAST(?? AS text)', [name]];
  }
}

/** The same for comparing it exactly, whatever the collation. */
export function exactForm(column: KeyColumn): SqlPart {
  const [form, bindings] = textForm(column);
  return [column.database === 'mysql' ? `CAST(${form} AS BINARY)` : `${form} COLLATE "C"`, bindings];
}

/** The condition that a row has a value that can be used. */
export function isPresent(column: KeyColumn): SqlPart {
  const { name, kind, database } = column;
  if (kind === 'number' || kind === 'bits' || kind === 'moment') {
    return ['?? IS NOT NULL', [name]];
  }
  if (database === 'postgresql') {
    const [form, bindings] = textForm(column);
    return [`${form} <> ''`, bindings];
  }
  // NUL cannot be stored here.
  return kind === 'bytes'
    ? ['LENGTH(??) > 0', [name]]
    : [`(LENGTH(??) > 0 AND INSTR(CAST(CONVERT(?? USING utf8mb4) AS BINARY), X'00') = 0)`, [name, name]];
}

/** The condition that a row has a login: one of blanks alone is none. */
export function hasLogin(column: KeyColumn): SqlPart {
  const { name, kind, database } = column;
  const [present, bindings] = isPresent(column);
  if (kind !== 'text' && kind !== 'padded' && kind !== 'bytes') {
    return [present, bindings];
  }
  const isNotBlank =
    database === 'mysql'
      ? `CONVERT(?? USING utf8mb4) REGEXP '[^[:space:]]'`
      : kind === 'bytes'
        ? `btrim(??, decode('090a0b0c0d20', 'hex')) <> decode('', 'hex')`
        : `btrim(CAST(?? AS text), E' \\t\\n\\x0b\\f\\r') <> ''`;
  return [`(${present} AND ${isNotBlank})`, [...bindings, name]];
}

/**
 * The condition that finds the rows with a text, by an index. It may find others whose texts only compare as equal.
 * @returns undefined if the column holds no such text
 */
export function hasText({ name, kind, database }: KeyColumn, text: string): SqlPart | undefined {
  if (kind === 'bytes') {
    const bytes = database === 'mysql' ? 'UNHEX(?)' : `decode(?, 'hex')`;
    return /^(?:[0-9a-f]{2})+$/.test(text) ? [`?? = ${bytes}`, [name, text]] : undefined;
  }
  if (database === 'mysql' && (kind === 'number' || kind === 'bits')) {
    // A number as a text would be compared as a float. Only digits, a sign and a point stand in the statement.
    return /^(?=[-.\d]{1,66}$)-?\d+(?:\.\d+)?$/.test(text) ? [`?? = ${text}`, [name]] : undefined;
  }
  return ['?? = ?', [name, text]];
}
