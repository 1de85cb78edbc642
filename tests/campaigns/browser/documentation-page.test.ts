import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type RunningServer, startServer } from '../../../src/http/serving/server.ts';
import { PASSWORD, TestApplication } from '../../support/application/test-application.ts';
import { findChromium, openPage, startChromium, type WatchedPage } from '../../support/browser/chromium.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { tried } from './tried-endpoint.ts';

describeWithProgram('the page /docs', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let application: TestApplication;
  let server: RunningServer;
  let origin: string;

  beforeAll(async () => {
    application = await TestApplication.open({ http: { documentedVersion: '1.2.3' } });
    server = await startServer(application.app, { host: '127.0.0.1', port: 0 });
    origin = `http://127.0.0.1:${server.port}`;
    browser = await startChromium(program);
  });

  afterAll(async () => {
    await browser.close();
    await server.close(1_000);
    await application.close();
  });

  /** Opens the page, and waits until it shows the description. */
  async function opened(path: string, width?: number): Promise<WatchedPage> {
    const watched = await openPage(browser, origin, width);
    await watched.page.goto(path);
    await watched.page.getByRole('heading', { name: /^Tankeeper/ }).waitFor();
    return watched;
  }

  it.each([1280, 390])('shows every group of endpoints, %i pixels wide', async (width) => {
    const { page, problems } = await opened('/docs', width);
    await page.locator('#operations-tag-documentation').waitFor();
    const tags = await page.locator('.opblock-tag').all();
    const groups = await Promise.all(tags.map((tag) => tag.getAttribute('id')));
    expect(groups).toEqual(
      [
        'ocra',
        'validate',
        'monitoring',
        'admin',
        'system',
        'operations',
        'self-service',
        'documentation',
      ].map((tag) => `operations-tag-${tag}`),
    );
    await page.locator('#operations-tag-ocra').click();
    await page.locator('#operations-ocra-getOcraCheckT').waitFor();
    await expectSoon(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    if (process.env.SCREENSHOTS !== undefined) {
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/docs-${width}.png` });
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('tries an endpoint with the credentials that were typed', async () => {
    const { page, problems } = await opened('/docs');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('input[name=username]').first().fill('admin');
    await page.locator('input[name=password]').first().fill(PASSWORD);
    await page.getByRole('button', { name: 'Apply credentials' }).first().click();
    await page.locator('.modal-btn.btn-done').first().click();
    expect(await tried(page, '#operations-monitoring-getMonitoringTokens')).toContain('"Summary"');
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
