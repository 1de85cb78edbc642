import { beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseClock } from '../../src/database/database-clock.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;

/** Milliseconds. */
let elapsed: number;
let machine: number;
let clock: DatabaseClock;

beforeEach(() => {
  [elapsed, machine] = [500, START];
  clock = new DatabaseClock({ elapsed: () => elapsed, machine: () => machine });
});

/** Asks the database, whose clock shows this when it answers, half-way through the round trip. */
function measure(time: number, roundTrip = 0): void {
  const begun = clock.begin();
  elapsed += roundTrip;
  machine += roundTrip;
  clock.note(begun, String(time * 1_000));
}

/** Time passes, which the machine's clock may show otherwise. */
function pass(milliseconds: number, shown = milliseconds): void {
  elapsed += milliseconds;
  machine += shown;
}

const now = (): number => clock.now().getTime();

describe('the clock of the service', () => {
  it("is the machine's until the database was asked", () => {
    expect(now()).toBe(START);
    expect(clock.offset).toBe(0);
  });

  it("is the database's from then on, and tells how far the machine's is ahead", () => {
    measure(START - 2 * HOUR);
    pass(250);
    expect(now()).toBe(START - 2 * HOUR + 250);
    expect(clock.offset).toBe(2 * HOUR);
  });

  it.each([HOUR, -HOUR, 1_000 * 24 * HOUR])(
    "takes no notice of a machine's clock that jumps by %i ms between two measurements",
    (jump) => {
      measure(START);
      pass(300, 300 + jump);
      expect(now()).toBe(START + 300);
      expect(clock.offset).toBe(jump);
    },
  );

  it('follows a jump of the database, forward and back', () => {
    measure(START);
    pass(1_000);
    measure(START + 9 * HOUR);
    expect(now()).toBe(START + 9 * HOUR);
    pass(1_000);
    measure(START + 2_000);
    expect(now()).toBe(START + 2_000);
  });

  it('takes the middle of the first round trip, and a later one only where it knows better', () => {
    measure(START, 400);
    expect(now()).toBe(START + 200);
    pass(1_000);
    // The answer was under way for a moment only, and says that the first one was read later than in its middle.
    measure(START + 1_100, 2);
    expect(now()).toBe(START + 1_101);
    pass(998);
    // Nine seconds, in which any time fits.
    measure(START + 9_000, 9_000);
    expect(now()).toBe(START + 11_099);
  });

  it('does not waver while the answers agree with it', () => {
    measure(START, 4);
    let last = now();
    for (const at of [0, 1, 2, 3, 4]) {
      pass(1_000);
      const begun = now();
      measure(begun + at, 4);
      expect(now()).toBe(last + 1_004);
      last = now();
    }
  });

  it('goes on without an answer, and after one without a time', () => {
    measure(START);
    pass(HOUR, 0);
    clock.note(clock.begin(), undefined);
    clock.note(clock.begin(), 'NaN');
    expect(now()).toBe(START + HOUR);
  });
});
