import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import pg from 'pg';
import type { BrowserContext, Page } from 'playwright-core';

import { findChromium, startProfile } from '../tests/support/browser/chromium.ts';
import { openBenchCluster } from './bench-cluster.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { ClosingStack } from './closing-stack.ts';
import { benchCommand, publishResults, type ResultTable } from './result-page.ts';
import { median, range } from './sample-statistics.ts';
import { fillTokens } from './token-fill.ts';

/** `npm run bench:first-view`: see docs/benchmarks.md. */

const USERS = 3_000;
const REALMS = 20;
const MAX_MS = 1_500;
const VIEWPORT = { width: 1280, height: 900 };
/** Of the wheel, in pixels, one a frame. */
const TURN_PX = 60;
const TURNS = 60;

/** The pages that are measured, in the order of the table. */
const MEASURES = [
  { key: 'signInPaint', name: 'sign-in page: first contentful paint', isFirstView: true },
  { key: 'signInHeading', name: 'sign-in page: heading', isFirstView: true },
  { key: 'overviewFigures', name: 'overview, from the click on “Sign in”: figures', isFirstView: true },
  { key: 'againPaint', name: 'overview, signed in before: first contentful paint', isFirstView: true },
  { key: 'againFigures', name: 'overview, signed in before: figures', isFirstView: true },
  { key: 'tokens', name: 'tokens, from the click on the link: rows', isFirstView: false },
  { key: 'furtherTokens', name: 'tokens, from the click on “Next page”: rows', isFirstView: false },
  { key: 'longestFrame', name: 'tokens: longest frame while scrolling', isFirstView: false },
] as const;

type Measured = Readonly<Record<(typeof MEASURES)[number]['key'], number>>;

const { values: flags } = parseArgs({
  options: {
    tokens: { type: 'string', default: '10000' },
    runs: { type: 'string', default: '20' },
  },
});
const program = findChromium();
if (program === undefined) {
  throw new Error('chromium is not installed');
}
process.exitCode = (await run(program, Number(flags.tokens), Number(flags.runs))) ? 0 : 1;

async function run(chromium: string, tokens: number, runs: number): Promise<boolean> {
  const opened = new ClosingStack();
  try {
    const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, false);
    opened.add(() => cluster.close());
    const url = await cluster.createDatabase('first_view');
    await fill(url, tokens);
    const server = await startBenchServer(url, join(cluster.folder, 'server'), { rights: '*' });
    opened.add(() => server.stop());
    const all: Measured[] = [];
    for (let one = 0; one < runs; one += 1) {
      all.push(await measure(chromium, cluster.folder, server, tokens));
    }
    const isKept = MEASURES.filter(({ isFirstView }) => isFirstView).every(
      ({ key }) => Math.max(...all.map((measured) => measured[key])) <= MAX_MS,
    );
    await publishResults({
      name: 'console-first-view',
      title: 'The first view of the console',
      command: benchCommand('bench:first-view'),
      measures:
        'From the navigation, or from a click, until Chromium shows it: [Benchmarks](../benchmarks.md#first-view-of-the-console).',
      software: `PostgreSQL ${cluster.version}, Chromium ${await versionOf(chromium, cluster.folder)}`,
      sections: [
        `${tokens} tokens, ${USERS} managed users, ${REALMS} realms; ${runs} runs, each with two new profiles of the browser, whose caches are empty.`,
        table(all),
        `- ${isKept ? 'PASS' : 'FAIL'}: no first view takes more than ${MAX_MS} ms`,
      ],
    });
    return isKept;
  } finally {
    await opened.close();
  }
}

/** Tokens as in the other benches, and the responses of an hour. */
async function fill(url: string, tokens: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await fillTokens(client, { tokens, users: USERS, realms: REALMS });
    await client.query(`
      INSERT INTO response_minutes (minute, outcome, durations)
      SELECT date_trunc('minute', now()) - n * interval '1 minute', outcome, ARRAY[3, 20 + n, 5, 1]::bigint[]
      FROM generate_series(1, 59) AS n, unnest(ARRAY['accepted', 'wrong']) AS outcome`);
  } finally {
    await client.end();
  }
}

