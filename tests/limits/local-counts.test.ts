import { describe, expect, it } from '@jest/globals';
import { LocalCounts } from '../../src/limits/attempt-limit.ts';

describe('counts in memory', () => {
  it('begin anew when the window of a key ends, which began with its first attempt', () => {
    const counts = new LocalCounts(1_000);
    expect(counts.change('a', 1, 0)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.change('a', 1, 400)).toEqual({ attempts: 2, wait: 600 });
    expect(counts.change('b', 1, 500)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.change('a', -1, 999)).toEqual({ attempts: 1, wait: 1 });
    expect(counts.change('a', 1, 1_000)).toEqual({ attempts: 1, wait: 1_000 });
    expect(counts.change('b', 1, 1_499)).toEqual({ attempts: 2, wait: 1 });
  });

  it('of a flood of keys take bounded room: the latest are still known', () => {
    const counts = new LocalCounts(60_000, 100);
    for (let index = 0; index < 10_000; index += 1) {
      counts.change(`key ${index}`, 1, index);
    }
    const known = Array.from({ length: 10_000 }, (_, index) => counts.of(`key ${index}`, 10_000).attempts);
    expect(known).toEqual([...Array<number>(9_900).fill(0), ...Array<number>(100).fill(1)]);
  });

  it('do not hold up anybody for longer than a window when the clock is set back', () => {
    const counts = new LocalCounts(1_000);
    counts.change('a', 1, 1_000_000);
    expect(counts.change('a', 1, 0)).toEqual({ attempts: 1, wait: 1_000 });
  });
});
