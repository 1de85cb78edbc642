import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type WatchedPage, findChromium, startChromium, watchPage } from '../../support/browser/chromium.ts';
import { PASSWORD, showsTotal, signIn, signOut } from '../../support/browser/console-site.ts';
import { type TestDatabase, createTestDatabase } from '../../support/database/test-database.ts';
import { type Caddy, startCaddy } from '../../support/servers/caddy.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { choosePin } from '../app/support/app-page.ts';
import { tried } from '../browser/tried-endpoint.ts';

const BASIC = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;

/** A built server with the console, in a process of its own, whose `admin` has the password of the console's tests. */
class ConsoleProcess {
  readonly #database: TestDatabase;
  readonly #folder: string;
  readonly #server: ServerProcess;

  private constructor(database: TestDatabase, folder: string, server: ServerProcess) {
    this.#database = database;
    this.#folder = folder;
    this.#server = server;
  }

  /** @param further variables of its environment */
  static async start(further: Readonly<Record<string, string>> = {}): Promise<ConsoleProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-console-'));
    const database = await createTestDatabase();
    await writeFile(join(folder, 'password'), PASSWORD);
    const environment = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, 'data'),
      ADMIN_PASSWORD_FILE: join(folder, 'password'),
      ...further,
    };
    return new ConsoleProcess(database, folder, await startServerProcess(environment));
  }

  /** Without a slash at its end. */
  get origin(): string {
    return this.#server.baseUrl;
  }

  /** Adds a token by a request. */
  async enrol(serial: string): Promise<void> {
    const response = await fetch(`${this.origin}/admin/init`, {
      method: 'POST',
      headers: { Authorization: BASIC },
      body: new URLSearchParams({
        type: 'ocra',
        serial,
        genkey: '1',
        ocrasuite: 'OCRA-1:HOTP-SHA256-8:C-QN08',
      }),
    });
    const { result } = (await response.json()) as { readonly result: { readonly status: boolean } };
    if (!result.status) {
      throw new Error(`${serial} was not enrolled: ${JSON.stringify(result)}`);
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#database.drop();
    await rm(this.#folder, { recursive: true });
  }
}

const BELOW = '/tan';

describeWithProgram('behind a proxy', findSystemProgram('caddy'), 'caddy', (caddy) => {
  describeWithProgram('a browser', findChromium(), 'chromium', (program) => {
    let browser: Browser;
    let server: ConsoleProcess;
    let proxy: Caddy;
    let tokens = 0;

    beforeAll(async () => {
      [browser, server] = await Promise.all([
        // Service workers are not loaded by a context that ignores errors of TLS.
        startChromium(program, ['--ignore-certificate-errors']),
        ConsoleProcess.start({ TRUST_PROXY: 'loopback' }),
      ]);
      proxy = await startCaddy(caddy, server.origin, { below: BELOW, tries: '2s' });
      await enrol();
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

    /** Signs in at the console of a browser of its own. @param site the address below which the proxy shows the server */
    async function signedIn(site: string): Promise<WatchedPage & { readonly context: BrowserContext }> {
      const context = await browser.newContext({
        baseURL: proxy.origin,
        ignoreHTTPSErrors: true,
        viewport: { width: 1280, height: 900 },
      });
      const watched = await watchPage(context, proxy.origin);
      await watched.page.goto(`${site}/console/`);
      await signIn(watched.page, 'admin');
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

      it('shows the description of the interface, and tries an endpoint there', async () => {
        const docs = await watchPage(context, proxy.origin);
        await docs.page.goto(`${site}/docs`);
        expect(await tried(docs.page, '#operations-operations-getHealthz')).toContain('"status": "ok"');
        expect(asked).toContain(`${site}/healthz`);
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
