import { describe, expect, it } from '@jest/globals';
import { readinessOf } from '../../src/compose/http-server.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { deferred } from '../support/values/deferred.ts';

const SERVING = { isStopping: false };

describe('the question whether the database answers', () => {
  it('is put to it once for all who ask meanwhile, and anew for who asks later', async () => {
    let requested = 0;
    let answer = deferred<undefined>();
    const ready = readinessOf(
      {
        ready: async () => {
          requested += 1;
          await answer.promise;
        },
      },
      SERVING,
    );
    const many = Array.from({ length: 500 }, () => ready());
    answer.resolve(undefined);
    expect(new Set(await Promise.all(many))).toEqual(new Set(['ready']));
    expect(requested).toBe(1);
    answer = deferred<undefined>();
    const later = ready();
    answer.resolve(undefined);
    expect([await later, requested]).toEqual(['ready', 2]);
  });

  it('is answered no while it is away, and yes once it is back', async () => {
    let isAway = true;
    const ready = readinessOf(
      {
        ready: () =>
          isAway ? Promise.reject(new ServiceError('database.unavailable', 'away')) : Promise.resolve(),
      },
      SERVING,
    );
    expect(await Promise.all([ready(), ready()])).toEqual(['unavailable', 'unavailable']);
    isAway = false;
    expect(await ready()).toBe('ready');
  });
});
