import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import { type ConsoleSite, lookAt, openConsole, startConsole } from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

describeWithProgram('the way through the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    await site.application.addRealm('north', ['anna', 'annabel']);
    await site.application.enrolPlain('T1', SUITE, { user: 'anna', realm: 'north' });
    await site.application.enrolPlain('T2', SUITE);
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  it('leads from a figure to the tokens that it counts, and from a token to its audit', async () => {
    const { page, problems } = await openConsole(browser, site);
    const figure = page.locator('dt', { hasText: 'Tokens, unassigned' });
    await figure.locator('xpath=following-sibling::dd').getByRole('link', { name: '1' }).click();
    await page.getByRole('link', { name: 'T2' }).waitFor();
    await expectSoon(() => page.getByRole('link', { name: 'T1' }).count()).toBe(0);
    expect(await lookAt(page, 'tokens-unassigned')).toEqual([]);
    await page.getByRole('link', { name: 'T2' }).click();
    await page.locator('#content').getByRole('link', { name: 'Audit' }).click();
    await expectSoon(() => page.getByLabel('Token or other object').inputValue()).toBe('T2');
    await page
      .getByRole('group')
      .filter({ hasText: /T2(?!\d)/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page
      .getByRole('group')
      .filter({ hasText: /T1(?!\d)/ })
      .first()
      .waitFor();
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  it('is open to the keyboard: Ctrl+K and / search from every page, arrows choose a hit', async () => {
    const { page } = await openConsole(browser, site, { path: '/policies' });
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('searchbox');
    await field.fill('anna');
    await page.getByRole('link', { name: 'annabel', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await expectSoon(() => page.locator(':focus').innerText()).toBe('anna');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expectSoon(() => page.locator(':focus').getAttribute('type')).toBe('search');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('anna · Realm: north').waitFor();
    await page.goto(`${site.origin}/console/#/account`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await expectSoon(() => page.locator(':focus').getAttribute('type')).toBe('search');
    expect(await lookAt(page, 'search')).toEqual([]);
  });

  it('offers the values of otppin in words', async () => {
    const { page } = await openConsole(browser, site, { path: '/policies/new' });
    await page.getByLabel('Scope').selectOption('authentication');
    await page
      .getByLabel('otppin')
      .selectOption({ label: '1: the password of the user before the response' });
    await expectSoon(() => page.getByLabel('otppin').inputValue()).toBe('1');
    expect(await lookAt(page, 'otppin')).toEqual([]);
  });

  it('says the zone of times', async () => {
    const { page } = await openConsole(browser, site, { path: '/tokens/T1' });
    const created = page.locator('dt', { hasText: 'Enrolled' }).locator('xpath=following-sibling::dd');
    await expectSoon(() => created.innerText()).toMatch(/\b(?:UTC|GMT[+-\d:]*|[A-Z]{3,5})$/);
  });
});
