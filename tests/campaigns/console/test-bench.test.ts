import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  lookAt,
  openConsole,
  startConsole,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

describeWithProgram('the test bench', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    await site.application.enrolPlain('PLAIN', SUITE);
    const { policies } = site.application.services;
    const always = { client: '', time: '', active: true };
    await policies.set(OPERATOR, {
      name: 'admins',
      scope: 'admin',
      action: '*',
      user: 'admin',
      realm: '*',
      ...always,
    });
    await policies.set(OPERATOR, {
      name: 'ocra-admins',
      scope: 'ocra',
      action: '*',
      user: 'admin',
      realm: '*',
      ...always,
    });
    await policies.set(OPERATOR, {
      name: 'issuers',
      scope: 'ocra',
      action: 'request',
      user: 'issuer',
      realm: '*',
      ...always,
    });
    await policies.remove(OPERATOR, 'ocra-administrators');
    await addAdministrator(site, 'issuer');
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  async function open(name = 'admin', width = 1280): Promise<Page> {
    const { page } = await openConsole(browser, site, { path: '/test-bench', name, width });
    await page.getByRole('heading', { level: 1, name: 'Test bench' }).waitFor();
    return page;
  }

  const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

  it.each(WIDTHS)('tries the whole path with a virtual device, %d pixels wide', async (width) => {
    const page = await open('admin', width);
    expect(await lookAt(page, 'test-bench-start')).toEqual([]);
    await button(page, 'Enrol a virtual token').click();
    await page.getByText('First challenge of a virtual device').waitFor();
    await button(page, 'Confirm').click();
    await page.getByText(/^Token \S+ is on the device\.$/).waitFor();
    const text = 'Pay 50 EUR\nto <b>Ann</b> & "Bob"';
    await page.getByLabel('Display data').fill(text);
    await button(page, 'Issue challenge').click();
    await page.getByRole('img', { name: 'QR code of the challenge' }).waitFor();
    await page.getByText('Open: no response yet').waitFor();
    await page.getByText(/^Takes responses for (?:20:00|1\d:\d\d)$/).waitFor();
    await button(page, 'Read the code').click();
    // Nothing can be sent before the text is confirmed.
    await expectSoon(() => page.getByRole('group', { name: 'The device shows' }).innerText()).toBe(text);
    await expectSoon(() => button(page, 'Send it').count()).toBe(0);
    expect(await lookAt(page, 'test-bench-confirm')).toEqual([]);
    await button(page, 'Confirm').click();
    await button(page, 'Send a wrong TAN').click();
    await page.getByText('Wrong, and counted against the token.').waitFor();
    await page.getByText('Open: the last response was wrong').waitFor();
    await button(page, 'Send it').click();
    await page.getByText('Accepted. This transaction takes no further response.').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^Accepted$/ })
      .waitFor();
    await button(page, 'Send the same TAN again').click();
    await page.getByText(/a response was accepted before/).waitFor();
    expect(await lookAt(page, 'test-bench-answered')).toEqual([]);
    await button(page, 'Remove the token').click();
    await button(page, 'Enrol a virtual token').waitFor();
    await page.context().close();
  });

  it('shows the state that a response from elsewhere brings, and takes a typed TAN', async () => {
    const page = await open();
    await page.getByLabel('Serial or user').fill('PLAIN');
    await button(page, 'Find').click();
    await page.getByLabel('Display data').fill('12345678');
    await button(page, 'Issue challenge').click();
    await page.getByText('Open: no response yet').waitFor();
    const id = (await page.getByText('Transaction').locator('code').innerText()).trim();
    await page.getByLabel('TAN').fill('00000000');
    await button(page, 'Send TAN').click();
    await page.getByText('Wrong, and counted against the token.').waitFor();
    const right = site.application.respond(SUITE, '12345678');
    expect(await site.application.check(id, right)).toEqual({ failcount: 0, result: true });
    await page
      .getByRole('status')
      .filter({ hasText: /^Accepted$/ })
      .waitFor();
    await page.context().close();
  });

  it('explains what a caller may not do, and shows the refusal of the server', async () => {
    const page = await open('issuer');
    await page.getByText('To enrol a virtual token takes the right admin:init.').waitFor();
    await page.getByLabel('Serial or user').fill('NOWHERE');
    await button(page, 'Find').click();
    await page.getByLabel('Display data').fill('hello');
    await button(page, 'Issue challenge').click();
    await page.getByRole('alert').filter({ hasText: 'NOWHERE' }).waitFor();
    await expectSoon(() => page.getByLabel('Display data').inputValue()).toBe('hello');
    await button(page, 'Another token').click();
    await page.getByLabel('Serial or user').fill('PLAIN');
    await button(page, 'Find').click();
    await button(page, 'Issue challenge').click();
    await page.getByText('The state is not shown: you lack the right ocra:status.').waitFor();
    await page.context().close();
  });

  it('says that display data do not fit into a QR code, and keeps them', async () => {
    const page = await open();
    await page.getByLabel('Serial or user').fill('PLAIN');
    await button(page, 'Find').click();
    const long = 'x'.repeat(4_000);
    await page.getByLabel('Display data').fill(long);
    await button(page, 'Issue challenge').click();
    await page.getByRole('alert').waitFor();
    await expectSoon(() => page.getByLabel('Display data').inputValue()).toBe(long);
    await page.context().close();
  });
});
