import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { openDatabase } from '../../../src/database/database.ts';
import { describeDatabaseFault } from '../../../src/database/database-faults.ts';
import { openEmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres.ts';
import { servingProcess } from '../../embedded-postgres/support/serving-process.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import { buildTestProgram, isAlive } from '../servers/test-build.ts';
import { leaveForTeardown } from './global-teardown.ts';
import { embeddedUrl } from './embedded-url.ts';
import { announceTestServer, queryOnce, withDatabase } from './test-server.ts';

const FOLDER = 'tankeeper-tests-';

/** Several times what all tests together keep at once. */
const MEMORY_BYTES = 4 * 2 ** 30;

/**
 * Starts a PostgreSQL before all tests, with a template database that each test file clones. It is the server of
 * DATABASE_URL if that is set and allows creating databases (its own database stays untouched), else an embedded one.
 */
export default async function setUp(): Promise<void> {
  // Inherited by the processes of the test files.
  process.env.TMPDIR ??= await memoryFolder();
  const [{ url, stop, isOwn }, removeBuild] = await Promise.all([server(), buildTestProgram()]);
  const template = `tankeeper_template_${randomBytes(6).toString('hex')}`;
  const tearDown = async (): Promise<void> => {
    await queryOnce(url, `DROP DATABASE IF EXISTS ${template}`);
    await stop();
    await removeBuild();
  };
  try {
    await queryOnce(url, `CREATE DATABASE ${template}`);
    await migrate(withDatabase(url, template));
  } catch (error) {
    // After a failure in this function jest does not call the tear-down.
    await tearDown();
    throw error;
  }
  leaveForTeardown(tearDown);
  announceTestServer({ url, template, copiesFiles: isOwn });
}

/**
 * @returns a folder in memory, on which databases are created and removed in a fraction of the time; the system's folder
 *   for temporary files where there is none with enough room, or where no program may be started from it
 */
async function memoryFolder(): Promise<string> {
  const folder = '/dev/shm';
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < MEMORY_BYTES) {
      return tmpdir();
    }
    const program = join(folder, `${FOLDER}${process.pid}-program`);
    try {
      await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
      await promisify(execFile)(program);
    } finally {
      await rm(program, { force: true });
    }
    return folder;
  } catch {
    return tmpdir();
  }
}

async function server(): Promise<Server> {
  return (await givenServer()) ?? (await embeddedServer());
}

async function migrate(url: string): Promise<void> {
  const database = openDatabase({ connection: url });
  try {
    await migrateToLatest(database);
  } finally {
    await database.close();
  }
}

interface Server {
  readonly url: string;
  readonly stop: () => Promise<void>;
  /** False for the server of DATABASE_URL. */
  readonly isOwn: boolean;
}

async function givenServer(): Promise<Server | undefined> {
  const url = process.env.DATABASE_URL ?? '';
  if (url === '') {
    return undefined;
  }
  const rows = await queryOnce<{ may: boolean }>(
    url,
    'SELECT rolcreatedb OR rolsuper AS may FROM pg_roles WHERE rolname = current_user',
  ).catch((error: unknown) => {
    throw new Error(`The tests cannot use DATABASE_URL: ${describeDatabaseFault(error, url)}`);
  });
  if (rows[0]?.may === true) {
    return { url, stop: () => Promise.resolve(), isOwn: false };
  }
  process.stderr.write('The role in DATABASE_URL may not create databases: the tests use an embedded one.\n');
  return undefined;
}

async function embeddedServer(): Promise<Server> {
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
  // Under root PostgreSQL runs as another user, who must be able to pass the folder.
  await chmod(folder, 0o711);
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message: string) => process.stderr.write(`${message}\n`),
    error: (message: string) => process.stderr.write(`${message}\n`),
  };
  const embedded = await openEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    sharedFolder: join(folder, 'shared'),
    role: 'command',
    durable: false,
    log,
  });
  return {
    url: embeddedUrl(embedded.connection),
    isOwn: true,
    stop: async () => {
      await embedded.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the servers of interrupted runs. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const runner = new RegExp(`^${FOLDER}(\\d+)-`).exec(name)?.[1];
    if (runner !== undefined && !isAlive(Number(runner))) {
      const folder = join(tmpdir(), name);
      const cluster = join(folder, 'data', 'postgres');
      const pid = await servingProcess(cluster);
      if (pid !== undefined) {
        process.kill(pid, 'SIGQUIT');
      }
      await rm(folder, { recursive: true, force: true });
    }
  }
}
