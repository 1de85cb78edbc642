import { describe, expect, it } from '@jest/globals';
import { StreamPlan } from '../../../src/http/limits/stream-places.ts';

describe('places of streams', () => {
  it('are four of an administrator over all processes', () => {
    const plan = new StreamPlan(100);
    expect([1, 2, 3, 1, 2].map((process) => plan.take(process, 'anna'))).toEqual([
      ...[true, true, true, true, false],
    ]);
    expect(plan.take(2, 'bert')).toBe(true);
    plan.leave(3, 'anna');
    expect([plan.take(2, 'anna'), plan.take(3, 'anna')]).toEqual([true, false]);
  });

  it('are as many as there are over all processes', () => {
    const plan = new StreamPlan(2);
    expect([plan.take(1, 'a'), plan.take(2, 'b'), plan.take(3, 'c')]).toEqual([true, true, false]);
    plan.leave(1, 'a');
    expect(plan.take(3, 'c')).toBe(true);
  });

  it('of a process that has ended are free, and a late leave frees no other', () => {
    const plan = new StreamPlan(2);
    plan.take(1, 'a');
    plan.take(1, 'a');
    plan.forget(1);
    plan.leave(1, 'a');
    expect([plan.take(2, 'a'), plan.take(2, 'a'), plan.take(2, 'a')]).toEqual([true, true, false]);
  });
});
