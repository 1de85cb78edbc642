import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  PASSWORD,
  signIn,
  startConsole,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

describeWithProgram('dialogs of the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;
  let page: Page;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { services } = site.application;
    await site.application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
    await services.webhooks.add(OPERATOR, { name: 'siem', url: 'https://siem.example.org/' });
    for (const name of ['desk', 'late']) {
      await addAdministrator(site, name);
    }
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

  const inDialog = (name: string) => page.getByRole('dialog').last().getByRole('button', { name });

  /**
   * Holds the requests to an endpoint.
   * @param reread the endpoint that is asked after it
   * @returns lets them through, and waits until the page has the answers
   */
  async function hold(path: string, reread = path): Promise<() => Promise<void>> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**/console/api${path}`, async (route) => {
      await released;
      await route.continue();
    });
    return async () => {
      const answered = page.waitForResponse(`**/console/api${reread}`);
      release();
      await (await answered).finished();
      await page.evaluate('new Promise((shown) => setTimeout(shown, 100))');
    };
  }

  /** Waits for the focus, and tells where it is. */
  async function focused(): Promise<string> {
    await page.waitForFunction('document.activeElement !== document.body');
    return page.evaluate<string>(
      '(({ ariaLabel, textContent }) => ariaLabel ?? textContent)(document.activeElement)',
    );
  }

  describe('after a late answer', () => {
    it('leave another dialog open', async () => {
      await open('/settings');
      await page.getByRole('button', { name: 'Change OcraMaxChallenges' }).click();
      await page.getByLabel('Value in force').fill('7');
      const answer = await hold('/admin/setting/set', '/admin/setting/list');
      await inDialog('Save').click();
      await inDialog('Cancel').click();
      await page.getByRole('button', { name: 'Change OcraChallengeTimeout' }).click();
      await answer();
      await expectSoon(() => page.getByRole('dialog').getByRole('heading').textContent()).toBe(
        'Change OcraChallengeTimeout',
      );
    });

    it('leave the person on another page', async () => {
      await open('/administrators/late');
      await page.getByRole('button', { name: 'Remove the administrator' }).click();
      await inDialog('Remove the administrator').click();
      await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
      const answer = await hold('/admin/admin/remove');
      await inDialog('Go on').click();
      await page.getByLabel('Your password', { exact: true }).waitFor({ state: 'detached' });
      await page.goto(`${site.origin}/console/#/tokens`);
      await page.getByRole('link', { name: 'T1' }).waitFor();
      await answer();
      await expectSoon(() => page.url()).toBe(`${site.origin}/console/#/tokens`);
    });
  });

  describe('give the focus back', () => {
    it('on the page of a webhook', async () => {
      const name = 'Disable';
      await open('/webhooks/siem');
      await page.getByRole('button', { name }).press('Enter');
      await inDialog('Cancel').press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expectSoon(() => focused()).toBe(name);
    });

    it('to the dialog below', async () => {
      await open('/administrators/desk');
      await page.getByRole('button', { name: 'Remove the administrator' }).click();
      await inDialog('Remove the administrator').click();
      await page.getByLabel('Your password', { exact: true }).waitFor();
      await inDialog('Close').click();
      await page.getByLabel('Your password', { exact: true }).waitFor({ state: 'detached' });
      await expectSoon(() => focused()).toBe('Remove the administrator');
      await expectSoon(() => page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(
        true,
      );
    });
  });

  describe('come back after a new sign-in', () => {
    it.each([
      ['the field that had the focus', 'the field that had the focus'],
      ['the button that was clicked', 'Save'],
    ])('with %s', async (description, focus) => {
      await open('/tokens/T1');
      await page.getByRole('button', { name: 'Rename' }).click();
      const field = page.getByRole('dialog').getByLabel('Description');
      await field.fill(description);
      await page.context().clearCookies();
      await (focus === 'Save' ? inDialog('Save').click() : field.press('Enter'));
      await signIn(page, 'admin');
      await page.getByRole('dialog').waitFor();
      await expectSoon(() =>
        page.evaluate('document.activeElement.value || document.activeElement.textContent'),
      ).toBe(focus);
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
      await page.getByText(description).waitFor();
    });
  });
});
