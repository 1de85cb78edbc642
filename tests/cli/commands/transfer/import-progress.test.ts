import { describe, expect, it } from '@jest/globals';
import { ImportProgressDisplay } from '../../../../src/cli/progress.ts';
import { TestClock } from '../../../support/application/test-application.ts';
import { type FakeIo, fakeIo } from '../../fake-io.ts';

interface Shown {
  readonly io: FakeIo;
  readonly clock: TestClock;
  readonly display: ImportProgressDisplay;
}

function displayOn(io: FakeIo, { json = false } = {}): Shown {
  const clock = new TestClock();
  return { io, clock, display: new ImportProgressDisplay(io, clock, { json }) };
}

/** Shows the start of a group, and how far it is each two seconds. */
function showAll({ clock, display }: Shown, done: readonly number[], total: number): void {
  display.show({ group: 'tokens', done: 0, total });
  for (const count of done) {
    clock.advance(2);
    display.show({ group: 'tokens', done: count, total });
  }
}

describe('the progress of an import', () => {
  it('is a bar on a terminal, with rate and time left, and is removed in the end', () => {
    const shown = displayOn(fakeIo({ typed: [] }));
    showAll(shown, [500, 1000], 1000);
    shown.display.clear();
    const lines = shown.io
      .err()
      .split('\r')
      .filter((line) => line.trim() !== '');
    expect(lines.map((line) => line.trimEnd())).toEqual([
      `[${'.'.repeat(30)}] 0 %  0 of 1000 tokens`,
      `[${'#'.repeat(15)}${'.'.repeat(15)}] 50 %  500 of 1000 tokens  250 a second, 2 s left`,
      `[${'#'.repeat(30)}] 100 %  1000 of 1000 tokens  250 a second, 0 s left`,
    ]);
    expect(shown.io.err()).toMatch(/\r +\r$/);
    expect(shown.io.err()).not.toContain('\n');
  });

  it.each([80, 60, 20])('fits on a terminal of %i columns', (columns) => {
    const shown = displayOn({ ...fakeIo({ typed: [] }), columns });
    showAll(shown, [400_000, 1_000_000], 1_000_000);
    const longest = Math.max(
      ...shown.io
        .err()
        .split('\r')
        .map((line) => line.length),
    );
    expect(longest).toBeLessThan(columns);
    expect(shown.io.err()).toContain('40 %');
  });

  it('is a line each five seconds elsewhere, and one at the end of each group', () => {
    const shown = displayOn(fakeIo());
    showAll(shown, [100, 200, 300, 400, 500], 500);
    shown.display.show({ group: 'challenges', done: 0, total: 7 });
    shown.display.show({ group: 'challenges', done: 7, total: 7 });
    expect(shown.io.err()).toBe(
      [
        'tokens: 300 of 500, 50 a second, 4 s left',
        'tokens: 500 of 500, 50 a second, 0 s left',
        'challenges: 7 of 7',
        '',
      ].join('\n'),
    );
  });

  it('is JSON, a line each, with --json, also on a terminal', () => {
    const shown = displayOn(fakeIo({ typed: [] }), { json: true });
    shown.display.note('The texts are escaped');
    showAll(shown, [100, 200, 300, 400], 500);
    const lines = shown.io.err().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { note: 'The texts are escaped' },
      { group: 'tokens', done: 300, total: 500, perSecond: 50, secondsLeft: 4 },
    ]);
  });

  it('says nothing of a group without rows', () => {
    const [terminal, pipe] = [displayOn(fakeIo({ typed: [] })), displayOn(fakeIo())];
    for (const { display } of [terminal, pipe]) {
      display.show({ group: 'challenges', done: 0, total: 0 });
    }
    expect(terminal.io.err() + pipe.io.err()).toBe('');
  });
});
