/** The longest key to remember, in characters. */
const MAX_KEY_LENGTH = 100;

/**
 * Remembers results by keys from outside, which cannot fill the memory: long ones are not remembered, and where there
 * are too many, all are forgotten.
 * @param max results to remember
 * @param compute depends on the key alone
 * @returns a function that computes the value of a key once
 */
export function boundedMemo<Value>(max: number, compute: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) {
      return found;
    }
    const value = compute(key);
    if (key.length <= MAX_KEY_LENGTH) {
      if (known.size >= max) {
        known.clear();
      }
      // A copy: V8 keeps the whole header in memory as long as a substring of it.
      known.set(structuredClone(key), value);
    }
    return value;
  };
}

/**
 * Remembers results by objects that never change, for as long as these live.
 * @param compute depends on the key alone
 * @returns a function that computes the value of a key once
 */
export function weakMemo<Key extends object, Value extends object>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) {
      return found;
    }
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
