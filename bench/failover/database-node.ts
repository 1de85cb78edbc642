import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SystemAccount } from '../../src/embedded-postgres/programs.ts';
import { ClusterProcess } from './cluster-process.ts';
import type { InstalledPrograms } from './installed-programs.ts';
import {
  type ClusterPasswords,
  type EtcdInterface,
  type NodePorts,
  patroniSettings,
  type PatroniTimes,
} from './patroni-settings.ts';

const STOP_MS = 20_000;
const ANSWER_MS = 5_000;

/** The state of a node in Patroni's REST interface. */
export interface NodeState {
  readonly state: string;
  readonly role: string;
  readonly timeline?: number;
  readonly sync_standby?: boolean;
}

/** The settings that all nodes of a cluster share. */
export interface ClusterSettings {
  readonly folder: string;
  readonly programs: InstalledPrograms;
  readonly account: SystemAccount | undefined;
  readonly times: PatroniTimes;
  /** True if a commit waits for a standby. */
  readonly synchronous: boolean;
  readonly etcdInterface: EtcdInterface;
  readonly passwords: ClusterPasswords;
  /** Of all nodes, in order. */
  readonly ports: readonly NodePorts[];
}

/** One machine of the cluster: a member of etcd, Patroni, and the PostgreSQL that Patroni runs. */
export class DatabaseNode {
  readonly name: string;
  readonly ports: NodePorts;
  readonly #folder: string;
  readonly #cluster: ClusterSettings;
  #etcd: ClusterProcess | undefined;
  #patroni: ClusterProcess | undefined;

  /** @param index from 0 */
  constructor(cluster: ClusterSettings, index: number) {
    const ports = cluster.ports[index];
    if (ports === undefined) {
      throw new Error(`No ports for node ${index}`);
    }
    this.name = `node${index + 1}`;
    this.ports = ports;
    this.#cluster = cluster;
    this.#folder = join(cluster.folder, this.name);
  }

