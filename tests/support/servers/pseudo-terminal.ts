import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../../repository/repository-file.ts';

const PYTHON = 'python3';
const SCRIPT = join(import.meta.dirname, 'pseudo-terminal.py');
const POLL_MS = 20;

/** A program that runs in a terminal of its own, as its session's first process. */
export class PseudoTerminal {
  readonly #python: ChildProcess;
  readonly #over: Promise<unknown>;
  #output = '';
  #messages = '';

  /** @param environment of the program; PATH is added */
  constructor(words: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#python = spawn(PYTHON, [SCRIPT], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#over = once(this.#python, 'close');
    this.#python.stdin?.on('error', () => undefined);
    this.#python.stdout?.on('data', (piece: Buffer) => (this.#output += piece.toString('utf8')));
    this.#python.stderr?.on('data', (piece: Buffer) => (this.#messages += piece.toString('utf8')));
    const surroundings = { PATH: process.env.PATH ?? '', ...environment };
    this.#say(JSON.stringify({ words, environment: surroundings, folder: REPOSITORY }));
  }

  /** The text on the terminal. */
  get output(): string {
    return this.#output;
  }

  /**
   * @returns the pattern's match on the terminal
   * @throws if the program ends before that
   */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found !== null) {
        return found;
      }
      await this.#pause(`without ${String(pattern)}`);
    }
  }

  /** Waits for a condition while the program runs. @throws if it ends before that */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await this.#pause('too early');
    }
  }

  pressCtrlC(): void {
    this.#say('interrupt');
  }

  /** Closes the terminal, as its window's end does. */
  close(): void {
    this.#say('close');
  }

  /** @returns the program's status as a shell shows it: 128 and its number for a signal */
  async ended(): Promise<number> {
    const over = this.#over.then(() => true);
    for (;;) {
      const status = this.#status;
      if (status !== undefined) {
        return status;
      }
      if (await Promise.race([over, sleep(POLL_MS, false)])) {
        return this.#status ?? Promise.reject(new Error(`No status: ${this.#messages}`));
      }
    }
  }

  /** Kills its remaining processes. */
  async remove(): Promise<void> {
    this.#python.stdin?.end();
    await this.#over;
  }

  get #status(): number | undefined {
    const found = /^status (\d+)$/m.exec(this.#messages);
    return found === null ? undefined : Number(found[1]);
  }

  async #pause(how: string): Promise<void> {
    if (this.#status !== undefined) {
      throw new Error(`The program ended with ${this.#status} ${how}:\n${this.#output}${this.#messages}`);
    }
    await sleep(POLL_MS);
  }

  #say(line: string): void {
    this.#python.stdin?.write(`${line}\n`);
  }
}

/** Tests in a pseudo-terminal: skipped with a message if a requirement is missing; with CI=true that is a failure. */
export function describeInTerminal(title: string, tests: () => void): void {
  const missing = whatIsMissing();
  if (missing === undefined) {
    describe(title, tests);
  } else if (process.env.CI === 'true') {
    it(`${title}: needs ${missing}`, () => {
      expect(`missing: ${missing}`).toBe('With CI=true nothing may be missing');
    });
  } else {
    process.stderr.write(`Left out, missing: ${missing}: ${title}\n`);
    it.todo(`${title} (left out: ${missing} missing)`);
  }
}

function whatIsMissing(): string | undefined {
  if (spawnSync(PYTHON, ['-c', 'import os, pty; os.waitstatus_to_exitcode(0)']).status !== 0) {
    return 'python3 (3.9 or newer)';
  }
  return existsSync('/proc/self/environ') ? undefined : '/proc';
}
