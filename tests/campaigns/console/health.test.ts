import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  lookAt,
  openConsole,
  openUserMenu,
  startConsole,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

describeWithProgram('the health page', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { application } = site;
    const { policies, webhooks } = application.services;
    await application.addRealm('north', ['anna']);
    await application.addRealm('south', ['berta']);
    for (const [serial, user, realm] of [
      ['N1', 'anna', 'north'],
      ['S1', 'berta', 'south'],
    ] as const) {
      await application.enrolPlain(serial, SUITE, { user, realm });
      const { transactionid } = await application.challenge(serial, '12345678');
      await application.check(transactionid, '00000000');
    }
    const always = { client: '', time: '', active: true };
    for (const scope of ['admin', 'system', 'monitoring']) {
      await policies.set(OPERATOR, { ...always, name: scope, scope, action: '*', user: 'admin', realm: '*' });
    }
    const desk = { scope: 'admin', action: 'audit, show', user: 'desk', realm: 'north' };
    await policies.set(OPERATOR, { ...always, ...desk, name: 'helpdesk' });
    await addAdministrator(site, 'desk');
    await webhooks.add(OPERATOR, { name: 'siem', url: 'https://siem.example.org/' });
    await queryOnce(
      application.databaseUrl,
      `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, data, attempts, given_up_at)
         SELECT id, gen_random_uuid(), 'token.locked', now(), '{}', 3, now() FROM webhooks;
       INSERT INTO webhook_health (webhook_id, last_failure_at, last_failure)
         SELECT id, now(), 'HTTP 500' FROM webhooks;
       INSERT INTO response_minutes (minute, outcome, durations) VALUES
         (now() - interval '1 hour', 'accepted', '{3,1}'), (now() - interval '3 days', 'expired', '{5}')`,
    );
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  it.each(WIDTHS)('tells what needs attention, with what helps, %d pixels wide', async (width) => {
    const { page, problems } = await openConsole(browser, site, { path: '/health', width });
    await page.getByText('webhooks.failing').waitFor();
    await page.getByText('tankeeper webhook test NAME').first().waitFor();
    await page.getByRole('row', { name: /siem/ }).waitFor();
    await page.getByRole('row', { name: /last 7 days.*4.*0.*5/s }).waitFor();
    await page.getByRole('row', { name: /anna.*N1/s }).waitFor();
    await page.getByRole('row', { name: /berta.*S1/s }).waitFor();
    expect(await lookAt(page, 'health')).toEqual([]);
    await page.getByRole('link', { name: 'anna' }).click();
    await page.getByText('anna · Realm: north').waitFor();
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    await page.context().close();
  });

  it('speaks German', async () => {
    const { page } = await openConsole(browser, site, { path: '/health' });
    await openUserMenu(page);
    await page.getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('heading', { level: 1, name: 'Zustand' }).waitFor();
    await page.getByRole('row', { name: /letzte 30 Tage/ }).waitFor();
    expect(await lookAt(page, 'health-german')).toEqual([]);
    await page.context().close();
  });
});
