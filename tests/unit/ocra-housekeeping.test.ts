import { beforeEach, describe, expect, it } from '@jest/globals';
import { HousekeepingService } from '../../src/ocra/housekeeping-service.ts';
import type { HousekeepingMoments, HousekeepingTally } from '../../src/ocra/ports.ts';
import { callerNamed, OPERATOR } from '../support/callers.ts';
import { eventualRefusal } from '../support/eventual-refusal.ts';
import { InMemorySetupStore } from '../support/in-memory-setup-store.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const DUE: readonly HousekeepingTally[] = [
  { chore: 'challenges', rows: 7 },
  { chore: 'sessions', rows: 2 },
];

let isOurs: boolean;
let asked: HousekeepingMoments[];
let signals: AbortSignal[];
let told: unknown[];
let service: HousekeepingService;

beforeEach(() => {
  [isOurs, asked, signals, told] = [true, [], [], []];
  service = new HousekeepingService({
    setup: new InMemorySetupStore({ configuration: new Map([['OcraChallengeTimeout', '10M']]) }),
    clock: { now: () => NOW },
    challengeRetention: 3_600,
    store: {
      backlog: (moments) => {
        asked.push(moments);
        return Promise.resolve(DUE);
      },
      clear: (moments, { signal, removed }) => {
        asked.push(moments);
        signals.push(signal);
        if (isOurs) {
          removed({ chore: 'challenges', rows: 5 });
          removed({ chore: 'challenges', rows: 2 });
          removed({ chore: 'rate limits', rows: 1 });
        }
        return Promise.resolve(isOurs);
      },
    },
    metrics: {
      backlogIs: (tally) => told.push(['backlog', tally]),
      removed: (tally) => told.push(['removed', tally]),
      roundDone: (outcome) => told.push(['round', outcome]),
    },
  });
});

const backlog = DUE.map((tally) => ['backlog', tally]);

describe('housekeeping', () => {
  it('removes what is old by the configuration and the clock', async () => {
    expect(await service.run(OPERATOR)).toEqual([
      { chore: 'challenges', rows: 7 },
      { chore: 'sessions', rows: 0 },
      { chore: 'rate limits', rows: 1 },
    ]);
    expect(asked).toEqual([
      {
        challengesIssuedBefore: new Date('2026-11-20T10:50:00Z'),
        sessionsEndBy: NOW,
        limitsEndBy: new Date('2026-11-20T11:59:00Z'),
      },
    ]);
    expect(signals[0]?.aborted).toBe(false);
    expect(told).toHaveLength(3);
  });

  it('does nothing while a server is at it', async () => {
    isOurs = false;
    expect(await service.run(OPERATOR)).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('tells what is due, and changes nothing by that', async () => {
    expect(await service.due(OPERATOR)).toEqual(DUE);
    expect([asked.length, signals.length, told.length]).toEqual([1, 0, 0]);
  });

  it.each(['run', 'due'] as const)('%s is for operators only', async (what) => {
    expect(await eventualRefusal(service[what](callerNamed('admin')))).toMatchObject({
      code: 'right.missing',
      message: 'Housekeeping is done at the machine itself only',
    });
    expect(asked).toEqual([]);
  });
});

describe('a round', () => {
  it('tells the backlog before and after, and what was removed', async () => {
    expect(await service.round(new AbortController().signal)).toBe(8);
    expect(told).toEqual([
      ...backlog,
      ['removed', { chore: 'challenges', rows: 5 }],
      ['removed', { chore: 'challenges', rows: 2 }],
      ['removed', { chore: 'rate limits', rows: 1 }],
      ...backlog,
      ['round', 'done'],
    ]);
  });

  it('is left to the server that is at it', async () => {
    isOurs = false;
    expect(await service.round(new AbortController().signal)).toBe(0);
    expect(told).toEqual([...backlog, ...backlog, ['round', 'left to another server']]);
  });

  it('that is ended early does not say that it was done', async () => {
    const ending = new AbortController();
    ending.abort();
    expect(await service.round(ending.signal)).toBe(8);
    expect(signals).toEqual([ending.signal]);
    expect(told).toHaveLength(5);
  });
});
