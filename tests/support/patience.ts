/**
 * Milliseconds to wait for what must come about: many times what it takes, even on a busy machine, but less than a test
 * may take, so that a failure names what was missing.
 */
export const PATIENCE_MS = 100_000;
