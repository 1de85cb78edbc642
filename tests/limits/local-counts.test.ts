import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LocalCounts } from '../../src/limits/attempt-limit.ts';

describe('counts in memory', () => {
  it('begin anew when the window of a key ends, which began with its first attempt', () => {
    const counts = new LocalCounts(1_000);
    expect(counts.count('a', 0)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.count('a', 400)).toEqual({ attempts: 2, wait: 600 });
    expect(counts.count('b', 500)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.count('a', 999)).toEqual({ attempts: 3, wait: 1 });
    expect(counts.count('a', 1_000)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.count('b', 1_499)).toEqual({ attempts: 2, wait: 1 });
  });

  it('are as a plain list of attempts has them, and forget what has ended', () => {
    const attempts = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat({ max: 300 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(attempts, (steps) => {
        const counts = new LocalCounts(500);
        const begun = new Map<string, { at: number; attempts: number }>();
        let now = 0;
        for (const [key, pause] of steps) {
          now += pause;
          const known = begun.get(key);
          const window = known !== undefined && now < known.at + 500 ? known : { at: now, attempts: 0 };
          window.attempts += 1;
          begun.set(key, window);
          expect(counts.count(key, now)).toEqual({ attempts: window.attempts, wait: window.at + 500 - now });
        }
        const end = now;
        counts.count('end', end);
        expect(counts.size).toBe(1 + [...begun.values()].filter(({ at }) => at + 500 > end).length);
      }),
    );
  });

  it('of a flood of keys take no more room than that', () => {
    const counts = new LocalCounts(60_000, 100);
    for (let index = 0; index < 10_000; index += 1) {
      counts.count(`key ${index}`, index);
      expect(counts.size).toBeLessThanOrEqual(100);
    }
    // The latest are still known.
    expect(counts.count('key 9999', 10_000).attempts).toBe(2);
    expect(counts.count('key 9950', 10_000).attempts).toBe(2);
    expect(counts.count('key 0', 10_000).attempts).toBe(1);
  });

  it('do not hold up anybody for longer than a window when the clock is set back', () => {
    const counts = new LocalCounts(1_000);
    counts.count('a', 1_000_000);
    expect(counts.count('a', 0)).toEqual({ attempts: 1, wait: 1_000 });
  });
});
