import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';

import { HousekeepingMetrics } from '../../src/housekeeping/housekeeping-metrics.ts';

it('never shows a backlog below 0, also where more is removed than was due at the last look', async () => {
  const registry = new Registry();
  const metrics = new HousekeepingMetrics({ registry, clock: { now: () => new Date() } });
  const shown = async (): Promise<string> => registry.getSingleMetricAsString(name);
  const name = 'tankeeper_housekeeping_backlog_rows';
  metrics.backlogIs({ chore: 'challenges', rows: 5 });
  metrics.rowsRemoved({ chore: 'challenges', rows: 3 });
  expect(await shown()).toContain(`${name}{what="challenges"} 2`);
  metrics.rowsRemoved({ chore: 'challenges', rows: 4 });
  metrics.rowsRemoved({ chore: 'sessions', rows: 1 });
  expect(await shown()).toMatch(/\{what="challenges"\} 0\n.*\{what="sessions"\} 0$/);
});
