import type { Browser, CDPSession, Page } from 'playwright-core';
import { findChromium, startChromium } from '../tests/support/browser/chromium.ts';
import { type FileSite, serveFiles } from '../tests/support/browser/file-site.ts';
import { bundleForBrowser } from '../tests/support/browser/vite.ts';
import { timeWork, type Work, WORKS } from './response-work.ts';
import { benchCommand, publishResults, type ResultTable } from './result-page.ts';
import { quantile } from './sample-statistics.ts';

/** `npm run bench:app`: the time of an app's computations, in Chromium and in Node. */

const TIMES = 200;
const WARM_UP = 20;
const FRESH_PAGES = 15;
/** As browsers' tools imitate a phone of the middle class. */
const SLOWDOWN = 4;
/** Of Chromium's clock. */
const RESOLUTION_MS = 0.1;
/** Of a response, in Chromium. */
const GOAL_MS = 50;

const program = findChromium();
if (program === undefined) {
  throw new Error('chromium is not installed');
}
process.exitCode = (await run(program)) ? 0 : 1;

interface Times {
  readonly work: Work;
  /** The first time in a fresh page, once for each page. */
  readonly first: readonly number[];
  readonly warm: readonly number[];
  readonly slowed: readonly number[];
  readonly node: readonly number[];
}

async function run(chromium: string): Promise<boolean> {
  const bundle = await bundleForBrowser('bench/response-work.ts');
  await using site = await serveFiles(
    new Map([
      ['index.html', '<!doctype html><title>Responses</title>'],
      ['bundle.js', bundle],
    ]),
  );
  await using browser = await startChromium(chromium);
  const times: Times[] = [];
  for (const work of WORKS) {
    times.push(await measure(browser, site, work));
  }
  const passed = times
    .filter(({ work }) => work.startsWith('challenge'))
    .every(({ first, warm }) => quantile([...first, ...warm], 0.99) <= GOAL_MS);
  await publishResults({
    name: 'response-in-browser',
    title: 'The computations of an app',
    command: benchCommand('bench:app'),
    measures:
      'The time from the text of a code to the response, with signature and counter, and of the key derivation of the second roll-out code: PBKDF2 with 10 000 rounds by WebCrypto, which is used, and by `@noble/hashes`.',
    software: `Chromium ${browser.version()}`,
    sections: [
      `Milliseconds. First: the first time in a fresh page, median of ${FRESH_PAGES}. Others: of ${TIMES} times after ${WARM_UP}. Slowed: Chromium with a main thread ${SLOWDOWN} times as slow, as on a phone.`,
      table(times),
      `- ${passed ? 'PASS' : 'FAIL'}: 99 % of the responses within ${GOAL_MS} ms`,
    ],
  });
  return passed;
}

async function measure(browser: Browser, site: FileSite, work: Work): Promise<Times> {
  const first: number[] = [];
  for (let turn = 0; turn < FRESH_PAGES; turn += 1) {
    first.push(...(await inPage(browser, site, (page) => timeIn(page, work, 1, 0))));
  }
  const warm = await inPage(browser, site, (page) => timeIn(page, work, TIMES, WARM_UP));
  const slowed = await inPage(browser, site, async (page) => {
    const session: CDPSession = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    return timeIn(page, work, TIMES, WARM_UP);
  });
  return { work, first, warm, slowed, node: await timeWork(work, TIMES, WARM_UP) };
}

async function inPage<Value>(
  browser: Browser,
  site: FileSite,
  use: (page: Page) => Promise<Value>,
): Promise<Value> {
  await using context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.origin);
  return await use(page);
}

function timeIn(page: Page, work: Work, times: number, warmUp: number): Promise<number[]> {
  const call = `timeWork(${JSON.stringify(work)}, ${times}, ${warmUp})`;
  return page.evaluate<number[]>(`import("/bundle.js").then(({ timeWork }) => ${call})`);
}

function table(times: readonly Times[]): ResultTable {
  return {
    head: ['computation', 'first', 'median', 'p99', 'slowed, median', 'slowed, p99', 'Node, median'],
    rows: times.map(({ work, first, warm, slowed, node }) => [
      work,
      ...[
        quantile(first, 0.5),
        quantile(warm, 0.5),
        quantile(warm, 0.99),
        quantile(slowed, 0.5),
        quantile(slowed, 0.99),
        quantile(node, 0.5),
      ].map((milliseconds) =>
        milliseconds < RESOLUTION_MS ? `< ${RESOLUTION_MS}` : milliseconds.toFixed(1),
      ),
    ]),
  };
}
