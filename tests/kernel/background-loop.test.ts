import { describe, expect, it } from '@jest/globals';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { BackgroundLoop, backgroundRounds, type LoopPace } from '../../src/kernel/background-loop.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { deferred, type Deferred } from '../support/values/until.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  Semaphore,
  type SemaphoreRefusal,
  withTimeLimit,
  boundedMemo,
  KeptReading,
} from '../../src/kernel/bounded-work.ts';

/** So long that a test in which it passes fails. */
const EVER = 60_000;

describe('a loop in the background', () => {
  it('takes turn after turn until it is stopped, and rests between them', async () => {
    let turns = 0;
    const loop = new BackgroundLoop(async ({ rest }) => {
      turns += 1;
      await rest(1);
    });
    loop.start();
    expect(turns).toBe(1);
    while (turns < 5) {
      await sleep(1);
    }
    expect(loop.isStopping).toBe(false);
    await loop.stop();
    const atEnd = turns;
    await sleep(10);
    expect(turns).toBe(atEnd);
    expect(loop.isStopping).toBe(true);
  });

  it.each(['rest', 'restUntilWoken'] as const)('ends a %s when it is stopped', async (kind) => {
    const loop = new BackgroundLoop(async (pace) => {
      await pace[kind](EVER);
    });
    loop.start();
    const begun = performance.now();
    await loop.stop();
    expect(performance.now() - begun).toBeLessThan(EVER / 2);
  });

  it('waits at its stop for the turn under way, no longer than its time limit', async () => {
    const work = deferred<undefined>();
    const patient = new BackgroundLoop(() => work.promise);
    const impatient = new BackgroundLoop(() => work.promise, 10);
    patient.start();
    impatient.start();
    let isStopped = false;
    const stopped = patient.stop().then(() => {
      isStopped = true;
    });
    await impatient.stop();
    expect(isStopped).toBe(false);
    work.resolve(undefined);
    await stopped;
  });

  it('ends a rest when it is woken, and takes one turn for all who wake it meanwhile', async () => {
    const woken: boolean[] = [];
    const loop = new BackgroundLoop(async ({ restUntilWoken }) => {
      woken.push(await restUntilWoken(EVER));
    });
    loop.start();
    for (let turn = 1; turn <= 3; turn += 1) {
      loop.wake();
      loop.wake();
      await setImmediate();
      expect(woken).toEqual(Array.from({ length: turn }, () => true));
    }
    await loop.stop();
  });

  it('does not lose who wakes it during its work or its rest that is not to be ended', async () => {
    const work = deferred<undefined>();
    let turns = 0;
    const loop = new BackgroundLoop(async ({ rest, restUntilWoken }: LoopPace) => {
      turns += 1;
      if (turns > 1) {
        await rest(EVER);
        return;
      }
      await work.promise;
      await rest(5);
      expect(await restUntilWoken(EVER)).toBe(true);
    });
    loop.start();
    loop.wake();
    work.resolve(undefined);
    while (turns < 2) {
      await sleep(1);
    }
    await loop.stop();
  });
});

describe('rounds in the background', () => {
  function roundsOf(
    round: (number: number) => Promise<boolean>,
    pauses: { pause?: number; firstPause?: number } = {},
  ): { loop: BackgroundLoop; lines: string[]; done: () => number } {
    let done = 0;
    const lines: string[] = [];
    const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
    const loop = backgroundRounds({
      round: () => {
        done += 1;
        return round(done);
      },
      pause: 1,
      ...pauses,
      component: 'test',
      warning: 'Trouble',
      log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    });
    return { loop, lines, done: () => done };
  }

  it('go on at once as long as there is more to do, and pause then', async () => {
    const { loop, done } = roundsOf((number) => Promise.resolve(number < 100), { pause: EVER });
    loop.start();
    while (done() < 100) {
      await sleep(1);
    }
    await sleep(20);
    await loop.stop();
    expect(done()).toBe(100);
  });

  it('log the first of several failures, each time they begin, and never a database that is away', async () => {
    const faults = [undefined, 'a', 'b', undefined, 'c', 'away', undefined];
    const { loop, lines, done } = roundsOf((number) => {
      const fault = faults[number - 1];
      if (fault === undefined) {
        return Promise.resolve(false);
      }
      return Promise.reject(
        fault === 'away' ? new ServiceError('database.unavailable', 'away') : new Error(fault),
      );
    });
    loop.start();
    while (done() < faults.length) {
      await sleep(1);
    }
    await loop.stop();
    expect(lines).toEqual(['warn Trouble', 'warn Trouble']);
  });
});

describe('boundedMemo', () => {
  it('forgets what was not asked for longest when it is full', () => {
    const computed: string[] = [];
    const memo = boundedMemo(2, (key) => computed.push(key));
    ['a', 'b', 'a', 'c', 'a', 'b'].forEach(memo);
    expect(computed).toEqual(['a', 'b', 'c', 'b']);
  });

  it('remembers no long key', () => {
    const computed: number[] = [];
    const memo = boundedMemo(10, (key) => computed.push(key.length));
    [100, 100, 101, 101].forEach((length) => memo('x'.repeat(length)));
    expect(computed).toEqual([100, 101, 101]);
  });

  it('keeps no text of which a key is a part', () => {
    const memo = boundedMemo(1_000, (key) => key.length);
    const before = usedHeap();
    for (let number = 100; number < 140; number += 1) {
      const header = Buffer.alloc(1_000_000, `${number} `).toString('latin1');
      memo(header.slice(0, 30));
    }
    expect(usedHeap() - before).toBeLessThan(10_000_000);
  });
});

