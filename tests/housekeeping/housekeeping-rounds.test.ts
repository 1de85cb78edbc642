import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

import { ServiceError } from '../../src/kernel/errors.ts';
import type { BackgroundLoop } from '../../src/kernel/background-loop.ts';
import { housekeepingRounds } from '../../src/housekeeping/housekeeping-service.ts';
import { until } from '../support/values/until.ts';

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
