import { expect, it } from '@jest/globals';
import { moved } from '../../../console/src/realms/order.ts';

it.each([
  ['b', -1, ['b', 'a', 'c']],
  ['b', 1, ['a', 'c', 'b']],
  ['a', -1, ['a', 'b', 'c']],
  ['c', 1, ['a', 'b', 'c']],
  ['x', 1, ['a', 'b', 'c']],
] as const)('a list with %s moved by %d', (thing, by, expected) => {
  expect(moved(['a', 'b', 'c'], thing, by)).toEqual(expected);
});
