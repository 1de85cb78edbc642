import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { PATIENCE_MS } from '../values/until.ts';
import { freePort } from './wait-for-port.ts';
import { untilStopped } from './processes-of.ts';
import { findSystemProgram } from './program-paths.ts';

const run = promisify(execFile);

/** Folders of Debian's system programs, which an ordinary user's PATH may lack. */
/** The paths of the programs. */
export interface MariadbPrograms {
  readonly server: string;
  readonly installer: string;
}

/** A MariaDB server of its own: a port on 127.0.0.1, data in a temporary folder. */
export interface Mariadb {
  readonly port: number;
  /** Runs statements as root, over the socket. */
  query(...statements: readonly string[]): Promise<unknown>;
  start(): Promise<void>;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Suspends the process, with its connections open, and resumes it. */
  stall(): Promise<void>;
  resume(): void;
  /** Ends the server and removes its data. */
  remove(): Promise<void>;
}

/** @returns the paths of MariaDB's programs; undefined, with a line on stderr, if they are not installed */
export function findMariadb(): MariadbPrograms | undefined {
  const server = findSystemProgram('mariadbd');
  const installer = findSystemProgram('mariadb-install-db');
  if (server !== undefined && installer !== undefined) {
    return { server, installer };
  }
  const missing = 'mariadbd is missing (Debian: apt-get install mariadb-server)';
  if (process.env.CI === 'true') {
    throw new Error(`${missing}. With CI=true that is a failure.`);
  }
  process.stderr.write(`LEFT OUT: tests of SQL resolvers on MariaDB, ${missing}\n`);
  return undefined;
}

/** Creates an empty server, and starts it. @param options further ones of mariadbd */
export async function startMariadb(
  { server: program, installer }: MariadbPrograms,
  options: readonly string[] = [],
): Promise<Mariadb> {
  // The installer cannot work in a folder with a blank in its name.
  const folder = await mkdtemp(join(/\s/.test(tmpdir()) ? '/tmp' : tmpdir(), 'tankeeper-mariadb-'));
  const [data, socket] = [join(folder, 'data'), join(folder, 'socket')];
  const account = process.getuid?.() === 0 ? ['--user=root'] : [];
  await run(installer, [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...account,
  ]);
  const port = await freePort();
  const query = async (...statements: readonly string[]): Promise<unknown> => {
    const connection = await mysql.createConnection({
      socketPath: socket,
      user: 'root',
      multipleStatements: true,
    });
    try {
      return (await connection.query(statements.join(';')))[0];
    } finally {
      await connection.end();
    }
  };
  let child: ChildProcess | undefined;
  const mariadb: Mariadb = {
    port,
    query,
    start: async () => {
      child = spawn(
        program,
        [
          '--no-defaults',
          `--datadir=${data}`,
          `--socket=${socket}`,
          `--port=${port}`,
          '--bind-address=127.0.0.1',
          '--skip-name-resolve',
          `--pid-file=${join(folder, 'pid')}`,
          '--innodb-buffer-pool-size=32M',
          '--innodb-flush-log-at-trx-commit=0',
          ...account,
          ...options,
        ],
        { stdio: 'ignore' },
      );
      await waitUntilUp(query, child);
    },
    kill: () => end(child),
    stall: async () => {
      child?.kill('SIGSTOP');
      await untilStopped(child?.pid ?? 0);
    },
    resume: () => child?.kill('SIGCONT'),
    remove: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
  await mariadb.start();
  return mariadb;
}

async function waitUntilUp(query: Mariadb['query'], child: ChildProcess): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const fault = await query('SELECT 1').then(
      () => undefined,
      (error: unknown) => error,
    );
    if (fault === undefined) {
      return;
    }
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`mariadbd did not start (code ${String(child.exitCode)})`, { cause: fault });
    }
    await sleep(100);
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode === null && child.signalCode === null) {
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  }
}
