import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import {
  addAdministrator,
  type ConsoleSite,
  faultsOf,
  lookAt,
  openConsole,
  signIn,
  startConsole,
  WIDTHS,
  signOut,
  openUserMenu,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

describeWithProgram('the frame of the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { application } = site;
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
    await application.enrolPlain('T2', 'OCRA-1:HOTP-SHA256-8:QN08', { description: 'of the safe' });
    const { policies } = application.services;
    const always = { realm: '*', client: '', time: '', active: true };
    for (const scope of ['admin', 'system', 'monitoring']) {
      await policies.set(OPERATOR, { ...always, name: scope, scope, action: '*', user: 'admin' });
    }
    await policies.set(OPERATOR, { ...always, name: 'desk', scope: 'admin', action: 'show', user: 'desk' });
    await addAdministrator(site, 'desk');
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  it.each(WIDTHS)('has no fault, signed out and signed in, %d pixels wide', async (width) => {
    const { page, problems } = await openPage(browser, site.origin, width);
    await page.goto(`${site.origin}/console/`);
    await page.getByLabel('User name').waitFor();
    expect(await lookAt(page, 'sign-in')).toEqual([]);
    await signIn(page, 'admin');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await lookAt(page, 'start')).toEqual([]);
    if (width < 960) {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('navigation').waitFor();
      expect(await faultsOf(page)).toEqual([]);
    }
    // The browser notes the 401 that tells that nobody is signed in.
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  it.each(['C', 'POSIX.utf8', ''])('shows the overview to a browser whose language is %j', async (tag) => {
    const { page, problems } = await openPage(browser, site.origin);
    await page.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'language', { get: () => ${JSON.stringify(tag)} });
       Object.defineProperty(Navigator.prototype, 'languages', { get: () => [${JSON.stringify(tag)}] });`,
    );
    await page.goto(`${site.origin}/console/`);
    await signIn(page, 'admin');
    await page.getByText('Tokens, all').waitFor();
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  it('opens the page of a path without #, too', async () => {
    const { page } = await openConsole(browser, site);
    await page.goto(`${site.origin}/console/policies`);
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
    await expectSoon(() => page.url()).toBe(`${site.origin}/console/#/policies`);
    await page.goto(site.origin);
    await page.getByText('Tokens, all').waitFor();
  });

  it('has a menu of the administrator that the keyboard opens and closes', async () => {
    const { page } = await openConsole(browser, site);
    // A page takes the focus when it opens.
    await page.getByText('Tokens, all').waitFor();
    const menu = page.getByRole('button', { name: 'admin: account and display' });
    await menu.press('Enter');
    await page.getByLabel('Times').waitFor();
    expect(await lookAt(page, 'user-menu')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByLabel('Times').waitFor({ state: 'detached' });
    await expectSoon(() => page.locator(':focus').innerText()).toBe('admin');
    await menu.click();
    await page.getByRole('complementary').getByRole('link', { name: 'My account' }).click();
    await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor();
    await page.getByLabel('Times').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('shows times in UTC to those who want it, and keeps the choice in the browser', async () => {
    const { page } = await openConsole(browser, site, { path: '/tokens/T1' });
    const created = page.locator('dt', { hasText: 'Enrolled' }).locator('xpath=following-sibling::dd');
    await created.waitFor();
    await openUserMenu(page);
    await page.getByLabel('Times').selectOption('UTC');
    await expectSoon(() => created.innerText()).toMatch(/ UTC$/);
    await page.reload();
    await expectSoon(() => created.innerText()).toMatch(/ UTC$/);
    await page.goto(`${site.origin}/console/#/audit`);
    await page.getByLabel('Period').selectOption('own');
    await page.getByLabel('From (UTC)').waitFor();
    await page.context().close();
  });

  it('keeps header and navigation in sight, and uses the width of a large screen', async () => {
    const { page } = await openConsole(browser, site, { path: '/policies', width: 1920 });
    await page.getByRole('table').waitFor();
    await page.evaluate('document.querySelector("#content").style.minHeight = "5000px"; scrollTo(0, 3000)');
    await expectSoon(() => page.evaluate('scrollY > 2000')).toBe(true);
    const tops = 'document.querySelector("header").getBoundingClientRect().top';
    await expectSoon(() => page.evaluate(tops)).toBe(0);
    const side = 'Math.round(document.querySelector("nav").getBoundingClientRect().top) < 100';
    await expectSoon(() => page.evaluate(side)).toBe(true);
    const width = Number((await page.getByRole('table').boundingBox())?.width);
    expect(width).toBeGreaterThan(1500);
    await page.context().close();
  });

  it('leads from each page to its guide', async () => {
    const { page } = await openConsole(browser, site, { path: '/policies' });
    const link = page.getByRole('link', { name: 'Documentation' });
    await expectSoon(() => link.getAttribute('href')).toBe('guides/policies.txt');
    const [guide] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await guide.getByText('# Policies').waitFor();
    await page.context().close();
  });

  it('signs out, and shows nothing afterwards', async () => {
    const { page } = await openConsole(browser, site);
    await signOut(page);
    await page.getByLabel('User name').waitFor();
    await page.reload();
    await page.getByLabel('User name').waitFor();
    await expectSoon(() => page.getByRole('navigation').count()).toBe(0);
  });

  it('speaks German to those who prefer it, and keeps another choice', async () => {
    const context = await browser.newContext({ locale: 'de-AT' });
    const page = await context.newPage();
    await page.goto(`${site.origin}/console/`);
    await page.getByLabel('Benutzername').fill('admin');
    await page.getByLabel('Passwort', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await openUserMenu(page);
    await page.getByLabel('Sprache').selectOption('English');
    await page.reload();
    await page.getByRole('button', { name: 'admin: account and display' }).waitFor();
    await expectSoon(() => page.evaluate('document.documentElement.lang')).toBe('en');
    await context.close();
  });

  it.each([
    ['en-GB', /\d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d:\d\d/],
    ['en-US', /[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d:\d\d [AP]M/],
  ])('writes times as the region of the browser does: %s', async (locale, written) => {
    const context = await browser.newContext({ locale });
    const page = await context.newPage();
    await page.goto(`${site.origin}/console/#/account`);
    await signIn(page, 'admin');
    await expectSoon(() => page.getByText(written).count()).toBeGreaterThan(0);
    await context.close();
  });

  it('keeps what was typed, in a dialog too, when the login ends', async () => {
    const { page } = await openConsole(browser, site, { path: '/enrol' });
    await page.getByRole('button', { name: 'admin: account and display' }).waitFor();
    await page.goto(`${site.origin}/console/#/tokens/T1`);
    await page.getByRole('button', { name: 'Rename' }).click();
    const field = page.getByRole('dialog').getByLabel('Description');
    await field.fill('phone of the office');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('User name').waitFor();
    await expectSoon(() => page.getByRole('dialog').count()).toBe(0);
    await expectSoon(() => field.isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await signIn(page, 'admin');
    await expectSoon(() => field.inputValue()).toBe('phone of the office');
    await page.getByRole('button', { name: 'Save' }).click();
    await field.waitFor({ state: 'detached' });
    await page.getByText('phone of the office').waitFor();
    await page.context().close();
  });

  it('leaves nothing of the pages behind a sign-out, and begins at the start', async () => {
    const { page } = await openConsole(browser, site, { path: '/tokens/T2' });
    await page.getByText('of the safe').waitFor();
    await signOut(page);
    await page.getByLabel('User name').waitFor();
    await expectSoon(() => page.locator('#content').count()).toBe(0);
    await expectSoon(() => page.locator('body').innerHTML()).not.toContain('of the safe');
    await signIn(page, 'desk');
    // Neither monitoring nor configuration is theirs.
    await page.getByRole('searchbox').waitFor();
    await expectSoon(() => page.url()).toBe(`${site.origin}/console/#/search`);
    await page.context().close();
  });

  it('shows nothing that another administrator has read in this browser', async () => {
    const { page } = await openConsole(browser, site, { path: '/tokens/T2' });
    await page.getByText('of the safe').waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByLabel('User name').waitFor();
    await page.route('**/api/admin/token', async () => {
      // The answer never comes.
      await Promise.resolve();
    });
    await signIn(page, 'desk');
    await page.getByRole('searchbox').waitFor();
    await expectSoon(() => page.locator('body').innerHTML()).not.toContain('of the safe');
    await page.goto(`${site.origin}/console/#/tokens/T2`);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await expectSoon(() => page.locator('body').innerHTML()).not.toContain('of the safe');
    await page.context().close();
  });

  it('signs out where the server has ended the login, and says so where it is away', async () => {
    // The overview would notice the end by itself.
    const { page } = await openConsole(browser, site, { path: '/tokens/T2' });
    await page.route('**/api/admin/logout', (route) => route.abort());
    await signOut(page);
    await page
      .getByRole('complementary')
      .getByRole('alert')
      .getByText('The server does not answer')
      .waitFor();
    await page.unroute('**/api/admin/logout');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('User name').waitFor();
    await expectSoon(() => page.locator('#content').count()).toBe(0);
    await page.context().close();
  });

  it('asks for a new sign-in when the login has ended, and goes on with the same page', async () => {
    const { page } = await openConsole(browser, site);
    await page.context().clearCookies();
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    await page.reload();
    await signIn(page, 'admin');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectSoon(() => page.url()).toBe(`${site.origin}/console/#/`);
  });
});
