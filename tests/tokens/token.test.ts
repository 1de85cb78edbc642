import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { checkPin, pinVerifier } from '../../src/tokens/token-settings.ts';
import { UNBOUND_USE, conditionOf } from '../../src/tokens/token.ts';
import { refusalOf } from '../support/values/refusal.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const TOKEN = {
  lostAt: null,
  rollout: 'complete',
  active: true,
  failCount: 2,
  maxFail: 10,
  use: UNBOUND_USE,
} as const;

describe('the state of a token', () => {
  it.each<[string, Partial<Parameters<typeof conditionOf>[0]>]>([
    ['active', {}],
    ['disabled', { active: false }],
    ['locked', { failCount: 10 }],
    ['locked', { failCount: 10, active: false }],
    ['lost', { lostAt: NOW, failCount: 10, active: false, rollout: 'phase2' }],
    ['phase1', { rollout: 'phase1', active: false }],
    ['phase2', { rollout: 'phase2', failCount: 10 }],
    ['expired', { use: { ...UNBOUND_USE, validUntil: NOW } }],
    ['early', { use: { ...UNBOUND_USE, validFrom: new Date(NOW.getTime() + 1) } }],
    ['used-up', { use: { ...UNBOUND_USE, maxUses: 2, useCount: 2 } }],
    ['used-up', { use: { ...UNBOUND_USE, maxSuccesses: 1, successCount: 3 } }],
    ['active', { use: { ...UNBOUND_USE, maxUses: 2, useCount: 1, validFrom: NOW } }],
    ['disabled', { active: false, use: { ...UNBOUND_USE, validUntil: NOW } }],
  ])('calls it %s: %j', (state, change) => {
    expect(conditionOf({ ...TOKEN, ...change }, NOW)).toBe(state);
  });
});

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
