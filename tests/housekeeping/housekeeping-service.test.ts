import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { HousekeepingService, housekeepingRounds } from '../../src/housekeeping/housekeeping-service.ts';
import { HOUSEKEEPING_LOCK, HousekeepingStore } from '../../src/housekeeping/housekeeping-store.ts';
import type { BackgroundLoop } from '../../src/kernel/background-loop.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
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

let other: Database;
afterAll(() => other.close());
const test = databaseOfTests();
let reported: unknown[];
let service: HousekeepingService;
let isDoubtful: boolean;

beforeAll(() => {
  other = openDatabase({ connection: test.url, applicationName: 'test' });
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

describe('housekeeping', () => {
  it('by hand is audited with what it removed, and not where it did nothing', async () => {
    expect(await notedBy(() => besideAnother(() => service.run(OPERATOR)))).toEqual([]);
    expect(await notedBy(() => service.run(OPERATOR))).toEqual([
      'removed 0 challenges, 0 sessions, 2 rate limits, 1 response minutes',
    ]);
    expect(await notedBy(() => service.round(everything()))).toEqual([]);
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
