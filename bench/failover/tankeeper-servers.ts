import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  type ProcessEnd,
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/servers/server-process.ts';

const SERVERS = 2;
const PASSWORD = 'correct horse battery staple';
const QRTANURL = 'qrtanurl=https://tan.example.org/ocra/check_t';

/** Two servers on one database, each in a process of its own. */
export class TankeeperServers {
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #processes: ServerProcess[] = [];

  /** @param folder of their own, which need not be there */
  constructor(databaseUrl: string, folder: string) {
    this.#folder = folder;
    this.#environment = {
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      ADMIN_PASSWORD_FILE: join(folder, 'password'),
    };
  }

  /** @returns a session of the first administrator */
  async start(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(join(this.#folder, 'password'), `${PASSWORD}\n`, { mode: 0o600 });
    for (let started = 0; started < SERVERS; started += 1) {
      // One by one: the first makes tables and key.
      this.#processes.push(await startServerProcess(this.#environment));
    }
    const scope = ['--scope', 'authentication', '--realm', '*', '--action', QRTANURL];
    const { code, output } = await this.run('policy', 'set', 'answers', ...scope);
    if (code !== 0) {
      throw new Error(output);
    }
    return openSession(this.urls[0] ?? '');
  }

  get urls(): readonly string[] {
    return this.#processes.map(({ baseUrl }) => baseUrl);
  }

  /** True if none of them has ended by itself. */
  get areAlive(): boolean {
    return this.#processes.every(({ process }) => process.exitCode === null && process.signalCode === null);
  }

  /** Their logs. */
  get output(): readonly string[] {
    return this.#processes.map((server) => server.output());
  }

  /** Runs a command of the command line. */
  run(...parameters: readonly string[]): Promise<ProcessEnd> {
    return runTankeeper(parameters, this.#environment);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((server) => server.stop()));
  }
}

async function openSession(baseUrl: string): Promise<string> {
  const basic = Buffer.from(`admin:${PASSWORD}`).toString('base64');
  const response = await fetch(`${baseUrl}/admin/getsession`, {
    headers: { Authorization: `Basic ${basic}` },
  });
  const session = /admin_session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1];
  if (session === undefined) {
    throw new Error(`No session: ${response.status} ${await response.text()}`);
  }
  return session;
}
