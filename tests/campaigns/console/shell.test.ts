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
});
