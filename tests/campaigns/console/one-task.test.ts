import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readSiteFiles } from '../../../src/http/site.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import {
  addAdministrator,
  ADMIN_MAY_ALL,
  describeConsole,
  setPolicies,
} from '../../support/browser/console-site.ts';
import { sendInOneTask } from '../../support/browser/one-task.ts';
import { builtFolder } from '../../support/browser/vite.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const appFiles = await readSiteFiles(builtFolder('app'));

/** The forms of the pages: the address, the button that opens the form, or its number on the page. */
const FORMS: readonly (readonly [path: string, opened: string | number])[] = [
  ['/account', 0],
  ['/administrators', 0],
  ['/administrators/desk', 0],
  ['/administrators/desk', 1],
  ['/audit', 0],
  ['/audit-verification', 0],
  ['/enrol', 0],
  ['/tokens/T1', 'Resynchronise'],
  ['/tokens/T1', 'Set the PIN'],
  ['/tokens/T1', 'Rename'],
  ['/tokens/T1', 'Period and uses'],
  ['/tokens/T1', 'Assign'],
  ['/tokens/T1', 'Realms'],
  ['/realms', 'New realm'],
  ['/resolvers/north', 'Add a user'],
  ['/resolvers/north', 'Set the password'],
  ['/new-resolver', 0],
  ['/policies/new', 0],
  ['/policies/explain', 0],
  ['/new-webhook', 0],
];

describeConsole(
  'a form that is filled and sent in one task',
  (given) => {
    beforeAll(async () => {
      const { application } = given.site;
      await application.addRealm('north', ['bert']);
      await application.enrolPlain('T1', SUITE, { user: 'bert', realm: 'north' });
      await setPolicies(given.site, ...ADMIN_MAY_ALL);
      await addAdministrator(given.site, 'desk');
      const self = { scope: 'selfservice', action: 'show, rename', realm: 'north' };
      await application.services.policies.set(OPERATOR, { name: 'self', ...self });
    });

    async function expectSent(page: Page, selector = 'form', place = 0): Promise<void> {
      const { typed, posted } = await sendInOneTask(page, selector, place);
      expect(typed).not.toEqual([]);
      await expectSoon(() => typed.filter((value) => !posted.join('\n').includes(value))).toEqual([]);
    }

    it.each(FORMS)('sends what its fields show: %s, %s', async (path, opened) => {
      const { page } = await given.open({ path });
      if (typeof opened === 'number') {
        await expectSent(page, '#content form', opened);
        return;
      }
      await page.getByRole('button', { name: opened }).first().click();
      await expectSent(page, '[role=dialog] form');
    });

    it.each(['/console/', '/app/account'])('signs in with both values at %s', async (path) => {
      const { page } = await given.openPage();
      await page.goto(`${given.site.origin}${path}`);
      await expectSent(page);
    });
  },
  { http: { appFiles } },
);
