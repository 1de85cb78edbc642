import { spawn } from 'node:child_process';

/** An operating system account, for `spawn` to run a program as it. */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

/** The result of a program of the embedded PostgreSQL. */
export interface ProgramEnd {
  /** The exit status; null if it was killed or could not be started. */
  readonly status: number | null;
  /** Its output, both streams, at most 8 KiB. */
  readonly output: string;
}

/** The account that runs a program, its current folder, and the libraries that it finds. */
export interface ProgramContext {
  /** Undefined: that of this process. */
  readonly account: SystemAccount | undefined;
  /** Entered with the rights of this process, before the account's; by default the root folder. */
  readonly folder?: string | undefined;
  /** Further folders for the dynamic loader, in its own syntax. */
  readonly libraryPath?: string | undefined;
}

/** `initdb` needs it as well. */
export const SHELL = '/bin/sh';
const MAX_OUTPUT = 8192;
const TIMEOUT_MS = 120_000;

/** Options for `spawn` without our own environment: no PG* variable, no locale that the binaries do not know. */
export function isolatedSurroundings({ account, folder = '/', libraryPath }: ProgramContext): {
  cwd: string;
  env: Record<string, string>;
  uid?: number;
  gid?: number;
} {
  const loaderVariable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  return {
    cwd: folder,
    env: {
      PATH: '/usr/bin:/bin',
      LC_ALL: 'C',
      TZ: 'UTC',
      ...(libraryPath === undefined ? {} : { [loaderVariable]: libraryPath }),
    },
    ...account,
  };
}

/**
 * Runs a script of sh(1). As the account, so that the kernel refuses what the account may not do, even if files or
 * processes have changed since root checked them.
 * @param parameters `$1` and so on
 */
export function runScript(
  script: string,
  parameters: readonly string[],
  context: ProgramContext,
): Promise<ProgramEnd> {
  return runProgram(SHELL, ['-c', script, 'sh', ...parameters], context);
}

/**
 * Runs a program to its end, within two minutes, in a session of its own: Ctrl-C reaches only this process, which then
 * ends in good order. Never rejects: a program that cannot be started ends with status null.
 */
export function runProgram(
  path: string,
  parameters: readonly string[],
  context: ProgramContext,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const child = spawn(path, parameters, {
      ...isolatedSurroundings(context),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Replaces spawn's own option, whose timer continues, and keeps the process alive, if the program could not be
    // started.
    const limit = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => {
      clearTimeout(limit);
      resolve({ status: null, output: error.message });
    });
    child.once('close', (status) => {
      clearTimeout(limit);
      resolve({ status, output: output.trim() });
    });
  });
}
