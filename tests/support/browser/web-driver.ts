import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { freePort, waitForPort } from '../servers/wait-for-port.ts';
import { findSystemProgram } from '../servers/program-paths.ts';
import { until } from '../values/until.ts';

/** The commands of WebDriver that the tests need: their names in Firefox, and methods and paths elsewhere. */
const COMMANDS = {
  open: ['WebDriver:Navigate', 'POST', 'url'],
  run: ['WebDriver:ExecuteScript', 'POST', 'execute/sync'],
  click: ['WebDriver:ElementClick', 'POST', 'element/{id}/click'],
  clear: ['WebDriver:ElementClear', 'POST', 'element/{id}/clear'],
  type: ['WebDriver:ElementSendKeys', 'POST', 'element/{id}/value'],
  picture: ['WebDriver:TakeScreenshot', 'GET', 'screenshot'],
} as const;

type CommandName = keyof typeof COMMANDS;
type Parameters = Readonly<Record<string, unknown>>;

/** A browser that is driven by WebDriver. */
export interface DrivenBrowser extends AsyncDisposable {
  /** @throws Error with the name and the message of a failure */
  send(command: CommandName, parameters?: Parameters): Promise<unknown>;
}

/** An engine that is not Chromium's. */
export interface Engine {
  readonly name: 'Firefox' | 'WebKit';
  readonly debianPackage: string;
  /** The path of its program; undefined if it is not installed. */
  readonly program: string | undefined;
  start(program: string): Promise<DrivenBrowser>;
}

const XVFB = findSystemProgram('Xvfb');

export const ENGINES: readonly Engine[] = [
  {
    name: 'Firefox',
    debianPackage: 'firefox-esr',
    program: findSystemProgram('firefox-esr'),
    start: startFirefox,
  },
  {
    name: 'WebKit',
    debianPackage: 'webkit2gtk-driver and xvfb',
    program: XVFB && findSystemProgram('WebKitWebDriver'),
    start: startWebKit,
  },
];

/** Starts Firefox, which speaks WebDriver by itself: JSON over TCP (Marionette). */
async function startFirefox(program: string): Promise<DrivenBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-firefox-'));
  // A free port, which it tells in a file.
  await writeFile(join(folder, 'user.js'), 'user_pref("marionette.port", 0);');
  const browser = spawn(
    program,
    ['--headless', '--marionette', '--no-remote', '--profile', folder, 'about:blank'],
    { env: environmentOf(folder), stdio: 'ignore' },
  );
  const portFile = join(folder, 'MarionetteActivePort');
  await until(async () => existsSync(portFile) && (await readFile(portFile, 'utf8')) !== '', { pollMs: 50 });
  const socket = connect(Number(await readFile(portFile, 'utf8')), '127.0.0.1');
  const call = marionette(socket);
  await call('WebDriver:NewSession', {});
  return {
    send: (command, parameters = {}) => call(COMMANDS[command][0], parameters),
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await end(browser);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Answer = readonly [
  kind: 1,
  id: number,
  error: { error: string; message: string } | null,
  result: Result,
];
type Result = { readonly value?: unknown } | null;

/** @returns a function that sends a command and waits for its answer: `LENGTH:[0,ID,NAME,PARAMETERS]`, in bytes */
function marionette(socket: Socket): (name: string, parameters: Parameters) => Promise<unknown> {
  const waiting = new Map<number, (answer: Answer) => void>();
  let rest = Buffer.alloc(0);
  let sent = 0;
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const colon = rest.indexOf(':');
      const finish = colon + 1 + Number(rest.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || rest.length < finish) {
        return;
      }
      const message = JSON.parse(rest.subarray(colon + 1, finish).toString()) as Answer | object;
      rest = rest.subarray(finish);
      // The first message is a greeting.
      if (Array.isArray(message)) {
        const answer = message as unknown as Answer;
        waiting.get(answer[1])?.(answer);
        waiting.delete(answer[1]);
      }
    }
  });
  return async (name, parameters) => {
    sent += 1;
    const text = JSON.stringify([0, sent, name, parameters]);
    const answered = new Promise<Answer>((resolve) => waiting.set(sent, resolve));
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, result] = await answered;
    if (error !== null) {
      throw new Error(`${error.error}: ${error.message}`);
    }
    return result?.value;
  };
}

/** Starts the browser of WebKitGTK on a screen of its own, and the program that drives it. */
async function startWebKit(program: string): Promise<DrivenBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-webkit-'));
  const screen = spawn(XVFB ?? '', ['-displayfd', '3', '-screen', '0', '1400x1100x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [display] = (await once(screen.stdio[3] as Readable, 'data')) as [Buffer];
  const port = await freePort();
  const driver = spawn(program, ['--host=127.0.0.1', `--port=${port}`], {
    env: { ...environmentOf(folder), DISPLAY: `:${display.toString().trim()}` },
    stdio: 'ignore',
  });
  await waitForPort(port, driver);
  const base = `http://127.0.0.1:${port}/session`;
  const { sessionId } = (await request('POST', base, { capabilities: {} })) as { readonly sessionId: string };
  return {
    send: (command, parameters = {}) => {
      const [, method, path] = COMMANDS[command];
      return request(
        method,
        `${base}/${sessionId}/${path.replace('{id}', String(parameters.id))}`,
        parameters,
      );
    },
    [Symbol.asyncDispose]: async () => {
      await request('DELETE', `${base}/${sessionId}`, {});
      await end(driver);
      await end(screen);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function request(
  method: 'POST' | 'GET' | 'DELETE',
  url: string,
  parameters: Parameters,
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(method === 'POST' && { body: JSON.stringify(parameters) }),
  });
  const { value } = (await response.json()) as { readonly value: unknown };
  if (!response.ok) {
    const { error, message } = value as { readonly error: string; readonly message: string };
    throw new Error(`${error}: ${message}`);
  }
  return value;
}

/** Nothing of the tester's: neither a session, nor a proxy, nor a language. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, XDG_RUNTIME_DIR: folder, LANG: 'C.UTF-8' };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }
}
