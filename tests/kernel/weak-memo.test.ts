import { expect, it } from '@jest/globals';
import { weakMemo } from '../../src/kernel/weak-memo.ts';

it('computes the value of an object once, and nothing where that fails', () => {
  let computed = 0;
  const lengthOf = weakMemo((list: readonly number[]) => {
    computed += 1;
    if (list.length === 0) {
      throw new Error('empty');
    }
    return { length: list.length };
  });
  const list = [1, 2];
  expect(lengthOf(list)).toBe(lengthOf(list));
  expect(lengthOf([1, 2])).toEqual({ length: 2 });
  expect(() => lengthOf([])).toThrow('empty');
  expect(computed).toBe(3);
});
