const KEY = Symbol.for('tankeeper.tests.teardown');

/** Remembers what is to be done after all tests; jest loads set-up and tear-down in one process, but separately. */
export function leaveForTeardown(work: () => Promise<void>): void {
  (globalThis as Record<symbol, unknown>)[KEY] = work;
}

/** After all tests: stops what global-setup.ts started. */
export default async function tearDown(): Promise<void> {
  const work = (globalThis as Record<symbol, unknown>)[KEY] as (() => Promise<void>) | undefined;
  await work?.();
}
