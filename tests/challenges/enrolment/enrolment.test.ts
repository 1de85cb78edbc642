import { describe, expect, it } from '@jest/globals';
import { keyOf } from '../../../src/challenges/enrolment/enrolment.ts';

const made = Buffer.alloc(20, 7);
const make = (size: number): Buffer => made.subarray(0, size);

describe('the key of a new token', () => {
  it.each([
    [{ genkey: '1', otpkey: '00'.repeat(20) }, 'parameter.invalid'],
    [{ genkey: '2' }, 'parameter.invalid'],
    [{}, 'parameter.missing'],
    [{ genkey: '1', otpkey: 'x' }, 'parameter.invalid'],
    [{ otpkey: 'xyz' }, 'parameter.invalid'],
    [{ type: 'ocra', otpkey: '00'.repeat(15) }, 'parameter.invalid'],
    [{ type: 'totp', otpkey: '00'.repeat(9) }, 'parameter.invalid'],
    [{ otpkey: '00'.repeat(129) }, 'parameter.invalid'],
  ])('is refused for %j', (request, code) => {
    expect(() => keyOf(request, make)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    [{ type: 'ocra', hashlib: 'sha512' }, 20],
    [{ type: 'hmac' }, 20],
    [{ type: 'totp', hashlib: 'sha256' }, 32],
    [{ type: 'hmac', hashlib: 'SHA512' }, 64],
  ])('has the bytes of the hash, for %j', (request, size) => {
    expect(keyOf({ ...request, genkey: '1' }, (bytes) => Buffer.alloc(bytes))).toHaveLength(size);
  });

  it('never appears in the error', () => {
    expect(() => keyOf({ otpkey: 'deadbeefzz' }, make)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('deadbeef') }),
    );
  });
});
