import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitBriefly } from '../../../console/src/design/brief-wait.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('what is read anew after an act', () => {
  it('is waited for, with no timer left', async () => {
    await waitBriefly(Promise.resolve());
    expect(jest.getTimerCount()).toBe(0);
    await expect(waitBriefly(Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is waited for no longer than two seconds, as the server may be away', async () => {
    let isOver = false;
    const waiting = waitBriefly(new Promise(() => undefined)).then(() => {
      isOver = true;
    });
    await jest.advanceTimersByTimeAsync(1_900);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(200);
    expect(isOver).toBe(true);
    await waiting;
  });
});
