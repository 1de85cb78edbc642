import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { safeLines } from '../../kernel/text.ts';
import { CliFailure } from '../cli-failure.ts';
import { findFreePort } from './free-port.ts';

const PROGRAM = fileURLToPath(new URL('../../../examples/portal/server.js', import.meta.url));
const COMPONENT = fileURLToPath(
  new URL('../../../dist/app/component/tankeeper-challenge.js', import.meta.url),
);
const MAX_STARTS = 5;

/** The example portal as a process of its own, as an integrator would run it. */
export interface PortalProcess {
  /** With a slash at its end. */
  readonly url: string;
  /** Rejects if the portal ends by itself. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

/**
 * Starts the example portal.
 * @param environment the variables of examples/portal/server.js, without PORT
 * @param firstPort the port at which the search for a free one begins
 * @param giveUp its reason is thrown if it is aborted before the portal has started
 * @throws CliFailure if its files are missing, or with its output if it does not start
 */
export async function startPortal(
  environment: Readonly<Record<string, string>>,
  firstPort: number,
  giveUp: AbortSignal,
): Promise<PortalProcess> {
  for (const file of [PROGRAM, COMPONENT]) {
    if (!existsSync(file)) {
      throw new CliFailure(`${file} is missing: the portal needs a checkout, built by npm run build`);
    }
  }
  for (let start = 1; ; start += 1) {
    const port = await findFreePort(firstPort);
    const { url, output, child } = await launch({ ...environment, PORT: String(port) });
    if (url !== undefined) {
      return toPortalProcess(child, url, output);
    }
    // A terminal sends Ctrl-C to the portal, too.
    giveUp.throwIfAborted();
    // Another program may have taken the port during the start.
    if (start === MAX_STARTS || (await findFreePort(port)) === port) {
      throw new CliFailure(`the portal did not start:\n${safeLines(output())}`);
    }
  }
}

interface Launched {
  readonly child: ChildProcess;
  /** Undefined: it has ended. */
  readonly url: string | undefined;
  readonly output: () => string;
}

async function launch(environment: Readonly<Record<string, string>>): Promise<Launched> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: string[] = [];
  child.stderr.on('data', (piece: Buffer) => {
    pieces.push(piece.toString('utf8'));
  });
  const ended = once(child, 'close').then(() => undefined);
  const url = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      pieces.push(`${line}\n`);
      const [, found] = /^portal: (http\S+)$/.exec(line) ?? [];
      if (found !== undefined) {
        resolve(found);
      }
    });
  });
  return { child, url: await Promise.race([url, ended]), output: () => pieces.join('') };
}

function toPortalProcess(child: ChildProcess, url: string, output: () => string): PortalProcess {
  const ended = once(child, 'close');
  const failed = ended.then((): never => {
    throw new CliFailure(`the portal ended:\n${safeLines(output())}`);
  });
  // Awaited only while the demo waits.
  failed.catch(() => undefined);
  return {
    url,
    failed,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
