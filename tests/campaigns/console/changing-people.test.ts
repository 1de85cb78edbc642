import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  PASSWORD,
  signIn,
  startConsole,
  signOut,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const NEW_PASSWORD = 'another password';

describeWithProgram('one browser, several people', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;
  let number = 0;
  let page: Page;
  let anna: string;
  let bert: string;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });
  beforeEach(async () => {
    number += 1;
    anna = `anna${number}`;
    bert = `bert${number}`;
    await addAdministrator(site, anna);
    await addAdministrator(site, bert);
    ({ page } = await openPage(browser, site.origin));
  });
  afterEach(async () => {
    await page.context().close();
  });

  async function open(path: string, name: string): Promise<void> {
    await page.goto(`${site.origin}/console/#${path}`);
    await signIn(page, name);
  }

  const end = (name: string): Promise<number> =>
    site.application.services.sessions.end(OPERATOR, { owner: name, isAll: true });

  /** @returns the texts, attributes and typed values of the whole document */
  const documentOf = (of: Page): Promise<string> =>
    of.evaluate<string>(
      'document.documentElement.outerHTML + [...document.querySelectorAll("input")].map(({ value }) => value).join()',
    );

  /** Clicks after the login has ended: a page that asks for something in the meantime signs out before the click. */
  async function clickUntilSignedOut(button: Locator): Promise<void> {
    const signedOut = page.getByLabel('User name').waitFor();
    await Promise.race([button.click().catch(() => undefined), signedOut]);
    await signedOut;
  }

  /** Begins to add an administrator, while the login ends. */
  async function beginToAdd(name: string): Promise<void> {
    await open('/administrators', anna);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('First password', { exact: true }).fill(NEW_PASSWORD);
    await end(anna);
    await clickUntilSignedOut(page.getByRole('button', { name: 'Add', exact: true }));
  }

  it('shows the next administrator nothing of the former, not even before the server has answered', async () => {
    await open('/account', anna);
    await page.getByRole('button', { name: new RegExp(`^End: ${anna}`) }).waitFor();
    await page.getByRole('button', { name: 'End all sessions and sign-ins' }).click();
    await page.getByLabel('User name').waitFor();
    const asked = page.waitForRequest('**/console/api/admin/session/list');
    await page.route('**/console/api/admin/session/list', () => undefined);
    await signIn(page, bert);
    await page.evaluate("location.hash = '#/account'");
    await asked;
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await expectSoon(() => documentOf(page)).not.toContain(anna);
  });

  it('keeps what was typed when a login ends, out of the document, for the same person', async () => {
    await beginToAdd('carl');
    const between = await documentOf(page);
    for (const text of [anna, bert, 'carl', NEW_PASSWORD]) {
      expect(between).not.toContain(text);
    }
    await signIn(page, anna);
    await expectSoon(() => page.getByLabel('Name').inputValue()).toBe('carl');
    await expectSoon(() => page.getByLabel('First password', { exact: true }).inputValue()).toBe(
      NEW_PASSWORD,
    );
  });

  it('gives what was typed to nobody else', async () => {
    await beginToAdd('carl');
    await signIn(page, bert);
    await expectSoon(() => page.url()).toBe(`${site.origin}/console/#/`);
    await page.evaluate("location.hash = '#/administrators'");
    await page.getByLabel('Name').waitFor();
    await expectSoon(() => documentOf(page)).not.toContain('carl');
  });

  it('keeps it for ten minutes', async () => {
    await page.clock.install();
    await beginToAdd('carl');
    await page.clock.fastForward(601_000);
    await signIn(page, anna);
    await page.evaluate("location.hash = '#/administrators'");
    await expectSoon(() => page.getByLabel('Name').inputValue()).toBe('');
  });

  it('takes an open dialog away with its page', async () => {
    await open(`/administrators/${bert}`, anna);
    await page.getByRole('button', { name: 'Remove the administrator' }).click();
    await end(anna);
    await clickUntilSignedOut(
      page.getByRole('dialog').getByRole('button', { name: 'Remove the administrator' }),
    );
    await expectSoon(() => page.getByRole('dialog').count()).toBe(0);
    await signIn(page, anna);
    await page.getByRole('dialog').getByText(bert).waitFor();
  });

  it('forgets the passwords with a change of the own one', async () => {
    await open('/account', anna);
    await page.getByLabel('Present password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel('New password, again', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByLabel('User name').waitFor();
    await expectSoon(() => documentOf(page)).not.toContain(PASSWORD);
    await signIn(page, anna, NEW_PASSWORD);
    await page.evaluate("location.hash = '#/account'");
    await expectSoon(() => page.getByLabel('Present password', { exact: true }).inputValue()).toBe('');
  });

  it('forgets everything with a sign-out, the address too', async () => {
    await open('/administrators', anna);
    await page.getByLabel('Name').fill('carl');
    await signOut(page);
    await page.getByLabel('User name').waitFor();
    await expectSoon(() => documentOf(page)).not.toContain(anna);
    await expectSoon(() => page.url()).toBe(`${site.origin}/console/#/`);
    await signIn(page, anna);
    await page.evaluate("location.hash = '#/administrators'");
    await expectSoon(() => page.getByLabel('Name').inputValue()).toBe('');
  });

  it('signs out a person whose login has ended, and says when it could not', async () => {
    await open('/administrators', anna);
    await page.getByRole('link', { name: bert }).waitFor();
    await page.route('**/console/api/admin/logout', (route) => route.abort());
    await signOut(page);
    await page
      .getByRole('complementary')
      .getByText(/server does not answer/i)
      .waitFor();
    await page.unroute('**/console/api/admin/logout');
    await end(anna);
    await clickUntilSignedOut(page.getByRole('button', { name: 'Sign out' }));
    await expectSoon(() => page.getByRole('button', { name: /: account and display$/ }).count()).toBe(0);
  });

  it('tells the other tabs who is signed in', async () => {
    await open('/account', anna);
    const other = await page.context().newPage();
    await other.goto(`${site.origin}/console/#/account`);
    await other.getByRole('button', { name: new RegExp(`^End: ${anna}`) }).waitFor();
    await signOut(page);
    await other.getByLabel('User name').waitFor();
    await expectSoon(() => documentOf(other)).not.toContain(anna);
    await signIn(page, bert);
    await other.getByRole('button', { name: `${bert}: account and display` }).waitFor();
  });
});
