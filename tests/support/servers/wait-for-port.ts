import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../values/until.ts';
import { findFreePort } from '../../../src/cli/demo/free-port.ts';

/**
 * Waits until a process that was just started accepts connections.
 * @throws if it ends, or does not for a long time
 */
export async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const socket = connect({ host: '127.0.0.1', port });
    const isServed = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
      socket.once('error', () => {
        resolve(false);
      });
    });
    socket.destroy();
    // After the end of the process, another program could listen there.
    if (isServed && child.exitCode === null) {
      return;
    }
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`no answer on port ${port} (code ${String(child.exitCode)})`);
    }
    await sleep(50);
  }
}

/** Below Linux's ephemeral ports: one of those may be taken before a program listens there, or reused. */
const MIN_PORT = 12_000;
const PORT_COUNT = 18_000;

/** @returns a free port of 127.0.0.1, for a program that cannot choose one by itself */
export function freePort(): Promise<number> {
  return findFreePort(MIN_PORT + Math.floor(Math.random() * PORT_COUNT));
}
