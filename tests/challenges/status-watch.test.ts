import { expectSoon } from '../support/values/expect-soon.ts';
import type { WaitEnd } from '../../src/challenges/challenge-metrics.ts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AwaitedState } from '../../src/challenges/challenge-store.ts';
import {
  type StatusWait,
  WaitingRequests,
  type WaitingRequestsDependencies,
  type Waited,
} from '../../src/challenges/status-wait-service.ts';
import { ServiceError } from '../../src/kernel/errors.ts';

/** So long that within a test it never comes. */
const NEVER = 600_000;

const TOKEN = { failCount: 0, active: true, locked: false };
const OPEN: AwaitedState = { ...TOKEN, receivedTan: false, validTan: false, closedBy: null };
const RIGHT: AwaitedState = { ...TOKEN, receivedTan: true, validTan: true, closedBy: 'accepted' };

const AWAY = new ServiceError('database.unavailable', 'away');

/** Challenges in memory. Records what is done with them. */
class Challenges {
  readonly done: string[] = [];
  readonly stored = new Map<string, AwaitedState>();
  isAway = false;

  states(ids: readonly string[]): Promise<ReadonlyMap<string, AwaitedState>> {
    this.done.push(`read ${ids.join(' ')}`);
    return this.isAway
      ? Promise.reject(AWAY)
      : Promise.resolve(new Map([...this.stored].filter(([id]) => ids.includes(id))));
  }
}

interface World {
  readonly watch: WaitingRequests;
  readonly challenges: Challenges;
  readonly ends: WaitEnd[];
  /** The number of requests that wait. */
  readonly waiting: () => number;
  /** Begins to wait for the challenge `id`. */
  readonly wait: (wanted?: Partial<StatusWait>, gone?: AbortSignal) => Promise<Waited>;
}

const watches: WaitingRequests[] = [];
afterEach(() => Promise.all(watches.splice(0).map((watch) => watch.end())));

function world(options: Partial<WaitingRequestsDependencies> = {}): World {
  const challenges = new Challenges();
  const ends: WaitEnd[] = [];
  let waiting = 0;
  const watch = new WaitingRequests({
    challenges,
    metrics: {
      waitingAre: (count) => {
        waiting = count;
      },
      waitEnded: (end) => {
        ends.push(end);
      },
    },
    max: 100,
    poll: 20,
    ...options,
  });
  watches.push(watch);
  challenges.stored.set('7', OPEN);
  challenges.stored.set('8', OPEN);
  return {
    watch,
    challenges,
    ends,
    waiting: () => waiting,
    wait: (wanted = {}, gone = new AbortController().signal) =>
      watch.wait(
        { id: '7', administrator: 'portal', since: OPEN, waitMs: NEVER, openMs: NEVER, ...wanted },
        gone,
      ),
  };
}

/** Waits until all that can happen without a further cause has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await nextTurn();
  }
}

describe('waits of many requests', () => {
  it('of one transaction all end by one look', async () => {
    const { wait, challenges } = world({ poll: 200 });
    const waits = Array.from({ length: 10 }, () => wait());
    await settled();
    const before = challenges.done.length;
    challenges.stored.set('7', RIGHT);
    expect((await Promise.all(waits)).map(({ end }) => end)).toEqual(waits.map(() => 'changed'));
    expect(challenges.done.slice(before)).toEqual(['read 7']);
  });

  it('are bounded; one more is answered at once', async () => {
    const { wait, ends, waiting } = world({ max: 4 });
    const waits = ['a', 'a', 'b', 'b'].map((administrator) => wait({ administrator }));
    expect(await wait({ administrator: 'c' })).toEqual({ end: 'full', state: OPEN });
    expect([ends, waiting(), waits.length]).toEqual([['full'], 4, 4]);
  });

  it('of one administrator take half of the places at most', async () => {
    const { wait, waiting } = world({ max: 4 });
    const waits = [wait(), wait()];
    expect((await wait()).end).toBe('full');
    void wait({ administrator: 'other' });
    expect([waits.length, waiting()]).toEqual([2, 3]);
  });

  it('whose client has left before take no place', async () => {
    const { wait, ends, waiting } = world();
    expect(await wait({}, AbortSignal.abort())).toEqual({ end: 'gone', state: OPEN });
    expect([ends, waiting()]).toEqual([['gone'], 0]);
  });
});

describe('while the database is away', () => {
  it('a wait goes on, and ends by a change after its return', async () => {
    const { wait, challenges, ends } = world();
    const waited = wait();
    await settled();
    challenges.isAway = true;
    const before = challenges.done.length;
    await expectSoon(() => challenges.done.length).toBeGreaterThan(before + 1);
    expect(ends).toEqual([]);
    challenges.stored.set('7', RIGHT);
    challenges.isAway = false;
    expect((await waited).end).toBe('changed');
  });

  it('a wait whose time ends fails', async () => {
    const { wait, challenges, waiting } = world();
    const waited = wait({ waitMs: 500 });
    await settled();
    challenges.isAway = true;
    await expect(waited).rejects.toBe(AWAY);
    expect(waiting()).toBe(0);
  });
});
