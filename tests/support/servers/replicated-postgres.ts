import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../patience.ts';
import { queryOnce } from '../database/test-server.ts';
import { initialise, postgresNode } from './system-postgres.ts';

const run = promisify(execFile);

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
  const primary = await postgresNode(programs, folder, 'primary');
  const replica = await postgresNode(programs, folder, 'replica');
  await initialise(programs, primary);
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
      const deadline = Date.now() + PATIENCE_MS;
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