async function measure(
  chromium: string,
  folder: string,
  server: BenchServer,
  tokens: number,
): Promise<Measured> {
  const total = tokens.toLocaleString('en');
  const first = await inNewProfile(chromium, folder, async (context, page) => {
    await page.goto(`${server.baseUrl}/console/`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    const signInHeading = await now(page);
    const signInPaint = await firstPaint(page);
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill(server.password);
    const overviewFigures = await after(page, 'Sign in', 'button', () => showsFigures(page, total));
    const tokensShown = await after(page, 'Tokens', 'link', () => showsRow(page, 1));
    const longestFrame = await scroll(page);
    const furtherTokens = await after(page, 'Next page', 'button', () => showsRow(page, 51));
    return {
      cookies: await context.cookies(),
      signInPaint,
      signInHeading,
      overviewFigures,
      tokens: tokensShown,
      longestFrame,
      furtherTokens,
    };
  });
  const { cookies, ...measured } = first;
  const again = await inNewProfile(chromium, folder, async (context, page) => {
    await context.addCookies(cookies);
    await page.goto(`${server.baseUrl}/console/`);
    await showsFigures(page, total);
    return { againFigures: await now(page), againPaint: await firstPaint(page) };
  });
  return { ...measured, ...again };
}

/** Runs a browser of its own, which knows nothing of former runs. */
async function inNewProfile<Value>(
  chromium: string,
  folder: string,
  use: (context: BrowserContext, page: Page) => Promise<Value>,
): Promise<Value> {
  const profile = await mkdtemp(join(folder, 'profile-'));
  const context = await startProfile(chromium, profile);
  try {
    const page = await context.newPage();
    await page.setViewportSize(VIEWPORT);
    return await use(context, page);
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}

/** @returns milliseconds from the click until what follows is shown */
async function after(
  page: Page,
  name: string,
  role: 'button' | 'link',
  shown: () => Promise<void>,
): Promise<number> {
  const target = page.getByRole(role, { name, exact: true });
  await target.scrollIntoViewIfNeeded();
  const begun = performance.now();
  await target.click();
  await shown();
  return performance.now() - begun;
}

function showsFigures(page: Page, total: string): Promise<void> {
  return page
    .locator('dt', { hasText: 'Tokens, all' })
    .locator('xpath=following-sibling::dd')
    .getByText(total, { exact: true })
    .waitFor();
}

function showsRow(page: Page, number: number): Promise<void> {
  return page.getByRole('link', { name: `QR${String(number).padStart(9, '0')}`, exact: true }).waitFor();
}

/** @returns milliseconds since the navigation */
function now(page: Page): Promise<number> {
  return page.evaluate<number>('performance.now()');
}

/** @returns milliseconds from the navigation to the first paint of text (https://www.w3.org/TR/paint-timing/) */
function firstPaint(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint !== undefined) resolve(paint.startTime);
    }).observe({ type: 'paint', buffered: true });
  })`);
}

/** Scrolls down and up by the wheel. @returns the longest time between two frames, in milliseconds */
async function scroll(page: Page): Promise<number> {
  await page.mouse.move(VIEWPORT.width / 2, VIEWPORT.height / 2);
  await page.evaluate(`
    window.scrolledFrames = { longest: 0, isOver: false };
    let last = performance.now();
    requestAnimationFrame(function frame(at) {
      window.scrolledFrames.longest = Math.max(window.scrolledFrames.longest, at - last);
      last = at;
      if (!window.scrolledFrames.isOver) requestAnimationFrame(frame);
    });`);
  for (const turn of [TURN_PX, -TURN_PX]) {
    for (let one = 0; one < TURNS; one += 1) {
      await page.mouse.wheel(0, turn);
    }
    if (turn > 0) {
      await page.waitForFunction('scrollY > 0');
    }
  }
  return page.evaluate<number>('(window.scrolledFrames.isOver = true, window.scrolledFrames.longest)');
}

async function versionOf(chromium: string, folder: string): Promise<string> {
  return inNewProfile(chromium, folder, (context) =>
    Promise.resolve(context.browser()?.version() ?? 'unknown'),
  );
}

function table(all: readonly Measured[]): ResultTable {
  return {
    head: ['view', 'median, ms', 'least, ms', 'greatest, ms'],
    rows: MEASURES.map(({ key, name }) => {
      const times = all.map((measured) => measured[key]);
      return [name, ...[median(times), ...range(times)].map((time) => time.toFixed(0))];
    }),
  };
}
