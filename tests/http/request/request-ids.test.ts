import { expect, it } from '@jest/globals';
import type { Random } from '../../../src/kernel/clock.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { requestIds } from '../../../src/http/request/exchange.ts';

it('makes ids of 32 hexadecimal digits, none twice', () => {
  const newId = requestIds(systemRandom);
  const ids = Array.from({ length: 1_000 }, newId);
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
});

it('uses each random byte once, in their order', () => {
  let next = 0;
  const counting: Pick<Random, 'bytes'> = {
    bytes: (size) => Buffer.from(Array.from({ length: size }, () => next++ % 256)),
  };
  const newId = requestIds(counting);
  const bytes = Buffer.from(Array.from({ length: 300 }, newId).join(''), 'hex');
  expect(bytes).toEqual(Buffer.from(Array.from({ length: 4_800 }, (_, index) => index % 256)));
});
