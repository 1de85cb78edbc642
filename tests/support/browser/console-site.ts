import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readSiteFiles } from '../../../src/http/site.ts';
import { OPERATOR, TestApplication } from '../application/test-application.ts';
import { shortOrLong } from '../campaign.ts';
import { violationsInLightAndDark, violationsOf } from './axe.ts';
import { describeWithProgram } from '../servers/system-programs.ts';
import { findChromium, openPage, startChromium, type WatchedPage } from './chromium.ts';
import { builtFolder } from './vite.ts';

type Options = NonNullable<Parameters<typeof TestApplication.open>[0]>;

/** The password of every administrator of these tests. */
export const PASSWORD = 'correct horse';

/** The widths at which pages are looked at, in pixels: of a phone, where they are too wide first, and of a desk. */
export const WIDTHS: readonly number[] = shortOrLong([390], [1280, 390]);

/** A whole server with the console of this checkout, on a port of this machine. */
export interface ConsoleSite {
  readonly application: TestApplication;
  /** Without a slash at its end. */
  readonly origin: string;
  close(): Promise<void>;
}

/** @param options as those of TestApplication, or a function that makes them of the origin */
export async function startConsole(
  options: Options | ((origin: string) => Options) = {},
): Promise<ConsoleSite> {
  const consoleFiles = await readSiteFiles(builtFolder('console'));
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A secure context, as that of an installation behind TLS.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const given = typeof options === 'function' ? options(origin) : options;
  const application = await TestApplication.open({ ...given, http: { ...given.http, consoleFiles } });
  server.on('request', application.app as RequestListener);
  // Browsers drop cookies that have expired by their own clock.
  application.clock.set(new Date());
  return {
    application,
    origin,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await application.close();
    },
  };
}

/** What the tests of `describeConsole` have. */
interface Given {
  readonly browser: Browser;
  readonly site: ConsoleSite;
  /** Opens the console as `openConsole` does. */
  open(page?: Parameters<typeof openConsole>[2]): Promise<WatchedPage>;
  /** Opens an empty page as `openPage` does. */
  openPage(width?: number): Promise<WatchedPage>;
}

/** Tests in Chromium on a console of their own. @param options as those of `startConsole` */
export function describeConsole(
  title: string,
  tests: (given: Given) => void,
  options?: Parameters<typeof startConsole>[0],
): void {
  describeWithProgram(title, findChromium(), 'chromium', (program) => {
    let browser: Browser;
    let site: ConsoleSite;
    beforeAll(async () => {
      [browser, site] = await Promise.all([startChromium(program), startConsole(options)]);
    });
    afterAll(async () => {
      await browser.close();
      await site.close();
    });
    tests({
      get browser() {
        return browser;
      },
      get site() {
        return site;
      },
      open: (page) => openConsole(browser, site, page),
      openPage: (width) => openPage(browser, site.origin, width),
    });
  });
}

/** The browser notes the 401 that tells that nobody is signed in; the rest is a fault. */
export function expectNoProblem(problems: readonly string[]): void {
  expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
}

/** Stores policies, which are in force always and for every client. @param rows realms: all unless given */
export async function setPolicies(
  { application }: Pick<ConsoleSite, 'application'>,
  ...rows: readonly (readonly [name: string, scope: string, action: string, user: string, realm?: string])[]
): Promise<void> {
  for (const [name, scope, action, user, realm = '*'] of rows) {
    await application.setPolicy(name, scope, action, { user, realm });
  }
}

/** Settings of a directory that nobody serves. */
export const LDAP = {
  LDAPURI: 'ldap://127.0.0.1:1',
  LDAPBASE: 'dc=example,dc=com',
  BINDDN: 'cn=reader',
  LOGINNAMEATTRIBUTE: 'uid',
  LDAPSEARCHFILTER: '(uid=*)',
  LDAPFILTER: '(uid=%s)',
};

/** What lets `admin` do everything, also beside policies for others. */
export const ADMIN_MAY_ALL = ['admin', 'system', 'monitoring', 'ocra'].map(
  (scope) => [scope, scope, '*', 'admin'] as const,
);

/** Adds an administrator whose rights are those of the policies. */
export async function addAdministrator({ application }: ConsoleSite, name: string): Promise<void> {
  await application.services.administrators.add(OPERATOR, name, PASSWORD);
}

/** Opens the console in a browser of its own, and signs in. @param path that of the page, after `#` */
async function openConsole(
  browser: Browser,
  { origin }: Pick<ConsoleSite, 'origin'>,
  { path = '/', width = 1280, name = 'admin' }: { path?: string; width?: number; name?: string } = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, origin, width);
  await watched.page.goto(`${origin}/console/#${path}`);
  await signIn(watched.page, name);
  return watched;
}

/** Signs in on the page that asks for it. */
export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('#content').waitFor();
}

/** Opens the menu of the signed-in administrator: how the console is shown, and the sign-out. */
async function openUserMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: /: account and display$|: Konto und Anzeige$/ }).click();
  await page.locator('#user-menu').waitFor();
}

/** Signs out by the menu of the administrator. */
export async function signOut(page: Page): Promise<void> {
  await openUserMenu(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
}

/** @returns the violations of axe on the page as it is now, and what is wider than the window */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  return [...(await violationsOf(page)), ...(await excessOf(page))];
}

async function excessOf(page: Page): Promise<readonly string[]> {
  const excess = Number(
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
  );
  return excess > 0 ? [`the page is ${excess} pixels wider than the window`] : [];
}

/**
 * Looks at the page in light and dark. With SCREENSHOTS=folder, pictures are kept there.
 * @param name that of the pictures
 * @returns the faults
 */
export async function lookAt(page: Page, name: string): Promise<readonly string[]> {
  const width = page.viewportSize()?.width ?? 0;
  const folder = process.env.SCREENSHOTS;
  const faults = await violationsInLightAndDark(page, async (colorScheme) => {
    if (folder !== undefined) {
      const path = `${folder}/console-${name}-${width}-${colorScheme}.png`;
      await page.screenshot({ path, fullPage: true });
    }
    return excessOf(page);
  });
  return faults.map((fault) => `${name}, ${width}, ${fault}`);
}

/** Waits until the overview shows this number of all tokens. */
export function showsTotal(page: Page, total: number): Promise<void> {
  return page
    .locator('dt', { hasText: 'Tokens, all' })
    .locator('xpath=following-sibling::dd')
    .getByText(String(total), { exact: true })
    .waitFor();
}
