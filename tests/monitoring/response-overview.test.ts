import { describe, expect, it, beforeEach } from '@jest/globals';
import { firstMinute, responseOverview } from '../../src/monitoring/overview.ts';
import type { ResponseMinute, Observed } from '../../src/monitoring/observation-store.ts';
import { durationClass, NO_DURATIONS, quantile, Observations } from '../../src/monitoring/observations.ts';

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

/** @returns the classes of these durations, in milliseconds */
function classesOf(...durations: readonly number[]): number[] {
  const classes = [...NO_DURATIONS];
  for (const duration of durations) {
    const place = durationClass(duration);
    classes[place] = (classes[place] ?? 0) + 1;
  }
  return classes;
}

describe('a quantile', () => {
  it('is in the class of its response', () => {
    const durations = classesOf(
      ...Array.from({ length: 90 }, () => 15),
      ...Array.from({ length: 10 }, () => 150),
    );
    expect(quantile(durations, 0.5)).toBeCloseTo(15.6, 1);
    expect(quantile(durations, 0.9)).toBe(20);
    expect(quantile(durations, 0.95)).toBe(150);
  });
});

let now: Date;

let written: Observed[];

let fault: Error | undefined;

let observations: Observations;

describe('observations', () => {
  beforeEach(() => {
    [now, written, fault] = [new Date('2026-11-20T12:00:59.999Z'), [], undefined];
    observations = new Observations({
      clock: { now: () => now },
      store: {
        add: (seen) => {
          written.push(seen);
          return fault === undefined ? Promise.resolve() : Promise.reject(fault);
        },
      },
    });
  });

  it('that cannot be written are lost, and later ones are not', async () => {
    observations.responseEnded('accepted', 3);
    fault = new Error('away');
    await expect(observations.flush()).rejects.toThrow('away');
    fault = undefined;
    observations.responseEnded('wrong', 3);
    await observations.flush();
    expect(written[1]?.responses.map(({ outcome }) => outcome)).toEqual(['wrong']);
  });
});
