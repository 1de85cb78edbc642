import { describe, expect, it } from '@jest/globals';
import { SharedPlaces } from '../../src/audit/shared-places.ts';
import { deferred } from '../support/fakes/deferred.ts';

const full = (): Error => new Error('full');

describe('shared places', () => {
  it('are refused to a holder who has enough, and to anybody when all are taken', async () => {
    const places = new SharedPlaces({ all: 3, each: 2 });
    const end = deferred<string>();
    const take = (holder: string): Promise<string> => places.run(holder, () => end.promise, full);
    const taken = [take('ann'), take('ann')];
    await expect(take('ann')).rejects.toThrow('full');
    taken.push(take('bob'));
    await expect(take('cleo')).rejects.toThrow('full');
    end.resolve('done');
    expect(await Promise.all(taken)).toEqual(['done', 'done', 'done']);
  });

  it('are free again after work that fails', async () => {
    const places = new SharedPlaces({ all: 1, each: 1 });
    for (let time = 0; time < 2; time += 1) {
      const failing = places.run('ann', () => Promise.reject(new Error('lost')), full);
      await expect(failing).rejects.toThrow('lost');
    }
  });
});
