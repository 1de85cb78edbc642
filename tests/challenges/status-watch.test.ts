import type { WaitEnd } from '../../src/challenges/challenge-metrics.ts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WatchedState } from '../../src/challenges/status-watch-store.ts';
import {
  type StatusWait,
  StatusWatch,
  type StatusWatchDependencies,
  type Waited,
} from '../../src/challenges/status-wait-service.ts';
import { ServiceError } from '../../src/kernel/errors.ts';

/** So long that within a test it never comes. */
const NEVER = 600_000;

const OPEN: WatchedState = { receivedTan: false, validTan: false, failCount: 0, closedBy: null };
const WRONG: WatchedState = { ...OPEN, receivedTan: true, failCount: 1 };
const RIGHT: WatchedState = { receivedTan: true, validTan: true, failCount: 0, closedBy: 'accepted' };
const SUPERSEDED: WatchedState = { ...OPEN, closedBy: 'superseded' };

const AWAY = new ServiceError('database.unavailable', 'away');

/** Challenges in memory. Records what is done with them. */
class Challenges {
  readonly done: string[] = [];
  readonly stored = new Map<string, WatchedState>();
  isAway = false;
  /** Called before a mark is made. */
  beforeMark: () => void = () => undefined;

  mark(id: string, seconds: number): Promise<void> {
    this.beforeMark();
    this.done.push(`mark ${id} for ${seconds}`);
    return this.isAway ? Promise.reject(AWAY) : Promise.resolve();
  }

  states(ids: readonly string[]): Promise<ReadonlyMap<string, WatchedState>> {
    this.done.push(`read ${ids.join(' ')}`);
    return this.isAway
      ? Promise.reject(AWAY)
      : Promise.resolve(new Map([...this.stored].filter(([id]) => ids.includes(id))));
  }
}

interface World {
  readonly watch: StatusWatch;
  readonly challenges: Challenges;
  readonly ends: WaitEnd[];
  /** The number of requests that wait. */
  readonly waiting: () => number;
  /** Begins to wait for the challenge `id`. */
  readonly wait: (wanted?: Partial<StatusWait>, gone?: AbortSignal) => Promise<Waited>;
}

const watches: StatusWatch[] = [];
afterEach(async () => {
  await Promise.all(watches.splice(0).map((watch) => watch.end()));
});

