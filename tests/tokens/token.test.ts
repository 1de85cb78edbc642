import { describe, expect, it } from '@jest/globals';
import { conditionOf, UNBOUND_USE } from '../../src/tokens/token.ts';

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
