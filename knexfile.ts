import { spawn } from 'node:child_process';

import type { Knex } from 'knex';

import { type EmbeddedPostgres, openEmbeddedPostgres } from './src/embedded-postgres/embedded-postgres.ts';
import { MIGRATION_LOCK } from './src/database/migrate.ts';
import { migrationSource } from './src/database/migration-source.ts';
import { connectionSettings } from './src/database/pool.ts';

/** For `npm run knex -- migrate:latest` and the like, on DATABASE_URL or on the embedded PostgreSQL in DATA_DIR. */
export default async function knexfile(): Promise<Knex.Config> {
  const url = process.env.DATABASE_URL ?? '';
  const connection = url === '' ? (await openEmbeddedForCommand()).connection : url;
  return {
    client: 'pg',
    connection: connectionSettings({ connection, applicationName: 'knex', statementTimeoutMs: 0 }),
    // One connection, which holds the lock that a starting server waits for.
    pool: { min: 0, max: 1, afterCreate: lockSchema },
    migrations: { migrationSource },
  };
}

function openEmbedded(): Promise<EmbeddedPostgres> {
  return openEmbeddedPostgres({
    dataDir: process.env.DATA_DIR ?? './data',
    // What only looks makes no database.
    create: process.argv.some((word) => /^migrate:(?:latest|up)$/.test(word)),
    role: 'command',
    log: console,
  });
}

async function openEmbeddedForCommand(): Promise<EmbeddedPostgres> {
  const embedded = await openEmbedded();
  process.once('exit', () => {
    // Knex ends the process without telling us, and nothing can be awaited then. So this file, run by itself, comes in
    // once more and goes out as the last one, which stops the database unless somebody else uses it.
    spawn(process.execPath, [...process.execArgv, import.meta.filename], { detached: true, stdio: 'ignore' });
  });
  return embedded;
}

if (process.argv[1] === import.meta.filename) {
  await (await openEmbedded()).close();
}

interface Connection {
  query(text: string, values: readonly number[], done: (error: Error | null) => void): void;
}

function lockSchema(
  connection: Connection,
  done: (error: Error | null, connection: Connection) => void,
): void {
  connection.query('SELECT pg_advisory_lock($1, $2)', MIGRATION_LOCK, (error) => {
    done(error, connection);
  });
}
