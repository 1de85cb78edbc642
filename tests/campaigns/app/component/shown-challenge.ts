import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page, Request } from 'playwright-core';
import { violationsOf } from '../../../support/browser/axe.ts';
import { openPage } from '../../../support/browser/chromium.ts';
import { PATIENCE_MS } from '../../../support/values/until.ts';

/** A strict policy: no inline script, no inline style, no string made into HTML. */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:",
  "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

/** Keeps the events of the component. */
const RECORDER = `
globalThis.events = [];
for (const name of ['accepted', 'declined', 'refused', 'expired', 'failed']) {
  addEventListener('tankeeper-' + name, ({ type, detail }) => globalThis.events.push({ type, ...detail }));
}`;

/** One request of the component to the portal. */
interface AskedStatus {
  readonly method: string;
  readonly wait: string | null;
  readonly body: string;
}

/** The state, an HTTP status with its headers, or a text that is no state. */
type Answer =
  | { readonly state: string; readonly failcount: number }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly text: string };

/** A portal whose page shows the component, and whose states a test sets. */
interface PortalPage extends AsyncDisposable {
  readonly origin: string;
  readonly asked: AskedStatus[];
  /** The answer to requests without `wait`. */
  answer: Answer;
  /** The answer to typed digits; default: the same. */
  verdict: Answer | undefined;
  /** Sets the answer, and ends the waiting. */
  change(answer: Answer): void;
  /** Resolves once so many requests have come. */
  askedTimes(count: number): Promise<void>;
  /** Resolves once a request waits. */
  untilWaiting(): Promise<void>;
}

/** @param markup of the page, where the component stands */
async function servePortalPage(component: string, markup: string): Promise<PortalPage> {
  const waiting = new Set<ServerResponse>();
  const events = new EventEmitter();
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) {
      await once(events, 'change');
    }
  };
  const portal = {
    origin: '',
    asked: [] as AskedStatus[],
    answer: { state: 'open', failcount: 0 } as Answer,
    verdict: undefined as Answer | undefined,
    change(answer: Answer) {
      portal.answer = answer;
      waiting.forEach((response) => {
        send(response, answer);
      });
      waiting.clear();
    },
    askedTimes: (count: number) => until(() => portal.asked.length >= count),
    untilWaiting: () => until(() => waiting.size > 0),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const files: Readonly<Record<string, readonly [type: string, content: string]>> = {
    '/': ['text/html', pageOf(markup)],
    '/tankeeper-challenge.js': ['text/javascript', component],
    '/recorder.js': ['text/javascript', RECORDER],
    '/page.css': ['text/css', ':root { color-scheme: light dark; }'],
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [type, content] = files[url.pathname] ?? [];
    if (content !== undefined) {
      response.writeHead(200, {
        'Content-Type': `${type ?? ''}; charset=utf-8`,
        'Content-Security-Policy': POLICY,
      });
      response.end(content);
      return;
    }
    void answerStatus(request, response, url);
  });
  async function answerStatus(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { method = '' } = request;
    const wait = url.searchParams.get('wait');
    const body = String(Buffer.concat(await request.toArray()));
    portal.asked.push({ method, wait, body });
    if (method === 'POST') {
      send(response, portal.verdict ?? portal.answer);
    } else if (wait === null) {
      send(response, portal.answer);
    } else {
      waiting.add(response);
      response.on('close', () => {
        waiting.delete(response);
        events.emit('change');
      });
    }
    events.emit('change');
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A test that fails by its time limit must not keep the run.
  server.unref();
  portal.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return portal;
}

function pageOf(markup: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Portal</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">
<script src="/recorder.js"></script><script type="module" src="/tankeeper-challenge.js"></script></head>
<body><main><h1>Portal</h1>${markup}</main></body></html>`;
}

function send(response: ServerResponse, answer: Answer): void {
  if ('status' in answer) {
    response.writeHead(answer.status, answer.headers ?? {}).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end('text' in answer ? answer.text : JSON.stringify(answer));
}

/** The content of a QR code, as the server makes it. */
export const CODE =
  'lseqr://req?me=Pay+120+EUR+to+Bert%3F&u=http%253A%252F%252Flocalhost%253A5001%252Focra%252Fcheck_t&ch=Pay120EURtoBert&tr=5f1c0e9a7b3d42860c1e&si=00ff';

export const CHALLENGE = { transaction: '5f1c0e9a7b3d42860c1e', data: CODE, status: '/status' };

/** Timers of the page may stand still; its other tasks do not. */
const NEXT_TASK = `new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => resolve();
  port2.postMessage(0);
})`;

/** A page with one component. */
export interface ShownChallenge extends AsyncDisposable {
  readonly portal: PortalPage;
  readonly page: Page;
  /** The complaints of the browser. */
  readonly problems: readonly string[];
  /** @returns the events so far, with their details */
  events(): Promise<unknown>;
  /** @returns the violations that axe finds, with their elements */
  violations(): Promise<unknown>;
  /** Waits until the component has had so many answers: what it does then depends on its clock alone. */
  answered(times: number): Promise<void>;
  /** Waits until this is announced. */
  announced(text: string): Promise<void>;
}

/** @param options.clock lets the test move the clock of the page */
export async function showChallenge(
  browser: Browser,
  component: string,
  attributes: Readonly<Record<string, string>>,
  { clock = false, width = 390, answer }: Partial<ShowOptions> = {},
): Promise<ShownChallenge> {
  const portal = await servePortalPage(
    component,
    `<tankeeper-challenge ${markupOf(attributes)}></tankeeper-challenge>`,
  );
  portal.answer = answer ?? portal.answer;
  const { page, problems } = await openPage(browser, portal.origin, width);
  const answers = new EventEmitter();
  let answered = 0;
  const count = (request: Request): void => {
    answered += new URL(request.url()).pathname === '/status' ? 1 : 0;
    answers.emit('one');
  };
  page.on('requestfinished', count);
  // The component does not read what comes with an error.
  page.on('response', (response) => {
    if (!response.ok()) {
      count(response.request());
    }
  });
  if (clock) {
    await page.clock.install({ time: 0 });
    // Later than the page may take until then.
    await page.clock.pauseAt(PATIENCE_MS);
  }
  await page.goto('/');
  await page.locator('tankeeper-challenge[state]').waitFor({ state: 'attached' });
  return {
    portal,
    page,
    problems,
    events: () => page.evaluate('events'),
    violations: () => violationsOf(page),
    answered: async (times) => {
      while (answered < times) {
        await once(answers, 'one');
      }
      await page.evaluate(NEXT_TASK);
    },
    announced: (text) => page.getByRole('status').filter({ hasText: text }).waitFor(),
    [Symbol.asyncDispose]: async () => {
      await page.context().close();
      await portal[Symbol.asyncDispose]();
    },
  };
}

interface ShowOptions {
  readonly clock: boolean;
  readonly width: number;
  /** The first answer of the portal. */
  readonly answer: PortalPage['answer'];
}

function markupOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`)
    .join(' ');
}
