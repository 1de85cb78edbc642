import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  lookAt,
  openConsole,
  PASSWORD,
  startConsole,
} from '../../support/browser/console-site.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

describeWithProgram('what was refused', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { application } = site;
    const { policies } = application.services;
    await application.addRealm('north', ['anna', 'annabel']);
    await application.enrolPlain('T1', SUITE, { user: 'anna', realm: 'north' });
    await application.enrolPlain('T2', SUITE);
    const always = { client: '', time: '', active: true, realm: '*' };
    for (const scope of ['admin', 'system']) {
      await policies.set(OPERATOR, { ...always, name: scope, scope, action: '*', user: 'admin' });
    }
    const desk = { ...always, scope: 'admin', action: 'show', user: 'desk' };
    await policies.set(OPERATOR, { ...desk, name: 'helpdesk' });
    await addAdministrator(site, 'desk');
    await application.send('/admin/remove', { serial: 'T1' }).auth('desk', PASSWORD);
    await queryOnce(application.databaseUrl, "UPDATE tokens SET fail_count = max_fail WHERE serial = 'T1'");
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  it('leads from the audit to the remedy, which is proposed in the policy and not saved', async () => {
    const { page, problems } = await openConsole(browser, site, { path: '/audit' });
    const row = page.getByRole('group').filter({ hasText: 'admin/remove' });
    await row.locator('summary').click();
    await row.getByRole('link', { name: /what would help/ }).click();
    await page.getByText('add remove to the policy helpdesk.').waitFor();
    expect(await lookAt(page, 'remedy')).toEqual([]);
    await page.getByRole('link', { name: 'Open helpdesk with it' }).click();
    await page.getByText('remove is added below, and not saved yet.').waitFor();
    await expectSoon(() => page.getByLabel('remove', { exact: true }).isChecked()).toBe(true);
    expect(await lookAt(page, 'remedy-policy')).toEqual([]);
    const stored = await site.application.services.policies.list({ name: 'helpdesk' });
    expect(stored).toMatchObject([{ action: 'show' }]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
    await expectSoon(async () => site.application.services.policies.list({ name: 'helpdesk' })).toMatchObject(
      [{ action: 'show, remove' }],
    );
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    await page.context().close();
  });

  it('leads from a person to the audit of their tokens, and takes outcomes in German words', async () => {
    const { page } = await openConsole(browser, site, { path: '/people/north/north/anna' });
    await page.locator('#content').getByRole('link', { name: 'Audit' }).click();
    await expectSoon(() => page.getByLabel('Owner of tokens').inputValue()).toBe('anna@north');
    await page
      .getByRole('group')
      .filter({ hasText: /T1(?!\d)/ })
      .first()
      .waitFor();
    await expectSoon(() =>
      page
        .getByRole('group')
        .filter({ hasText: /T2(?!\d)/ })
        .count(),
    ).toBe(0);
    expect(await lookAt(page, 'audit-user')).toEqual([]);
    await page.evaluate("localStorage.setItem('tankeeper-language', 'de')");
    await page.goto(`${site.origin}/console/#/audit`);
    await page.reload();
    await page.getByLabel('Ergebnis').fill('Abgelehnt: kein Recht');
    await page.getByRole('button', { name: 'Suchen' }).click();
    await page.getByRole('strong').filter({ hasText: 'abgelehnt: kein Recht admin:remove' }).waitFor();
    await page.context().close();
  });

  it('finds pages and acts by name, and marks people with a locked token', async () => {
    const { page } = await openConsole(browser, site, { path: '/search' });
    await page.getByRole('searchbox').fill('new pol');
    await page.getByRole('link', { name: 'New policy' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New policy' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('zustand');
    await page
      .getByRole('region', { name: 'Pages and acts' })
      .getByRole('link', { name: 'Health' })
      .waitFor();
    await page.getByRole('searchbox').fill('ann');
    const people = page.getByRole('region', { name: 'People' }).getByRole('listitem');
    await people.filter({ hasText: 'annabel' }).waitFor();
    await expectSoon(() => people.filter({ hasText: 'a token is locked' }).count()).toBe(1);
    await people.filter({ hasText: 'a token is locked' }).getByRole('link', { name: 'anna' }).waitFor();
    expect(await lookAt(page, 'search-pages')).toEqual([]);
    await page.context().close();
  });

  it('folds filters on a phone, and shows them on a desk', async () => {
    const { page } = await openConsole(browser, site, { path: '/policies', width: 390 });
    await page.getByText('Filters', { exact: true }).waitFor();
    await expectSoon(() => page.getByRole('searchbox').isVisible()).toBe(false);
    await page.getByText('Filters', { exact: true }).click();
    await page.getByRole('searchbox').fill('helpdesk');
    await page.getByRole('link', { name: 'helpdesk' }).waitFor();
    expect(await lookAt(page, 'policies-filters')).toEqual([]);
    await page.goto(`${site.origin}/console/#/audit`);
    await page.getByRole('group').filter({ hasText: 'admin/remove' }).waitFor();
    expect(await lookAt(page, 'audit-folded')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Token or other object').waitFor();
    await page.context().close();
  });
});
