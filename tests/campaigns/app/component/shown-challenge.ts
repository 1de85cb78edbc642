import { EventEmitter, once } from 'node:events';
import type { Browser, Page, Request } from 'playwright-core';
import { violationsOf } from '../../../support/browser/axe.ts';
import { openPage } from '../../../support/browser/chromium.ts';
import { PATIENCE_MS } from '../../../support/values/until.ts';
import { type PortalPage, servePortalPage } from './portal-page.ts';

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
