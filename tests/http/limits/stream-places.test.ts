import { describe, expect, it } from '@jest/globals';
import { StreamPlan } from '../../../src/http/limits/stream-places.ts';

describe('places of streams', () => {
  it('are four of an administrator over all processes', () => {
    const plan = new StreamPlan(100);
    expect([1, 2, 3, 1, 2].map((process) => plan.acquire(process, 'anna'))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(plan.acquire(2, 'bert')).toBe(true);
    plan.release(3, 'anna');
    expect([plan.acquire(2, 'anna'), plan.acquire(3, 'anna')]).toEqual([true, false]);
  });

  it('are as many as there are over all processes', () => {
    const plan = new StreamPlan(2);
    expect([plan.acquire(1, 'a'), plan.acquire(2, 'b'), plan.acquire(3, 'c')]).toEqual([true, true, false]);
    plan.release(1, 'a');
    expect(plan.acquire(3, 'c')).toBe(true);
  });

  it('of a process that has ended are free, and a late leave frees no other', () => {
    const plan = new StreamPlan(2);
    plan.acquire(1, 'a');
    plan.acquire(1, 'a');
    plan.forget(1);
    plan.release(1, 'a');
    expect([plan.acquire(2, 'a'), plan.acquire(2, 'a'), plan.acquire(2, 'a')]).toEqual([true, true, false]);
  });
});
