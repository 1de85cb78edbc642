import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { EmbeddedPostgresOptions } from '../../../src/embedded-postgres/embedded-postgres.ts';

const CHILD = fileURLToPath(new URL('./embedded-child.ts', import.meta.url));

export type ElsewhereOptions = Omit<EmbeddedPostgresOptions, 'log' | 'giveUp'> & {
  /** Gives up after that time. */
  readonly waitMs?: number;
};

/** The outcome of opening in the other process. */
export interface EmbeddedReport {
  readonly host?: string;
  readonly error?: string;
}

/** Another process that has the embedded PostgreSQL open. */
export interface EmbeddedProcess {
  readonly pid: number;
  readonly report: EmbeddedReport;
  /** Lets it close the database and end. */
  close(): Promise<void>;
  kill(): Promise<void>;
}

/** Whom the process runs as, and its environment. */
export interface ProcessSurroundings {
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Opens the embedded PostgreSQL in a process of its own. */
export async function openElsewhere(
  options: ElsewhereOptions,
  { env, ...account }: ProcessSurroundings = {},
): Promise<EmbeddedProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, JSON.stringify(options)], {
    ...account,
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const text = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => {
      resolve(chunk.toString('utf8'));
    });
    child.once('close', () => {
      resolve('{"error":"it ended without a word"}');
    });
  });
  return {
    pid: child.pid ?? 0,
    report: JSON.parse(text) as EmbeddedReport,
    close: async () => {
      child.stdin.end();
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
