import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPOSITORY } from '../../repository/repository-file.ts';
import { shortOrLong } from '../../support/campaign.ts';
import { HalfRequest } from '../servers/half-request.ts';
import { killProcessesOf, processesOf, untilNobodyIsLeft } from '../../support/servers/processes-of.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';

const PYTHON = findSystemProgram('python3');
const SCRIPT = join(import.meta.dirname, 'pseudo-terminal.py');
const POLL_MS = 20;

/** A program that runs in a terminal of its own, as its session's first process. */
class PseudoTerminal {
  readonly #python: ChildProcess;
  readonly #over: Promise<unknown>;
  #output = '';
  #messages = '';

  /** @param environment of the program; PATH is added */
  constructor(words: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#python = spawn(PYTHON ?? '', [SCRIPT], { stdio: ['pipe', 'pipe', 'pipe'] });
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

const ROUNDS = shortOrLong(2, 20);
const LISTENING = /"message":"Listening".*"port":(\d+)/;

let folder: string;
let opened: PseudoTerminal[];

beforeEach(() => {
  opened = [];
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-terminal-'));
  mkdirSync(join(folder, 'tmp'));
  // Under root PostgreSQL runs as another user, who must be able to pass the folder.
  chmodSync(folder, 0o711);
  chmodSync(join(folder, 'tmp'), 0o711);
});
afterEach(async () => {
  await Promise.all(opened.map((terminal) => terminal.remove()));
  killProcessesOf(folder);
  rmSync(folder, { recursive: true, force: true });
});

function npm(...words: readonly string[]): PseudoTerminal {
  return run('npm', ...words);
}

function run(...words: readonly string[]): PseudoTerminal {
  const terminal = new PseudoTerminal(words, {
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    npm_config_update_notifier: 'false',
    LOG_FORMAT: 'json',
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
  });
  opened.push(terminal);
  return terminal;
}

/** @returns the remaining sockets and folders of the demo */
function leftovers(): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSocket() || entry.name.startsWith('tankeeper-demo-'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function isRunning(program: string): boolean {
  return processesOf(folder).some(({ words }) => words.split(' ')[0]?.endsWith(`/bin/${program}`));
}

describeWithProgram('npm start in a terminal', PYTHON, 'python3', () => {
  it(
    `stops by Ctrl-C, ${ROUNDS} times of ${ROUNDS}: status 0, the request at work answered, no process and no socket left`,
    async () => {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const terminal = npm('start');
        const [, port] = await terminal.printed(LISTENING);
        const request = await HalfRequest.begin(Number(port));
        terminal.pressCtrlC();
        await terminal.printed(/"message":"Stopping"/);
        // Meanwhile npm passes its own SIGINT on.
        await sleep(100);
        const answer = await request.finish();
        const status = await terminal.ended();
        await untilNobodyIsLeft(folder);
        expect({ round, status, answer, left: leftovers() }).toEqual({
          round,
          status: 0,
          left: [],
          answer: expect.stringMatching(/^HTTP\/1\.1 200 /),
        });
        expect(terminal.output).toContain('"message":"Stopped"');
      }
    },
    ROUNDS * 300_000,
  );

  it('stops when Ctrl-C is pressed five times in a row', async () => {
    const terminal = npm('start');
    await terminal.printed(LISTENING);
    for (let press = 0; press < 5; press += 1) {
      terminal.pressCtrlC();
    }
    expect([0, 130]).toContain(await terminal.ended());
    await untilNobodyIsLeft(folder);
    expect(leftovers()).toEqual([]);
  });

  it('stops when the terminal is closed, also with a request at work', async () => {
    const terminal = npm('start');
    const [, port] = await terminal.printed(LISTENING);
    const request = await HalfRequest.begin(Number(port));
    terminal.close();
    await untilRefused(Number(port));
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 200 /);
    await untilNobodyIsLeft(folder);
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['npm has only begun', () => processesOf(folder).length > 0],
    ['the database is made', () => isRunning('initdb')],
    ['the database starts', () => isRunning('postgres')],
    ['the tables are made', () => existsSync(join(folder, 'data/postgres/.s.PGSQL.5432'))],
    ['the key is made', () => existsSync(join(folder, 'data/encryption.key'))],
  ])('leaves nothing behind when Ctrl-C is pressed while %s', async (_title, isSo) => {
    const terminal = npm('start');
    await terminal.until(isSo);
    terminal.pressCtrlC();
    expect([0, 130]).toContain(await terminal.ended());
    await untilNobodyIsLeft(folder);
    expect(leftovers()).toEqual([]);
    // The installation so far is usable.
    const again = npm('start');
    await again.printed(LISTENING);
    again.pressCtrlC();
    expect(await again.ended()).toBe(0);
  });

  it('ends with status 0, not by an abort that would dump its memory, when its terminal is closed', async () => {
    const terminal = run('node', 'bin/tankeeper.js', 'serve');
    await terminal.printed(LISTENING);
    terminal.close();
    expect(await terminal.ended()).toBe(0);
    await untilNobodyIsLeft(folder);
  });

  it('leaves nothing behind when the terminal is closed while the database starts', async () => {
    const terminal = npm('start');
    await terminal.until(() => isRunning('postgres'));
    terminal.close();
    await untilNobodyIsLeft(folder);
    expect(leftovers()).toEqual([]);
  });
});

describeWithProgram('npm run demo in a terminal', PYTHON, 'python3', () => {
  const ready = /Ctrl-C ends the demo/;

  it.each([
    ['its tour is over', (terminal: PseudoTerminal) => terminal.printed(ready)],
    ['it gives its tour', (terminal: PseudoTerminal) => terminal.printed(/\$ curl /)],
    ['its database is made', (terminal: PseudoTerminal) => terminal.until(() => isRunning('initdb'))],
    ['its database starts', (terminal: PseudoTerminal) => terminal.until(() => isRunning('postgres'))],
  ])(
    'removes all that it made, also the key, when the terminal is closed while %s',
    async (_title, moment) => {
      const terminal = npm('run', 'demo');
      await moment(terminal);
      terminal.close();
      await untilNobodyIsLeft(folder);
      expect(leftovers()).toEqual([]);
    },
  );
});

/** Waits until the server accepts no new connections. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { Connection: 'close' } });
    } catch {
      return;
    }
  }
}
