import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { accountForNewCluster } from '../../src/embedded-postgres/cluster.ts';
import { queryOnce } from '../../tests/support/database/test-server.ts';
import { ClusterProcess } from './cluster-process.ts';
import { type ClusterSettings, DatabaseNode, type NodeState } from './database-node.ts';
import type { InstalledPrograms } from './installed-programs.ts';
import { haproxySettings } from './patroni-settings.ts';
import { findPorts } from './private-ports.ts';

const NODES = 3;
const SETTLE_MS = 300_000;
const POLL_MS = 250;
const DATABASE = 'tankeeper';

/** Three nodes, and HAProxy before them. */
export class DatabaseCluster {
  readonly nodes: readonly DatabaseNode[];
  /** The address of HAProxy, to which users of the cluster connect. */
  readonly url: string;
  /** For what else has to be written; removed at the end. */
  readonly folder: string;
  readonly #settings: ClusterSettings;
  readonly #port: number;
  readonly #password = randomBytes(16).toString('hex');
  #haproxy: ClusterProcess | undefined;

  private constructor(settings: ClusterSettings, port: number) {
    this.#settings = settings;
    this.#port = port;
    this.folder = settings.folder;
    this.nodes = settings.ports.map((_ports, index) => new DatabaseNode(settings, index));
    this.url = `postgres://${DATABASE}:${this.#password}@127.0.0.1:${port}/${DATABASE}`;
  }

  /** Makes folder and configuration; nothing runs yet. To be closed, whatever comes. */
  static async prepare(
    programs: InstalledPrograms,
    choices: Pick<ClusterSettings, 'times' | 'synchronous' | 'etcdInterface'>,
  ): Promise<DatabaseCluster> {
    const account = await accountForNewCluster();
    const [port = 0, ...ports] = await findPorts(1 + 4 * NODES);
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-failover-'));
    // Under root the nodes run as another user, who has to get through.
    await chmod(folder, 0o711);
    const passwords = {
      superuser: randomBytes(16).toString('hex'),
      replication: randomBytes(16).toString('hex'),
    };
    const nodePorts = Array.from({ length: NODES }, (_value, index) => {
      const [postgres = 0, patroni = 0, etcd = 0, etcdPeers = 0] = ports.slice(4 * index);
      return { postgres, patroni, etcd, etcdPeers };
    });
    return new DatabaseCluster({ ...choices, folder, programs, account, passwords, ports: nodePorts }, port);
  }

  /** Starts everything and makes the role and the database of the URL. @throws when that does not succeed in time */
  async start(): Promise<void> {
    const { programs, account, ports } = this.#settings;
    for (const node of this.nodes) {
      await node.prepare();
    }
    await Promise.all(this.nodes.map((node) => node.start()));
    const configuration = join(this.folder, 'haproxy.cfg');
    await writeFile(configuration, haproxySettings(this.#port, ports));
    this.#haproxy = await ClusterProcess.start({
      program: programs.haproxy,
      parameters: ['-db', '-f', configuration],
      log: join(this.folder, 'haproxy.log'),
      folder: this.folder,
      account,
    });
    const primary = await this.settled();
    const superuser = this.urlOf(primary);
    await queryOnce(superuser, `CREATE ROLE ${DATABASE} LOGIN PASSWORD '${this.#password}'`);
    await queryOnce(superuser, `CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`);
  }

  /** @returns the URL of PostgreSQL on that node, past HAProxy, as superuser */
  urlOf(node: DatabaseNode, database = 'postgres'): string {
    const { superuser } = this.#settings.passwords;
    return `postgres://postgres:${superuser}@127.0.0.1:${node.ports.postgres}/${database}`;
  }

  /** Waits until all nodes run on one timeline, one of them as the primary. @returns that one */
  async settled(): Promise<DatabaseNode> {
    return this.#untilFound('a primary and two standbys', (states) =>
      isSettled(states) ? states.findIndex(isPrimary) : -1,
    );
  }

  /**
   * Waits until there is a standby that may be promoted: where there are synchronous ones, one that has every commit
   * that was told.
   */
  async candidate(): Promise<DatabaseNode> {
    const { synchronous } = this.#settings;
    return this.#untilFound('a standby that may be promoted', (states) =>
      states.findIndex((state) => (synchronous ? state?.sync_standby === true : state?.role === 'replica')),
    );
  }

  /** Waits until both standbys have all that the primary has. */
  async caughtUp(): Promise<void> {
    const primary = await this.settled();
    const [now] = await queryOnce<{ lsn: string }>(this.urlOf(primary), 'SELECT pg_current_wal_lsn() AS lsn');
    const deadline = performance.now() + SETTLE_MS;
    for (const node of this.nodes.filter((one) => one !== primary)) {
      const sql = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done';
      while (!(await queryOnce<{ done: boolean }>(this.urlOf(node), sql, [now?.lsn]))[0]?.done) {
        if (performance.now() > deadline) {
          throw new Error(`${node.name} did not catch up`);
        }
        await sleep(POLL_MS);
      }
    }
  }

  /** Ends and removes all of it. */
  async close(): Promise<void> {
    await this.#haproxy?.stop(5_000);
    await Promise.all(this.nodes.map((node) => node.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }

  /** @param find the index of the node that is looked for, else -1 */
  async #untilFound(
    what: string,
    find: (states: readonly (NodeState | undefined)[]) => number,
  ): Promise<DatabaseNode> {
    const deadline = performance.now() + SETTLE_MS;
    for (;;) {
      const states = await Promise.all(this.nodes.map((node) => node.state()));
      const found = this.nodes[find(states)];
      if (found !== undefined) {
        return found;
      }
      if (performance.now() > deadline) {
        throw new Error(`There was not ${what} in time: ${JSON.stringify(states)}\n${await this.#logs()}`);
      }
      await sleep(POLL_MS);
    }
  }

  async #logs(): Promise<string> {
    const logs = await Promise.all(
      this.nodes.map(async (node) => `${node.name}:\n${(await node.log()).slice(-2_000)}`),
    );
    return logs.join('\n');
  }
}

function isPrimary(state: NodeState | undefined): boolean {
  return state?.state === 'running' && ['master', 'primary'].includes(state.role);
}

function isSettled(states: readonly (NodeState | undefined)[]): boolean {
  const timelines = new Set(states.map((state) => state?.timeline));
  return (
    states.every((state) => state?.state === 'running') &&
    states.filter(isPrimary).length === 1 &&
    timelines.size === 1
  );
}
