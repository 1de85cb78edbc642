import { beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { actOf } from '../../src/policy/caller.ts';
import { HousekeepingService } from '../../src/housekeeping/housekeeping-service.ts';
import type { HousekeepingMoments, HousekeepingTally } from '../../src/housekeeping/ports.ts';
import { callerNamed, OPERATOR } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { InMemoryConfigurationStore } from '../support/fakes/in-memory-configuration-store.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const DUE: readonly HousekeepingTally[] = [
  { chore: 'challenges', rows: 7 },
  { chore: 'sessions', rows: 2 },
];

let isOurs: boolean;
let requested: HousekeepingMoments[];
let signals: AbortSignal[];
let reported: unknown[];
let notes: unknown[];
let service: HousekeepingService;
let isDoubtful: boolean;

/** @param monthsDue the months of the audit that are due, where it is not kept for ever */
function open(monthsDue?: number): HousekeepingService {
  const auditRetention = {
    isOn: monthsDue !== undefined,
    due: () => Promise.resolve(monthsDue ?? 99),
    remove: () => Promise.resolve(monthsDue ?? 99),
  };
  return new HousekeepingService({
    configuration: new InMemoryConfigurationStore({ settings: new Map([['OcraChallengeTimeout', '10M']]) }),
    clock: { now: () => NOW },
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
    store: {
      backlog: (moments) => {
        requested.push(moments);
        return Promise.resolve(DUE);
      },
      clear: async (moments, { signal, removed, also }) => {
        requested.push(moments);
        signals.push(signal);
        if (isOurs) {
          removed({ chore: 'challenges', rows: 5 });
          removed({ chore: 'challenges', rows: 2 });
          removed({ chore: 'rate limits', rows: 1 });
          await also?.();
        }
        return isOurs;
      },
      note: (act, outcome) => {
        notes.push({ act, outcome });
        return Promise.resolve();
      },
    },
    metrics: {
      backlogIs: (tally) => reported.push(['backlog', tally]),
      rowsRemoved: (tally) => reported.push(['removed', tally]),
      roundDone: (outcome) => reported.push(['round', outcome]),
    },
    auditRetention,
  });
}

beforeEach(() => {
  [isOurs, isDoubtful, requested, signals, reported, notes] = [true, false, [], [], [], []];
  service = open();
});

const backlog = DUE.map((tally) => ['backlog', tally]);

describe('housekeeping', () => {
  it('removes what is old by the configuration and the clock', async () => {
    expect(await service.run(OPERATOR)).toEqual([
      { chore: 'challenges', rows: 7 },
      { chore: 'sessions', rows: 0 },
      { chore: 'rate limits', rows: 1 },
      { chore: 'response minutes', rows: 0 },
    ]);
    expect(requested).toEqual([
      {
        challengesIssuedBefore: new Date('2026-11-20T10:50:00Z'),
        sessionsEndBy: NOW,
        limitsEndBy: new Date('2026-11-20T11:59:00Z'),
        responsesCountedBefore: new Date('2026-11-19T11:00:00Z'),
      },
    ]);
    expect(signals[0]?.aborted).toBe(false);
    expect(reported).toHaveLength(3);
  });

  it('by hand is audited with what it removed, and not where it did nothing', async () => {
    await service.run(OPERATOR);
    expect(notes).toEqual([
      {
        act: actOf(OPERATOR, 'housekeeping/run'),
        outcome: 'removed 7 challenges, 0 sessions, 1 rate limits, 0 response minutes',
      },
    ]);
    isOurs = false;
    await service.run(OPERATOR);
    await service.round(new AbortController().signal);
    expect(notes).toHaveLength(1);
  });

  it('removes months of the audit only where it is not kept for ever', async () => {
    service = open(3);
    expect(await service.due(OPERATOR)).toEqual([...DUE, { chore: 'audit months', rows: 3 }]);
    expect(await service.run(OPERATOR)).toContainEqual({ chore: 'audit months', rows: 3 });
    expect(reported).toContainEqual(['removed', { chore: 'audit months', rows: 3 }]);
    service = open(0);
    reported = [];
    expect(await service.run(OPERATOR)).toContainEqual({ chore: 'audit months', rows: 0 });
    expect(reported).toHaveLength(3);
  });

  it('does nothing while a server is at it', async () => {
    isOurs = false;
    expect(await service.run(OPERATOR)).toBeUndefined();
    expect(reported).toEqual([]);
  });

  it('tells what is due, and changes nothing by that', async () => {
    expect(await service.due(OPERATOR)).toEqual(DUE);
    expect([requested.length, signals.length, reported.length]).toEqual([1, 0, 0]);
  });

  it('removes nothing while the time is in doubt, until an operator confirms it, which is audited', async () => {
    isDoubtful = true;
    await expect(service.run(OPERATOR)).rejects.toMatchObject({ code: 'clock.doubtful' });
    expect([signals, notes]).toEqual([[], []]);
    await service.run(OPERATOR, true);
    expect(signals).toHaveLength(1);
    expect(notes).toMatchObject([
      { outcome: 'confirmed the time' },
      { outcome: expect.stringMatching(/^removed/) },
    ]);
  });

  it.each(['run', 'due'] as const)('%s is for operators only', async (what) => {
    expect(await eventualRefusal(service[what](callerNamed('admin')))).toMatchObject({
      code: 'right.missing',
      message: 'Housekeeping is done at the machine itself only',
    });
    expect(requested).toEqual([]);
  });
});

describe('a round', () => {
  it('tells the backlog before and after, and what was removed', async () => {
    expect(await service.round(new AbortController().signal)).toBe(8);
    expect(reported).toEqual([
      ...backlog,
      ['removed', { chore: 'challenges', rows: 5 }],
      ['removed', { chore: 'challenges', rows: 2 }],
      ['removed', { chore: 'rate limits', rows: 1 }],
      ...backlog,
      ['round', 'done'],
    ]);
  });

  it('that finds the time in doubt tells the backlog, and is not done', async () => {
    isDoubtful = true;
    const round = service.round(new AbortController().signal);
    await expect(round).rejects.toMatchObject({ code: 'clock.doubtful' });
    expect(reported).toEqual(backlog);
    expect(signals).toEqual([]);
  });

  it('is left to the server that is at it', async () => {
    isOurs = false;
    expect(await service.round(new AbortController().signal)).toBe(0);
    expect(reported).toEqual([...backlog, ...backlog, ['round', 'left to another server']]);
  });

  it('that is ended early does not say that it was done', async () => {
    const ending = new AbortController();
    ending.abort();
    expect(await service.round(ending.signal)).toBe(8);
    expect(signals).toEqual([ending.signal]);
    expect(reported).toHaveLength(5);
  });
});
