import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { testProgram } from '../support/servers/test-build.ts';

/** The end of a command. */
export interface Ended {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A `tankeeper` command that runs as its own process. */
export interface Running {
  /**
   * @returns its output once that is part of it
   * @throws when it ends before that
   */
  printed(wanted: string | RegExp): Promise<string>;
  /** Sends a signal. */
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  /** SIGKILL, as a crash. */
  kill(): void;
  readonly ended: Promise<Ended>;
}

/**
 * Starts a command with this environment and nothing else of ours.
 * @param input the text that it reads from standard input
 */
export function startCli(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Running {
  const child = spawn(process.execPath, [testProgram(), ...parameters], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text));
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...printed }));
  return {
    printed: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (typeof wanted === 'string' ? printed.out.includes(wanted) : wanted.test(printed.out)) {
            child.stdout.off('data', look);
            resolve(printed.out);
          }
        };
        child.stdout.on('data', look);
        look();
        void ended.then(({ code, out, err }) => {
          reject(new Error(`ended with ${code ?? 'a signal'}:\n${out}\n${err}`));
        });
      }),
    signal: (name) => child.kill(name),
    kill: () => child.kill('SIGKILL'),
    ended,
  };
}

/** Runs a command to its end. */
export function runCli(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  input?: string,
): Promise<Ended> {
  return startCli(parameters, environment, input).ended;
}
