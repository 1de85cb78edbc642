import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort, untilAnswered } from '../../support/servers/wait-for-port.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { readFileSync } from 'node:fs';

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
  await untilAnswered(child, async () => {
    if (!(await fetch(`http://${address}/-/ready`)).ok) {
      throw new Error('Prometheus is not ready');
    }
  });
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

/** The folder of the operations pack. */
export const OPS = join(import.meta.dirname, '../../../ops');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** @returns every query of the dashboard with its variables replaced, and the title of its panel */
export function dashboardQueries(): readonly (readonly [title: string, query: string])[] {
  const { panels } = JSON.parse(readFileSync(join(OPS, 'grafana/tankeeper.json'), 'utf8')) as {
    readonly panels: readonly Panel[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [title, substituted(expr)]),
  );
}

function substituted(expression: string): string {
  return expression
    .replaceAll(/\$__rate_interval|\$__range/g, '30s')
    .replaceAll('$job', '.*')
    .replaceAll('$instance', '.*');
}

/** A rule for an alert or a recording. */
interface Rule {
  readonly name: string;
  readonly expression: string;
}

/** @returns the rules of a file of ops/prometheus, whose expressions stand on the lines after `expr: >-` or behind it */
export function readRules(file: string): readonly Rule[] {
  const text = readFileSync(join(OPS, 'prometheus', file), 'utf8');
  return [...text.matchAll(/- (?:alert|record): (\S+)\n\s+expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/g)].map(
    ([, name = '', block, line]) => ({
      name,
      expression: (block ?? line ?? '').replaceAll(/\s+/g, ' ').trim(),
    }),
  );
}

/** @returns the names of the metrics that an expression selects, without recorded ones */
export function metricsOf(expression: string): readonly string[] {
  return [...new Set(expression.match(/(?<![\w:])(?:tankeeper_\w+|up)\b(?!\s*\()/g) ?? [])];
}
