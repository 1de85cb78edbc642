import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliFailure, EXIT_CODES } from './cli-failure.ts';
import type { CliIo } from './dependencies.ts';

const DEFAULT_COLUMNS = 80;

/** @returns the streams of this process, with a prompt that does not echo the input */
export function terminalIo(): CliIo {
  const { stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr]) {
    stream.on('error', ignoreClosedEnd);
  }
  return {
    stdout,
    stderr,
    stdin,
    isInteractive: stdin.isTTY && stderr.isTTY,
    isTTY: stdout.isTTY,
    color: showsColours(stdout),
    // Some terminals report 0 columns.
    columns: stdout.isTTY && stdout.columns > 0 ? stdout.columns : DEFAULT_COLUMNS,
    writeBytes: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (error) => {
          if (error === null || error === undefined) {
            resolve();
          } else {
            reject(error);
          }
        });
      }),
    readLine: readShown,
    readSecret: readHidden,
  };
}

/**
 * @returns true if a stream gets colours: a terminal that has them does, unless NO_COLOR or TERM=dumb says otherwise,
 *   which `hasColors` knows. A pipe gets them only by FORCE_COLOR.
 */
function showsColours(stream: NodeJS.WriteStream): boolean {
  // eslint-disable-next-line no-restricted-syntax -- it is a convention of terminals, as NO_COLOR and TERM, which Node reads
  const { FORCE_COLOR: forced = '' } = process.env;
  return forced === '' ? stream.isTTY && stream.hasColors() : !/^(?:0|false)$/.test(forced);
}

/** Ignores a closed output: neither `tankeeper token list | head` nor a closed terminal is a failure. */
function ignoreClosedEnd(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') {
    throw error;
  }
}

function readHidden(prompt: string): Promise<string> {
  const silent = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  // From here on the terminal echoes nothing, even if the answer is typed at once.
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  process.stderr.write(prompt);
  return lineOf(lines).finally(() => {
    process.stderr.write('\n');
  });
}

function readShown(prompt: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, historySize: 0 });
  lines.setPrompt(prompt);
  lines.prompt();
  return lineOf(lines);
}

/** @returns the next line; then the terminal is released */
function lineOf(lines: Interface): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('SIGINT', () => {
      reject(new CliFailure('interrupted', EXIT_CODES.interrupted));
    });
    lines.once('close', () => {
      reject(new CliFailure('nothing was entered'));
    });
  }).finally(() => {
    lines.close();
  });
}
