import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  lookAt,
  openConsole,
  signIn,
  startConsole,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';
/** Would end the test if a page took it for markup. */
const PROBE = `<img src=x onerror="document.title='probe'">`;

describeWithProgram('an act in the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { application } = site;
    await application.addRealm('north', ['anna']);
    await application.enrolPlain('T1', SUITE, { user: 'anna', realm: 'north', description: PROBE });
    const common = { client: '', time: '', active: true };
    const { policies } = application.services;
    const admin = { ...common, scope: 'admin', action: '*', realm: '*', user: 'admin' };
    await policies.set(OPERATOR, { ...admin, name: 'all' });
    for (const scope of ['system', 'monitoring', 'ocra'] as const) {
      await policies.set(OPERATOR, { ...admin, name: scope, scope });
    }
    await policies.set(OPERATOR, { ...admin, name: 'desk', action: 'show, userlist, disable', user: 'desk' });
    await addAdministrator(site, 'desk');
    await addAdministrator(site, 'nobody');
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  const told = (page: Page, text: string): Promise<void> =>
    page.locator('[aria-live="polite"]').getByText(text).waitFor();

  it('is announced, and undone by a button where that is possible and allowed', async () => {
    const { page } = await openConsole(browser, site, { path: '/tokens/T1' });
    await page.getByRole('button', { name: 'Disable' }).click();
    await told(page, 'T1 is disabled.');
    expect(await lookAt(page, 'told')).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await told(page, 'T1 is enabled.');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('other');
    await page.keyboard.press('Enter');
    await told(page, 'T1 is renamed.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(PROBE).waitFor();
    // What ends on another page is announced there.
    await expectSoon(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await expectSoon(() => page.title()).not.toBe('probe');
    await page.goto(`${site.origin}/console/#/search`);
    await expectSoon(() => page.getByText('T1 is renamed.').count()).toBe(0);
  });

  it('has no undo for a helpdesk without the right to it', async () => {
    const { page } = await openConsole(browser, site, { path: '/tokens/T1', name: 'desk' });
    await page.getByRole('button', { name: 'Disable' }).click();
    await told(page, 'T1 is disabled.');
    await expectSoon(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await site.application.services.tokens.enable(OPERATOR, { serial: 'T1' });
  });

  it('leads from a transaction to the person by name, and tells what happened in words', async () => {
    const { transactionid } = await site.application.challenge('T1', '12345678');
    await site.application.check(transactionid, '00000000');
    const { page } = await openConsole(browser, site, { path: `/transactions/${transactionid}` });
    await page.getByText('sent with the transaction').waitFor();
    await page.getByRole('link', { name: 'anna' }).click();
    await page.getByText('anna · Realm: north').waitFor();
    expect(await lookAt(page, 'person')).toEqual([]);
  });

  it('that failed as the login had ended leaves no failure behind after the next sign-in', async () => {
    const { page } = await openConsole(browser, site, { path: '/tokens/T1' });
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Your session has ended').waitFor();
    expect(await lookAt(page, 'session-ended')).toEqual([]);
    await signIn(page, 'admin');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await expectSoon(() => page.getByRole('alert').count()).toBe(0);
  });

  it('cannot be had without a right, and the start tells whom to ask', async () => {
    const { page } = await openConsole(browser, site, { name: 'nobody' });
    await page.getByText('No policy gives you a right to people').waitFor();
    expect(await lookAt(page, 'no-rights')).toEqual([]);
  });

  it('shows an activation code in groups, also beside the second QR code', async () => {
    const { page } = await openConsole(browser, site, { path: '/enrol' });
    await page.getByRole('button', { name: 'Show the first QR code' }).click();
    await page.getByLabel('Activation code', { exact: true }).fill('GEZD GNBV GY3T QOJQ 01');
    await page.getByRole('button', { name: 'Show the second QR code' }).click();
    const shown = page.getByRole('region', { name: '3. Second QR code' });
    await shown.getByText('GEZD GNBV GY3T QOJQ 01').waitFor();
    await shown.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await lookAt(page, 'second-code')).toEqual([]);
  });
});
