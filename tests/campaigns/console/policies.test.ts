import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { PolicyDraft } from '../../../src/policy/policy.ts';
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

const HELPDESK = { name: 'helpdesk', scope: 'admin', action: 'show, reset', realm: 'office', user: 'anna' };

describeWithProgram('the pages of policies and settings', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    await addAdministrator(site, 'anna');
    await site.application.addRealm('office');
    await set({ ...HELPDESK, name: 'all', action: '*', realm: '*', user: 'admin' });
    await set({ name: 'configuration', scope: 'system', action: '*', user: 'admin' });
    await set(HELPDESK);
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  function set(draft: PolicyDraft): Promise<unknown> {
    return site.application.services.policies.set(OPERATOR, draft);
  }

  function stored(name: string): Promise<unknown> {
    return site.application.services.policies.show(name);
  }

  async function open(path: string, width = 1280, name = 'admin'): Promise<Page> {
    const { page } = await openConsole(browser, site, { path, width, name });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  it.each(WIDTHS)('have no fault, %d pixels wide', async (width) => {
    const page = await open('/policies', width);
    await page.getByRole('link', { name: 'helpdesk' }).waitFor();
    expect(await lookAt(page, 'policies')).toEqual([]);
    await page.getByRole('link', { name: 'helpdesk' }).click();
    await page.getByRole('checkbox', { name: 'reset' }).waitFor();
    expect(await lookAt(page, 'policy')).toEqual([]);
    await page.goto(`${site.origin}/console/#/policies/explain`);
    await page.getByRole('combobox', { name: 'Administrator' }).fill('anna');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('region', { name: 'Scope: admin' }).waitFor();
    expect(await lookAt(page, 'policy-explanation')).toEqual([]);
    await page.goto(`${site.origin}/console/#/settings`);
    await page.getByRole('button', { name: 'Change OcraMaxChallenges' }).waitFor();
    expect(await lookAt(page, 'settings')).toEqual([]);
  });

  it('check a policy as it is typed, and store it', async () => {
    const page = await open('/policies/new');
    await page.getByLabel('Name').fill('probes');
    await page.getByLabel('Scope').selectOption('monitoring');
    await page.getByRole('checkbox', { name: 'tokens' }).check();
    await page.getByLabel('Realms', { exact: true }).fill('office');
    await page.getByLabel('Users', { exact: true }).fill('anna');
    await page.getByLabel('Clients', { exact: true }).fill('nowhere');
    await page.getByText("'nowhere' is not a client").waitFor();
    await page.getByLabel('Clients', { exact: true }).fill('10.0.0.0/8');
    await page.getByText("'nowhere' is not a client").waitFor({ state: 'detached' });
    await page
      .getByText('you lose monitoring:*')
      .or(page.getByText('you lose monitoring:tokens'))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'probes' }).waitFor();
    await expectSoon(() => stored('probes')).toMatchObject({
      scope: 'monitoring',
      action: 'tokens',
      realm: 'office',
      user: 'anna',
      client: '10.0.0.0/8',
    });
  });

  it('do not lock out without a confirmation', async () => {
    const page = await open('/policies');
    await page.getByRole('button', { name: 'Remove the policy configuration' }).click();
    const dialog = page.getByRole('dialog');
    // Without a policy the scope would be open: only another user's one locks out.
    await dialog.getByText('Nobody loses').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'configuration' }).click();
    await page.getByLabel('Users', { exact: true }).fill('somebody');
    await page.getByText('no administrator can change policies').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    const confirm = dialog.getByRole('button', { name: 'Save' });
    await expectSoon(() => confirm.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'I have read this' }).check();
    await expectSoon(() => confirm.isDisabled()).toBe(false);
    expect(await lookAt(page, 'policy-lock-out')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expectSoon(() => stored('configuration')).toMatchObject({ user: 'admin' });
  });

  it('switch a policy off, and find it by that', async () => {
    const page = await open('/policies');
    await page.getByRole('button', { name: 'Switch off the policy helpdesk' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('anna loses').waitFor();
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on the policy helpdesk' }).waitFor();
    await expectSoon(() => stored('helpdesk')).toMatchObject({ active: false });
    await page.getByLabel('State').selectOption('inactive');
    await expectSoon(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Switch on the policy helpdesk' }).click();
    await dialog.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('No policy fits').waitFor();
  });

  it('check a setting as it is typed, tell what follows, and restore the default', async () => {
    const page = await open('/settings');
    await page.getByRole('button', { name: 'Change OcraMaxChallenges' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Value in force').fill('0');
    await dialog.getByText('must be a whole number from 1 to 1000').waitFor();
    await expectSoon(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Value in force').fill('2');
    expect(await lookAt(page, 'setting')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Restore the default of OcraMaxChallenges' }).click();
    await dialog.getByRole('button', { name: 'Default' }).click();
    await dialog.waitFor({ state: 'detached' });
    const settings = await site.application.services.settings.list();
    expect(settings.has('OcraMaxChallenges')).toBe(false);
  });
});
