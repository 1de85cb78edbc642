import { afterAll, afterEach, beforeAll, beforeEach, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import { ConsoleProcess } from '../../support/browser/console-process.ts';
import { openConsole, showsTotal } from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const CODE = 'GEZDGNBVGY3TQOJQ01';

describeWithProgram('the console of a server that is killed', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let server: ConsoleProcess;
  let page: Page;

  beforeAll(async () => {
    [browser, server] = await Promise.all([startChromium(program), ConsoleProcess.start()]);
    await server.enrol('KILL1');
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });
  beforeEach(async () => {
    ({ page } = await openConsole(browser, server));
  });
  afterEach(async () => {
    await page.context().close();
  });

  it('says since when it is away, and goes on by itself, in each tab', async () => {
    const other = await page.context().newPage();
    await other.goto(`${server.origin}/console/#/`);
    const tabs = [page, other];
    const all = (act: (tab: Page) => Promise<unknown>): Promise<unknown> => Promise.all(tabs.map(act));
    await all((tab) => showsTotal(tab, 1));
    await all((tab) => tab.evaluate('window.isTheSameDocument = true'));
    await server.kill();
    await all((tab) => tab.getByText(/^No connection since/).waitFor());
    // The last known figures stay.
    await all((tab) => showsTotal(tab, 1));
    await server.enrolElsewhere('KILL2');
    await server.restart();
    await all((tab) => showsTotal(tab, 2));
    await all((tab) => tab.getByText(/^Live:/).waitFor());
    await server.enrol('KILL3');
    await all((tab) => showsTotal(tab, 3));
    for (const tab of tabs) {
      await expectSoon(() => tab.evaluate('window.isTheSameDocument')).toBe(true);
    }
  });

  it('keeps what was typed while it is away, and saves it when it is back', async () => {
    await page.goto(`${server.origin}/console/#/tokens/KILL1`);
    await page.getByRole('button', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill('phone of the office');
    await server.kill();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('The server does not answer').waitFor();
    await server.restart();
    await expectSoon(() => dialog.getByLabel('Description').inputValue()).toBe('phone of the office');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('phone of the office').waitFor();
  });

  it('says at the field of an activation code that it is away, and keeps the code', async () => {
    await page.goto(`${server.origin}/console/#/enrol`);
    await page.getByRole('button', { name: 'Show the first QR code' }).click();
    const field = page.getByLabel('Activation code', { exact: true });
    await field.fill(CODE);
    await server.kill();
    await page.getByRole('button', { name: 'Show the second QR code' }).click();
    await page.getByText(/^The server does not answer\./).waitFor();
    await expectSoon(() => field.inputValue()).toBe(CODE);
    await server.restart();
    await page.getByRole('button', { name: 'Show the second QR code' }).click();
    await field.waitFor({ state: 'detached' });
  });
});
