import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { runTankeeper } from '../tests/support/servers/server-process.ts';

const ROOT = join(import.meta.dirname, '..');
const START_TIMEOUT_MS = 60_000;

/** Of the administrator `admin` of every bench server. */
const ADMIN_PASSWORD = 'correct horse battery staple';

/** The settings in which a server may differ. */
export interface BenchServerOptions {
  /** Of the API token; `monitoring:*` unless told. */
  readonly rights?: string;
  /** Name of the API token and of the log; `bench` unless told. */
  readonly tokenName?: string;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A real server in a process of its own. */
export interface BenchServer {
  readonly baseUrl: string;
  readonly pid: number;
  /** An API token of the administrator, with the rights that were asked for. */
  readonly apiToken: string;
  /** Runs a command of `tankeeper` on the same installation. @throws with its output when it fails */
  run(parameters: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts `tankeeper serve` as it is installed, its log going to a file.
 * @param folder of its own, which need not be there
 * @throws with the log when it does not start
 */
export async function startBenchServer(
  databaseUrl: string,
  folder: string,
  { rights = 'monitoring:*', tokenName = 'bench', environment: further = {} }: BenchServerOptions = {},
): Promise<BenchServer> {
  await mkdir(folder, { recursive: true });
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${ADMIN_PASSWORD}\n`, { mode: 0o600 });
  const environment = {
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: databaseUrl,
    ADMIN_PASSWORD_FILE: passwordFile,
    ...further,
  };
  const log = join(folder, `${tokenName}.log`);
  const output = await open(log, 'w');
  const child = spawn(process.execPath, [join(ROOT, 'bin/tankeeper.js'), 'serve'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', PORT: '0', LOG_FORMAT: 'json', DRAIN_TIME: '0', ...environment },
    stdio: ['ignore', output.fd, output.fd],
  });
  await output.close();
  const run = async (parameters: readonly string[]): Promise<void> => {
    const { code, output } = await runTankeeper(parameters, environment);
    if (code !== 0) {
      throw new Error(`tankeeper ${parameters.join(' ')} failed:\n${output}`);
    }
  };
  const ended = once(child, 'exit');
  const port = await listeningPort(log, () => child.exitCode !== null);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    apiToken: await makeApiToken(environment, tokenName, rights),
    run,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function listeningPort(log: string, hasEnded: () => boolean): Promise<number> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const text = await readFile(log, 'utf8');
    const found = /"message":"Listening".*"port":(\d+)/.exec(text);
    if (found !== null) {
      return Number(found[1]);
    }
    if (hasEnded() || performance.now() > deadline) {
      throw new Error(`The server did not start:\n${text}`);
    }
    await sleep(50);
  }
}

async function makeApiToken(
  environment: Readonly<Record<string, string>>,
  name: string,
  rights: string,
): Promise<string> {
  const { code, output } = await runTankeeper(
    ['api-token', 'add', 'admin', name, rights, '--json'],
    environment,
  );
  const found = /"token":\s*"([^"]+)"/.exec(output)?.[1];
  if (code !== 0 || found === undefined) {
    throw new Error(`No API token was made:\n${output}`);
  }
  return found;
}
