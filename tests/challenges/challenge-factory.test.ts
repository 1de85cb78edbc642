import { describe, expect, it } from '@jest/globals';
import { type Random } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { decimalTransactionIds, hexTransactionIds } from '../../src/challenges/challenge-factory.ts';

describe('a transaction id', () => {
  it('is 20 hexadecimal digits, drawn at random', () => {
    expect(hexTransactionIds(systemRandom)).toMatch(/^[0-9a-f]{20}$/);
    expect(hexTransactionIds(systemRandom)).not.toBe(hexTransactionIds(systemRandom));
  });

  it('is 12 decimal digits where LinOTP’s clients need that, zeros in front', () => {
    const draws = [7, 999_999, 0, 123_456];
    const bounds: number[] = [];
    const random: Random = {
      bytes: (size) => Buffer.alloc(size),
      below: (bound) => {
        bounds.push(bound);
        return draws.shift() ?? 0;
      },
    };
    expect([decimalTransactionIds(random), decimalTransactionIds(random)]).toEqual([
      '000007999999',
      '000000123456',
    ]);
    expect(new Set(bounds)).toEqual(new Set([1_000_000]));
  });
});
