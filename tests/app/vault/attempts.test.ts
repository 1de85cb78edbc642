import { describe, expect, it } from '@jest/globals';
import {
  type AttemptRecord,
  attemptState,
  beginAttempt,
  NO_ATTEMPTS,
  retryAt,
} from '../../../app/src/vault/attempts.ts';

const START = 1_700_000_000_000;

/** Makes wrong attempts, each as early as is allowed. */
function wrongAttempts(count: number, record: AttemptRecord = NO_ATTEMPTS): AttemptRecord {
  let next = record;
  for (let made = 0; made < count; made += 1) {
    const begun = beginAttempt(next, Math.max(START, retryAt(next)));
    if (begun.kind !== 'begun') {
      throw new Error(begun.kind);
    }
    next = begun.record;
  }
  return next;
}

function waitAfter(count: number): number {
  const record = wrongAttempts(count);
  return (retryAt(record) - record.lastAt) / 1_000;
}

describe('wrong PINs', () => {
  it('make the next attempt wait longer and longer after the third', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 50].map(waitAfter)).toEqual([
      0, 0, 0, 5, 15, 60, 300, 900, 3_600, 3_600, 3_600,
    ]);
  });

  it('are refused before the wait is over, and not counted then', () => {
    const record = wrongAttempts(6);
    expect(beginAttempt(record, retryAt(record) - 1)).toEqual({ kind: 'too-early', record });
    expect(beginAttempt(record, retryAt(record)).kind).toBe('begun');
  });

  it('cannot be shortened by a clock that is set back, nor last until the clock is there again', () => {
    const record = wrongAttempts(6);
    const back = record.lastAt - 86_400_000;
    const seen = beginAttempt(record, back);
    expect(seen).toEqual({ kind: 'too-early', record: { ...record, lastAt: back } });
    const stored = { ...record, lastAt: back };
    expect(beginAttempt(stored, back + 59_999).kind).toBe('too-early');
    expect(beginAttempt(stored, back + 60_000).kind).toBe('begun');
  });

  it('remove everything after as many as the user has set', () => {
    const record = wrongAttempts(5, { ...NO_ATTEMPTS, wipeAfter: 5 });
    expect(attemptState(record).attemptsLeft).toBe(0);
    expect(beginAttempt(record, retryAt(record)).kind).toBe('used-up');
  });

  it('wait before the last attempt of another tab is over, which may be right', () => {
    const record = wrongAttempts(5, { ...NO_ATTEMPTS, wipeAfter: 5 });
    expect(beginAttempt(record, record.lastAt).kind).toBe('too-early');
  });
});
