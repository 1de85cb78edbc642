import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readSiteFiles } from '../../../src/http/site.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import { addAdministrator, describeConsole, PASSWORD } from '../../support/browser/console-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { choosePin, expectScreen, PIN } from '../app/support/app-page.ts';

const NEW_PIN = '739164';
const appFiles = await readSiteFiles(builtFolder('app'));

const FILL_AND_SEND = `(values, told) => {
  const form = document.querySelector('form');
  for (const [index, field] of [...form.querySelectorAll('input')].entries()) {
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    set.call(field, values[index]);
    if (told) {
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }
  form.requestSubmit();
}`;

/**
 * Fills the fields of the first form and sends it in one task of the browser: nothing is drawn in between.
 * @param told false: without events of the fields, as some password managers do
 */
async function sendInOneTask(page: Page, values: readonly string[], told = true): Promise<void> {
  await page
    .locator('form input')
    .nth(values.length - 1)
    .waitFor();
  await page.evaluate(`(${FILL_AND_SEND})(${JSON.stringify(values)}, ${told})`);
}

/** Each page keeps the order of events by itself (`event-order.ts`), for all of its forms. */
describeConsole(
  'a form that is filled and sent in one task is taken as its fields show it',
  (given) => {
    beforeAll(async () => {
      const { application } = given.site;
      const { policies, users } = application.services;
      await addAdministrator(given.site, 'desk');
      await application.addRealm('north', []);
      await users.add(OPERATOR, { resolver: 'north', login: 'cleo', password: PASSWORD });
      await policies.set(OPERATOR, { name: 'self', scope: 'selfservice', action: 'show', realm: 'north' });
    });

    it.each([true, false])('in the console, told of its fields: %s', async (told) => {
      const { page } = await given.openPage();
      await page.goto(`${given.site.origin}/console/#/account`);
      await sendInOneTask(page, ['desk', PASSWORD], told);
      await page.getByRole('heading', { name: 'My account' }).waitFor();
      await expectSoon(() => page.getByRole('alert').count()).toBe(0);
    });

    it('in the app', async () => {
      const { page } = await given.openPage();
      await page.goto(`${given.site.origin}/app/`);
      await choosePin(page);
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('button', { name: 'PIN and lock' }).click();
      await sendInOneTask(page, [PIN, NEW_PIN, NEW_PIN]);
      await page.getByText('The PIN was changed.').waitFor();
      await page.getByRole('button', { name: 'Lock', exact: true }).click();
      await expectScreen(page, 'The app is locked');
      await sendInOneTask(page, [NEW_PIN]);
      const lock = page.getByRole('button', { name: 'Lock', exact: true });
      await expectSoon(() => lock.count()).toBe(1);
    });

    it.each([true, false])('at the account page, told of its fields: %s', async (told) => {
      const { page } = await given.openPage();
      await page.goto(`${given.site.origin}/app/account`);
      const asked = page.waitForRequest('**/self/sign-in');
      await sendInOneTask(page, ['cleo', PASSWORD, 'north'], told);
      const sent = new URLSearchParams((await asked).postData() ?? '');
      expect([...sent.values()]).toEqual(expect.arrayContaining(['cleo', PASSWORD, 'north']));
    });
  },
  { http: { appFiles } },
);
