import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { testProgram } from '../../support/servers/test-build.ts';
import type { CanaryEvidence } from './canary-evidence.ts';

/** What a process has to go by. */
interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** A `tankeeper` process of which everything is kept that others on the machine could see. */
export class CanaryProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #printed: string[] = [];
  readonly #results: string[] = [];
  readonly #ended: Promise<unknown[]>;

  /** @param input what it reads from standard input; undefined: `type` says so */
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

  /** What it has printed so far, on both streams. */
  get output(): string {
    return this.#printed.join('');
  }

  /** Standard output alone. */
  get result(): string {
    return this.#results.join('');
  }

  /** @returns what the pattern's group has found in what it printed, as soon as that is there. @throws when it ends before that */
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

  /** @returns the exit code, null where a signal ended it */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) {
      this.#child.kill(signal);
    }
    const [code] = await this.#ended;
    return code as number | null;
  }
}

/** Keeps what the list of processes shows of it and of its children: arguments, title, and its environment. */
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

/** Empty where the process has ended meanwhile. */
function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
