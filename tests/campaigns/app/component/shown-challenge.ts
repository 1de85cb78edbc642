import { EventEmitter, once } from 'node:events';
import type { Browser, Page, Request, Route } from 'playwright-core';
import { violationsOf } from '../../../support/browser/axe.ts';
import { openPage } from '../../../support/browser/chromium.ts';
import { PATIENCE_MS, until } from '../../../support/values/until.ts';

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
  | { readonly status: number }
  | { readonly text: string };

/** A portal whose page shows the component, and whose states a test sets. */
interface PortalPage {
  readonly asked: AskedStatus[];
  /** The answer to requests without `wait`. */
  answer: Answer;
  /** The answer to typed digits; default: the same. */
  verdict: Answer | undefined;
  /** Sets the answer, and ends the waiting. */
  change(answer: Answer): Promise<void>;
  /** Resolves once so many requests have come. */
  askedTimes(count: number): Promise<void>;
  /** Resolves once a request waits. */
  untilWaiting(): Promise<void>;
}

const ORIGIN = 'http://localhost';

/** Answers for a portal in the place of the network. @param markup of the page, where the component stands */
async function servePortalPage(page: Page, component: string, markup: string): Promise<PortalPage> {
  const waiting = new Set<Route>();
  const portal = {
    asked: [] as AskedStatus[],
    answer: { state: 'open', failcount: 0 } as Answer,
    verdict: undefined as Answer | undefined,
    async change(answer: Answer) {
      portal.answer = answer;
      const routes = [...waiting];
      waiting.clear();
      await Promise.all(routes.map((route) => send(route, answer)));
    },
    askedTimes: (count: number) => until(() => portal.asked.length >= count),
    untilWaiting: () => until(() => waiting.size > 0),
  };
  const files: Readonly<Record<string, readonly [type: string, content: string]>> = {
    '/': ['text/html', pageOf(markup)],
    '/tankeeper-challenge.js': ['text/javascript', component],
    '/recorder.js': ['text/javascript', RECORDER],
    '/page.css': ['text/css', ':root { color-scheme: light dark; }'],
  };
  await page.route(`${ORIGIN}/**`, async (route) => {
    const request = route.request();
    const { pathname, searchParams } = new URL(request.url());
    const [type, body] = files[pathname] ?? [];
    if (body !== undefined) {
      const headers = { 'Content-Security-Policy': POLICY };
      await route.fulfill({ contentType: `${type ?? ''}; charset=utf-8`, headers, body });
      return;
    }
    const method = request.method();
    const wait = searchParams.get('wait');
    portal.asked.push({ method, wait, body: request.postData() ?? '' });
    if (method === 'POST') {
      await send(route, portal.verdict ?? portal.answer);
    } else if (wait === null) {
      await send(route, portal.answer);
    } else {
      waiting.add(route);
    }
  });
  return portal;
}

function pageOf(markup: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Portal</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">
<script src="/recorder.js"></script><script type="module" src="/tankeeper-challenge.js"></script></head>
<body><main><h1>Portal</h1>${markup}</main></body></html>`;
}

function send(route: Route, answer: Answer): Promise<void> {
  return 'status' in answer
    ? route.fulfill(answer)
    : route.fulfill({
        contentType: 'application/json',
        body: 'text' in answer ? answer.text : JSON.stringify(answer),
      });
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
  const { page, problems } = await openPage(browser, ORIGIN, width);
  const markup = `<tankeeper-challenge ${markupOf(attributes)}></tankeeper-challenge>`;
  const portal = await servePortalPage(page, component, markup);
  portal.answer = answer ?? portal.answer;
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
    [Symbol.asyncDispose]: () => page.context().close(),
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
