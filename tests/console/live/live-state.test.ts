import { describe, expect, it } from '@jest/globals';
import { pauseAfter } from '../../../console/src/live/backoff.ts';
import { afterEvent, FIRST_STATE, type Overview } from '../../../console/src/live/live-state.ts';

const OVERVIEW = { tokens: null } as Overview;

describe('the state of the stream', () => {
  const live = afterEvent(FIRST_STATE, { kind: 'overview', overview: OVERVIEW });

  it('keeps the last numbers while the connection is lost, and the time at which it was', () => {
    const lost = afterEvent(live, { kind: 'lost', at: 7 });
    const still = afterEvent(lost, { kind: 'lost', at: 9 });
    expect(still).toEqual({ overview: OVERVIEW, connection: 'lost', since: 7, isSignedOut: false });
    expect(afterEvent(still, { kind: 'unavailable', at: 11 })).toMatchObject({
      connection: 'unavailable',
      since: 7,
    });
    expect(afterEvent(still, { kind: 'overview', overview: OVERVIEW })).toEqual(live);
  });

  it('forgets everything when the login ends', () => {
    expect(afterEvent(live, { kind: 'signed out' })).toEqual({ ...FIRST_STATE, isSignedOut: true });
  });
});

describe('the pause before another attempt', () => {
  it('grows to half a minute, and differs from browser to browser', () => {
    expect([1, 2, 3, 9].map((failures) => pauseAfter(failures, 1))).toEqual([1_000, 2_000, 4_000, 30_000]);
    expect(pauseAfter(1, 0)).toBe(500);
  });
});
