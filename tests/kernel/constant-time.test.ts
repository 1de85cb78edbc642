import { describe, expect, it } from '@jest/globals';
import { equalBytes, equalText } from '../../src/kernel/constant-time.ts';

describe('comparison in constant time', () => {
  it('finds the same equal and anything else not', () => {
    expect(equalText('12345678', '12345678')).toBe(true);
    expect(equalText('', '')).toBe(true);
    expect(equalText('12345678', '12345679')).toBe(false);
    expect(equalText('12345678', '1234567')).toBe(false);
    expect(equalText('é', 'e\u0301')).toBe(false);
    expect(equalBytes(Buffer.from([0]), Buffer.from([0, 0]))).toBe(false);
    expect(equalBytes(Buffer.from([1, 2]), Uint8Array.of(1, 2))).toBe(true);
  });
});
