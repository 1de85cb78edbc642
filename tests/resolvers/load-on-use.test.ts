import { describe, expect, it } from '@jest/globals';
import { loadOnUse } from '../../src/resolvers/sources/user-sources.ts';

class Counter {
  #count = 0;

  add(amount: number): Promise<number> {
    this.#count += amount;
    return Promise.resolve(this.#count);
  }
}

describe('an object that is loaded on use', () => {
  it('is loaded by its first call, once, also by calls at the same time', async () => {
    let loads = 0;
    const counter = loadOnUse(() => {
      loads += 1;
      return Promise.resolve(new Counter());
    });
    expect(loads).toBe(0);
    expect(await Promise.all([counter.add(1), counter.add(2)])).toEqual([1, 3]);
    expect(loads).toBe(1);
  });

  it('fails in the call that loads it', async () => {
    const counter = loadOnUse<Counter>(() => Promise.reject(new Error('no such module')));
    await expect(counter.add(1)).rejects.toThrow('no such module');
  });
});
