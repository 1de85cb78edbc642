import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts';
import { migrateToLatest } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/database.ts';
import { embeddedUrl } from '../tests/support/database/embedded-url.ts';
import { queryOnce, withDatabase } from '../tests/support/database/test-server.ts';

/** A PostgreSQL for a bench, with databases that are the bench's own. */
export interface BenchCluster {
  /** `18.4` */
  readonly version: string;
  /** For what else the bench has to write; removed at the end. */
  readonly folder: string;
  /** Makes a database with all migrations. @returns its URL */
  createDatabase(name: string): Promise<string>;
  /** Drops these databases; stops and removes the PostgreSQL if it was started here. */
  close(): Promise<void>;
}

/**
 * @param serverUrl the URL of a server on which databases may be created; undefined: an embedded one in a temporary folder
 * @param durable true if the embedded one waits for the disk at each commit
 */
export async function openBenchCluster(
  serverUrl: string | undefined,
  durable: boolean,
): Promise<BenchCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-bench-'));
  // Under root PostgreSQL runs as another user, who has to get through.
  await chmod(folder, 0o711);
  const { url, stop } =
    serverUrl === undefined
      ? await startEmbedded(folder, durable)
      : { url: serverUrl, stop: () => Promise.resolve() };
  const names: string[] = [];
  const [row] = await queryOnce<{ version: string }>(
    url,
    "SELECT current_setting('server_version') AS version",
  );
  return {
    version: row?.version.replace(/ .*/, '') ?? '',
    folder,
    createDatabase: async (name) => {
      const unique = `tankeeper_bench_${process.pid}_${name}`;
      await queryOnce(url, `CREATE DATABASE ${unique}`);
      names.push(unique);
      const database = openDatabase({ connection: withDatabase(url, unique) });
      await migrateToLatest(database).finally(() => database.close());
      return withDatabase(url, unique);
    },
    close: async () => {
      for (const name of names) {
        await queryOnce(url, `DROP DATABASE ${name} WITH (FORCE)`);
      }
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startEmbedded(
  folder: string,
  durable: boolean,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const say = (message: string): void => {
    process.stderr.write(`${message}\n`);
  };
  const { connection, close } = await openEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    sharedFolder: join(folder, 'shared'),
    role: 'command',
    durable,
    log: { debug: () => undefined, info: () => undefined, warn: say, error: say },
  });
  return { url: embeddedUrl(connection), stop: close };
}
