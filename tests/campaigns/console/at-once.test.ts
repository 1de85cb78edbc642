import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { submitAtOnce } from '../../support/browser/at-once.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  type ConsoleSite,
  openConsole,
  PASSWORD,
  startConsole,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

/** The forms: their pages, the button that opens them, and the values of fields that take no text like any other. */
const FORMS: readonly (readonly [path: string, button: string, values: Readonly<Record<string, string>>])[] =
  [
    ['/tokens/T1', 'Rename', {}],
    ['/tokens/T1', 'Set the PIN', {}],
    ['/tokens/T1', 'Period and uses', {}],
    ['/tokens/T1', 'Assign', { Realm: 'customers' }],
    ['/tokens/T1', 'Realms', {}],
    ['/tokens/T1', 'Resynchronise', {}],
    ['/enrol', '', {}],
    ['/administrators', '', {}],
    ['/administrators/desk', '', {}],
    ['/account', '', {}],
    ['/policies/new', '', {}],
    ['/policies/explain', '', {}],
    ['/audit', '', {}],
    ['/realms', 'New realm', { 'Add a resolver': 'customers' }],
    ['/resolvers/customers', 'Add a user', {}],
    ['/new-resolver', '', {}],
    ['/webhooks/siem/edit', '', {}],
  ];

describeWithProgram('what is filled and sent at once', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;
  let page: Page;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { application } = site;
    await application.addRealm('customers');
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
    await application.services.webhooks.add(OPERATOR, { name: 'siem', url: 'https://siem.example.org/' });
    await addAdministrator(site, 'desk');
    ({ page } = await openConsole(browser, site));
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  it('signs in', async () => {
    const { page: signIn } = await openPage(browser, site.origin);
    await signIn.goto('/console/');
    await submitAtOnce(signIn, { 'User name': 'admin', Password: PASSWORD });
    await expectSoon(() => signIn.locator('#content').count()).toBe(1);
  });

  it.each(FORMS)('arrives whole from %s %s', async (path, button, values) => {
    await open(path);
    if (button !== '') {
      await page.getByRole('button', { name: button, exact: true }).click();
    }
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    const written = await submitAtOnce(page, values);
    await expectSoon(() => sent.some((body) => written.every((value) => body.includes(value)))).toBe(true);
  });

  async function open(path: string): Promise<void> {
    await page.goto('about:blank');
    await page.goto(`${site.origin}/console/#${path}`);
  }

  it('keeps the last letter of a fast typist', async () => {
    await open('/tokens/T1');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByLabel('Description').fill('last lette');
    const [request] = await Promise.all([
      page.waitForRequest('**/admin/set'),
      page.evaluate(`
        document.execCommand('insertText', false, 'r');
        document.querySelector('form [type=submit]').click();
      `),
    ]);
    expect(request.postDataJSON()).toEqual({ serial: 'T1', description: 'last letter' });
  });

  it('is read from fields that were filled without an event', async () => {
    await open('/tokens/T1');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByLabel('Description').waitFor();
    const [request] = await Promise.all([
      page.waitForRequest('**/admin/set'),
      page.evaluate(`
        document.querySelector('form [type=submit]').form.elements[0].value = 'filled';
        document.querySelector('form [type=submit]').form.requestSubmit();
      `),
    ]);
    expect(request.postDataJSON()).toEqual({ serial: 'T1', description: 'filled' });
  });

  it('keeps each of two choices', async () => {
    await open('/tokens');
    await page.getByText('Columns', { exact: true }).click();
    const boxes = page.getByRole('group', { name: 'Columns' }).getByRole('checkbox');
    await boxes.first().waitFor();
    const chosen = async (): Promise<readonly boolean[]> => [
      await boxes.nth(0).isChecked(),
      await boxes.nth(1).isChecked(),
    ];
    const before = await chosen();
    await page.evaluate(`
      document.querySelectorAll('[aria-label=Columns] input').forEach((box, place) => place < 2 && box.click())
    `);
    await page.evaluate('new Promise((drawn) => setTimeout(drawn, 100))');
    expect(await chosen()).toEqual(before.map((isChosen) => !isChosen));
  });
});
