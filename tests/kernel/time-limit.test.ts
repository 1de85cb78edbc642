import { describe, expect, it } from '@jest/globals';
import { within } from '../../src/kernel/time-limit.ts';

const late = (): Error => new Error('too late');

describe('waiting within a limit', () => {
  it('gives what the work gives, or the error that it throws', async () => {
    expect(await within(10_000, Promise.resolve('done'), late)).toBe('done');
    await expect(within(10_000, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
  });

  it('ends with the error of the limit when the work takes longer', async () => {
    await expect(within(5, new Promise(() => undefined), late)).rejects.toThrow('too late');
  });

  it('leaves no timer behind that would keep the process from ending', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await within(60_000, Promise.resolve(), late);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
