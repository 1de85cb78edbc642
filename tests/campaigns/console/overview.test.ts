import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readSiteFiles } from '../../../src/http/site.ts';
import { type RunningServer, startServer } from '../../../src/http/serving/server.ts';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import {
  lookAt,
  openConsole,
  showsTotal,
  signIn,
  WIDTHS,
  openUserMenu,
} from '../../support/browser/console-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
/** More realms than the page shows at once. */
const REALMS = ['customers', 'staff', ...Array.from({ length: 12 }, (_, number) => `branch${number}`)];

describeWithProgram('the overview of the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let application: TestApplication;
  let server: RunningServer;
  let number = 0;

  const origin = (): string => `http://localhost:${server.port}`;
  const listen = (port = 0): Promise<RunningServer> =>
    startServer(application.app, { host: '127.0.0.1', port });

  async function enrol(realm: string, user: string): Promise<void> {
    number += 1;
    await application.enrolPlain(`CONSOLE${number}`, SUITE, { realm, user });
  }

  async function answered(serial: string, isRight: boolean): Promise<void> {
    const { transactionid, question } = await application.challenge(serial);
    const right = application.respond(SUITE, question);
    await application.check(transactionid, isRight ? right : wrongResponse(right));
  }

  beforeAll(async () => {
    const consoleFiles = await readSiteFiles(builtFolder('console'));
    [browser, application] = await Promise.all([
      startChromium(program),
      TestApplication.open({ http: { consoleFiles } }),
    ]);
    application.clock.set(new Date());
    for (const realm of REALMS) {
      await application.addRealm(realm, ['anna']);
    }
    await enrol('customers', 'anna');
    await enrol('customers', 'anna');
    await enrol('staff', 'anna');
    await answered('CONSOLE1', true);
    await answered('CONSOLE2', false);
    const settings = { fileName: '/nowhere/passwd' };
    await application.services.resolvers.set(OPERATOR, { name: 'File', kind: 'passwd', settings });
    await application.asAdmin('/admin/userlist', { resConf: 'File', username: '*' });
    await application.services.observations.flush();
    server = await listen();
  });
  afterAll(async () => {
    await browser.close();
    await server.close(0);
    await application.close();
  });

  it.each(WIDTHS)('has no fault, %d pixels wide', async (width) => {
    const { page, problems } = await openConsole(browser, { origin: origin() }, { path: '/', width });
    await showsTotal(page, 3);
    await page.getByRole('img', { name: /^Chart: responses/ }).waitFor();
    await page.getByText('As a table').click();
    expect(await lookAt(page, 'overview')).toEqual([]);
    await page.getByLabel('Search realms').fill('BRANCH1');
    await page.getByText('3 of 3 realms').waitFor();
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    await page.context().close();
  });

  it('shows a change by itself, and is not sent again what it has', async () => {
    const { page } = await openConsole(browser, { origin: origin() }, { path: '/' });
    await showsTotal(page, 3);
    const known = await page.waitForResponse((response) => isOverview(response) && response.status() === 304);
    expect(await known.headerValue('etag')).toMatch(/^"[\w-]+"$/);
    await page.getByText(/^Live:/).waitFor();
    await enrol('staff', 'anna');
    await showsTotal(page, 4);
    await page.context().close();
  });

  it('asks for nothing while its tab is hidden, and at once when it is seen again', async () => {
    const { page } = await openPage(browser, origin(), 1280);
    await page.clock.install();
    await page.goto(`${origin()}/console/#/`);
    await signIn(page, 'admin');
    await showsTotal(page, 4);
    await setHidden(page, true);
    let questions = 0;
    page.on('request', (asked) => (questions += isOverview(asked) ? 1 : 0));
    await enrol('staff', 'anna');
    await page.clock.runFor('01:00');
    expect(questions).toBe(0);
    await setHidden(page, false);
    await showsTotal(page, 5);
    await page.context().close();
  });

  it('has German words, and none in English', async () => {
    const { page } = await openPage(browser, origin(), 1280);
    await page.goto(`${origin()}/console/#/`);
    await signIn(page, 'admin');
    await openUserMenu(page);
    await page.getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('heading', { level: 1, name: 'Überblick' }).waitFor();
    await page.getByText('Token, alle').waitFor();
    await expectSoon(() => page.locator('#content').textContent()).not.toMatch(
      /Overview|Responses|locked|users/,
    );
    await page.context().close();
  });
});

/** Tells the page that its tab is hidden, or seen. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${isHidden ? 'hidden' : 'visible'}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

const isOverview = (of: { url: () => string }): boolean => of.url().endsWith('/admin/installation/overview');
