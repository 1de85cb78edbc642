import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, startChromium, watchPage } from '../../support/browser/chromium.ts';
import { ConsoleProcess } from '../../support/browser/console-process.ts';
import { showsTotal, signIn } from '../../support/browser/console-site.ts';
import { type Caddy, startCaddy } from '../../support/servers/caddy.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

describeWithProgram('behind a proxy', findSystemProgram('caddy'), 'caddy', (caddy) => {
  describeWithProgram('the console', findChromium(), 'chromium', (program) => {
    let browser: Browser;
    let server: ConsoleProcess;
    let proxy: Caddy;
    let context: BrowserContext;
    let page: Page;
    let problems: readonly string[];
    let tokens = 0;

    beforeAll(async () => {
      [browser, server] = await Promise.all([
        startChromium(program),
        ConsoleProcess.start({ TRUST_PROXY: 'loopback' }),
      ]);
      proxy = await startCaddy(caddy, server.origin, { tries: '2s' });
      await enrol();
      context = await browser.newContext({
        baseURL: proxy.origin,
        ignoreHTTPSErrors: true,
        viewport: { width: 1280, height: 900 },
      });
      ({ page, problems } = await watchPage(context, proxy.origin));
      await page.goto(`${proxy.origin}/console/`);
      await signIn(page, 'admin');
    });
    afterAll(async () => {
      await browser.close();
      await proxy.stop();
      await server.stop();
    });

    async function enrol(): Promise<void> {
      tokens += 1;
      await server.enrol(`PROXY${tokens}`);
    }

    it('signs in by cookies that only TLS carries', async () => {
      const common = { path: '/', secure: true, sameSite: 'Strict' };
      const cookies = await context.cookies();
      expect(cookies).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ ...common, name: 'access_token_cookie', httpOnly: true }),
          expect.objectContaining({ ...common, name: 'csrf_access_token', httpOnly: false }),
        ]),
      );
      expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    });

    it('shows changes by themselves', async () => {
      await showsTotal(page, tokens);
      await enrol();
      await showsTotal(page, tokens);
      expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    });

    it('takes a change of its pages, and none without the value of the cookie', async () => {
      await page.goto(`${proxy.origin}/console/#/tokens/PROXY1`);
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
      const status = await page.evaluate<number>(
        `fetch('api/admin/enable', { method: 'POST', body: new URLSearchParams({ serial: 'PROXY1' }) }).then(({ status }) => status)`,
      );
      expect(status).toBe(401);
      await page.reload();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
    });

    it('says that the server is away, which the proxy answers for, and goes on by itself', async () => {
      await page.goto(`${proxy.origin}/console/#/`);
      await showsTotal(page, tokens);
      await server.kill();
      await page.getByText(/^No connection since/).waitFor();
      await page.goto(`${proxy.origin}/console/#/tokens`);
      await page.getByRole('alert').getByText('The server does not answer').waitFor();
      await server.restart();
      await page.getByRole('link', { name: 'PROXY1', exact: true }).waitFor();
      await page.goto(`${proxy.origin}/console/#/`);
      await enrol();
      await showsTotal(page, tokens);
      await expectSoon(() => page.url()).toBe(`${proxy.origin}/console/#/`);
    });
  });
});
