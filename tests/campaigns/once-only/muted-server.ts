import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/servers/wait-for-port.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';
import { testProgram } from '../../support/servers/test-build.ts';

/** Starts `tankeeper serve` whose log goes to a disk that is full. @throws if it ends before it answers */
export async function startServerWithoutLog(
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const port = await freePort();
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [testProgram(), 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'debug',
      DRAIN_TIME: '0',
      ...environment,
      PORT: String(port),
    },
    stdio: ['ignore', full, full],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const baseUrl = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error('The server with a full log disk did not start');
    }
    await sleep(100);
  }
  return {
    baseUrl,
    process: child,
    output: () => '',
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      return { code, output: '' };
    },
  };
}
