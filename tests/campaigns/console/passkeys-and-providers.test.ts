import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { addSecurityKey, findChromium, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  lookAt,
  PASSWORD,
  signIn,
  signOut,
  startConsole,
} from '../../support/browser/console-site.ts';
import { CLIENT, TestOpenidProvider } from '../../support/servers/openid-provider.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

describeWithProgram('people sign in', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let provider: TestOpenidProvider;
  let site: ConsoleSite;
  let page: Page;
  let number = 0;

  beforeAll(async () => {
    [browser, provider] = await Promise.all([startChromium(program), TestOpenidProvider.start()]);
    site = await startConsole((origin) => ({
      publicUrl: origin,
      singleSignOn: {
        ...CLIENT,
        issuer: provider.issuer,
        provider: 'Example Inc.',
        scopes: 'openid',
        nameClaim: 'preferred_username',
        groupsClaim: 'groups',
        lifetime: 600,
        redirectUrl: `${origin}/admin/sign-in/oidc/callback`,
        groups: new Map([['helpdesk-team', 'helpdesk']]),
      },
    }));
    await site.application.setPolicy('desk', 'admin', 'show', { user: 'group:helpdesk' });
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
    await provider.stop();
  });
  beforeEach(async () => {
    provider.behaviour.claims = { preferred_username: 'anna', groups: ['helpdesk-team'] };
    page = await (await browser.newContext({ baseURL: site.origin })).newPage();
  });
  afterEach(async () => {
    await page.context().close();
  });

  /** @returns the name of a new administrator */
  async function somebody(): Promise<string> {
    number += 1;
    const name = `bert${number}`;
    await addAdministrator(site, name);
    return name;
  }

  async function givePassword(name: string): Promise<void> {
    await page.getByLabel('User name').fill(name);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  async function addPasskey(passkey: string): Promise<void> {
    await page.getByLabel('Name of the new passkey').fill(passkey);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
  }

  it('by a passkey that they have added, and remove it with another one', async () => {
    const name = await somebody();
    await addSecurityKey(page);
    await page.goto(`${site.origin}/console/#/account`);
    await signIn(page, name);
    await addPasskey('laptop');
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor();
    // An authenticator holds one passkey of a person for this server.
    await addPasskey('again');
    await page
      .getByRole('alert')
      .getByText(/^No passkey was made/)
      .waitFor();
    await signOut(page);
    await page.getByLabel('User name').waitFor();
    await page.goto(`${site.origin}/console/#/account`);

    await givePassword(name);
    await page.getByRole('button', { name: 'Use the passkey' }).click();
    await page.getByRole('link', { name: 'My account' }).click();
    await page.getByRole('button', { name: 'Remove: laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    // A stolen session and the password would not be enough.
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Use the passkey' }).click();
    await page
      .getByRole('alert')
      .getByText(/^The last passkey stays/)
      .waitFor();
    await expectSoon(() => page.getByRole('cell', { name: 'laptop', exact: true }).count()).toBe(1);
  });

  it('by single sign-on, to the page that was wanted, with the rights of their groups', async () => {
    await page.goto(`${site.origin}/console/#/account`);
    const button = page.getByRole('button', { name: 'Sign in with Example Inc.' });
    await button.waitFor();
    expect(await lookAt(page, 'sign-in-provider')).toEqual([]);
    await button.click();
    await page.getByText('Signed in as oidc:anna.').waitFor();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await expectSoon(() => page.url()).toBe(`${site.origin}/console/#/account`);
    await expectSoon(() => page.evaluate('sessionStorage.length')).toBe(0);
    await page.getByText(/^You signed in by single sign-on/).waitFor();
    await expectSoon(() => page.getByRole('link', { name: 'Administrators' }).count()).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
  });
});
