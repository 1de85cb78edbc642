import { readFile } from 'node:fs/promises';
import sqlite from 'node-sqlite3-wasm';
import { SOURCE_TABLES, type SourceTable, type SourceValue } from '../../src/linotp/linotp-source.ts';
import { openLinotpSource } from '../../src/linotp/sources/open-source.ts';
import { type FixtureName, fixtureFile } from './linotp-fixture.ts';

export type SqliteDatabase = InstanceType<typeof sqlite.Database>;

/** SQLAlchemy's types for SQLite. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^character varying/, 'VARCHAR'],
  [/^integer/, 'INTEGER'],
  [/^boolean/, 'BOOLEAN'],
  [/^timestamp/, 'DATETIME'],
  [/^bytea/, 'BLOB'],
];

interface Column {
  readonly name: string;
  readonly type: string;
}

/**
 * Makes a database file with the tables of a fixture that came from PostgreSQL, as SQLAlchemy stores them.
 * @param pragmas statements before the first table
 * @returns the database, open
 */
export async function makeSqlite(fixture: FixtureName, path: string, pragmas = ''): Promise<SqliteDatabase> {
  const dump = await readFile(fixtureFile(fixture, 'dump.sql'), 'utf8');
  const source = await openLinotpSource(fixtureFile(fixture, 'dump.sql'));
  const database = new sqlite.Database(path);
  database.exec(`${pragmas}; BEGIN`);
  const tables = (Object.keys(SOURCE_TABLES) as SourceTable[]).filter((table) => source.has(table));
  for (const table of tables) {
    const columns = columnsOf(dump, table);
    const definitions = columns.map(({ name, type }) => `"${name}" ${type}`).join(',\n\t');
    database.exec(
      `CREATE TABLE "${table}" (\n\t${definitions},\n\tPRIMARY KEY (${quotedKey(table)})${checks(columns)}\n)`,
    );
    const insert = database.prepare(`INSERT INTO "${table}" VALUES (${columns.map(() => '?').join(', ')})`);
    for await (const rows of source.rows(table)) {
      for (const row of rows) {
        insert.run(columns.map(({ name, type }) => storedValue(row[name.toLowerCase()] ?? null, type)));
      }
    }
    insert.finalize();
  }
  database.exec('COMMIT');
  return database;
}

function quotedKey(table: SourceTable): string {
  return table === 'imported_user' ? '"groupid", "userid"' : `"${SOURCE_TABLES[table]}"`;
}

function checks(columns: readonly Column[]): string {
  return columns
    .filter(({ type }) => type === 'BOOLEAN')
    .map(({ name }) => `,\n\tCHECK ("${name}" IN (0, 1))`)
    .join('');
}

function columnsOf(dump: string, table: string): readonly Column[] {
  const body = new RegExp(`CREATE TABLE public\\."?${table}"? \\(\\n(.*?)\\n\\);`, 's').exec(dump)?.[1] ?? '';
  return body.split(',\n').map((line) => {
    const [, name = '', rest = ''] = /^\s*"?(\w+)"? (.*)$/.exec(line) ?? [];
    const type = TYPES.find(([pattern]) => pattern.test(rest))?.[1];
    if (type === undefined) {
      throw new Error(`The column ${line} has no known type`);
    }
    return { name, type };
  });
}

function storedValue(value: SourceValue, type: string): SourceValue {
  if (value === null || value instanceof Uint8Array) {
    return value;
  }
  const text = String(value);
  switch (type) {
    case 'INTEGER':
      return Number(text);
    case 'BOOLEAN':
      return text === 'true' ? 1 : 0;
    case 'DATETIME':
      return text.includes('.') ? text.padEnd(26, '0') : `${text}.000000`;
    default:
      return text;
  }
}
