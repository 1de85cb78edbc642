import { expect, it } from '@jest/globals';
import { stacked } from '../../../console/src/overview/stacked-series.ts';

it('puts each series upon those before it, and the highest sums first', () => {
  expect(
    stacked([
      { name: 'accepted', values: [3, null, 0] },
      { name: 'wrong', values: [1, 2, null] },
    ]),
  ).toEqual([
    { name: 'wrong', values: [4, 2, 0] },
    { name: 'accepted', values: [3, 0, 0] },
  ]);
});
