import { describe, expect, it } from '@jest/globals';
import { holm, sampleDifference } from '../../bench/sample-difference.ts';

/** 0.5 to n − 0.5, in an order that has nothing to do with it. */
function scattered(size: number, step: number): number[] {
  return Array.from({ length: size }, (_, index) => ((index * step) % size) + 0.5);
}

describe('the difference of samples', () => {
  it('is none between samples of one kind', () => {
    const { shift, interval, p } = sampleDifference(scattered(997, 31), scattered(997, 57));
    expect(shift).toBe(0);
    expect(interval[0]).toBeLessThanOrEqual(0);
    expect(interval[1]).toBeGreaterThanOrEqual(0);
    expect(p).toBeGreaterThan(0.99);
  });

  it('is found, and how large it is, where one kind takes longer', () => {
    const slower = scattered(997, 57).map((value) => value + 200);
    const { shift, interval, p } = sampleDifference(scattered(997, 31), slower);
    expect(shift).toBe(200);
    expect(interval[0]).toBeGreaterThan(100);
    expect(interval[0]).toBeLessThan(200);
    expect(interval[1]).toBeGreaterThan(200);
    expect(interval[1]).toBeLessThan(300);
    expect(p).toBeLessThan(1e-9);
  });

  it('has the p-value of the Mann–Whitney test, ties included', () => {
    // As SciPy's mannwhitneyu says, asymptotic and without continuity correction; U = 23 of 100.
    const one = [1, 2, 2, 3, 4, 5, 6, 7, 8, 9];
    const other = [4, 6, 7.5, 8.5, 9, 10, 11, 12, 5.5, 3];
    expect(sampleDifference(one, other).p).toBeCloseTo(0.040_869, 5);
  });

  it('is found among several only where it holds by the procedure of Holm', () => {
    expect(holm([0.01, 0.04, 0.03, 0.005], 0.05)).toEqual([true, false, false, true]);
    expect(holm([0.001, 0.001], 0.01)).toEqual([true, true]);
    expect(holm([0.5], 0.05)).toEqual([false]);
  });
});
