import { describe, expect, it } from '@jest/globals';
import type { Semaphore } from '../../../src/kernel/bounded-work.ts';
import { largeBodyGuard } from '../../../src/http/limits/guards.ts';
import { type LimitName, LimitReporter } from '../../../src/http/limits/limit-reporter.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { deferred } from '../../support/values/deferred.ts';
import { eventualRefusal } from '../../support/application/eventual-refusal.ts';

function guardWith(timeoutMs: number): { guard: Pick<Semaphore, 'run'>; counted: LimitName[] } {
  const counted: LimitName[] = [];
  const ignore = (): void => undefined;
  const refusals = new LimitReporter({
    metrics: { limitReached: (limit) => counted.push(limit) },
    log: { error: ignore, warn: ignore, info: ignore, debug: ignore },
    clock: systemClock,
  });
  return { guard: largeBodyGuard({ refusals, timeoutMs }), counted };
}

describe('large bodies', () => {
  it('are taken one at a time, in the order in which they came, whether or not it goes well', async () => {
    const { guard } = guardWith(60_000);
    const ends = Array.from({ length: 3 }, () => deferred<string>());
    const begun: number[] = [];
    const results = ends.map((end, index) =>
      guard.run(() => {
        begun.push(index);
        return end.promise;
      }),
    );
    expect(begun).toEqual([0]);
    ends[0]?.reject(new Error('broken off'));
    await expect(results[0]).rejects.toThrow('broken off');
    // Nobody who comes now goes before those who wait.
    const last = guard.run(() => {
      begun.push(3);
      return Promise.resolve('3');
    });
    ends[1]?.resolve('1');
    await expect(results[1]).resolves.toBe('1');
    expect(begun).toEqual([0, 1, 2]);
    ends[2]?.resolve('2');
    await expect(Promise.all([results[2], last])).resolves.toEqual(['2', '3']);
    expect(begun).toEqual([0, 1, 2, 3]);
    await expect(guard.run(() => Promise.resolve('free'))).resolves.toBe('free');
  });

  it('are refused after a while, and take the turn of no other body', async () => {
    const { guard, counted } = guardWith(20);
    const end = deferred<string>();
    const first = guard.run(() => end.promise);
    const refusal = await eventualRefusal(guard.run(() => Promise.resolve('never')));
    expect(refusal).toMatchObject({ code: 'server.busy', retryAfter: 1 });
    expect(counted).toEqual(['large-bodies']);
    end.resolve('first');
    await expect(first).resolves.toBe('first');
    await expect(guard.run(() => Promise.resolve('next'))).resolves.toBe('next');
  });

  it('are refused at once where many wait', async () => {
    const { guard } = guardWith(60_000);
    const end = deferred<string>();
    const results = Array.from({ length: 17 }, () => guard.run(() => end.promise));
    expect((await eventualRefusal(guard.run(() => end.promise))).code).toBe('server.busy');
    end.resolve('done');
    await expect(Promise.all(results)).resolves.toEqual(Array(17).fill('done'));
  });
});
