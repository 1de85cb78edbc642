import { describe, expect, it } from '@jest/globals';
import {
  addDurations,
  countOf,
  durationClass,
  NO_DURATIONS,
  quantile,
} from '../../src/monitoring/observations.ts';

/** @returns the classes of these durations, in milliseconds */
function classesOf(...durations: readonly number[]): number[] {
  const classes = [...NO_DURATIONS];
  for (const duration of durations) {
    const place = durationClass(duration);
    classes[place] = (classes[place] ?? 0) + 1;
  }
  return classes;
}

describe('classes of durations', () => {
  it.each([
    [0, 0],
    [1, 0],
    [1.001, 1],
    [20, 4],
    [5_000, 11],
    [5_000.1, 12],
    [3_600_000, 12],
  ])('have %d ms in class %d', (duration, place) => {
    expect(durationClass(duration)).toBe(place);
  });

  it('add up, also those of a release with fewer classes', () => {
    expect(countOf(addDurations(classesOf(3, 3, 9_999), [1, 1]))).toBe(5);
    expect(addDurations([], [])).toEqual(NO_DURATIONS);
  });
});

describe('a quantile', () => {
  it('is in the class of its response', () => {
    const durations = classesOf(
      ...Array.from({ length: 90 }, () => 15),
      ...Array.from({ length: 10 }, () => 150),
    );
    expect(quantile(durations, 0.5)).toBeCloseTo(15.6, 1);
    expect(quantile(durations, 0.9)).toBe(20);
    expect(quantile(durations, 0.95)).toBe(150);
  });

  it('of one response is in its class', () => {
    expect(quantile(classesOf(3), 0.5)).toBe(3.5);
  });

  it('beyond the last bound is the last bound', () => {
    expect(quantile(classesOf(60_000), 0.5)).toBe(5_000);
  });

  it('of no responses is none', () => {
    expect(quantile(NO_DURATIONS, 0.5)).toBeUndefined();
  });
});
