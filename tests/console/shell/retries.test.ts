import { describe, expect, it } from '@jest/globals';
import { ServerFailure } from '../../../console/src/api/server-failure.ts';
import { isReadAgain, pauseAfter, pauseBeforeNext } from '../../../console/src/shell/retries.ts';

describe('a read that has failed', () => {
  it.each([0, 502, 503])('is repeated after %d as long as it takes', (status) => {
    expect(isReadAgain(99, new ServerFailure('', { status }))).toBe(true);
  });

  it('is repeated twice where a proxy does not wait for it', () => {
    const slow = new ServerFailure('', { status: 504 });
    expect([0, 1, 2, 3].map((failures) => isReadAgain(failures, slow))).toEqual([true, true, false, false]);
  });

  it('is not repeated after a refusal or a fault of the page', () => {
    expect(isReadAgain(0, new ServerFailure('no', { status: 403 }))).toBe(false);
    expect(isReadAgain(0, new Error('fault'))).toBe(false);
  });
});

describe('the pause before it is repeated', () => {
  const away = (retryAfter?: number): ServerFailure => new ServerFailure('', { status: 503, retryAfter });

  it('grows to five seconds', () => {
    expect([0, 1, 2, 9].map((failures) => pauseBeforeNext(failures, away(), 1))).toEqual([
      1_000, 2_000, 4_000, 5_000,
    ]);
  });

  it('is at least what the server asks for', () => {
    expect(pauseBeforeNext(0, away(30), 0)).toBe(30_000);
    expect(pauseBeforeNext(9, away(1), 1)).toBe(5_000);
  });

  it('is half a minute where the server asks for more, as it may be back sooner', () => {
    expect(pauseBeforeNext(0, away(3_600), 0)).toBe(30_000);
  });
});

describe('the pause of a page that asks by itself', () => {
  it('grows to half a minute, and differs from browser to browser', () => {
    expect([1, 2, 3, 9].map((failures) => pauseAfter(failures, 1))).toEqual([1_000, 2_000, 4_000, 30_000]);
    expect(pauseAfter(1, 0)).toBe(500);
  });
});
