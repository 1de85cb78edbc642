import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../patience.ts';

/** Settings of a wait. */
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
