import { describe, expect, it } from '@jest/globals';
import { boundedMemo } from '../../src/kernel/bounded-memo.ts';

describe('boundedMemo', () => {
  it('computes the value of a key once', () => {
    const computed: string[] = [];
    const lengthOf = boundedMemo(10, (key) => {
      computed.push(key);
      return key.length;
    });
    expect([lengthOf('a'), lengthOf('bb'), lengthOf('a')]).toEqual([1, 2, 1]);
    expect(computed).toEqual(['a', 'bb']);
  });

  it('remembers false', () => {
    let computed = 0;
    const isKnown = boundedMemo(10, () => {
      computed += 1;
      return false;
    });
    expect([isKnown('a'), isKnown('a')]).toEqual([false, false]);
    expect(computed).toBe(1);
  });

  it('forgets all when it is full', () => {
    const computed: string[] = [];
    const memo = boundedMemo(2, (key) => computed.push(key));
    ['a', 'b', 'c', 'c', 'a'].forEach(memo);
    expect(computed).toEqual(['a', 'b', 'c', 'a']);
  });
});