function world(options: Partial<StatusWatchDependencies> = {}): World {
  const challenges = new Challenges();
  const ends: WaitEnd[] = [];
  let waiting = 0;
  const watch = new StatusWatch({
    watched: challenges,
    metrics: {
      waitingAre: (count) => {
        waiting = count;
      },
      waitEnded: (end) => {
        ends.push(end);
      },
    },
    max: 100,
    poll: NEVER,
    pollWithNotices: NEVER,
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

function garbageCollection(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Waits until all that can happen without a further cause has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await nextTurn();
  }
}

describe('a wait for a transaction', () => {
  it.each([
    ['a right response', RIGHT, 'changed'],
    ['a wrong response', WRONG, 'changed'],
    ['newer challenges', SUPERSEDED, 'closed'],
    ['its removal', undefined, 'closed'],
  ] as const)('is ended by the notice of %s', async (_cause, state, end) => {
    const { watch, challenges, wait, ends, waiting } = world();
    const waited = wait();
    await settled();
    expect([ends, waiting()]).toEqual([[], 1]);
    if (state === undefined) {
      challenges.stored.delete('7');
    } else {
      challenges.stored.set('7', state);
    }
    watch.changed('7');
    expect(await waited).toEqual({ end, state });
    expect([ends, waiting()]).toEqual([[end], 0]);
  });

  it('marks the challenge before it reads the state, so that no change falls between', async () => {
    const { challenges, wait } = world();
    challenges.beforeMark = () => challenges.stored.set('7', RIGHT);
    expect(await wait({ waitMs: 20_000 })).toEqual({ end: 'changed', state: RIGHT });
    const mark = challenges.done.indexOf('mark 7 for 20');
    expect(challenges.done.slice(mark)).toEqual(['mark 7 for 20', 'read 7']);
  });

  it('goes on after notices of other transactions, and of changes that the client does not see', async () => {
    const { watch, challenges, wait, ends } = world();
    const waited = wait();
    await settled();
    watch.changed('8');
    watch.changed('7');
    await settled();
    expect(ends).toEqual([]);
    challenges.stored.set('7', WRONG);
    watch.changed('7');
    expect((await waited).end).toBe('changed');
  });

  it('ends when its time is over, with the state as it then is', async () => {
    const { wait, challenges } = world();
    expect(await wait({ waitMs: 20 })).toEqual({ end: 'over', state: OPEN });
    const late = wait({ id: '8', waitMs: 20 });
    await settled();
    challenges.stored.set('8', WRONG);
    expect(await late).toEqual({ end: 'changed', state: WRONG });
  });

  it('ends when the challenge expires', async () => {
    const { wait } = world();
    expect(await wait({ openMs: 20 })).toEqual({ end: 'closed', state: OPEN });
  });

  it('sees a change whose notice is lost at the next look', async () => {
    const { wait, challenges } = world({ poll: 20 });
    const waited = wait();
    await settled();
    challenges.stored.set('7', RIGHT);
    expect((await waited).end).toBe('changed');
  });

  it('sees changes from before the notices come, and from after they are lost', async () => {
    const { watch, wait, challenges } = world();
    const first = wait();
    const second = wait({ id: '8' });
    await settled();
    challenges.stored.set('7', RIGHT);
    watch.listening();
    expect((await first).end).toBe('changed');
    challenges.stored.set('8', RIGHT);
    watch.lost();
    expect((await second).end).toBe('changed');
  });
});

describe('waits of many requests', () => {
  it('of one transaction all end by one look', async () => {
    const { watch, wait, challenges } = world();
    const waits = Array.from({ length: 10 }, () => wait());
    await settled();
    const before = challenges.done.length;
    challenges.stored.set('7', RIGHT);
    watch.changed('7');
    expect((await Promise.all(waits)).map(({ end }) => end)).toEqual(waits.map(() => 'changed'));
    expect(challenges.done.slice(before)).toEqual(['read 7']);
  });

  it('of several transactions share each look', async () => {
    const { watch, wait, challenges } = world();
    const waits = [wait(), wait({ id: '8' })];
    await settled();
    const before = challenges.done.length;
    watch.lost();
    await settled();
    expect(challenges.done.slice(before)).toEqual(['read 7 8']);
    await watch.end();
    expect((await Promise.all(waits)).map(({ end }) => end)).toEqual(['stopping', 'stopping']);
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

  it('leave their places at once when the clients leave', async () => {
    const { wait, ends, waiting, challenges } = world({ max: 2 });
    const client = new AbortController();
    const waited = wait({}, client.signal);
    expect((await wait()).end).toBe('full');
    client.abort();
    expect((await waited).end).toBe('gone');
    expect([ends, waiting()]).toEqual([['full', 'gone'], 0]);
    challenges.stored.set('7', RIGHT);
    expect((await wait()).end).toBe('changed');
    expect((await wait({}, client.signal)).end).toBe('gone');
  });

  it('keep no notice of transactions that nobody here waits for', async () => {
    const { watch, wait, challenges } = world();
    const collect = garbageCollection();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let id = 100_000_000; id < 100_300_000; id += 1) {
      watch.changed(String(id));
    }
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(3_000_000);
    challenges.stored.set('7', RIGHT);
    expect((await wait()).end).toBe('changed');
  });

  it('end at once when the server stops, and so does each later one', async () => {
    const { watch, wait, ends } = world();
    const waits = [wait(), wait({ id: '8' })];
    await watch.end();
    waits.push(wait());
    expect((await Promise.all(waits)).map(({ end }) => end)).toEqual(ends);
    expect(ends).toEqual(['stopping', 'stopping', 'stopping']);
  });
});

describe('while the database is away', () => {
  it('a wait goes on, and ends by a change after its return', async () => {
    const { watch, wait, challenges, ends } = world({ poll: 20 });
    const waited = wait();
    await settled();
    challenges.isAway = true;
    watch.changed('7');
    await settled();
    expect(ends).toEqual([]);
    challenges.stored.set('7', RIGHT);
    challenges.isAway = false;
    expect((await waited).end).toBe('changed');
  });

  it('a wait whose time ends fails, and one that begins', async () => {
    const { wait, challenges, waiting } = world();
    const waited = wait({ waitMs: 500 });
    await settled();
    challenges.isAway = true;
    await expect(waited).rejects.toBe(AWAY);
    await expect(wait()).rejects.toBe(AWAY);
    expect(waiting()).toBe(0);
  });
});
