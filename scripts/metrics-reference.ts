import { systemClock } from '../src/kernel/clock.ts';
import { ServiceMetrics } from '../src/observability/metrics.ts';
import { markdownTable } from './markdown-table.ts';

const HEAD = `# Metrics

<!-- Written by \`npm run docs:reference\` from the declarations in src/observability/. -->

[Monitoring](../guides/monitoring.md#prometheus) describes their use. The metrics \`process_…\` and \`nodejs_…\` of
prom-client (memory, processor time, event loop) come in addition.

`;

/** @returns the text of docs/reference/metrics.md */
export function metricsPage(): string {
  const rows = allMetrics().declared();
  return (
    HEAD +
    markdownTable(
      ['metric', 'type', 'labels', 'meaning'],
      rows.map(({ name, type, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]),
    )
  );
}

/** @returns all metrics of a server */
export function allMetrics(): ServiceMetrics {
  const metrics = new ServiceMetrics({ clock: systemClock });
  metrics.measureLog(() => 0);
  metrics.measureServer({ version: '' });
  metrics.measureInstallation(() => Promise.resolve(undefined));
  metrics.measureDatabase(() => ({ used: 0, free: 0, waiting: 0, auditLanes: 0 }));
  return metrics;
}
