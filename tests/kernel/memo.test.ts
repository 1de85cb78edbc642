import { describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { boundedMemo } from '../../src/kernel/memo.ts';

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

  it('forgets what was not asked for longest when it is full', () => {
    const computed: string[] = [];
    const memo = boundedMemo(2, (key) => computed.push(key));
    ['a', 'b', 'a', 'c', 'a', 'b'].forEach(memo);
    expect(computed).toEqual(['a', 'b', 'c', 'b']);
  });

  it('remembers no long key', () => {
    const computed: number[] = [];
    const memo = boundedMemo(10, (key) => computed.push(key.length));
    [100, 100, 101, 101].forEach((length) => memo('x'.repeat(length)));
    expect(computed).toEqual([100, 101, 101]);
  });

  it('keeps no text of which a key is a part', () => {
    const memo = boundedMemo(1_000, (key) => key.length);
    const before = usedHeap();
    for (let number = 100; number < 140; number += 1) {
      const header = Buffer.alloc(1_000_000, `${number} `).toString('latin1');
      memo(header.slice(0, 30));
    }
    expect(usedHeap() - before).toBeLessThan(10_000_000);
  });
});

/** @returns the bytes of the heap that are in use after a collection */
function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
