import { fork } from 'node:child_process';
import { once } from 'node:events';

/** The bare Express server of the yardsticks, in a process of its own. */
export interface BareProcess {
  readonly baseUrl: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startBareProcess(databaseUrl: string): Promise<BareProcess> {
  const child = fork(new URL('./bare-server.ts', import.meta.url), [databaseUrl], {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production' },
  });
  const ended = once(child, 'exit');
  const [port] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error('The bare server did not start');
    }),
  ])) as [number];
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.connected) {
        child.disconnect();
      }
      await ended;
    },
  };
}
