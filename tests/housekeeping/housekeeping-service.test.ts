import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { HousekeepingMetrics } from '../../src/housekeeping/housekeeping-metrics.ts';
import { HousekeepingService, housekeepingRounds } from '../../src/housekeeping/housekeeping-service.ts';
import { HOUSEKEEPING_LOCK, HousekeepingStore } from '../../src/housekeeping/housekeeping-store.ts';
import { momentsAt } from '../../src/housekeeping/housekeeping.ts';
import type { BackgroundLoop } from '../../src/kernel/background-loop.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { type TestDatabase, createTestDatabase } from '../support/database/test-database.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { until } from '../support/values/until.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const LONG_AGO = new Date('2026-11-01T00:00:00Z');
const tallies = (limits: number, minutes: number): object[] => [
  { chore: 'challenges', rows: 0 },
  { chore: 'sessions', rows: 0 },
  { chore: 'rate limits', rows: limits },
  { chore: 'response minutes', rows: minutes },
];
const DUE = tallies(2, 1);
const REMOVED = [
  ['removed', { chore: 'rate limits', rows: 2 }],
  ['removed', { chore: 'response minutes', rows: 1 }],
];
const backlog = (found: object[]): unknown[] => found.map((tally) => ['backlog', tally]);

let test: TestDatabase;
let other: Database;
let reported: unknown[];
let service: HousekeepingService;
let isDoubtful: boolean;

beforeAll(async () => {
  test = await createTestDatabase();
  other = openDatabase({ connection: test.url, applicationName: 'test' });
});

afterAll(async () => {
  await other.close();
  await test.drop();
});

beforeEach(async () => {
  [reported, isDoubtful, service] = [[], false, open()];
  const { knex } = test.database;
  await knex('rate_limits').delete();
  await knex('response_minutes').delete();
  await knex('rate_limits').insert([
    { key: 'ended', expire: LONG_AGO.getTime() },
    { key: 'also ended', expire: LONG_AGO.getTime() },
    { key: 'just ended', expire: NOW.getTime() - 30_000 },
  ]);
  await knex('response_minutes').insert([
    { minute: new Date('2026-10-01T00:00:00Z'), outcome: 'accepted', durations: [1] },
    { minute: NOW, outcome: 'accepted', durations: [1] },
  ]);
});

/** @param monthsDue the months of the audit that are due, where it is not kept for ever */
function open(monthsDue?: number): HousekeepingService {
  const { database } = test;
  const clock = { now: () => NOW };
  return new HousekeepingService({
    clock,
    pruningClock: {
      time: () =>
        isDoubtful
          ? Promise.reject(new ServiceError('clock.doubtful', 'The time is in doubt'))
          : Promise.resolve(NOW),
      confirm: () => {
        isDoubtful = false;
        return Promise.resolve();
      },
    },
    challengeRetention: 3_600,
    store: new HousekeepingStore({ database }),
    metrics: {
      backlogIs: (tally) => reported.push(['backlog', tally]),
      rowsRemoved: (tally) => reported.push(['removed', tally]),
      roundDone: (outcome) => reported.push(['round', outcome]),
    },
    auditRetention: {
      isOn: monthsDue !== undefined,
      due: () => Promise.resolve(monthsDue ?? 99),
      remove: () => Promise.resolve(monthsDue ?? 99),
    },
  });
}

/** Lets another server be at it meanwhile. */
function besideAnother<T>(work: () => Promise<T>): Promise<T> {
  return other.transact(async ({ sql }) => {
    await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...HOUSEKEEPING_LOCK]);
    return work();
  });
}

/** @returns the outcomes that the audit has noted meanwhile */
async function notedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const rows = test.database.knex('audit').where({ action: 'housekeeping/run' });
  await test.database.knex.raw(
    "SELECT set_config('tankeeper.audit', 'open', true); DELETE FROM audit WHERE action = 'housekeeping/run'",
  );
  await work();
  return rows.orderBy('id').pluck<string[]>('outcome');
}

const everything = (): AbortSignal => new AbortController().signal;

describe('what is old', () => {
  it('depends on the retention of challenges, and on nothing else that is set', () => {
    expect(momentsAt(NOW, 4_200)).toEqual({
      challengesEndBefore: new Date('2026-11-20T10:50:00Z'),
      sessionsEndBy: NOW,
      limitsEndBy: new Date('2026-11-20T11:59:00Z'),
      responsesByHourBefore: new Date('2026-11-19T11:00:00Z'),
      responsesCountedBefore: new Date('2026-10-21T11:00:00Z'),
    });
  });
});

describe('housekeeping', () => {
  it('by hand is audited with what it removed, and not where it did nothing', async () => {
    expect(await notedBy(() => besideAnother(() => service.run(OPERATOR)))).toEqual([]);
    expect(await notedBy(() => service.run(OPERATOR))).toEqual([
      'removed 0 challenges, 0 sessions, 2 rate limits, 1 response minutes',
    ]);
    expect(await notedBy(() => service.round(everything()))).toEqual([]);
  });

  it('removes months of the audit only where it is not kept for ever', async () => {
    service = open(3);
    expect(await service.due(OPERATOR)).toEqual([...DUE, { chore: 'audit months', rows: 3 }]);
    expect(await service.run(OPERATOR)).toContainEqual({ chore: 'audit months', rows: 3 });
    expect(reported).toContainEqual(['removed', { chore: 'audit months', rows: 3 }]);
    service = open(0);
    reported = [];
    expect(await service.run(OPERATOR)).toContainEqual({ chore: 'audit months', rows: 0 });
    expect(reported).toEqual([]);
  });

  it('does nothing while a server is at it', async () => {
    expect(await besideAnother(() => service.run(OPERATOR))).toBeUndefined();
    expect(reported).toEqual([]);
    expect(await service.due(OPERATOR)).toEqual(DUE);
  });

  it('removes nothing while the time is in doubt, until an operator confirms it, which is audited', async () => {
    isDoubtful = true;
    await expect(service.run(OPERATOR)).rejects.toMatchObject({ code: 'clock.doubtful' });
    expect(await service.due(OPERATOR)).toEqual(DUE);
    expect(await notedBy(() => service.run(OPERATOR, true))).toEqual([
      'confirmed the time',
      expect.stringMatching(/^removed/),
    ]);
  });
});

describe('a round', () => {
  it('tells the backlog before and after, and what was removed', async () => {
    expect(await service.round(everything())).toBe(3);
    expect(reported).toEqual([...backlog(DUE), ...REMOVED, ...backlog(tallies(0, 0)), ['round', 'done']]);
  });

  it('that finds the time in doubt tells the backlog, and is not done', async () => {
    isDoubtful = true;
    await expect(service.round(everything())).rejects.toMatchObject({ code: 'clock.doubtful' });
    expect(reported).toEqual(backlog(DUE));
  });

  it('is left to the server that is at it', async () => {
    expect(await besideAnother(() => service.round(everything()))).toBe(0);
    expect(reported).toEqual([...backlog(DUE), ...backlog(DUE), ['round', 'left to another server']]);
  });

  it('that is ended early does not say that it was done', async () => {
    const ending = new AbortController();
    ending.abort();
    expect(await service.round(ending.signal)).toBe(0);
    expect(reported).toEqual(backlog(DUE));
  });
});

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
