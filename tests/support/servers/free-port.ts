import { findFreePort } from '../../../src/cli/demo/free-port.ts';

/** Below Linux's ephemeral ports: one of those may be taken before a program listens there, or reused. */
const MIN_PORT = 12_000;
const PORT_COUNT = 18_000;

/** @returns a free port of 127.0.0.1, for a program that cannot choose one by itself */
export function freePort(): Promise<number> {
  return findFreePort(MIN_PORT + Math.floor(Math.random() * PORT_COUNT));
}
