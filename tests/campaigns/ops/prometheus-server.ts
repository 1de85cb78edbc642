import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

/** A series of the answer to a query. */
interface QueriedSeries {
  readonly metric: Readonly<Record<string, string>>;
}

/** A Prometheus of its own on the loopback interface. */
export interface PrometheusServer {
  /**
   * @returns the series of an instant query, now
   * @throws with Prometheus' message for a query that is not valid
   */
  query(expression: string): Promise<readonly QueriedSeries[]>;
  stop(): Promise<void>;
}

/** @param configuration the path of its configuration file */
export async function startPrometheus(
  program: string,
  configuration: string,
  folder: string,
): Promise<PrometheusServer> {
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    program,
    [
      `--config.file=${configuration}`,
      `--web.listen-address=${address}`,
      `--storage.tsdb.path=${join(folder, 'series')}`,
      '--log.level=warn',
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  await untilReady(address, child);
  return {
    query: async (expression) => {
      const response = await fetch(`http://${address}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query: expression }),
      });
      const answer = (await response.json()) as {
        status: string;
        error?: string;
        data?: { result: readonly QueriedSeries[] };
      };
      if (answer.status !== 'success') {
        throw new Error(`${expression}: ${answer.error ?? ''}`);
      }
      return answer.data?.result ?? [];
    },
    stop: async () => {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilReady(address: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  const isReady = (): Promise<boolean> =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (performance.now() > deadline || child.exitCode !== null) {
      child.kill('SIGKILL');
      throw new Error('Prometheus does not start');
    }
    await sleep(100);
  }
}

/** Runs promtool. @returns its exit status and all of its output */
export function promtool(
  parameters: readonly string[],
  given: { readonly cwd?: string; readonly input?: string } = {},
): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(findSystemProgram('promtool') ?? 'promtool', parameters, {
    encoding: 'utf8',
    ...given,
  });
  return { status, output: stdout + stderr };
}
