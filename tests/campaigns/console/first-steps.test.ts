import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  lookAt,
  openConsole,
  startConsole,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

describeWithProgram('a new installation in the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  it('shows what to do first in place of zeros, and sets the answer address', async () => {
    const { page } = await openConsole(browser, site);
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('to do:').nth(5).waitFor();
    expect(await lookAt(page, 'first-steps')).toEqual([]);
    await expectSoon(() => page.getByText('Tokens, all').count()).toBe(0);
    await page.goto(`${site.origin}/console/#/tokens`);
    const content = page.locator('#content');
    await content.getByText('There is no token that you may see yet.').waitFor();
    await content.getByRole('link', { name: 'Enrol a token' }).waitFor();
    await page.getByLabel('Beginning of the serial').fill('x');
    await content.getByText('No token matches.').waitFor();
    await page.goto(`${site.origin}/console/#/people`);
    await content.getByRole('link', { name: 'To the realms' }).waitFor();
    await page.goto(`${site.origin}/console/#/`);
    await steps.getByRole('button', { name: 'Set the answer address' }).click();
    const dialog = page.getByRole('dialog');
    await expectSoon(() => dialog.getByRole('textbox').inputValue()).toBe(`${site.origin}/ocra/check_t`);
    expect(await lookAt(page, 'answer-address')).toEqual([]);
    await dialog.getByRole('button', { name: 'Set the answer address' }).click();
    await steps.getByText('✓ done:').waitFor();
    const { policies } = site.application.services;
    const [policy] = Object.values(await policies.list({ scope: 'authentication' }));
    expect(policy).toMatchObject({ realm: '*', action: `qrtanurl=${site.origin}/ocra/check_t` });
    await policies.remove(OPERATOR, 'answer-address');
  });

  it('warns before the first QR code that a token would have no answer address, and mends that', async () => {
    await site.application.addRealm('north', ['anna']);
    const { page } = await openConsole(browser, site, { path: '/search' });
    await page.getByRole('searchbox').fill('anna');
    await page.getByRole('link', { name: 'anna', exact: true }).click();
    await page.getByRole('link', { name: 'New token' }).click();
    const warning = page.getByText('No policy gives this token an answer address');
    await warning.waitFor();
    expect(await lookAt(page, 'enrol-without-address')).toEqual([]);
    await page.getByRole('button', { name: 'Set the answer address' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set the answer address' }).click();
    await warning.waitFor({ state: 'detached' });
  });

  it('tells a helpdesk without the right whom to ask, and shows it no first steps', async () => {
    const { policies } = site.application.services;
    const common = { client: '', time: '', active: true };
    await policies.set(OPERATOR, {
      ...common,
      name: 'all',
      scope: 'admin',
      action: '*',
      realm: '*',
      user: 'admin',
    });
    await policies.set(OPERATOR, {
      ...common,
      name: 'system',
      scope: 'system',
      action: '*',
      realm: '',
      user: 'admin',
    });
    const action = 'show, init, userlist';
    await policies.set(OPERATOR, {
      ...common,
      name: 'desk',
      scope: 'admin',
      action,
      realm: 'south',
      user: 'desk',
    });
    await addAdministrator(site, 'desk');
    await site.application.addRealm('south', ['bert']);
    const { page } = await openConsole(browser, site, { path: '/search', name: 'desk' });
    await page.getByRole('searchbox').fill('bert');
    await page.getByRole('link', { name: 'bert', exact: true }).click();
    await page.getByRole('link', { name: 'New token' }).click();
    await page.getByText('You have no right to policies (system:write). Ask whoever has it').waitFor();
    await page.goto(`${site.origin}/console/#/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectSoon(() => page.getByRole('region', { name: 'First steps' }).count()).toBe(0);
  });
});
