import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../values/until.ts';
import { queryOnce } from '../database/test-server.ts';
import { freePort, untilAnswered } from './wait-for-port.ts';
import { unprivilegedAccount } from './system-programs.ts';

const run = promisify(execFile);
/** An ordinary role that owns the database, both of the same name. */
const OWNER = 'tankeeper';
const SUPERUSER = 'postgres';

/** A PostgreSQL of the system, with an ordinary role that owns a database. */
export interface PostgresNode {
  readonly url: string;
  readonly superUrl: string;
  readonly data: string;
  readonly account: ReturnType<typeof unprivilegedAccount>;
  start(): Promise<void>;
  /** @param signal SIGINT ends its sessions, and sends all that was committed to the standbys first; default: SIGQUIT */
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
}

/**
 * @param programs the folder of PostgreSQL's programs
 * @param parent the folder in which its folder is made
 */
export async function postgresNode(programs: string, parent: string, name: string): Promise<PostgresNode> {
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
      await untilAnswered(child, () => queryOnce(superUrl, 'SELECT 1'));
    },
    stop: async (signal = 'SIGQUIT') => {
      if (child?.exitCode === null && child.signalCode === null) {
        const over = once(child, 'exit');
        child.kill(signal);
        await over;
      }
    },
  };
}

/** Makes its data, starts it, and adds the role and the database. */
export async function initialise(programs: string, node: PostgresNode): Promise<void> {
  await run(join(programs, 'initdb'), ['-D', node.data, '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '-N'], {
    ...node.account,
  });
  await node.start();
  await queryOnce(node.superUrl, `CREATE ROLE ${OWNER} LOGIN`);
  await queryOnce(node.superUrl, `CREATE DATABASE ${OWNER} OWNER ${OWNER}`);
}

/** Makes and starts a standby that is as new as its primary. */
export async function startStandby(
  programs: string,
  primary: PostgresNode,
  standby: PostgresNode,
): Promise<void> {
  const copy = ['-d', primary.superUrl, '-D', standby.data, '--checkpoint=fast', '--write-recovery-conf'];
  await run(join(programs, 'pg_basebackup'), copy, { ...standby.account });
  await standby.start();
}

/** Lets a standby fall behind: it has what its primary has committed by now, and gets nothing more. */
export async function leaveBehind(primary: PostgresNode, standby: PostgresNode): Promise<void> {
  const [sent] = await queryOnce<{ lsn: string }>(
    primary.superUrl,
    'SELECT pg_current_wal_lsn()::text AS lsn',
  );
  await until(async () => {
    const [row] = await queryOnce<{ isThere: boolean }>(
      standby.superUrl,
      `SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS "isThere"`,
      [sent?.lsn],
    );
    return row?.isThere === true;
  });
  await queryOnce(standby.superUrl, "ALTER SYSTEM SET primary_conninfo TO ''");
  await queryOnce(standby.superUrl, 'SELECT pg_reload_conf()');
  await until(
    async () => (await queryOnce(standby.superUrl, 'SELECT FROM pg_stat_wal_receiver')).length === 0,
  );
}
