/** Requests of signals to end the process. Both carry the same reason. */
export interface StopRequest {
  /** Aborted by the first signal: an orderly end. */
  readonly requested: AbortSignal;
  /** Aborted by a later one: an end that waits for no client, but leaves nothing behind. */
  readonly urgent: AbortSignal;
}

/**
 * Resolves when the signal is aborted, at once if it already is.
 * @param waiting its end takes the listener away; without it, the listener stays as long as the signal
 */
export async function untilAborted(signal: AbortSignal, waiting?: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => {
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true, ...(waiting !== undefined && { signal: waiting }) },
      );
    });
  }
}

/**
 * Waits for `work` until the signal is aborted. The work itself continues; its result is then ignored.
 * @param signal undefined: waits until the end
 * @throws the signal's reason
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) {
    return work;
  }
  work.catch(() => undefined);
  const waiting = new AbortController();
  try {
    await Promise.race([work, untilAborted(signal, waiting.signal)]);
  } finally {
    waiting.abort();
  }
  signal.throwIfAborted();
  return work;
}
