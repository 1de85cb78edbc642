import { describe, expect, it } from '@jest/globals';
import { mayOnToken, stateOf } from '../../../console/src/helpdesk/token-state.ts';

describe('the state of a token', () => {
  it.each([
    [{ active: true, locked: false, rollout: 'complete' }, 'ready'],
    [{ active: true, locked: true, rollout: 'complete' }, 'locked'],
    [{ active: false, locked: true, rollout: 'complete' }, 'disabled'],
    [{ active: false, locked: false, rollout: 'phase1' }, 'phase1'],
    [{ active: true, locked: false, rollout: 'phase2' }, 'phase2'],
    [{ active: true, locked: true, rollout: 'phase2' }, 'locked'],
  ] as const)('of %j is %s', (token, state) => {
    expect(stateOf(token)).toBe(state);
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
