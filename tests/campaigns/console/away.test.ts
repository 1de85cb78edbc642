import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import {
  type ConsoleSite,
  lookAt,
  PASSWORD,
  signIn,
  startConsole,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';

describeWithProgram('a console whose server is away', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;
  let page: Page;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    await site.application.enrolPlain('T1', SUITE);
    await site.application.services.webhooks.add(OPERATOR, {
      name: 'siem',
      url: 'https://siem.example.org/',
    });
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });
  beforeEach(async () => {
    ({ page } = await openPage(browser, site.origin));
  });
  afterEach(async () => {
    await page.context().close();
  });

  async function open(path: string): Promise<void> {
    await page.goto(`${site.origin}/console/#${path}`);
    await signIn(page, 'admin');
  }

  it('goes on by itself when the server is back, however long that takes', async () => {
    await page.clock.install();
    await page.route('**/console/api/admin/helpdesk/tokens', (route) => route.abort());
    await open('/tokens');
    await page.clock.runFor(5_000);
    await page.getByText('This page goes on as soon as it does.').waitFor();
    await page.clock.runFor(60_000);
    await page.getByText('This page goes on as soon as it does.').waitFor();
    await page.unroute('**/console/api/admin/helpdesk/tokens');
    await page.clock.runFor(6_000);
    await page.getByRole('link', { name: 'T1' }).waitFor();
    await expectSoon(() => page.getByRole('alert').count()).toBe(0);
  });

  it('says that an act may have been done, and sends none later', async () => {
    await open('/tokens/T1');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    // The browser itself knows that there is no network.
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alert').getByText('Whether this was done is not known.').waitFor();
    await page.context().setOffline(false);
    await page.reload();
    await page.getByText('ready', { exact: true }).waitFor();
    const shown = await site.application.asAdmin('/admin/show', { serial: 'T1' });
    expect(shown.body).toMatchObject({ result: { value: { tokens: [{ active: true }] } } });
  });

  it('says at the field that the server did not answer', async () => {
    await open('/enrol');
    await page.getByRole('button', { name: 'Show the first QR code' }).click();
    await page.getByLabel('Activation code', { exact: true }).fill('GEZDGNBVGY3TQOJQ01');
    await page.route('**/console/api/admin/init', (route) => route.abort());
    await page.getByRole('button', { name: 'Show the second QR code' }).click();
    await page.getByText('The server does not answer.').waitFor();
    await expectSoon(() => page.getByLabel('Activation code', { exact: true }).inputValue()).toBe(
      'GEZDGNBVGY3TQOJQ01',
    );
  });

  it('speaks German of failures and consequences too', async () => {
    const context = await browser.newContext({ locale: 'de-DE' });
    const german = await context.newPage();
    await site.application.addRealm('customers', ['anna']);
    await site.application.asAdmin('/admin/tokenrealm', { serial: 'T1', realms: 'customers' });
    await german.goto(`${site.origin}/console/#/realms`);
    await german.getByLabel('Benutzername').fill('admin');
    await german.getByLabel('Passwort', { exact: true }).fill('falsch');
    await german.getByRole('button', { name: 'Anmelden' }).click();
    await german.getByRole('alert').getByText('Benutzername oder Passwort ist falsch.').waitFor();
    await german.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
    await german.getByRole('button', { name: 'Anmelden' }).click();
    await german.getByRole('button', { name: 'Entfernen: customers' }).click();
    await german.getByText('1 Token verlässt diesen Realm').waitFor();
    await expectSoon(() => german.getByRole('dialog').innerText()).not.toMatch(/realm afterwards|leaves/);
    for (const width of WIDTHS) {
      await german.setViewportSize({ width, height: 900 });
      expect(await lookAt(german, 'realm-removal-german')).toEqual([]);
    }
    await german.getByRole('button', { name: 'Abbrechen' }).click();
    await german.goto(`${site.origin}/console/#/tokens/NOWHERE`);
    await german.getByRole('alert').getByText('Dieses Token gibt es nicht').waitFor();
    await context.close();
  });
});
