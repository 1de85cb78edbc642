import { LRUCache } from 'lru-cache';

/** The longest key to remember, in characters. */
const MAX_KEY_LENGTH = 100;

/**
 * Remembers results by keys from outside, which cannot fill the memory: long ones are not remembered.
 * @param max results to remember
 * @param compute depends on the key alone
 * @returns a function that computes the value of a key once
 */
export function boundedMemo<Value extends object | string | number | boolean>(
  max: number,
  compute: (key: string) => Value,
): (key: string) => Value {
  const known = new LRUCache<string, Value>({
    max,
    maxEntrySize: MAX_KEY_LENGTH,
    sizeCalculation: (_value, key) => Math.max(1, key.length),
    memoMethod: (key) => compute(key),
  });
  // A copy: V8 keeps the whole header in memory as long as a substring of it.
  return (key) => known.get(key) ?? known.memo(structuredClone(key));
}
