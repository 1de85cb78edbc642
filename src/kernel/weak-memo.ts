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
