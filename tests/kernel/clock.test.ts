import { describe, expect, it } from '@jest/globals';
import { type Random, randomText, systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';

describe('time and randomness of the system', () => {
  it('are at hand', () => {
    expect(systemClock.now()).toBeInstanceOf(Date);
    expect(systemRandom.bytes(16)).toHaveLength(16);
    expect(systemRandom.bytes(16)).not.toEqual(systemRandom.bytes(16));
    expect(Array.from({ length: 200 }, () => systemRandom.below(3)).sort()[199]).toBe(2);
  });

  it('random text draws each character from the alphabet', () => {
    const draws = [2, 0, 1];
    const random: Random = { bytes: (size) => Buffer.alloc(size), below: () => draws.shift() ?? 0 };
    expect(randomText(random, 'abc', 3)).toBe('cab');
    expect(randomText(systemRandom, '01', 64)).toMatch(/^[01]{64}$/);
  });
});
