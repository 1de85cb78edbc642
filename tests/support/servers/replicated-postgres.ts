import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { queryOnce } from '../database/test-server.ts';
import { freePort } from './free-port.ts';
import { unprivilegedAccount } from './system-programs.ts';

const run = promisify(execFile);
const STARTS_WITHIN = 60_000;
/** An ordinary role that owns the database, both of the same name. */
const OWNER = 'tankeeper';
const SUPERUSER = 'postgres';

/** A PostgreSQL of the system, and a hot standby that streams from it, in a temporary folder. */
export interface ReplicatedPostgres {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** Runs a statement on the standby, as a superuser. */
  onReplica(statement: string): Promise<void>;
  /** Waits until the standby has replayed all that is committed on the primary. */
  caughtUp(): Promise<void>;
  /** Ends the standby at once. */
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
  /** Ends both and removes their data. */
  remove(): Promise<void>;
}

/** @param programs the folder of PostgreSQL's programs */
export async function startReplicatedPostgres(programs: string): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-replicated-'));
  const [primary, replica] = [
    await node(programs, folder, 'primary'),
    await node(programs, folder, 'replica'),
  ];
  await run(
    join(programs, 'initdb'),
    ['-D', primary.data, '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '-N'],
    {
      ...primary.account,
    },
  );
  await primary.start();
  await queryOnce(primary.superUrl, `CREATE ROLE ${OWNER} LOGIN`);
  await queryOnce(primary.superUrl, `CREATE DATABASE ${OWNER} OWNER ${OWNER}`);
  await run(
    join(programs, 'pg_basebackup'),
    ['-D', replica.data, '-R', '-X', 'stream', '-c', 'fast', '-d', primary.superUrl],
    { ...replica.account },
  );
  await replica.start();
  return {
    primaryUrl: primary.url,
    replicaUrl: replica.url,
    onReplica: async (statement) => {
      await queryOnce(replica.superUrl, statement);
    },
    caughtUp: async () => {
      const [row] = await queryOnce<{ lsn: string }>(primary.url, 'SELECT pg_current_wal_flush_lsn() AS lsn');
      const deadline = Date.now() + STARTS_WITHIN;
      while (!(await hasReplayed(replica.url, row?.lsn))) {
        if (Date.now() > deadline) {
          throw new Error('The standby does not catch up');
        }
        await sleep(20);
      }
    },
    stopReplica: () => replica.stop(),
    startReplica: () => replica.start(),
    remove: async () => {
      await replica.stop();
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function hasReplayed(url: string, lsn: string | undefined): Promise<boolean> {
  const statement = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done';
  return (await queryOnce<{ done: boolean }>(url, statement, [lsn]))[0]?.done === true;
}

interface PostgresNode {
  readonly url: string;
  readonly superUrl: string;
  readonly data: string;
  readonly account: ReturnType<typeof unprivilegedAccount>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

async function node(programs: string, parent: string, name: string): Promise<PostgresNode> {
  const account = unprivilegedAccount();
  const port = await freePort();
  const folder = join(parent, name);
  const data = join(folder, 'data');
  await chmod(parent, 0o711);
  await mkdir(folder, { mode: 0o700 });
  if (account !== undefined) {
    chownSync(folder, account.uid, account.gid);
  }
  const superUrl = `postgres://${SUPERUSER}@127.0.0.1:${port}/${SUPERUSER}`;
  let child: ChildProcess | undefined;
  return {
    url: `postgres://${OWNER}@127.0.0.1:${port}/${OWNER}`,
    superUrl,
    data,
    account,
    start: async () => {
      const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
      child = spawn(
        join(programs, 'postgres'),
        ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
        { stdio: 'ignore', ...account },
      );
      await untilServed(superUrl, child);
    },
    stop: async () => {
      if (child?.exitCode === null && child.signalCode === null) {
        const over = once(child, 'exit');
        child.kill('SIGQUIT');
        await over;
      }
    },
  };
}

async function untilServed(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + STARTS_WITHIN;
  for (;;) {
    const fault = await queryOnce(url, 'SELECT 1').then(
      () => undefined,
      (error: unknown) => error,
    );
    if (fault === undefined) {
      return;
    }
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start (code ${String(child.exitCode)})`, { cause: fault });
    }
    await sleep(50);
  }
}
