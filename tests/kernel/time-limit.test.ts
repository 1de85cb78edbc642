import { describe, expect, it } from '@jest/globals';
import { withTimeLimit } from '../../src/kernel/time-limit.ts';

const late = (): Error => new Error('too late');

describe('waiting within a limit', () => {
  it('gives what the work gives, or the error that it throws', async () => {
    expect(await withTimeLimit(10_000, Promise.resolve('done'), late)).toBe('done');
    await expect(withTimeLimit(10_000, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
  });

  it('ends with the error of the limit when the work takes longer', async () => {
    await expect(withTimeLimit(5, new Promise(() => undefined), late)).rejects.toThrow('too late');
  });

  it('leaves no timer behind that would keep the process from ending', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await withTimeLimit(60_000, Promise.resolve(), late);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
