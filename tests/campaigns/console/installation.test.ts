import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openDatabase } from '../../../src/database/database.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import {
  type ConsoleSite,
  lookAt,
  openConsole,
  startConsole,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import { registerKey } from '../../support/application/test-keys.ts';
import { WebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const KEY_ID = 'aa'.repeat(8);

describeWithProgram('keys and webhooks in the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    [browser, site, receiver] = await Promise.all([
      startChromium(program),
      startConsole(),
      WebhookReceiver.start(),
    ]);
    const { application } = site;
    await application.addRealm('office', ['anna']);
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
    const database = openDatabase({ connection: application.databaseUrl, applicationName: 'test' });
    await registerKey(database, { keyId: KEY_ID, canary: Buffer.from('canary') });
    await database.close();
    await application.services.webhooks.add(OPERATOR, { name: 'siem', url: receiver.url });
    await queryOnce(
      application.databaseUrl,
      `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, data, attempts, last_failure)
       SELECT id, gen_random_uuid(), 'token.locked', now(), '{}', 3, 'HTTP 500' FROM webhooks`,
    );
  });
  afterAll(async () => {
    await receiver.stop();
    await browser.close();
    await site.close();
  });

  const shown = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();

  it.each(WIDTHS)('have no fault, %d pixels wide', async (width) => {
    const { page, problems } = await openConsole(browser, site, { path: '/keys', width });
    await page.getByRole('button', { name: 'Count the sealed secrets' }).click();
    await shown(page, '0 of 2 secrets are sealed with the current key.');
    expect(await lookAt(page, 'keys')).toEqual([]);
    await page.goto(`${site.origin}/console/#/webhooks`);
    await page.getByRole('link', { name: 'Open: siem' }).waitFor();
    expect(await lookAt(page, 'webhooks')).toEqual([]);
    await page.getByRole('link', { name: 'Open: siem' }).click();
    await page.getByRole('cell', { name: /HTTP 500/ }).waitFor();
    await page.getByRole('button', { name: 'Test' }).click();
    await shown(page, 'The receiver has answered HTTP 200');
    expect(await lookAt(page, 'webhook')).toEqual([]);
    await page.goto(`${site.origin}/console/#/new-webhook`);
    await page.getByLabel('token.locked').waitFor();
    expect(await lookAt(page, 'webhook-new')).toEqual([]);
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  it('speak German', async () => {
    const context = await browser.newContext({ locale: 'de-DE' });
    const page = await context.newPage();
    await page.goto(`${site.origin}/console/#/keys`);
    await page.getByLabel('Benutzername').fill('admin');
    await page.getByLabel('Passwort', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await shown(page, 'Er versiegelt jedes neue Geheimnis.');
    await page.goto(`${site.origin}/console/#/new-webhook`);
    await shown(page, 'Der Fehlerzähler eines Tokens hat seine Grenze erreicht');
    await expectSoon(() => page.evaluate('document.documentElement.lang')).toBe('de');
    await context.close();
  });

  it('show a new secret once, and keep it nowhere', async () => {
    const { page } = await openConsole(browser, site, { path: '/webhooks' });
    await page.getByRole('link', { name: 'New webhook' }).click();
    await page.getByLabel('Name', { exact: true }).fill('desk');
    await page.getByLabel('Address').fill('https://10.0.0.1/hook');
    await page.getByRole('checkbox', { name: 'response.accepted' }).uncheck();
    await page.getByRole('checkbox', { name: 'office' }).check();
    await page.getByRole('button', { name: 'Add' }).click();
    await shown(page, 'is no public address');
    await page.getByLabel('Address').fill('https://desk.invalid/hook');
    await page.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.getByText('whsec_').innerText();
    expect(await lookAt(page, 'webhook-secret')).toEqual([]);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('heading', { level: 1, name: 'desk' }).waitFor();
    await shown(page, 'public addresses only');
    const kept = async () =>
      String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')) +
      (await page.content());
    await expectSoon(() => kept()).not.toContain(secret.slice(6));
    const { events, realms } = await site.application.services.webhooks.show(OPERATOR, 'desk');
    expect(events).not.toContain('response.accepted');
    expect(realms).toEqual(['office']);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    const second = await page.getByRole('dialog').getByText('whsec_').innerText();
    expect(second).not.toBe(secret);
    await page.getByRole('button', { name: 'I have it' }).click();
    await expectSoon(() => kept()).not.toContain(second.slice(6));
  });

  it('switch a webhook off and on, repeat what waits, and remove it', async () => {
    const { page } = await openConsole(browser, site, { path: '/webhooks/siem' });
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await page.getByRole('button', { name: 'Deliver now' }).click();
    await shown(page, '1 deliveries are tried now.');
    await page.getByRole('button', { name: 'Remove' }).click();
    await shown(page, 'Deliveries that are lost with it: 1.');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByRole('link', { name: 'Open: siem' }).waitFor({ state: 'detached' });
    const left = await site.application.services.webhooks.list(OPERATOR);
    expect(left.map(({ name }) => name)).not.toContain('siem');
  });
});
