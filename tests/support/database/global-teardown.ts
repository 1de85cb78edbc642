const KEY = Symbol.for('tankeeper.tests.teardown');

/** Keeps the work for after all tests; jest loads set-up and tear-down in one process, but separately. */
export function leaveForTeardown(work: () => Promise<void>): void {
  (globalThis as Record<symbol, unknown>)[KEY] = work;
}

/** Stops, after all tests, the server that global-setup.ts started. */
export default async function tearDown(): Promise<void> {
  const work = (globalThis as Record<symbol, unknown>)[KEY] as (() => Promise<void>) | undefined;
  await work?.();
}
