import { describe, expect, it } from '@jest/globals';
import { mayOnToken, occasionOf, stateOf } from '../../../console/src/helpdesk/token-state.ts';

const UNBOUND = {
  valid_from: null,
  valid_until: null,
  use_count: 0,
  max_uses: null,
  success_count: 0,
  max_successes: null,
};

describe('the state of a token', () => {
  it.each([
    [{ active: true, locked: false, rollout: 'complete' }, 'ready'],
    [{ active: true, locked: true, rollout: 'complete' }, 'locked'],
    [{ active: false, locked: true, rollout: 'complete' }, 'disabled'],
    [{ active: false, locked: false, rollout: 'phase1' }, 'phase1'],
    [{ active: true, locked: false, rollout: 'phase2' }, 'phase2'],
    [{ active: true, locked: true, rollout: 'phase2' }, 'locked'],
  ] as const)('of %j is %s', (token, state) => {
    expect(stateOf({ ...UNBOUND, ...token })).toBe(state);
  });

  it.each([
    [{ valid_until: '2026-11-20T12:00:00Z' }, 'expired'],
    [{ valid_until: '2026-11-20T12:00:01Z' }, 'ready'],
    [{ valid_from: '2026-11-20T12:00:01Z' }, 'early'],
    [{ valid_from: '2026-11-20T12:00:00Z' }, 'ready'],
    [{ max_uses: 2, use_count: 2 }, 'used-up'],
    [{ max_successes: 2, success_count: 3 }, 'used-up'],
    [{ max_uses: 2, use_count: 1, max_successes: 1 }, 'ready'],
    [{ active: false, valid_until: '2026-11-20T12:00:00Z' }, 'disabled'],
  ] as const)('with the period and uses %j is %s', (use, state) => {
    const token = { active: true, locked: false, rollout: 'complete', ...UNBOUND, ...use } as const;
    expect(stateOf(token, new Date('2026-11-20T12:00:00Z'))).toBe(state);
  });
});

describe('the next step after a transaction', () => {
  const wrong = { event: 'wrong', reason: 'wrong response or PIN' };
  const late = { event: 'refused', reason: 'reported too late: this was not me' };
  const vain = { event: 'refused', reason: 'declined too late' };

  it.each([
    ['given up', [wrong], 'refusal'],
    ['open', [wrong], 'refusal'],
    ['open', [], undefined],
    ['accepted', [wrong], undefined],
    ['declined', [wrong, vain], undefined],
    ['reported', [wrong], 'report'],
    ['ended', [{ event: 'reported', reason: '' }], 'report'],
    ['accepted', [late], 'report'],
    ['given up', [wrong, late], 'report'],
    ['declined', [late], 'report'],
  ] as const)('that is %s, with %j, follows from a %s', (state, events, occasion) => {
    expect(occasionOf({ state, events })).toBe(occasion);
  });
});

describe('the rights on a token', () => {
  const session = {
    rights: [
      { scope: 'admin', action: 'reset', realms: ['north'] },
      { scope: 'admin', action: 'show', realms: '*' },
    ],
  } as const;

  it('hold in one of its realms, and for a token in no realm if they hold everywhere', () => {
    expect(mayOnToken(session, 'reset', { realms: ['south', 'north'] })).toBe(true);
    expect(mayOnToken(session, 'reset', { realms: ['south'] })).toBe(false);
    expect(mayOnToken(session, 'reset', { realms: [] })).toBe(false);
    expect(mayOnToken(session, 'show', { realms: [] })).toBe(true);
    expect(mayOnToken(session, 'remove', { realms: ['north'] })).toBe(false);
  });
});
