import { describe, expect, it } from '@jest/globals';
import { firstMinute, responseOverview } from '../../src/monitoring/overview.ts';
import type { ResponseMinute } from '../../src/monitoring/observation-store.ts';

const NOW = new Date('2026-11-20T12:00:30Z');
const MINUTE_MS = 60_000;

/** @returns one accepted response so many minutes after now */
const responseIn = (minutes: number): ResponseMinute => ({
  minute: new Date(Math.floor(NOW.getTime() / MINUTE_MS + minutes) * MINUTE_MS),
  outcome: 'accepted',
  durations: [1],
});

describe('responses of the last hour', () => {
  it('include those of a server whose clock is a little ahead, not those of a clock that was wrong', () => {
    const rows = [responseIn(-59), responseIn(0), responseIn(2), responseIn(60), responseIn(1_000_000)];
    const { outcomes, minutes } = responseOverview(rows, firstMinute(NOW));
    expect(outcomes).toEqual({ accepted: 3 });
    expect(minutes.map((minute) => minute.outcomes.accepted ?? 0)).toEqual([
      1,
      ...Array<number>(58).fill(0),
      1,
    ]);
  });
});
