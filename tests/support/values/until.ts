import { setTimeout as sleep } from 'node:timers/promises';

interface WaitSettings {
  /** The longest wait, in milliseconds; default: `PATIENCE_MS`. */
  readonly timeoutMs?: number;
  /** Milliseconds between two checks; default: 10. */
  readonly pollMs?: number;
  /** @returns a text for the failure, such as the output of a server */
  readonly describe?: () => string;
}

/**
 * Waits until the condition holds.
 * @throws Error if it does not in time
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { timeoutMs = PATIENCE_MS, pollMs = 10, describe = () => String(holds) }: WaitSettings = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`It did not come about in ${timeoutMs} ms: ${describe()}`);
    }
    await sleep(pollMs);
  }
}

/**
 * Milliseconds to wait for what must come about: many times what it takes, even on a busy machine, but less than a test
 * may take, so that a failure names what was missing.
 */
export const PATIENCE_MS = 100_000;

/** A promise that the test settles. (`Promise.withResolvers` is newer than Node 20.) */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export function deferred<T>(): Deferred<T> {
  let settle!: Omit<Deferred<T>, 'promise'>;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
