/**
 * @param most results to remember; beyond it all are forgotten, so that keys from outside cannot fill the memory
 * @param compute depends on the key alone
 * @returns a function that computes the value of a key once
 */
export function boundedMemo<Value>(most: number, compute: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) {
      return found;
    }
    if (known.size >= most) {
      known.clear();
    }
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
