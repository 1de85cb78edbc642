import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { BackgroundLoop } from '../../src/kernel/background-loop.ts';
import { housekeepingRounds } from '../../src/housekeeping/housekeeping-service.ts';
import { until } from '../support/values/until.ts';
import { Registry } from 'prom-client';
import { HousekeepingMetrics } from '../../src/housekeeping/housekeeping-metrics.ts';

type Round = Parameters<typeof housekeepingRounds>[0]['round'];

/** Rounds without a pause between them, and what they say. */
function roundsOf(round: Round): { rounds: BackgroundLoop; lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { rounds: housekeepingRounds({ round, interval: 2, log }), lines };
}

describe('rounds of housekeeping', () => {
  it('come again and again, and say what they have removed', async () => {
    let done = 0;
    const { rounds, lines } = roundsOf(() => {
      done += 1;
      return Promise.resolve(done === 2 ? 7 : 0);
    });
    rounds.start();
    await until(() => done > 3);
    await rounds.stop();
    const atEnd = done;
    await sleep(30);
    expect(done).toBe(atEnd);
    expect(lines).toEqual(['info Housekeeping has removed what was old']);
  });

  it('are quiet while the database is away, and go on afterwards', async () => {
    let done = 0;
    const { rounds, lines } = roundsOf(() => {
      done += 1;
      return done < 5 ? Promise.reject(new ServiceError('database.unavailable', 'away')) : Promise.resolve(1);
    });
    rounds.start();
    await until(() => done > 5);
    await rounds.stop();
    expect(new Set(lines)).toEqual(new Set(['info Housekeeping has removed what was old']));
  });

  it('say once what else keeps them from working, until they have worked', async () => {
    let done = 0;
    const { rounds, lines } = roundsOf(() => {
      done += 1;
      return done === 3 ? Promise.resolve(0) : Promise.reject(new Error('broken'));
    });
    rounds.start();
    await until(() => done > 6);
    await rounds.stop();
    const line = 'warn Housekeeping fails: old rows stay, and change no answer';
    expect(lines).toEqual([line, line]);
  });

  it('end when the server stops, within half a second even where the database hangs', async () => {
    let signal: AbortSignal | undefined;
    const { rounds } = roundsOf((given) => {
      signal = given;
      return new Promise(() => undefined);
    });
    rounds.start();
    await until(() => signal !== undefined);
    await rounds.stop();
    expect(signal?.aborted).toBe(true);
  });
});

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
