import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { checkPin, pinVerifier } from '../../src/tokens/token-settings.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { refusalOf } from '../support/values/refusal.ts';

describe('a token PIN', () => {
  it.each(['1234', '', 'pin', 'Ümläut ☃', 'x'.repeat(255)])('%j matches itself and nothing else', (pin) => {
    const verifier = pinVerifier(pin, systemRandom);
    expect(checkPin(verifier, pin)).toBe(true);
    expect(checkPin(verifier, `${pin} `)).toBe(false);
    expect(checkPin(verifier, pin === '' ? 'x' : '')).toBe(false);
  });

  it('that was never set is empty', () => {
    expect(checkPin(null, '')).toBe(true);
    expect(checkPin(null, '1234')).toBe(false);
  });

  it('is kept salted, as LinOTP digests it: SHA-256 of PIN and salt', () => {
    const salt = Buffer.alloc(16, 7);
    const verifier = pinVerifier('1234', { bytes: () => salt, below: () => 0 });
    const digest = createHash('sha256')
      .update(Buffer.concat([Buffer.from('1234'), salt]))
      .digest();
    expect(verifier).toEqual(Buffer.concat([Buffer.of(1), salt, digest]));
    expect(pinVerifier('1234', systemRandom)).not.toEqual(pinVerifier('1234', systemRandom));
  });

  it.each([
    ['another version', Buffer.alloc(49, 2)],
    ['a cut one', Buffer.concat([Buffer.of(1), Buffer.alloc(47)])],
    ['an empty one', Buffer.alloc(0)],
  ])('kept in a form that is not known (%s) is an error, not a match', (_what, verifier) => {
    expect(refusalOf(() => checkPin(verifier, '')).code).toBe('secret.unreadable');
  });
});
