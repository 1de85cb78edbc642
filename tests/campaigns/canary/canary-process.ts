import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { testProgram } from '../../support/servers/test-build.ts';
import type { CanaryEvidence } from './canary-evidence.ts';

/** The environment of a process. */
interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** A `tankeeper` process; all data that other users of the machine could see of it is kept. */
export class CanaryProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #printed: string[] = [];
  readonly #results: string[] = [];
  readonly #ended: Promise<unknown[]>;

  /** @param input the text for standard input; undefined: `type` sends it */
  constructor(
    name: string,
    parameters: readonly string[],
    { environment, folder }: Surroundings,
    input?: string,
  ) {
    this.name = name;
    this.#child = spawn(process.execPath, [testProgram(), ...parameters], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#ended = once(this.#child, 'close');
    this.#child.stdin?.on('error', () => undefined);
    if (input !== undefined) {
      this.#child.stdin?.end(input);
    }
    this.#child.stdout?.on('data', (piece: Buffer) => this.#results.push(piece.toString('utf8')));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (piece: Buffer) => this.#printed.push(piece.toString('utf8')));
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its output so far, on both streams. */
  get output(): string {
    return this.#printed.join('');
  }

  /** Its standard output alone. */
  get result(): string {
    return this.#results.join('');
  }

  /**
   * @returns the pattern's group in its output, as soon as it is there
   * @throws if it ends before that
   */
  async printed(pattern: RegExp): Promise<string> {
    const over = this.#ended.then(() => true);
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) {
        return found[1] ?? '';
      }
      if (await Promise.race([over, sleep(20, false)])) {
        throw new Error(`${this.name} ended without ${String(pattern)}:\n${this.output}`);
      }
    }
  }

  /** @returns the exit code, null if a signal ended it */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) {
      this.#child.kill(signal);
    }
    const [code] = await this.#ended;
    return code as number | null;
  }
}

/** Keeps the arguments, title and environment of a process and of its children. */
export function addProcesses(evidence: CanaryEvidence, name: string, pid: number): void {
  for (const each of [pid, ...childrenOf(pid)]) {
    for (const file of ['cmdline', 'comm', 'environ']) {
      evidence.add(`process ${name} ${file}`, read(`/proc/${each}/${file}`));
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  const list = read(`/proc/${pid}/task/${pid}/children`).toString('latin1').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}

/** @returns an empty buffer if the process has ended meanwhile */
function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
