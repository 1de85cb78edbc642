import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the operations pack. */
export const OPS = join(import.meta.dirname, '../../../ops');

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly id: number;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string }[];
}

/** The parts of a dashboard that the tests read. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(join(OPS, 'grafana/tankeeper.json'), 'utf8')) as Dashboard;
}

/** @returns every query of the dashboard with its variables replaced, and the title of its panel */
export function dashboardQueries(): readonly (readonly [title: string, query: string])[] {
  return readDashboard().panels.flatMap(({ title, targets = [] }) =>
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
