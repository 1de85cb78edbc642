/**
 * `npm run sql`: a prompt on the database of DATABASE_URL, or on the embedded one in DATA_DIR, which has no TCP port for
 * psql. A statement ends with a semicolon; `\d` lists the tables, `\d NAME` the columns of one. Also reads a pipe.
 */
import { Console } from 'node:console';
import { createInterface } from 'node:readline/promises';
import pg from 'pg';
import { openEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts';

const TABLES = `SELECT relname AS "table", nullif(reltuples, -1)::bigint AS "rows, about" FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1;`;

function columnsOf(table: string): string {
  return `SELECT attname AS "column", format_type(atttypid, atttypmod) AS type, attnotnull AS "not null"
    FROM pg_attribute WHERE attrelid = '${table.replaceAll("'", "''")}'::regclass AND attnum > 0 AND NOT attisdropped
    ORDER BY attnum;`;
}

/** @returns the statement of a command; undefined: it is SQL */
function statementOf(line: string): string | undefined {
  const [command, table] = line.trim().split(/\s+/);
  return command === '\\d' ? (table === undefined ? TABLES : columnsOf(table)) : undefined;
}

const out = new Console(process.stdout);

async function answer(client: pg.Client, statement: string): Promise<void> {
  try {
    const answers = [await client.query<Record<string, unknown>>(statement)].flat();
    for (const { rows, command, rowCount } of answers) {
      if (rows.length > 0) {
        out.table(rows);
      }
      out.log(`${command} ${rowCount ?? ''}`);
    }
  } catch (error) {
    out.log(`ERROR: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const url = process.env.DATABASE_URL ?? '';
const embedded =
  url === ''
    ? await openEmbeddedPostgres({
        dataDir: process.env.DATA_DIR ?? './data',
        create: false,
        role: 'command',
        log: console,
      })
    : undefined;
const client = new pg.Client(embedded?.connection ?? url);
try {
  await client.connect();
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: process.stdin.isTTY,
  });
  const ask = (prompt: string): void => {
    if (process.stdin.isTTY) {
      lines.setPrompt(prompt);
      lines.prompt();
    }
  };
  let text = '';
  ask('sql> ');
  for await (const line of lines) {
    const command = text === '' ? statementOf(line) : undefined;
    text += `${command ?? line}\n`;
    if (text.trimEnd().endsWith(';')) {
      await answer(client, text);
      text = '';
    }
    ask(text === '' ? 'sql> ' : '   > ');
  }
} finally {
  await client.end();
  await embedded?.close();
}
