import { fork } from 'node:child_process';
import { once } from 'node:events';

import type { LoadJob, LoadResult } from './load-job.ts';

/** A load client in a process of its own, so that it shares no event loop with what it measures. */
export interface LoadProcess {
  /** Runs one job; one at a time. @throws when an answer was not right */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
}

/** Starts a load client. */
export function startLoadProcess(): LoadProcess {
  const child = fork(new URL('./load-client.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  const ended = once(child, 'exit');
  return {
    run: async (job) => {
      const answer = once(child, 'message') as Promise<[LoadResult]>;
      child.send(job);
      const [result] = await Promise.race([
        answer,
        ended.then(() => {
          throw new Error('The load client has ended');
        }),
      ]);
      if (result.failed > 0) {
        throw new Error(
          `${result.failed} of ${result.failed + result.answered} answers of ${job.path} were not right, first ${result.failure ?? ''}`,
        );
      }
      return result;
    },
    stop: async () => {
      if (child.connected) {
        child.disconnect();
      }
      await ended;
    },
  };
}
