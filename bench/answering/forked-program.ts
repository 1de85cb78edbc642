import { fork, type Serializable } from 'node:child_process';
import { once } from 'node:events';

import type { LoadJob, LoadResult } from './load-job.ts';

/** A program in a process of its own, so that it shares no event loop with what is measured. */
export interface ForkedProgram {
  readonly pid: number;
  send(message: Serializable): void;
  /** @returns its next message @throws when it ends before */
  message(): Promise<unknown>;
  stop(): Promise<void>;
}

export function forkProgram(file: URL, parameters: readonly string[] = []): ForkedProgram {
  const child = fork(file, parameters, {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production' },
  });
  const ended = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    send: (message) => child.send(message),
    message: async () => {
      const failed = ended.then(() => {
        throw new Error(`${file.pathname} has ended`);
      });
      const [message] = (await Promise.race([once(child, 'message'), failed])) as [unknown];
      return message;
    },
    stop: async () => {
      if (child.connected) {
        child.disconnect();
      }
      await ended;
    },
  };
}

/** Lets the load client run a job; one at a time. @throws when an answer was not right */
export async function runLoad(client: ForkedProgram, job: LoadJob): Promise<LoadResult> {
  client.send(job);
  const result = (await client.message()) as LoadResult;
  if (result.failed > 0) {
    const all = result.failed + result.answered;
    const first = result.failure ?? '';
    throw new Error(`${result.failed} of ${all} answers of ${job.path} were not right, first ${first}`);
  }
  return result;
}
