import { describe, expect, it } from '@jest/globals';
import { KeyedCounts } from '../../src/kernel/keyed-counts.ts';

describe('counts by key', () => {
  it('count each key for itself, and are never below 0', () => {
    const counts = new KeyedCounts();
    counts.change('ann', 1);
    counts.change('ann', 1);
    counts.change('bob', -1);
    expect([counts.of('ann'), counts.of('bob'), counts.of('cleo')]).toEqual([2, 0, 0]);
    counts.change('ann', -1);
    expect(counts.of('ann')).toBe(1);
  });

  it('count work until it ends, well or not', async () => {
    const counts = new KeyedCounts();
    const failed = counts.during('ann', () => Promise.reject(new Error('no')));
    const done = counts.during('ann', () => Promise.resolve(7));
    expect(counts.of('ann')).toBe(2);
    await expect(failed).rejects.toThrow('no');
    await expect(done).resolves.toBe(7);
    expect(counts.of('ann')).toBe(0);
  });
});
