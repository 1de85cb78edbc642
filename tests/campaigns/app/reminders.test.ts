import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import { type FileSite, serveFiles } from '../../support/browser/file-site.ts';
import { builtApp } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { answerAt, choosePin, expectScreen, openApp, PIN, rollOut } from './support/app-page.ts';
import { issueCodes } from './support/issued-codes.ts';

const ADDRESS = 'https://bank.example/ocra/check_t';
const BACKUP = 'Without a backup your token is lost';
const INSTALL = 'Install the app: it opens from the start screen';

describeWithProgram('the reminders of the app', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: FileSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), builtApp().then(serveFiles)]);
  });

  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();

  async function withToken(serial?: string): Promise<Page> {
    const { page } = await openApp(browser, site.origin);
    await addToken(page, serial);
    return page;
  }

  async function addToken(page: Page, serial?: string): Promise<void> {
    await answerAt(page, ADDRESS, true);
    await rollOut(page, await issueCodes(ADDRESS, { ...(serial !== undefined && { serial }) }));
    await press(page, 'Confirm');
    await press(page, 'Done');
    await expectScreen(page, 'Your tokens');
  }

  async function unlock(page: Page): Promise<void> {
    await page.reload();
    await page.getByLabel('PIN').fill(PIN);
    await press(page, 'Unlock');
    await expectScreen(page, 'Your tokens');
    await page.getByRole('button', { name: /LSQR/ }).first().waitFor();
  }

  const isShown = (page: Page, text: string): Promise<boolean> => page.getByText(text).isVisible();

  it('ask for a backup once there is a token, until the user has made one or wants none, for each new one', async () => {
    const page = await withToken();
    await page.getByText(BACKUP).waitFor();
    await press(page, 'Not now');
    await expectSoon(() => isShown(page, BACKUP)).toBe(false);
    await unlock(page);
    await expectSoon(() => isShown(page, BACKUP)).toBe(false);
    await addToken(page, 'LSQR0002');
    await press(page, 'Make a backup');
    await expectScreen(page, 'Backup');
    await page.getByLabel('PIN of this app').fill(PIN);
    await page.getByLabel('Passphrase for the file').fill('four random words here');
    await page.getByLabel('Repeat the passphrase').fill('four random words here');
    const download = page.waitForEvent('download');
    await press(page, 'Save the file');
    await download;
    await page.getByText('The file was handed to the browser').waitFor();
    await unlock(page);
    await expectSoon(() => isShown(page, BACKUP)).toBe(false);
  });

  it('do not ask for a backup while a token is not ready, or there is none', async () => {
    const { page } = await openApp(browser, site.origin);
    await page.getByText('Scan your first code').first().waitFor();
    await expectSoon(() => isShown(page, BACKUP)).toBe(false);
  });

  it('offer a backup to be restored at the first start, and where there is no token', async () => {
    const { page } = await openPage(browser, site.origin);
    await page.goto('/');
    await page.getByLabel('I have a backup, and restore it next').check();
    await choosePin(page, 'Backup');
    await page.getByLabel('Passphrase of the file').waitFor();
    await press(page, 'Tokens');
    await press(page, 'Restore a backup');
    await expectScreen(page, 'Backup');
  });

  it('offer to install the app where the browser does, after the backup, until the user wants it not', async () => {
    const page = await withToken();
    const offer = `{
      const event = new Event('beforeinstallprompt', { cancelable: true });
      event.prompt = () => { globalThis.asked = true; return Promise.resolve(); };
      window.dispatchEvent(event);
      globalThis.isTaken = event.defaultPrevented;
    }`;
    await page.evaluate(offer);
    await page.getByText(BACKUP).waitFor();
    expect(await isShown(page, INSTALL)).toBe(false);
    await press(page, 'Not now');
    await page.getByText(INSTALL).waitFor();
    expect(await page.evaluate('globalThis.isTaken')).toBe(true);
    await press(page, 'Install');
    expect(await page.evaluate('globalThis.asked')).toBe(true);
    await expectSoon(() => isShown(page, INSTALL)).toBe(false);
    await page.evaluate(offer);
    await press(page, 'No, thanks');
    await unlock(page);
    await page.evaluate(offer);
    await expectSoon(() => isShown(page, INSTALL)).toBe(false);
  });

  it('tell how Safari installs an app, which offers nothing', async () => {
    const { page } = await openApp(browser, site.origin);
    await page.addInitScript('Object.defineProperty(navigator, "standalone", { value: false })');
    await addToken(page);
    await press(page, 'Not now');
    await expectSoon(() => isShown(page, BACKUP)).toBe(false);
    await unlock(page);
    await page.getByText('tap “Share” in Safari').waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Install' }).count()).toBe(0);
  });
});
