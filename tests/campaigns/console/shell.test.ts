import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import {
  type ConsoleSite,
  faultsOf,
  lookAt,
  openConsole,
  signIn,
  startConsole,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';

describeWithProgram('the frame of the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
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

  it('signs out, and shows nothing afterwards', async () => {
    const { page } = await openConsole(browser, site);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('User name').waitFor();
    await page.reload();
    await page.getByLabel('User name').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  });

  it('speaks German to those who prefer it, and keeps another choice', async () => {
    const context = await browser.newContext({ locale: 'de-AT' });
    const page = await context.newPage();
    await page.goto(`${site.origin}/console/`);
    await page.getByLabel('Benutzername').fill('admin');
    await page.getByLabel('Passwort', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByLabel('Sprache').selectOption('English');
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await context.close();
  });

  it('asks for a new sign-in when the login has ended, and goes on with the same page', async () => {
    const { page } = await openConsole(browser, site);
    await page.context().clearCookies();
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
    await page.reload();
    await signIn(page, 'admin');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(page.url()).toBe(`${site.origin}/console/#/`);
  });
});
