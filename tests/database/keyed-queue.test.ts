import { describe, expect, it } from '@jest/globals';

import { ServiceError } from '../../src/kernel/errors.ts';
import { KeyedQueue } from '../../src/database/shared-statements.ts';
import { deferred } from '../support/values/deferred.ts';

/** Work that ends when it is told to. */
class Work {
  begun = false;
  readonly #end = deferred<string>();
  readonly end = this.#end.resolve;

  readonly run = (): Promise<string> => {
    this.begun = true;
    return this.#end.promise;
  };

  fail(fault = new Error('failed')): void {
    this.#end.reject(fault);
  }
}

describe('work of one key', () => {
  it('begins when all before it has ended, in the order in which it came', async () => {
    const turns = new KeyedQueue();
    const [first, second, third] = [new Work(), new Work(), new Work()];
    const results = [first, second, third].map(({ run }) => turns.run('key', run));
    expect([first.begun, second.begun, third.begun]).toEqual([true, false, false]);
    first.end('one');
    expect(await results[0]).toBe('one');
    expect([second.begun, third.begun]).toEqual([true, false]);
    second.end('two');
    third.end('three');
    expect(await Promise.all(results)).toEqual(['one', 'two', 'three']);
  });

  it('begins also after work that failed', async () => {
    const turns = new KeyedQueue();
    const [first, second] = [new Work(), new Work()];
    const results = [first, second].map(({ run }) => turns.run('key', run));
    first.fail();
    second.end('two');
    await expect(results[0]).rejects.toThrow('failed');
    expect(await results[1]).toBe('two');
  });
});

describe('work that has waited for long', () => {
  const AWAY = new ServiceError('database.unavailable', 'the database took too long');

  it('is given up with the one before that the database kept waiting in vain, and so on', async () => {
    const turns = new KeyedQueue(0);
    const work = [new Work(), new Work(), new Work()];
    const results = Promise.allSettled(work.map(({ run }) => turns.run('key', run)));
    work[0]?.fail(AWAY);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(work.map(({ begun }) => begun)).toEqual([true, false, false]);
    // Whoever comes now has not waited.
    const next = new Work();
    next.end('next');
    expect(await turns.run('key', next.run)).toBe('next');
  });

  it('begins after what failed for another reason, or soon', async () => {
    for (const [turns, fault] of [
      [new KeyedQueue(0), new Error('failed')],
      [new KeyedQueue(), AWAY],
    ] as const) {
      const [first, second] = [new Work(), new Work()];
      const results = Promise.allSettled([first, second].map(({ run }) => turns.run('key', run)));
      first.fail(fault);
      second.end('two');
      expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    }
  });
});

describe('work of another key', () => {
  it('does not wait', async () => {
    const turns = new KeyedQueue();
    const [first, other] = [new Work(), new Work()];
    const held = turns.run('key', first.run);
    const result = turns.run('other', other.run);
    other.end('done');
    expect(await result).toBe('done');
    first.end('');
    await held;
  });
});
