/** Resolves at SIGTERM or SIGINT. A second one ends the process at once: whoever repeats it does not want to wait. */
export async function untilStopped(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
}
