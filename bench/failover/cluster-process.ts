import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import type { SystemAccount } from '../../src/embedded-postgres/programs.ts';

/** Of util-linux, which is everywhere on Debian. */
const SETPRIV = '/usr/bin/setpriv';

/** The program to start, and its user. */
export interface ProcessSettings {
  readonly program: string;
  readonly parameters: readonly string[];
  /** The file to which its output is added. */
  readonly log: string;
  readonly folder: string;
  /** Undefined: as whoever runs this. */
  readonly account: SystemAccount | undefined;
}

/** A program of the cluster, in a process that ends at the latest with this one. */
export class ClusterProcess {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** @throws when it cannot be started */
  static async start({
    program,
    parameters,
    log,
    folder,
    account,
  }: ProcessSettings): Promise<ClusterProcess> {
    const output = openSync(log, 'a', 0o644);
    // So that nothing stays behind, even where we are killed.
    const child = spawn(SETPRIV, ['--pdeathsig', 'TERM', program, ...parameters], {
      ...account,
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, LANG: 'C.UTF-8' },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    await once(child, 'spawn');
    return new ClusterProcess(child);
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** SIGTERM, and kill -9 where that has not helped in time. Resolves when it has ended. */
  async stop(milliseconds: number): Promise<void> {
    if (this.hasEnded) {
      return;
    }
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const timeout = new AbortController();
    await Promise.race([
      ended,
      sleep(milliseconds, undefined, { signal: timeout.signal }).then(() => {
        this.signal('SIGKILL');
      }),
    ]);
    timeout.abort();
    await ended;
  }
}
