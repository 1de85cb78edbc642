import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { readSiteFiles } from '../../../src/http/site.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import { submitAtOnce } from '../../support/browser/at-once.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import { type ConsoleSite, startConsole } from '../../support/browser/console-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectScreen } from './support/app-page.ts';
import { ACTIVATION_CODE, issueCodes } from './support/issued-codes.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
const PASSWORD = 'the password of a customer';

describeWithProgram(
  'what is filled and sent at once arrives whole',
  findChromium(),
  'chromium',
  (program) => {
    let browser: Browser;
    let site: ConsoleSite;
    let page: Page;

    beforeAll(async () => {
      const appFiles = await readSiteFiles(builtFolder('app'));
      [browser, site] = await Promise.all([
        startChromium(program),
        startConsole((publicUrl) => ({ publicUrl, http: { appFiles } })),
      ]);
      ({ page } = await openPage(browser, site.origin));
      page.setDefaultTimeout(10_000);
    });
    afterAll(async () => {
      await browser.close();
      await site.close();
    });

    it('in the app', async () => {
      const codes = await issueCodes(`${site.origin}/ocra/check_t`);
      const paste = async (code: string): Promise<void> => {
        await page.getByRole('navigation').getByRole('button', { name: 'Scan' }).click();
        await submitAtOnce(page, { 'Text of the code': code });
      };
      await page.goto('/app/');
      await expectScreen(page, 'Choose a PIN');
      await submitAtOnce(page);
      await expectScreen(page, 'Your tokens');
      await paste(codes.init);
      await page.getByRole('button', { name: 'Add the token' }).click();
      await expectScreen(page, 'The first step is done');
      await paste(codes.nonce());
      await expectScreen(page, 'Enter the activation code');
      await submitAtOnce(page, { 'Activation code': ACTIVATION_CODE });
      await expectScreen(page, 'Do you want to confirm this?');
      await page.reload();
      await expectScreen(page, 'The app is locked');
      await submitAtOnce(page);
      await expectScreen(page, 'Your tokens');
      await page.getByRole('main').getByRole('listitem').getByRole('button').first().click();
      const [name = ''] = await submitAtOnce(page);
      await expectScreen(page, name);
    });

    it('at the account page', async () => {
      const { application } = site;
      await application.addRealm('customers');
      const names = { givenName: '', surname: '', email: '', phone: '' };
      const user = { resolver: 'customers', login: 'anna', password: PASSWORD, ...names };
      await application.services.users.add(OPERATOR, user);
      await application.enrolPlain('phone', SUITE, { user: 'anna', realm: 'customers', description: 'mine' });
      for (const [scope, action] of [
        ['authentication', `qrtanurl=${site.origin}/ocra/check_t`],
        ['selfservice', 'show, rename'],
      ] as const) {
        await application.services.policies.set(OPERATOR, { name: scope, scope, action, realm: 'customers' });
      }
      await page.goto('/app/account');
      await expectScreen(page, 'Sign in to your account');
      const [begun] = await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/self/sign-in') && response.ok()),
        submitAtOnce(page, { 'User name': 'anna', Password: PASSWORD, Realm: 'customers' }),
      ]);
      const { result } = (await begun.json()) as { result: { value: { data: string } } };
      const read = parseQrTanUrl(result.value.data);
      await expectScreen(page, 'Confirm the sign-in');
      await submitAtOnce(page, {
        'Or type the digits that the app shows': application.respond(
          SUITE,
          read.kind === 'req' ? read.question : '',
        ),
      });
      await expectScreen(page, 'Your phones');
      await page.getByRole('button', { name: 'Rename “mine”' }).click();
      const [name = ''] = await submitAtOnce(page);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      expect(name).not.toBe('');
    });
  },
);
