import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { testProgram } from './test-build.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface ProcessEnd {
  readonly code: number | null;
  readonly output: string;
}

/** Starts `tankeeper …` with only the given environment. */
function startTankeeperProcess(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(process.execPath, [testProgram(), ...parameters], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', LOG_FORMAT: 'json', DRAIN_TIME: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command to its end. */
export async function runTankeeper(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ProcessEnd> {
  const child = startTankeeperProcess(parameters, environment);
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output() };
}

export interface ServerProcess {
  readonly baseUrl: string;
  readonly process: ChildProcess;
  /** @returns its output so far */
  output(): string;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<ProcessEnd>;
}

/** Starts `tankeeper serve` on a free port and waits until it listens. @throws with its output if it does not */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = startTankeeperProcess(['serve'], { PORT: '0', ...environment });
  const output = collect(child);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const port = await Promise.race([listeningPort(child), ended.then(() => undefined)]);
  if (port === undefined) {
    throw new Error(`The server did not start:\n${output()}`);
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    process: child,
    output,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      return { code, output: output() };
    },
  };
}

async function listeningPort(child: ChildProcess): Promise<number | undefined> {
  if (child.stdout === null) {
    return undefined;
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /"message":"Listening".*"port":(\d+)/.exec(line);
    if (found !== null) {
      return Number(found[1]);
    }
  }
  return undefined;
}

function collect(child: ChildProcess): () => string {
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece: Buffer) => {
      pieces.push(piece.toString('utf8'));
    });
  }
  return () => pieces.join('');
}
