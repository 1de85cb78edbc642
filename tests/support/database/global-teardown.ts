const KEY = Symbol.for('tankeeper.tests.teardown');

type Works = (() => Promise<void>)[];

/** Keeps the work for after all tests; jest loads set-up and tear-down in one process, but separately. */
export function leaveForTeardown(work: () => Promise<void>): void {
  works().push(work);
}

/** Stops, after all tests, what the set-up started: the last one first. */
export default async function tearDown(): Promise<void> {
  for (const work of works().reverse()) {
    await work();
  }
}

function works(): Works {
  return ((globalThis as Record<symbol, Works | undefined>)[KEY] ??= []);
}
