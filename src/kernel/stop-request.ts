/** What signals ask of a process. Both carry the same reason. */
export interface StopRequest {
  /** Aborted by the first signal: end in good order. */
  readonly requested: AbortSignal;
  /** Aborted by a later one: wait for no client any more, but leave nothing behind. */
  readonly urgent: AbortSignal;
}

/** Resolves when the signal is aborted; at once where it is already. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => {
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
    });
  }
}

/**
 * Waits for `work` until the signal is aborted. The work itself goes on; what it comes to then is not looked at.
 * @param signal undefined: waits to the end
 * @throws the signal's reason
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) {
    return work;
  }
  work.catch(() => undefined);
  await Promise.race([work, untilAborted(signal)]);
  signal.throwIfAborted();
  return work;
}