/** @returns the bytes of the heap that are in use after a collection */
function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

const refuse = (refusal: SemaphoreRefusal): Error => new Error(refusal);

describe('a semaphore', () => {
  it('runs as much as it has permits, and the rest in its order, whatever becomes of the work before', async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    const works: Deferred<number>[] = [0, 1, 2, 3].map(() => deferred<number>());
    const all = works.map((work, index) =>
      semaphore.run(() => {
        begun.push(index);
        return work.promise;
      }),
    );
    const results = Promise.allSettled(all);
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    works[1]?.reject(new Error('failed'));
    await expect(all[1]).rejects.toThrow('failed');
    expect(begun).toEqual([0, 1, 2]);
    works[2]?.resolve(2);
    await all[2];
    expect(begun).toEqual([0, 1, 2, 3]);
    works[0]?.resolve(0);
    works[3]?.resolve(3);
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('gives back the permit of work that throws before its first await', async () => {
    const semaphore = new Semaphore(1);
    const thrown = semaphore.run(() => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
    expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('gives a permit to work that waits, not to work that comes as it becomes free', async () => {
    const semaphore = new Semaphore(1);
    const first = deferred<undefined>();
    const order: string[] = [];
    const note = (name: string) => () => {
      order.push(name);
      return Promise.resolve();
    };
    const running = semaphore.run(() => first.promise);
    const waiting = semaphore.run(note('waiting'));
    const late = running.then(() => semaphore.run(note('late')));
    first.resolve(undefined);
    await Promise.all([waiting, late]);
    expect(order).toEqual(['waiting', 'late']);
  });

  it('refuses work at once when as much waits as may', async () => {
    const semaphore = new Semaphore(1, { waiting: 1, refuse });
    const first = deferred<undefined>();
    const running = semaphore.run(() => first.promise);
    const waiting = semaphore.run(() => Promise.resolve('waited'));
    await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow('full');
    first.resolve(undefined);
    await running;
    expect(await waiting).toBe('waited');
    expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('refuses work that gets no permit in time, which it neither runs nor keeps a permit for', async () => {
    const semaphore = new Semaphore(1, { timeoutMs: 20, refuse });
    const first = deferred<undefined>();
    const running = semaphore.run(() => first.promise);
    let isRun = false;
    const waiting = semaphore.run(() => {
      isRun = true;
      return Promise.resolve();
    });
    await expect(waiting).rejects.toThrow('late');
    first.resolve(undefined);
    await running;
    expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again');
    expect(isRun).toBe(false);
  });

  it('does not refuse work that has begun, however long it takes', async () => {
    const semaphore = new Semaphore(1, { timeoutMs: 20, refuse });
    const first = deferred<undefined>();
    const second = deferred<string>();
    const running = semaphore.run(() => first.promise);
    const waiting = semaphore.run(() => second.promise);
    first.resolve(undefined);
    await running;
    await new Promise((resolve) => setTimeout(resolve, 60));
    second.resolve('done');
    expect(await waiting).toBe('done');
  });
});

const late = (): Error => new Error('too late');

describe('waiting within a limit', () => {
  it('ends with the error of the limit when the work takes longer', async () => {
    await expect(withTimeLimit(5, new Promise(() => undefined), late)).rejects.toThrow('too late');
  });

  it('leaves no timer behind that would keep the process from ending', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await withTimeLimit(60_000, Promise.resolve(), late);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

describe('a reading that is kept', () => {
  it('serves those who ask while it lasts and soon after its end, whatever time it took', async () => {
    let now = 0;
    const begun: Deferred<number>[] = [];
    const read = (): Promise<number> => {
      begun.push(deferred());
      return begun.at(-1)?.promise ?? Promise.reject(new Error('none'));
    };
    const reading = new KeptReading({ read, keptMs: 100, elapsed: () => now });
    const first = reading.current();
    now = 1_000;
    const meanwhile = reading.current();
    begun[0]?.resolve(1);
    expect(await Promise.all([first, meanwhile])).toEqual([1, 1]);
    now = 1_099;
    expect(await reading.current()).toBe(1);
    now = 1_100;
    const next = reading.current();
    begun[1]?.resolve(2);
    expect(await next).toBe(2);
  });

  it.each([undefined, 50])('is repeated after a failure, which is kept for %s milliseconds', async (kept) => {
    let [now, readings] = [0, 0];
    const reading = new KeptReading({
      read: () => Promise.reject(new Error(`away ${(readings += 1)}`)),
      keptMs: 100,
      failureKeptMs: kept,
      elapsed: () => now,
    });
    await expect(reading.current()).rejects.toThrow('away 1');
    now = (kept ?? 0) - 1;
    await expect(reading.current()).rejects.toThrow('away 1');
    now += 1;
    await expect(reading.current()).rejects.toThrow('away 2');
  });
});