  /** Makes its folder and configuration. */
  async prepare(): Promise<void> {
    const { account, programs, ports, ...shared } = this.#cluster;
    const configuration = patroniSettings({
      name: this.name,
      folder: this.#folder,
      ports: this.ports,
      etcdPorts: ports.map(({ etcd }) => etcd),
      postgresFolder: programs.postgresFolder,
      times: shared.times,
      synchronous: shared.synchronous,
      etcdInterface: shared.etcdInterface,
      passwords: shared.passwords,
    });
    await mkdir(join(this.#folder, 'etcd'), { recursive: true });
    const file = join(this.#folder, 'patroni.yml');
    await writeFile(file, configuration);
    for (const path of [this.#folder, join(this.#folder, 'etcd'), file]) {
      await chmod(path, path === file ? 0o600 : 0o700);
      if (account !== undefined) {
        await chown(path, account.uid, account.gid);
      }
    }
  }

  /** Starts etcd and Patroni: for the first time, or after `kill`. */
  async start(): Promise<void> {
    const { programs } = this.#cluster;
    this.#etcd = await this.#run(programs.etcd, this.#etcdParameters());
    this.#patroni = await this.#run(programs.patroni, [join(this.#folder, 'patroni.yml')]);
  }

  /** From now on its PostgreSQL sends nothing to the standbys, as if the network swallowed it. Until it is killed. */
  async holdBack(): Promise<void> {
    const postmaster = await this.#postmaster();
    for (const pid of await childrenOf(postmaster)) {
      if ((await commandOf(pid)).includes('walsender')) {
        signalNow(pid, 'SIGSTOP');
      }
    }
  }

  /**
   * kill -9 of all that runs on the node, as if it lost its power (but for what the system has not written to disk
   * yet). Patroni first, so that it does not restart PostgreSQL.
   */
  async kill(): Promise<void> {
    await this.#signal('SIGKILL');
  }

  /** Stops all that runs on the node for a while, as if a host paused a virtual machine. Until `thaw`. */
  async freeze(): Promise<void> {
    await this.#signal('SIGSTOP');
  }

  async thaw(): Promise<void> {
    await this.#signal('SIGCONT');
  }

  /** Ends all of it, PostgreSQL in order where that succeeds in time. */
  async stop(): Promise<void> {
    await this.thaw();
    await this.#patroni?.stop(STOP_MS);
    await signalPostgres(await this.#postmaster(), 'SIGKILL');
    await this.#etcd?.stop(STOP_MS);
  }

  /** @returns the answer of Patroni; undefined while there is none */
  async state(): Promise<NodeState | undefined> {
    return (await this.#ask('/patroni')) as NodeState | undefined;
  }

  /** As HAProxy asks. */
  async isPrimary(): Promise<boolean> {
    return (await this.#ask('/primary')) !== undefined;
  }

  /**
   * Asks Patroni to hand the role of the primary to another node.
   * @returns when that is done; else the answer of Patroni
   */
  async handOver(to: string): Promise<string | undefined> {
    const response = await fetch(`http://127.0.0.1:${this.ports.patroni}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: this.name, candidate: to }),
      signal: AbortSignal.timeout(120_000),
    });
    const answer = await response.text();
    return response.ok ? undefined : `${response.status} ${answer}`;
  }

  /** The output of Patroni and PostgreSQL. */
  log(): Promise<string> {
    return readFile(join(this.#folder, 'patroni.log'), 'utf8').catch(() => '');
  }

  async #signal(name: NodeJS.Signals): Promise<void> {
    const postmaster = await this.#postmaster();
    this.#patroni?.signal(name);
    await signalPostgres(postmaster, name);
    this.#etcd?.signal(name);
  }

  async #ask(path: string): Promise<unknown> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.ports.patroni}${path}`, {
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const body: unknown = await response.json();
      return response.ok ? body : undefined;
    } catch {
      return undefined;
    }
  }

  #run(program: string, parameters: readonly string[]): Promise<ClusterProcess> {
    const name = program === this.#cluster.programs.etcd ? 'etcd' : 'patroni';
    return ClusterProcess.start({
      program,
      parameters,
      log: join(this.#folder, `${name}.log`),
      folder: this.#folder,
      account: this.#cluster.account,
    });
  }

  #etcdParameters(): readonly string[] {
    const peer = ({ etcdPeers }: NodePorts): string => `http://127.0.0.1:${etcdPeers}`;
    const client = `http://127.0.0.1:${this.ports.etcd}`;
    const members = this.#cluster.ports.map((ports, index) => `node${index + 1}=${peer(ports)}`);
    return [
      '--name',
      this.name,
      '--data-dir',
      join(this.#folder, 'etcd'),
      '--listen-client-urls',
      client,
      '--advertise-client-urls',
      client,
      '--listen-peer-urls',
      peer(this.ports),
      '--initial-advertise-peer-urls',
      peer(this.ports),
      '--initial-cluster',
      members.join(','),
      '--initial-cluster-state',
      'new',
      '--enable-v2',
      // Slack for a machine on which everything shares one disk and two cores.
      '--heartbeat-interval',
      '200',
      '--election-timeout',
      '2000',
    ];
  }

  async #postmaster(): Promise<number | undefined> {
    const folder = join(this.#folder, 'postgres');
    const lines = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(lines.split('\n')[0]);
    // A file that a killed one left behind may name a process that is somebody else's by now.
    return pid > 1 && (await commandOf(pid)).includes(folder) ? pid : undefined;
  }
}

/** The postmaster first, so that it does not notice what becomes of its children. */
async function signalPostgres(postmaster: number | undefined, name: NodeJS.Signals): Promise<void> {
  const children = await childrenOf(postmaster);
  for (const pid of postmaster === undefined ? [] : [postmaster, ...children]) {
    signalNow(pid, name);
  }
}

async function childrenOf(pid: number | undefined): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid ?? 0}/task/${pid ?? 0}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}

function signalNow(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}
