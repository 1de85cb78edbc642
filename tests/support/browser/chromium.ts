import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Browser, type BrowserContext, chromium, type Download, type Page } from 'playwright-core';
import { PATIENCE_MS } from '../values/until.ts';
import { findSystemProgram } from '../servers/program-paths.ts';

/** No sandbox, as CI is root; no traffic of Chromium's own. */
export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const PICTURES = join(import.meta.dirname, '../../../docs/images');

/** The variable with the address of the Chromium that the set-up of the campaigns has started. */
export const SHARED_CHROMIUM = 'TANKEEPER_TEST_CHROMIUM';

/** A page, and what its visitor would not expect of it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors on the console (violations of the Content-Security-Policy among them), uncaught errors, requests elsewhere. */
  readonly problems: readonly string[];
}

/** @returns the path of Chromium; undefined if it is not installed */
export function findChromium(): string | undefined {
  return findSystemProgram('chromium');
}

/**
 * Without arguments of its own, the one that the campaigns share: its contexts end with the caller's `close`.
 * @param program the path of Chromium
 * @param args further arguments, as those of a fake camera (`cameraArguments`)
 */
export async function startChromium(program: string, args: readonly string[] = []): Promise<Browser> {
  const shared = process.env[SHARED_CHROMIUM];
  const browser = await (shared === undefined || args.length > 0
    ? chromium.launch({
        executablePath: program,
        args: [...CHROMIUM_ARGUMENTS, ...args],
        headless: true,
        timeout: PATIENCE_MS,
      })
    : chromium.connect(shared, { timeout: PATIENCE_MS }));
  return browser.on('context', bePatient);
}

/**
 * Starts a browser with a profile in a folder, as that of a phone that is used again.
 * @param args further arguments
 */
export async function startProfile(
  program: string,
  folder: string,
  args: readonly string[] = [],
): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: program,
    args: [...CHROMIUM_ARGUMENTS, ...args],
    headless: true,
    viewport: { width: 390, height: 844 },
    timeout: PATIENCE_MS,
  });
  bePatient(context);
  return context;
}

function bePatient(context: BrowserContext): void {
  context.setDefaultTimeout(PATIENCE_MS);
}

/**
 * Opens an empty page of its own: without cookies and cache of others.
 * @param origin the server; requests to others are refused and noted
 * @param width pixels
 */
export async function openPage(browser: Browser, origin: string, width = 1280): Promise<WatchedPage> {
  return watchPage(await browser.newContext({ baseURL: origin, viewport: { width, height: 900 } }), origin);
}

/** Gives the page a security key of Chromium's own, without a window. */
export async function addSecurityKey(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...({ protocol: 'ctap2', transport: 'internal' } as const),
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** With WRITE_RESULTS=1, keeps what is seen of the page as a picture of the README. @param name that of the file */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.WRITE_RESULTS === '1') {
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }
}

/** @returns the text of the file that the page offers to save; the browser may run elsewhere than the test */
export async function savedText(download: Download): Promise<string> {
  return (await buffer(await download.createReadStream())).toString();
}

/** Opens a page. @param origin the server; requests of the context to others are refused and noted */
export async function watchPage(context: BrowserContext, origin: string): Promise<WatchedPage> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      problems.push(`console: ${message.text()} ${message.location().url}`);
    }
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  await context.route(
    (url) => url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:',
    async (route) => {
      problems.push(`request elsewhere: ${route.request().url()}`);
      await route.abort();
    },
  );
  return { page, problems };
}
