import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type WatchedPage, findChromium, startChromium, watchPage } from '../../support/browser/chromium.ts';
import { showsTotal, signIn, signOut } from '../../support/browser/console-site.ts';
import { type Caddy, startCaddy } from '../../support/servers/caddy.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { choosePin } from '../app/support/app-page.ts';
import { GuideSandbox, PASSWORD } from '../guides/guide-sandbox.ts';

const BELOW = '/tan';

describeWithProgram('behind a proxy', findSystemProgram('caddy'), 'caddy', (caddy) => {
  describeWithProgram('a browser', findChromium(), 'chromium', (program) => {
    let browser: Browser;
    let sandbox: GuideSandbox;
    let proxy: Caddy;
    let tokens = 0;

    beforeAll(async () => {
      [browser, sandbox] = await Promise.all([
        // Service workers are not loaded by a context that ignores errors of TLS.
        startChromium(program, ['--ignore-certificate-errors']),
        GuideSandbox.start({ TRUST_PROXY: 'loopback' }),
      ]);
      proxy = await startCaddy(caddy, sandbox.server.baseUrl, { below: BELOW, tries: '2s' });
      await enrol();
    });
    afterAll(async () => {
      await browser.close();
      await proxy.stop();
      await sandbox.remove();
    });

    async function enrol(): Promise<void> {
      tokens += 1;
      await sandbox.prepare([`token init --serial PROXY${tokens} --generate`]);
    }

    /** Signs in at the console of a browser of its own. @param site the address below which the proxy shows the server */
    async function signedIn(site: string): Promise<WatchedPage & { readonly context: BrowserContext }> {
      const context = await browser.newContext({
        baseURL: proxy.origin,
        ignoreHTTPSErrors: true,
        viewport: { width: 1280, height: 900 },
      });
      const watched = await watchPage(context, proxy.origin);
      await watched.page.goto(`${site}/console/`);
      await signIn(watched.page, 'admin', PASSWORD);
      return { ...watched, context };
    }

    describe.each(['', BELOW])('at the path %j', (path) => {
      let site: string;
      let context: BrowserContext;
      let page: Page;
      let problems: readonly string[];
      const asked: string[] = [];

      beforeAll(async () => {
        site = `${proxy.origin}${path}`;
        ({ context, page, problems } = await signedIn(site));
        context.on('request', (request) => asked.push(request.url()));
      });
      afterAll(() => context.close());

      it('signs in by cookies that only TLS carries', async () => {
        const common = { path: `${path}/`, secure: true, sameSite: 'Strict' };
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
        const serial = `PROXY${tokens}`;
        await page.goto(`${site}/console/#/tokens/${serial}`);
        await page.getByRole('button', { name: 'Disable' }).click();
        await page.getByRole('button', { name: 'Enable' }).waitFor();
        const status = await page.evaluate<number>(
          `fetch('api/admin/enable', { method: 'POST', body: new URLSearchParams({ serial: '${serial}' }) }).then(({ status }) => status)`,
        );
        expect(status).toBe(401);
        await page.reload();
        await page.getByRole('button', { name: 'Enable' }).waitFor();
      });

      it('shows the app, and installs it', async () => {
        const app = await watchPage(context, proxy.origin);
        await app.page.goto(`${site}/app`);
        await choosePin(app.page);
        const scope = await app.page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)');
        expect(scope).toBe(`${site}/app/`);
        expect(app.problems).toEqual([]);
      });

      it('shows the description of the interface, and tries an endpoint there with the credentials that were typed', async () => {
        const docs = await watchPage(context, proxy.origin);
        await docs.page.setViewportSize({ width: 390, height: 900 });
        await docs.page.goto(`${site}/docs`);
        await docs.page.getByRole('button', { name: 'Authorize' }).first().click();
        await docs.page.locator('input[name=username]').first().fill('admin');
        await docs.page.locator('input[name=password]').first().fill(PASSWORD);
        await docs.page.getByRole('button', { name: 'Apply credentials' }).first().click();
        await docs.page.locator('.modal-btn.btn-done').first().click();
        const tags = await docs.page.locator('.opblock-tag').all();
        const groups = await Promise.all(tags.map((tag) => tag.getAttribute('data-tag')));
        expect(groups.join()).toBe(
          'ocra,validate,monitoring,admin,system,operations,self-service,documentation',
        );
        await docs.page.locator('#operations-tag-monitoring').click();
        const endpoint = docs.page.locator('#operations-monitoring-getMonitoringTokens');
        await endpoint.waitFor();
        await expectSoon(() =>
          docs.page.evaluate('document.documentElement.scrollWidth'),
        ).toBeLessThanOrEqual(390);
        await endpoint.locator('.opblock-summary-control').click();
        await endpoint.getByRole('button', { name: 'Try it out' }).click();
        const sent = docs.page.waitForRequest(`${site}/monitoring/tokens**`);
        await endpoint.getByRole('button', { name: 'Execute' }).click();
        expect(await (await sent).headerValue('authorization')).toMatch(/^Basic /);
        const shown = endpoint.locator('.live-responses-table .highlight-code').first();
        await shown.getByText('"Summary"').first().waitFor();
        expect(docs.problems).toEqual([]);
      });

      it('signs out, removes the cookies, and has asked for nothing elsewhere', async () => {
        await page.goto(`${site}/console`);
        await signOut(page);
        await page.getByLabel('User name').waitFor();
        await expectSoon(() => page.url()).toBe(`${site}/console/#/`);
        expect(await context.cookies()).toEqual([]);
        expect(asked.filter((url) => url.startsWith('http') && !url.startsWith(`${site}/`))).toEqual([]);
      });
    });
  });
});
