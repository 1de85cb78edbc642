import { readFile } from 'node:fs/promises';
import sqlite from 'node-sqlite3-wasm';
import { SOURCE_TABLES } from '../../src/linotp/linotp-source.ts';
import { type FixtureName, fixtureFile } from './linotp-fixture.ts';

export type SqliteDatabase = InstanceType<typeof sqlite.Database>;

/** SQLAlchemy's types for SQLite. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/ character varying\(\d+\)/g, ' VARCHAR'],
  [/ boolean/g, ' BOOLEAN'],
  [/ timestamp without time zone/g, ' DATETIME'],
  [/ bytea/g, ' BLOB'],
];

/**
 * Makes a database file with the tables of a fixture that came from PostgreSQL.
 * @param pragmas statements before the first table
 * @returns the database, open
 */
export async function makeSqlite(fixture: FixtureName, path: string, pragmas = ''): Promise<SqliteDatabase> {
  const dump = await readFile(fixtureFile(fixture, 'dump.sql'), 'utf8');
  const database = new sqlite.Database(path);
  database.exec(`${pragmas}; BEGIN`);
  for (const [table, key] of Object.entries(SOURCE_TABLES)) {
    const name = `public\\."?${table}"?`;
    const columns = new RegExp(`CREATE TABLE ${name} \\(\n(.*?)\n\\);`, 's').exec(dump)?.[1];
    if (columns !== undefined) {
      database.exec(
        `CREATE TABLE "${table}" (${sqliteColumns(columns)}, PRIMARY KEY (${primaryKey(table, key)}))`,
      );
      const rows = dump.matchAll(new RegExp(`^INSERT INTO ${name} VALUES (\\(.*?\\);)$`, 'gms'));
      for (const [, row = ''] of rows) {
        database.exec(`INSERT INTO "${table}" VALUES ${row.replaceAll(/'\\x([0-9a-f]*)'/g, "X'$1'")}`);
      }
    }
  }
  database.exec('COMMIT');
  return database;
}

function sqliteColumns(columns: string): string {
  return TYPES.reduce((text, [pattern, type]) => text.replace(pattern, type), columns);
}

function primaryKey(table: string, key: string): string {
  return table === 'imported_user' ? '"groupid", "userid"' : `"${key}"`;
}
