import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { once } from 'node:events';
import { until } from '../values/until.ts';
import { findFreePort } from '../../../src/cli/demo/free-port.ts';

/** Waits until a process that was just started accepts connections. @throws as `untilAnswered` */
export function waitForPort(port: number, child: ChildProcess): Promise<void> {
  return untilAnswered(child, async () => {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect').finally(() => socket.destroy());
  });
}

/**
 * Waits until a process that was just started answers.
 * @param ask rejects while there is no answer
 * @throws if the process ends, or does not answer for a long time
 */
export async function untilAnswered(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  let fault: unknown;
  const isAnswered = async (): Promise<boolean> => {
    fault = await ask().then(
      () => undefined,
      (error: unknown) => error,
    );
    // After the end of the process, another program could answer.
    if (child.exitCode !== null) {
      throw new Error(`${child.spawnfile} has ended (code ${child.exitCode})`, { cause: fault });
    }
    return fault === undefined;
  };
  await until(isAnswered, { pollMs: 50, describe: () => `${child.spawnfile}: ${String(fault)}` });
}

/** Below Linux's ephemeral ports: one of those may be taken before a program listens there, or reused. */
const MIN_PORT = 12_000;
const PORT_COUNT = 18_000;

/** @returns a free port of 127.0.0.1, for a program that cannot choose one by itself */
export function freePort(): Promise<number> {
  return findFreePort(MIN_PORT + Math.floor(Math.random() * PORT_COUNT));
}
