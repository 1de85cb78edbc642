import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { seedPortal } from '../../src/cli/demo/portal.ts';
import { type RunningServer, startServer } from '../../src/http/serving/server.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { OPERATOR, TestApplication } from '../support/application/test-application.ts';

/** The address of the app, in the links of the portal. */
export const APP_URL = 'http://localhost:5001/app/';

/** The example portal as a process, with a real server behind it. */
export interface RunningPortal extends AsyncDisposable {
  readonly application: TestApplication;
  readonly passwords: ReadonlyMap<string, string>;
  readonly apiToken: string;
  /** The address at which it listens, without a slash at its end. */
  origin(): string;
  /** Its output so far, over all restarts. */
  output(): string;
  /** Ends the process and starts another one, which knows nothing of it. */
  restart(): Promise<void>;
}

/** Starts both. */
export async function startPortalAndServer(): Promise<RunningPortal> {
  const application = await TestApplication.open();
  const server: RunningServer = await startServer(application.app, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}`;
  const seeding = { publicUrl: url, random: systemRandom };
  const { apiToken, passwords } = await seedPortal(application.services, OPERATOR, seeding);
  const lines: string[] = [];
  const environment = {
    TANKEEPER_URL: url,
    TANKEEPER_TOKEN: apiToken,
    APP_URL,
    PORTAL_USERS: [...passwords].map((entry) => entry.join(':')).join(','),
    PORT: '0',
  };
  let { child, origin } = await launch(environment, lines);
  const stop = async (): Promise<void> => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  };
  return {
    application,
    passwords,
    apiToken,
    origin: () => origin,
    output: () => lines.join('\n'),
    restart: async () => {
      await stop();
      ({ child, origin } = await launch(environment, lines));
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await application.services.waitingRequests.end();
      await server.close(1_000);
      await application.close();
    },
  };
}

async function launch(
  env: Record<string, string>,
  lines: string[],
): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(process.execPath, ['examples/portal/server.js'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  const ended = once(child, 'close').then(() => {
    throw new Error(`The portal did not start:\n${lines.join('\n')}`);
  });
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const [, port] = /^portal: http:\/\/localhost:(\d+)\/$/.exec(line) ?? [];
      if (port !== undefined) {
        resolve(`http://localhost:${port}`);
      }
    });
  });
  ended.catch(() => undefined);
  return { child, origin: await Promise.race([listening, ended]) };
}
