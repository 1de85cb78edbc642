import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { readSiteFiles } from '../../../src/http/site.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import { describeConsole, setPolicies } from '../../support/browser/console-site.ts';
import { expectSent, formsBelow, sendInOneTask, untestedForms } from '../../support/browser/one-task.ts';
import { builtFolder } from '../../support/browser/vite.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { ACTIVATION_CODE, answerAt, expectScreen, issueCodes, PIN } from './support/app-page.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
const ADDRESS = 'https://bank.example/ocra/check_t';
const NEW_PIN = '739164';
const OWN_PASSWORD = 'correct-horse';
const appFiles = await readSiteFiles(builtFolder('app'));

const APP_FORMS = [
  'vault-screens/first-start.tsx',
  'scanning/scan-screen.tsx',
  'flows/activation-screen.tsx',
  'flows/challenge-screen.tsx',
  'tokens/token-screen.tsx',
  'vault-screens/restore-form.tsx',
  'vault-screens/proof-form.tsx',
  'vault-screens/unlock-screen.tsx',
];
const ACCOUNT_FORMS = [
  'account/sign-in-screens.tsx',
  'account/challenge-panel.tsx',
  'account/tokens-screen.tsx',
  'account/enrol-screens.tsx',
];

/** As a password manager does: what an earlier drawing held must not be taken. */
describeConsole(
  'a form that is filled and sent in one task',
  (given) => {
    const press = (page: Page, name: string): Promise<void> =>
      page.getByRole('button', { name, exact: true }).click();

    it('is taken as its fields show it, in the app', async () => {
      const codes = await issueCodes(ADDRESS, { suite: `${SUITE}-PSHA256` });
      const { page } = await given.openPage();
      const posted = await answerAt(page, ADDRESS, true);
      const open = (name: string): Promise<void> =>
        page.getByRole('navigation').getByRole('button', { name }).click();
      const send = (...values: readonly string[]) => sendInOneTask(page, 'form', 0, values);
      await page.goto(`${given.site.origin}/app/`);
      await send(PIN, PIN);
      await expectScreen(page, 'Your tokens');
      await open('Scan');
      await send(codes.init);
      await press(page, 'Add the token');
      await expectScreen(page, 'The first step is done');
      await open('Scan');
      await send(codes.nonce());
      await expectScreen(page, 'Enter the activation code');
      await send(ACTIVATION_CODE);
      await expectScreen(page, 'Do you want to confirm this?');
      await send('2468');
      await expectScreen(page, 'Confirmed');
      expect(posted).toHaveLength(1);
      await open('Tokens');
      await page.getByRole('button', { name: /LSQR0001/ }).click();
      await send('my phone');
      await page.getByText('The name is saved.').waitFor();
      await open('Settings');
      await press(page, 'Backup');
      const file = { name: 'backup.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
      await page.getByLabel('File', { exact: true }).setInputFiles(file);
      const forms = await page.locator('form').count();
      await sendInOneTask(page, 'form', forms - 1, ['a-phrase-that-is-long']);
      await page.getByText(/^This file is no backup/).waitFor();
      await open('Settings');
      await press(page, 'PIN and lock');
      await send(PIN, NEW_PIN, NEW_PIN);
      await page.getByText('The PIN was changed.').waitFor();
      await press(page, 'Lock');
      await expectScreen(page, 'The app is locked');
      await send(NEW_PIN);
      await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
    });

    it('sends what its fields show, at the account page', async () => {
      const { application, origin } = given.site;
      const { policies, users } = application.services;
      await application.addRealm('north', []);
      const self = { scope: 'selfservice', action: 'show, rename, enrol', realm: 'north' };
      await policies.set(OPERATOR, { name: 'self', ...self });
      await setPolicies(given.site, ['at', 'authentication', `qrtanurl=${origin}/ocra/check_t`, '*']);
      const names = { givenName: '', surname: '', email: '', phone: '' };
      await users.add(OPERATOR, { resolver: 'north', login: 'cleo', password: OWN_PASSWORD, ...names });
      await application.enrolPlain('PHONE', SUITE, { user: 'cleo', realm: 'north' });
      const { page } = await given.openPage();
      const tanOf = async (path: string, act: () => Promise<unknown>): Promise<string> => {
        const [answer] = await Promise.all([page.waitForResponse(`${origin}${path}`), act()]);
        const { result } = (await answer.json()) as { result: { value: { data: string } } };
        const read = parseQrTanUrl(result.value.data);
        await page.getByText('Waiting for your confirmation').waitFor();
        return application.respond(SUITE, read.kind === 'req' ? read.question : '');
      };
      await page.goto(`${origin}/app/account`);
      const tan = await tanOf('/self/sign-in', () =>
        expectSent(page, 'form', 0, ['cleo', OWN_PASSWORD, 'north']),
      );
      await expectSent(page, 'form', 0, [tan]);
      await page.getByRole('button', { name: 'Rename' }).click();
      await expectSent(page);
      await page.getByText('The new name is saved.').waitFor();
      await press(page, 'Add another phone');
      const posted: string[] = [];
      page.on('request', (request) => posted.push(request.postData() ?? ''));
      const next = await tanOf('/self/enrol', () => sendInOneTask(page, 'form', 0, ['other']));
      await expectSent(page, 'form', 0, [next]);
      await expectSoon(() => posted.join('\n')).toContain('description=other');
    });

    it('is every form of the app', async () => {
      expect(untestedForms(await formsBelow('app/src'), [...APP_FORMS, ...ACCOUNT_FORMS])).toEqual([]);
    });
  },
  { http: { appFiles } },
);
