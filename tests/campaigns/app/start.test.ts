import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import { type FileSite, serveFiles } from '../../support/browser/file-site.ts';
import { buildApp } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';

describeWithProgram('the app', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: FileSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), buildApp().then(serveFiles)]);
  });

  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  it('starts without a complaint of the browser', async () => {
    const { page, problems } = await openPage(browser, site.origin);
    await page.goto('/');
    await page.getByRole('heading').waitFor();
    expect(problems).toEqual([]);
  });
});
