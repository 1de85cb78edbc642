import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { addSecurityKey } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  ADMIN_MAY_ALL,
  describeConsole,
  PASSWORD,
  setPolicies,
} from '../../support/browser/console-site.ts';
import { expectSent, formsBelow, sendInOneTask, untestedForms } from '../../support/browser/one-task.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';

/** The forms of the pages: the file, the address, and the button that opens the form, or its number on the page. */
const FORMS: readonly (readonly [file: string, path: string, opened: string | number])[] = [
  ['account/own-password.tsx', '/account', 1],
  ['administrators/administrators-page.tsx', '/administrators', 0],
  ['administrators/second-factor.tsx', '/administrators/desk', 0],
  ['administrators/api-tokens.tsx', '/administrators/desk', 1],
  ['administrators/other-password.tsx', '/administrators/desk', 2],
  ['audit/search-form.tsx', '/audit', 0],
  ['audit/verification-page.tsx', '/audit-verification', 0],
  ['helpdesk/enrolment/enrol-begin.tsx', '/enrol', 0],
  ['helpdesk/resync-dialog.tsx', '/tokens/T1', 'Resynchronise'],
  ['helpdesk/token-dialogs.tsx', '/tokens/T1', 'Set the PIN'],
  ['helpdesk/token-dialogs.tsx', '/tokens/T1', 'Rename'],
  ['helpdesk/token-dialogs.tsx', '/tokens/T1', 'Period and uses'],
  ['helpdesk/token-dialogs.tsx', '/tokens/T1', 'Assign'],
  ['helpdesk/token-dialogs.tsx', '/tokens/T1', 'Realms'],
  ['realms/realm-dialog.tsx', '/realms', 'New realm'],
  ['resolvers/user-dialogs.tsx', '/resolvers/north', 'Add a user'],
  ['resolvers/user-dialogs.tsx', '/resolvers/north', 'Set the password'],
  ['resolvers/resolver-form.tsx', '/new-resolver', 0],
  ['policies/answer-address.tsx', '/', 'Set the answer address'],
  ['policies/policy-editor.tsx', '/policies/new', 0],
  ['policies/explain-form.tsx', '/policies/explain', 0],
  ['webhooks/new-webhook-page.tsx', '/new-webhook', 0],
  ['webhooks/edit-webhook-page.tsx', '/webhooks/hook/edit', 0],
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
      await application.services.webhooks.add(OPERATOR, { name: 'hook', url: 'https://siem.example.com/' });
    });

    const press = (page: Page, name: string): Promise<void> =>
      page.getByRole('button', { name, exact: true }).click();

    it.each(FORMS)('sends what its fields show: %s at %s, %s', async (_file, path, opened) => {
      const { page } = await given.open({ path });
      if (typeof opened === 'number') {
        await expectSent(page, '#content form', opened);
        return;
      }
      await page.getByRole('button', { name: opened }).first().click();
      await expectSent(page, '[role=dialog] form');
    });

    /** Forms behind others, or without a login: their file, and what leads to them. */
    const STEPS: Readonly<Record<string, () => Promise<void>>> = {
      'sign-in/sign-in-page.tsx': async () => {
        const { page } = await given.openPage();
        await page.goto(`${given.site.origin}/console/`);
        await expectSent(page);
      },
      'sign-in/second-step.tsx': async () => {
        const { application, origin } = given.site;
        await addAdministrator(given.site, 'officer');
        await application.enrolPlain('T2', SUITE);
        await application.services.secondFactors.setToken(OPERATOR, 'officer', 'T2');
        const { page } = await given.openPage();
        await page.goto(`${origin}/console/`);
        await expectSent(page, 'form', 0, ['officer', PASSWORD]);
        await page.getByLabel('TAN').waitFor();
        await expectSent(page);
      },
      'sign-in/passkey-link-page.tsx': async () => {
        const { link } = await given.site.application.services.secondFactors.passkeyLink(OPERATOR, 'desk');
        const { page } = await given.openPage();
        await addSecurityKey(page);
        await page.goto(link);
        await page.getByLabel('Name of the passkey').waitFor();
        await expectSent(page);
      },
      'confirmation/use-confirmation.tsx': async () => {
        const { page } = await given.open({ path: '/administrators' });
        await expectSent(page, '#content form');
        await expectSent(page, '[role=dialog] form');
      },
      'account/own-passkeys.tsx': async () => {
        await addAdministrator(given.site, 'anna');
        const { page } = await given.open({ path: '/account', name: 'anna' });
        await addSecurityKey(page);
        const { typed, posted } = await sendInOneTask(page, '#content form');
        await expectSent(page, '[role=dialog] form', 0, [PASSWORD]);
        await expectSoon(() => posted.join('\n')).toContain(`"name":"${typed.join()}"`);
      },
      'helpdesk/enrolment/enrol-code.tsx': async () => {
        const { page } = await given.open({ path: '/enrol' });
        await press(page, 'Show the first QR code');
        await page.getByLabel('Activation code', { exact: true }).waitFor();
        await expectSent(page, '#content form');
      },
      'helpdesk/enrolment/enrol-response.tsx': async () => {
        const { page } = await given.open({ path: '/enrol' });
        await press(page, 'Show the first QR code');
        await page.getByLabel('Activation code', { exact: true }).fill(ACTIVATION_CODE);
        await press(page, 'Show the second QR code');
        await page.getByRole('img', { name: 'Second QR code of the roll-out' }).waitFor();
        await expectSent(page, '#content form');
      },
    };

    it.each(Object.keys(STEPS))('sends what its fields show: %s', async (file) => {
      await expect(STEPS[file]?.()).resolves.toBeUndefined();
    });

    it('is every form of the console', async () => {
      const forms = await formsBelow('console/src');
      expect(untestedForms(forms, [...FORMS.map(([file]) => file), ...Object.keys(STEPS)])).toEqual([]);
    });
  },
  (origin) => ({ publicUrl: origin }),
);
