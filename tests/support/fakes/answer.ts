/** @returns an operation that records its call and returns that value */
export type Answer = <Value>(name: string, value: Value) => (...args: unknown[]) => Promise<Value>;
