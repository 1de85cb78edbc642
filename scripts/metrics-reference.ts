import { systemClock } from '../src/kernel/clock.ts';
import { ServiceMetrics } from '../src/observability/metrics.ts';
import { markdownTable } from './markdown-table.ts';

const HEAD = `# Metrics

<!-- Written by \`npm run docs:reference\` from the declarations in src/observability/. -->

[Monitoring](../guides/monitoring.md#prometheus) describes their use. \`…_total\` is a counter, \`…_duration_seconds\` a
histogram, any other a gauge. prom-client adds \`process_…\` and \`nodejs_…\`.

`;

/** @returns the text of docs/reference/metrics.md */
export function metricsPage(): string {
  const rows = allMetrics()
    .declared()
    .map(({ name, labels, help }) => {
      const braces = labels.length === 0 ? '' : `{${labels.join(', ')}}`;
      return [`\`${name}${braces}\``, help];
    });
  return HEAD + markdownTable(['metric', 'meaning'], rows);
}

/** @returns all metrics of a server */
export function allMetrics(): ServiceMetrics {
  const metrics = new ServiceMetrics({ clock: systemClock });
  metrics.measureServer({ version: '' });
  metrics.measureInstallation(() => Promise.resolve(undefined));
  metrics.measureFindings(() => Promise.resolve([]));
  metrics.measureDatabase(() => ({ used: 0, free: 0, waiting: 0, auditLanes: 0 }));
  return metrics;
}
