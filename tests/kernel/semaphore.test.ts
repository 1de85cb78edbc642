import { describe, expect, it } from '@jest/globals';

import { Semaphore, type SemaphoreRefusal } from '../../src/kernel/semaphore.ts';
import { type Deferred, deferred } from '../support/values/deferred.ts';

const refuse = (refusal: SemaphoreRefusal): Error => new Error(refusal);

describe('a semaphore', () => {
  it('runs as much as it has permits, and the rest in its order, whatever becomes of the work before', async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    const works: Deferred<number>[] = [0, 1, 2, 3].map(() => deferred<number>());
    const all = works.map((work, index) =>
      semaphore.run(() => {
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
    expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('gives back the permit of work that throws before its first await', async () => {
    const semaphore = new Semaphore(1);
    const thrown = semaphore.run(() => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
    expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('gives a permit to work that waits, not to work that comes as it becomes free', async () => {
    const semaphore = new Semaphore(1);
    const first = deferred<undefined>();
    const order: string[] = [];
    const note = (name: string) => () => {
      order.push(name);
      return Promise.resolve();
    };
    const running = semaphore.run(() => first.promise);
    const waiting = semaphore.run(note('waiting'));
    const late = running.then(() => semaphore.run(note('late')));
    first.resolve(undefined);
    await Promise.all([waiting, late]);
    expect(order).toEqual(['waiting', 'late']);
  });

  it('refuses work at once when as much waits as may', async () => {
    const semaphore = new Semaphore(1, { waiting: 1, refuse });
    const first = deferred<undefined>();
    const running = semaphore.run(() => first.promise);
    const waiting = semaphore.run(() => Promise.resolve('waited'));
    await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow('full');
    first.resolve(undefined);
    await running;
    expect(await waiting).toBe('waited');
    expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('refuses work that gets no permit in time, which it neither runs nor keeps a permit for', async () => {
    const semaphore = new Semaphore(1, { timeoutMs: 20, refuse });
    const first = deferred<undefined>();
    const running = semaphore.run(() => first.promise);
    let isRun = false;
    const waiting = semaphore.run(() => {
      isRun = true;
      return Promise.resolve();
    });
    await expect(waiting).rejects.toThrow('late');
    first.resolve(undefined);
    await running;
    expect(await semaphore.run(() => Promise.resolve('free again'))).toBe('free again');
    expect(isRun).toBe(false);
  });

  it('does not refuse work that has begun, however long it takes', async () => {
    const semaphore = new Semaphore(1, { timeoutMs: 20, refuse });
    const first = deferred<undefined>();
    const second = deferred<string>();
    const running = semaphore.run(() => first.promise);
    const waiting = semaphore.run(() => second.promise);
    first.resolve(undefined);
    await running;
    await new Promise((resolve) => setTimeout(resolve, 60));
    second.resolve('done');
    expect(await waiting).toBe('done');
  });
});
