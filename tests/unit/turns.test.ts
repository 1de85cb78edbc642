import { describe, expect, it } from '@jest/globals';

import { Turns } from '../../src/storage/turns.ts';
import { deferred } from '../support/deferred.ts';

/** Work that ends when it is told to. */
class Work {
  begun = false;
  readonly #end = deferred<string>();
  readonly end = this.#end.resolve;

  readonly run = (): Promise<string> => {
    this.begun = true;
    return this.#end.promise;
  };

  fail(): void {
    this.#end.reject(new Error('failed'));
  }
}

describe('work of one key', () => {
  it('begins when all before it has ended, in the order in which it came', async () => {
    const turns = new Turns();
    const [first, second, third] = [new Work(), new Work(), new Work()];
    const results = [first, second, third].map(({ run }) => turns.take('key', run));
    expect([first.begun, second.begun, third.begun]).toEqual([true, false, false]);
    first.end('one');
    expect(await results[0]).toBe('one');
    expect([second.begun, third.begun]).toEqual([true, false]);
    second.end('two');
    third.end('three');
    expect(await Promise.all(results)).toEqual(['one', 'two', 'three']);
  });

  it('begins also after work that failed', async () => {
    const turns = new Turns();
    const [first, second] = [new Work(), new Work()];
    const results = [first, second].map(({ run }) => turns.take('key', run));
    first.fail();
    second.end('two');
    await expect(results[0]).rejects.toThrow('failed');
    expect(await results[1]).toBe('two');
  });
});

describe('work of another key', () => {
  it('does not wait', async () => {
    const turns = new Turns();
    const [first, other] = [new Work(), new Work()];
    const held = turns.take('key', first.run);
    const result = turns.take('other', other.run);
    other.end('done');
    expect(await result).toBe('done');
    first.end('');
    await held;
  });
});
