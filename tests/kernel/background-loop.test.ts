import { describe, expect, it } from '@jest/globals';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import { BackgroundLoop, backgroundRounds, type LoopPace } from '../../src/kernel/background-loop.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { deferred } from '../support/values/deferred.ts';

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

  it('tells a rest that came to its end from one that was woken', async () => {
    const ended = deferred<boolean>();
    const loop = new BackgroundLoop(async ({ restUntilWoken, rest }) => {
      ended.resolve(await restUntilWoken(1));
      await rest(EVER);
    });
    loop.start();
    expect(await ended.promise).toBe(false);
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

  it('begin after their first pause', async () => {
    const { loop, done } = roundsOf(() => Promise.resolve(false), { firstPause: EVER });
    loop.start();
    await sleep(10);
    await loop.stop();
    expect(done()).toBe(0);
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
