import { findFreePort } from '../../../src/cli/demo/free-port.ts';

/** Below Linux's ephemeral ports: one of those may be taken before a program listens there, or reused. */
const LOWEST = 12_000;
const HOW_MANY = 18_000;

/** @returns a free port of 127.0.0.1, for a program that cannot choose one by itself */
export function freePort(): Promise<number> {
  return findFreePort(LOWEST + Math.floor(Math.random() * HOW_MANY));
}
