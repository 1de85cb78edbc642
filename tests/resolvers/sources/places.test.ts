import { describe, expect, it } from '@jest/globals';
import { Places } from '../../../src/resolvers/sources/places.ts';
import { type Deferred, deferred } from '../../support/fakes/deferred.ts';

describe('places', () => {
  it('are taken by as many as there are, and by those who wait in their order, whatever becomes of the others', async () => {
    const places = new Places(2);
    const begun: number[] = [];
    const works: Deferred<number>[] = [0, 1, 2, 3].map(() => deferred<number>());
    const all = works.map((work, index) =>
      places.take(() => {
        begun.push(index);
        return work.promise;
      }),
    );
    const results = Promise.allSettled(all);
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    works[1]?.reject(new Error('failed'));
    await expect(all[1]).rejects.toThrow('failed');
    expect(begun).toEqual([0, 1, 2]);
    works[2]?.resolve(2);
    await all[2];
    expect(begun).toEqual([0, 1, 2, 3]);
    works[0]?.resolve(0);
    works[3]?.resolve(3);
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await places.take(() => Promise.resolve('free again'))).toBe('free again');
  });
});
