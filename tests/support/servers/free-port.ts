import { findFreePort } from '../../../src/cli/demo/free-port.ts';

/** Below those that Linux gives away by itself: else one may be gone before a program listens there, or comes back. */
const LOWEST = 12_000;
const HOW_MANY = 18_000;

/** @returns a port of 127.0.0.1 where nobody listens, for a program that cannot choose one by itself */
export function freePort(): Promise<number> {
  return findFreePort(LOWEST + Math.floor(Math.random() * HOW_MANY));
}
