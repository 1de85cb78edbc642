import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { findChromium, savedText, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  lookAt,
  openConsole,
  startConsole,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { tamperOnce } from '../../support/database/test-server.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
/** A serial that is markup. */
const PROBE = '<img/src=x/onerror=alert(1)>';

describeWithProgram('the pages of the audit', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { application } = site;
    const { policies } = application.services;
    await application.addRealm('north', ['ann']);
    await application.addRealm('south', ['bob']);
    const always = { scope: 'admin', client: '', time: '', active: true };
    await policies.set(OPERATOR, { ...always, name: 'all', action: '*', user: 'admin', realm: '*' });
    await policies.set(OPERATOR, {
      ...always,
      name: 'north-desk',
      action: 'audit',
      user: 'north-desk',
      realm: 'north',
    });
    await addAdministrator(site, 'north-desk');
    await application.enrolPlain('NORTH', SUITE, { user: 'ann', realm: 'north' });
    await application.enrolPlain('SOUTH', SUITE, { user: 'bob', realm: 'south' });
    await application.enrolPlain(PROBE, SUITE);
    for (let number = 0; number < 60; number += 1) {
      await application.challenge('NORTH', DATA);
    }
    const { transactionid } = await application.challenge('NORTH', DATA);
    const right = application.respond(SUITE, DATA);
    await application.check(transactionid, wrongResponse(right));
    await application.check(transactionid, right);
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  async function open(path: string, { name = 'admin', width = 1280 } = {}): Promise<Page> {
    const { page } = await openConsole(browser, site, { path, name, width });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
  const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
  const rows = (page: Page): Locator => page.locator('li > details');

  it.each(WIDTHS)('searches by known values, pages, and shows a row whole, %d pixels wide', async (width) => {
    const page = await open('/audit', { width });
    await rows(page).first().waitFor();
    await expectSoon(() => rows(page).count()).toBe(50);
    await button(page, 'Older rows').click();
    await page.getByText('These are all rows.').waitFor();
    await expectSoon(() => rows(page).count()).toBeGreaterThan(60);
    if (width < 768) {
      await page.locator('summary', { hasText: /^Search$/ }).click();
    }
    await page.getByLabel('Token or other object').fill('NORTH');
    await page.getByLabel('Outcome').fill('accepted');
    await expectSoon(() => page.locator('datalist option[value="accepted"]').count()).toBe(1);
    await button(page, 'Search').click();
    await waitForCount(rows(page), 1);
    await rows(page).first().locator('summary').click();
    await page.getByRole('link', { name: 'NORTH' }).waitFor();
    await expectSoon(() => page.locator('dl').getByRole('link').nth(1).getAttribute('href')).toMatch(
      /^#\/transactions\/[0-9a-f]{20}$/,
    );
    expect(await lookAt(page, 'audit')).toEqual([]);
    await page.context().close();
  });

  it('saves what is selected as a file, and says whether it can be verified', async () => {
    const page = await open('/audit');
    await page.getByLabel('Outcome').fill('wrong');
    await button(page, 'Search').click();
    await waitForCount(rows(page), 1);
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'CSV for spreadsheets').click(),
    ]);
    expect(csv.suggestedFilename()).toMatch(/^audit-extract-.*\.csv$/);
    const [head, ...lines] = (await savedText(csv)).trimEnd().split('\r\n');
    expect(head).toMatch(/^\uFEFFid,at,actor,/);
    expect(lines).toHaveLength(1);
    await page.getByText(/selected rows, which nobody can verify/).waitFor();
    await button(page, 'Clear').click();
    await button(page, 'Search').click();
    const [whole] = await Promise.all([page.waitForEvent('download'), button(page, 'JSON lines').click()]);
    expect(whole.suggestedFilename()).toMatch(/^audit-2.*\.jsonl$/);
    await page.getByText(/The file can be verified/).waitFor();
    await page.context().close();
  });

  it.each(WIDTHS)(
    'verifies in the background and tells the result in words, %d pixels wide',
    async (width) => {
      const page = await open('/audit-verification', { width });
      await button(page, 'Verify now').click();
      await page.getByText('The audit is whole.').waitFor();
      await page.getByText(/^\d+ rows and \d+ checkpoints/).waitFor();
      expect(await lookAt(page, 'audit-verified')).toEqual([]);
      await page.context().close();
    },
  );

  it.each(WIDTHS)('lists what was tampered with, %d pixels wide', async (width) => {
    const change = (outcome: string, from: string): Promise<unknown> =>
      tamperOnce(
        site.application.databaseUrl,
        `UPDATE audit SET outcome = '${outcome}' WHERE subject = 'NORTH' AND outcome = '${from}'`,
      );
    await site.application.services.auditSealer.sealAll();
    await change('forged', 'wrong');
    const page = await open('/audit-verification', { width });
    await button(page, 'Verify now').click();
    await page.getByText('One finding.').waitFor();
    await page.getByText(/row \d+.*knows another one of this id/).waitFor();
    expect(await lookAt(page, 'audit-findings')).toEqual([]);
    await change('wrong', 'forged');
    await page.context().close();
  });
});

/** Waits until there are as many. */
async function waitForCount(found: Locator, count: number): Promise<void> {
  await found.nth(count - 1).waitFor();
  await found.nth(count).waitFor({ state: 'detached' });
}
