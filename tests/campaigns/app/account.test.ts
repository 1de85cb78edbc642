import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { base32nopad } from '@scure/base';
import type { Browser, Page } from 'playwright-core';
import { emptyDeviceState } from '../../../src/cli/device/device-file.ts';
import { readByApp } from '../../../src/cli/device/virtual-device.ts';
import { readSiteFiles } from '../../../src/http/site.ts';
import { questionOf } from '../../support/values/asked-question.ts';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { findChromium, openPage, startChromium } from '../../support/browser/chromium.ts';
import { type ConsoleSite, lookAt, startConsole, WIDTHS } from '../../support/browser/console-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { totpAt } from '../../support/values/authenticator-app.ts';
import { expectScreen } from './support/app-page.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';
const PASSWORD = 'the password of a customer';

/** What the page gets: a challenge, or the codes of a roll-out. */
interface Got {
  readonly data: string;
  readonly transactionid: string;
  readonly init: string;
  readonly nonce: string;
  readonly activation_code: string;
  readonly key_uri: string;
}

describeWithProgram('the account page', findChromium(), 'chromium', (program) => {
  let site: ConsoleSite;
  let browser: Browser;

  beforeAll(async () => {
    const appFiles = await readSiteFiles(builtFolder('app'));
    [site, browser] = await Promise.all([
      startConsole((publicUrl) => ({ publicUrl, http: { appFiles } })),
      startChromium(program),
    ]);
    const { application, origin } = site;
    await application.addRealm('customers');
    await set('address', 'authentication', `qrtanurl=${origin}/ocra/check_t`);
  });

  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  function set(name: string, scope: string, action: string): Promise<unknown> {
    return site.application.setPolicy(name, scope, action, { realm: 'customers' });
  }

  async function addCustomer(login: string): Promise<void> {
    const { application } = site;
    const names = { givenName: '', surname: '', email: '', phone: '' };
    const user = { resolver: 'customers', login, password: PASSWORD, ...names };
    await application.services.users.add(OPERATOR, user);
    const own = { user: login, realm: 'customers', description: 'my phone' };
    await application.enrolPlain(`${login}-phone`, SUITE, own);
  }

  /** Does something, and waits for the answer of the server that it leads to. */
  async function got(page: Page, path: string, act: () => Promise<void>): Promise<Got> {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith(path) && response.status() === 200),
      act(),
    ]);
    return ((await answer.json()) as { result: { value: Got } }).result.value;
  }

  function tanOf({ data }: Got): string {
    return site.application.respond(SUITE, questionOf(data));
  }

  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();

  it.each(WIDTHS)('lets a customer rename, add and lock a phone, %d pixels wide', async (width) => {
    const { application, origin } = site;
    const login = `anna${width}`;
    await addCustomer(login);
    await set('self-service', 'selfservice', 'show, rename, lock, enrol');
    const { page, problems } = await openPage(browser, origin, width);
    const faults: string[] = [];
    const see = async (title: string, name: string): Promise<void> => {
      await expectScreen(page, title);
      faults.push(...(await lookAt(page, name)));
    };

    await page.goto(`${origin}/app/account`);
    await see('Sign in to your account', 'account-sign-in');
    await page.keyboard.press('Tab');
    await page.keyboard.type(login);
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Tab');
    await page.keyboard.type('customers');
    await page.keyboard.press('Enter');
    await page.getByText('User name or password is wrong').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await got(page, '/self/sign-in', () => page.keyboard.press('Enter'));
    await expectScreen(page, 'Confirm the sign-in');
    await press(page, 'Cancel');
    await expectScreen(page, 'Sign in to your account');
    await expectSoon(() => page.getByLabel('Password').inputValue()).toBe('');
    await page.getByLabel('Password').fill(PASSWORD);
    const begun = await got(page, '/self/sign-in', () => press(page, 'Continue'));
    await see('Confirm the sign-in', 'account-confirm');
    await page.getByText(/^Time left: [345]:[0-5][0-9]$/).waitFor();
    // As the app on the phone sends it.
    await application.check(begun.transactionid, tanOf(begun));
    await see('Your phones', 'account-tokens');

    await page.getByRole('button', { name: 'Rename “my phone”' }).press('Enter');
    await page.locator('section:focus').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('the old one');
    await press(page, 'Save');
    await page.getByText('The new name is saved.').waitFor();
    await page.getByRole('heading', { name: 'the old one' }).waitFor();

    await press(page, 'Add another phone');
    await page.getByLabel('Name of the phone').fill('the new one');
    const asked = await got(page, '/self/enrol', () => press(page, 'Continue'));
    await see('Confirm the new phone', 'account-enrol');
    await page.getByLabel('Or type the digits that the app shows').fill('00000000');
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await page.getByText('This response was not right.').waitFor();
    await page.locator('button:focus', { hasText: 'Confirm' }).waitFor();
    await page.getByLabel('Or type the digits that the app shows').fill(tanOf(asked));
    const isEnrolled = page.waitForResponse(
      async (response) =>
        response.url().endsWith('/self/enrol/finish') && (await response.text()).includes('lseqr://init'),
    );
    await press(page, 'Confirm');
    const { result } = (await (await isEnrolled).json()) as { result: { value: Got } };
    const codes = result.value;
    await see('First code for the new phone', 'account-first');
    await page.getByText(/^Time left: (?:20:00|19:[0-5][0-9])$/).waitFor();
    const link = await page.getByRole('link', { name: 'Open in the app' }).getAttribute('href');
    expect(link).toBe(`./#link=${encodeURIComponent(codes.init)}`);
    await press(page, 'Continue');
    await see('Second code for the new phone', 'account-second');
    const questions = {
      activationCode: () => Promise.resolve(codes.activation_code),
      ocraPin: () => Promise.resolve(''),
    };
    const first = await readByApp(application.clock, emptyDeviceState(), codes.init, questions);
    const { answer } = await readByApp(application.clock, first.state, codes.nonce, questions);
    await application.check(codes.transactionid, answer.kind === 'nonce' ? answer.response : '');
    await page.getByText('The new phone is ready.').waitFor();

    await press(page, 'Lock “the new one”');
    faults.push(...(await lookAt(page, 'account-lock')));
    await press(page, 'Lock now');
    await page.getByText('The phone is locked.').waitFor();
    await press(page, 'Sign out');
    await expectScreen(page, 'Sign in to your account');
    expect(faults).toEqual([]);
    // A refusal is a line of the browser's own.
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  it.each(WIDTHS)(
    'lets a customer add an authenticator app and sign in with it, %d pixels wide',
    async (width) => {
      const { application, origin } = site;
      const login = `dora${width}`;
      await addCustomer(login);
      await set('self-service', 'selfservice', 'show, enroltotp');
      const { page, problems } = await openPage(browser, origin, width);
      const signIn = async (): Promise<Got> => {
        await page.goto(`${origin}/app/account`);
        await page.getByLabel('User name').fill(login);
        await page.getByLabel('Realm').fill('customers');
        await page.getByLabel('Password').fill(PASSWORD);
        return got(page, '/self/sign-in', () => press(page, 'Continue'));
      };
      const digits = 'Or type the digits that the app shows';
      await page.getByLabel(digits).fill(tanOf(await signIn()));
      await press(page, 'Confirm');
      await press(page, 'Add an authenticator app');
      expect(await lookAt(page, 'account-app-name')).toEqual([]);
      await page.getByLabel('Name of the phone').fill('the new app');
      const asked = await got(page, '/self/enrol', () => press(page, 'Continue'));
      await page.getByLabel(digits).fill(tanOf(asked));
      const { key_uri: uri } = await got(page, '/self/enrol/finish', () => press(page, 'Confirm'));
      await expectScreen(page, 'Code for the authenticator app');
      expect(await lookAt(page, 'account-app')).toEqual([]);
      const key = base32nopad.decode(new URL(uri).searchParams.get('secret') ?? '');
      const code = (): string => totpAt(application.clock.now(), key);
      await page.getByLabel('Code', { exact: true }).fill(wrongResponse(code()));
      await press(page, 'Confirm');
      await page.getByText('This response was not right.').waitFor();
      await page.getByLabel('Code', { exact: true }).fill(code());
      await press(page, 'Confirm');
      await page.getByText('The authenticator app is ready.').waitFor();
      await press(page, 'Sign out');
      await expectScreen(page, 'Sign in to your account');

      application.clock.advance(30);
      await signIn();
      await page.getByText('Type the code that your authenticator app shows').waitFor();
      expect(await lookAt(page, 'account-code')).toEqual([]);
      await page.getByLabel('Code', { exact: true }).fill(code());
      await press(page, 'Confirm');
      await expectScreen(page, 'Your phones');
      expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    },
  );
});
