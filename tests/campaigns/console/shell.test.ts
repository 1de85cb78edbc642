import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  describeConsole,
  expectNoProblem,
  faultsOf,
  lookAt,
  signIn,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import type { Page } from 'playwright-core';
import { readFolder } from '../../support/browser/file-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';

describeConsole('the frame of the console', (given) => {
  beforeAll(async () => {
    const { application } = given.site;
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
  });

  it.each(WIDTHS)('has no fault, signed out and signed in, %d pixels wide', async (width) => {
    const { page, problems } = await given.openPage(width);
    await page.goto(`${given.site.origin}/console/`);
    await page.getByLabel('User name').waitFor();
    expect(await lookAt(page, 'sign-in')).toEqual([]);
    await signIn(page, 'admin');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await lookAt(page, 'start')).toEqual([]);
    if (width < 960) {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('navigation').waitFor();
      expect(await faultsOf(page)).toEqual([]);
    }
    expectNoProblem(problems);
  });

  it('tells installations apart, and all pages at a glance; after too many passwords, when to go on', async () => {
    const { settings } = given.site.application.services;
    const marks = { InstallationName: 'Bank, Test', InstallationColour: '#747474' };
    await settings.set(OPERATOR, new Map(Object.entries(marks)));
    const { page } = await given.openPage();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${given.site.origin}/console/`);
    await page.getByText('Bank, Test').waitFor();
    await expectSoon(() => page.title()).toBe('Sign in · Bank, Test');
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const answered = page.waitForResponse('**/admin/sign-in');
      await page.getByLabel('User name').fill('nobody');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await answered;
    }
    await page.getByText(/Try again in \d+ seconds\./).waitFor();
    await page.getByText('another administrator can set a new one').waitFor();
    expect(await lookAt(page, 'too-many')).toEqual([]);
    await signIn(page, 'admin');
    await expectSoon(() => page.title()).toBe('Overview · Bank, Test');
    const last = page.getByRole('link', { name: 'My account' });
    await expectSoon(async () => {
      const { y = 0, height = 0 } = (await last.boundingBox()) ?? {};
      return y + height;
    }).toBeLessThanOrEqual(800);
    await settings.remove(OPERATOR, 'InstallationName');
    await settings.remove(OPERATOR, 'InstallationColour');
  });
});

const APP_SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';

describeConsole('a console whose server is away', (given) => {
  let page: Page;

  beforeAll(async () => {
    await given.site.application.enrolPlain('T1', APP_SUITE);
    await given.site.application.services.webhooks.add(OPERATOR, {
      name: 'siem',
      url: 'https://siem.example.org/',
    });
  });
  beforeEach(async () => {
    ({ page } = await given.openPage());
  });
  afterEach(() => page.context().close());

  async function open(path: string): Promise<void> {
    await page.goto(`${given.site.origin}/console/#${path}`);
    await signIn(page, 'admin');
  }

  it('goes on by itself when the server is back, however long that takes', async () => {
    await page.clock.install();
    await page.route('**/console/api/admin/token/list', (route) => route.abort());
    await open('/tokens');
    await page.clock.runFor(5_000);
    await page.getByText('This page goes on as soon as it does.').waitFor();
    await page.clock.runFor(60_000);
    await page.getByText('This page goes on as soon as it does.').waitFor();
    await page.unroute('**/console/api/admin/token/list');
    await page.clock.runFor(6_000);
    await page.getByRole('link', { name: 'T1' }).waitFor();
    await expectSoon(() => page.getByRole('alert').count()).toBe(0);
  });

  it('says that an act may have been done, and sends none later', async () => {
    await open('/tokens/T1');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    // The browser itself knows that there is no network.
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alert').getByText('Whether this was done is not known.').waitFor();
    await page.context().setOffline(false);
    await page.reload();
    await page.getByText('ready', { exact: true }).waitFor();
    const shown = await given.site.application.asAdmin('/admin/show', { serial: 'T1' });
    expect(shown.body).toMatchObject({ result: { value: { tokens: [{ active: true }] } } });
  });
});

const MAX_KILOBYTES = 250;

it('the console has at most 250 kB, compressed as the server sends it', async () => {
  const files = await readFolder(builtFolder('console'));
  // The guides are beside it: a browser loads one where somebody asks for it.
  const sizes = [...files]
    .filter(([path]) => !path.startsWith('guides/') && !/\.(?:br|gz)$/.test(path))
    .map(([path, content]) => [path, (files.get(`${path}.br`) ?? content).length] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(total / 1000).toBeLessThanOrEqual(MAX_KILOBYTES);
  // All pages are there, each loaded when it is opened.
  expect(sizes.filter(([path]) => path.endsWith('.js')).length).toBeGreaterThan(8);
});
