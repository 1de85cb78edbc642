import { describe, expect, it } from '@jest/globals';
import { dividePool, minPoolSize, usualPoolSize } from '../../src/config/pool-sizes.ts';

describe('the connections of a server with workers', () => {
  const cases = [1, 2, 3, 4, 7, 16, 64].flatMap((workers) =>
    [minPoolSize(workers), usualPoolSize(workers), 500].map((total) => ({ workers, total })),
  );

  it.each(cases.filter(({ workers }) => workers > 1))(
    'are no more than the $total given ones of all $workers workers and the primary, and two for each worker',
    ({ workers, total }) => {
      const { primary, worker } = dividePool(total, workers);
      expect(primary + workers * worker).toBeLessThanOrEqual(total);
      expect(primary + workers * (worker + 1)).toBeGreaterThan(total);
      expect(worker).toBeGreaterThanOrEqual(2);
    },
  );

  it('are five for each worker by default', () => {
    expect(dividePool(usualPoolSize(4), 4)).toEqual({ primary: 3, worker: 5 });
  });
});
