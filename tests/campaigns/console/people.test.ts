import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import { addSecurityKey } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  describeConsole,
  expectNoProblem,
  lookAt,
  PASSWORD,
  signIn,
  signOut,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { CLIENT, TestOpenidProvider } from '../../support/servers/openid-provider.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';

let provider: TestOpenidProvider;

beforeAll(async () => {
  provider = await TestOpenidProvider.start();
});
afterAll(() => provider.stop());

describeConsole(
  'people sign in',
  (given) => {
    let number = 0;
    let page: Page;
    let problems: readonly string[];

    beforeEach(async () => {
      ({ page, problems } = await given.openPage());
    });
    afterEach(() => page.context().close());

    /** @returns the name of a new administrator */
    async function somebody(): Promise<string> {
      number += 1;
      const name = `anna${number}`;
      await addAdministrator(given.site, name);
      return name;
    }

    /** @returns an administrator whose second factor is a token */
    async function withToken(): Promise<{ readonly name: string; readonly serial: string }> {
      const name = await somebody();
      const serial = `TOKEN${number}`;
      await given.site.application.enrolPlain(serial, SUITE);
      await given.site.application.services.administrators.setSecondFactor(OPERATOR, name, serial);
      return { name, serial };
    }

    async function givePassword(name: string): Promise<void> {
      await page.getByLabel('User name').fill(name);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    }

    /** Reads the QR code as a camera would: from the picture. */
    async function scanned(): Promise<{ message: string; question: string; transactionId: string }> {
      const code = page.getByRole('img', { name: 'QR code for the app of your token' });
      await code.waitFor();
      const read = parseQrTanUrl(readQrCode(await code.screenshot()) ?? '');
      if (read.kind !== 'req') {
        throw new Error('no QR code of a challenge');
      }
      return { message: read.message, question: read.question, transactionId: read.transactionId };
    }

    const answerTo = ({ question }: { question: string }): string =>
      given.site.application.respond(SUITE, question);

    it('by a TAN, to the page that was wanted; a wrong one is told and lost nothing', async () => {
      const { name } = await withToken();
      await page.goto(`${given.site.origin}/console/#/account`);
      await givePassword(name);
      const code = await scanned();
      expect(code.message).toBe(`Sign in as ${name} at ${new URL(given.site.origin).host}`);
      expect(await lookAt(page, 'second-factor')).toEqual([]);
      await page.getByLabel('TAN').fill('00000000');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('alert').getByText('The second factor is wrong').waitFor();
      await expectSoon(() => page.getByLabel('TAN').inputValue()).toBe('00000000');
      await page.getByLabel('TAN').fill(answerTo(code));
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('heading', { name: 'My account' }).waitFor();
      expectNoProblem(problems);
    });

    it.each(WIDTHS)('and manage administrators, with a confirmation, %d pixels wide', async (width) => {
      const { name, serial } = await withToken();
      number += 1;
      const added = `bert${number}`;
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${given.site.origin}/console/#/administrators`);
      await givePassword(name);
      await page.getByLabel('TAN').fill(answerTo(await scanned()));
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('row', { name: new RegExp(`^${name} .*token ${serial}`) }).waitFor();
      await page.getByLabel('Name').fill(added);
      await page.getByLabel('First password', { exact: true }).fill(PASSWORD);
      expect(await lookAt(page, 'administrators')).toEqual([]);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await confirm(name);
      await page.getByText(`${added} is added.`).waitFor();
      await page.getByRole('link', { name: added }).click();
      await makeApiToken();
      expect(await lookAt(page, 'administrator')).toEqual([]);
      await removed(added);
      await page.goto(`${given.site.origin}/console/#/sessions`);
      await page.getByRole('heading', { name: 'Open sessions' }).waitFor();
      await page.getByRole('cell', { name, exact: true }).first().waitFor();
      expect(await lookAt(page, 'sessions')).toEqual([]);
      await expectSoon(() => sideways(page)).toEqual([]);
      await page.goto(`${given.site.origin}/console/#/account`);
      await page.getByText('this one', { exact: true }).waitFor();
      expect(await lookAt(page, 'account')).toEqual([]);
      await expectSoon(() => sideways(page)).toEqual([]);
      expect(problems.filter((problem) => !/40[13]/.test(problem))).toEqual([]);
    });

    it('by a passkey that they have added, and remove it with another one', async () => {
      const name = await somebody();
      await addSecurityKey(page);
      await page.goto(`${given.site.origin}/console/#/account`);
      await signIn(page, name);
      await addPasskey('laptop');
      await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor();
      // An authenticator holds one passkey of a person for this server.
      await addPasskey('again');
      await page
        .getByRole('alert')
        .getByText(/^No passkey was made/)
        .waitFor();
      await signOut(page);
      await page.getByLabel('User name').waitFor();
      await page.goto(`${given.site.origin}/console/#/account`);

      await givePassword(name);
      await page.getByRole('button', { name: 'Use the passkey' }).click();
      await page.getByRole('link', { name: 'My account' }).click();
      await page.getByRole('button', { name: 'Remove: laptop' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      // A stolen session and the password would not be enough.
      await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('button', { name: 'Use the passkey' }).click();
      await page
        .getByRole('alert')
        .getByText(/^The last passkey stays/)
        .waitFor();
      await expectSoon(() => page.getByRole('cell', { name: 'laptop', exact: true }).count()).toBe(1);
    });

    it('by single sign-on, to the page that was wanted, with the rights of their groups', async () => {
      provider.behaviour.claims = { preferred_username: 'anna', groups: ['helpdesk-team'] };
      await given.site.application.setPolicy('desk', 'admin', 'show', { user: 'group:helpdesk' });
      // A page that may go to the provider.
      await page.context().close();
      page = await (await given.browser.newContext({ baseURL: given.site.origin })).newPage();
      await page.goto(`${given.site.origin}/console/#/account`);
      const button = page.getByRole('button', { name: 'Sign in with Example Inc.' });
      await button.waitFor();
      expect(await lookAt(page, 'sign-in-provider')).toEqual([]);
      await button.click();
      await page.getByText('Signed in as oidc:anna.').waitFor();
      await page.getByRole('heading', { name: 'My account' }).waitFor();
      await expectSoon(() => page.url()).toBe(`${given.site.origin}/console/#/account`);
      await expectSoon(() => page.evaluate('sessionStorage.length')).toBe(0);
      await page.getByText(/^You signed in by single sign-on/).waitFor();
      await expectSoon(() => page.getByRole('link', { name: 'Administrators' }).count()).toBe(0);
      await page.reload();
      await page.getByRole('heading', { name: 'My account' }).waitFor();
    });

    async function addPasskey(passkey: string): Promise<void> {
      await page.getByLabel('Name of the new passkey').fill(passkey);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
    }

    /** @returns the classes of what scrolls sideways in the page */
    function sideways(of: Page): Promise<readonly string[]> {
      return of.evaluate<readonly string[]>(
        `[...document.querySelectorAll('#content *')]
        .filter((one) => one.scrollWidth > one.clientWidth && /auto|scroll/.test(getComputedStyle(one).overflowX))
        .map(({ className }) => className)`,
      );
    }

    async function confirm(name: string): Promise<void> {
      await page.getByLabel('Your password', { exact: true }).fill(PASSWORD);
      expect(await lookAt(page, 'confirmation')).toEqual([]);
      await page.getByRole('button', { name: 'Go on' }).click();
      const code = await scanned();
      expect(code.message).toBe(`Confirm as ${name} at ${new URL(given.site.origin).host}`);
      await given.site.application.check(code.transactionId, answerTo(code));
    }

    async function makeApiToken(): Promise<void> {
      await page.getByLabel('Name').fill('nagios');
      await page.getByLabel('Rights').fill('monitoring:everything');
      await page.getByRole('button', { name: 'Make an API token' }).click();
      await page
        .getByRole('alert')
        .getByText(/Unknown action/)
        .waitFor();
      await expectSoon(() => page.getByLabel('Name').inputValue()).toBe('nagios');
      await page.getByLabel('Rights').fill('monitoring:*');
      await page.getByLabel('Expires').fill('90D');
      await page.getByRole('button', { name: 'Make an API token' }).click();
      const secret = await page.getByText(/^tk_[\w-]{43}$/).textContent();
      const asked = await fetch(`${given.site.origin}/monitoring/license`, {
        headers: { Authorization: `Bearer ${secret ?? ''}` },
      });
      expect(asked.status).toBe(200);
      await page.getByRole('button', { name: 'Revoke: nagios' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No API tokens.').waitFor();
    }

    async function removed(name: string): Promise<void> {
      await page.getByRole('button', { name: 'Remove the administrator' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove the administrator' }).click();
      await page.getByRole('heading', { name: 'Administrators' }).waitFor();
      await page.getByRole('link', { name }).waitFor({ state: 'detached' });
    }
  },
  (origin) => ({
    publicUrl: origin,
    singleSignOn: {
      ...CLIENT,
      issuer: provider.issuer,
      provider: 'Example Inc.',
      scopes: 'openid',
      nameClaim: 'preferred_username',
      groupsClaim: 'groups',
      lifetime: 600,
      redirectUrl: `${origin}/admin/sign-in/oidc/callback`,
      groups: new Map([['helpdesk-team', 'helpdesk']]),
    },
  }),
);

const NEW_PASSWORD = 'another password';

describeConsole('one browser, several people', (given) => {
  let number = 0;
  let page: Page;
  let anna: string;
  let bert: string;

  beforeEach(async () => {
    number += 1;
    anna = `anna${number}`;
    bert = `bert${number}`;
    await addAdministrator(given.site, anna);
    await addAdministrator(given.site, bert);
    ({ page } = await given.openPage());
  });
  afterEach(() => page.context().close());

  async function open(path: string, name: string): Promise<void> {
    await page.goto(`${given.site.origin}/console/#${path}`);
    await signIn(page, name);
  }

  const end = (name: string): Promise<number> =>
    given.site.application.services.sessions.end(OPERATOR, { owner: name, isAll: true });

  /** @returns the texts, attributes and typed values of the whole document */
  const documentOf = (of: Page): Promise<string> =>
    of.evaluate<string>(
      'document.documentElement.outerHTML + [...document.querySelectorAll("input")].map(({ value }) => value).join()',
    );

  /** Clicks after the login has ended: a page that asks for something in the meantime signs out before the click. */
  async function clickUntilSignedOut(button: Locator): Promise<void> {
    const signedOut = page.getByLabel('User name').waitFor();
    await Promise.race([button.click().catch(() => undefined), signedOut]);
    await signedOut;
  }

  /** Begins to add an administrator, while the login ends. */
  async function beginToAdd(name: string): Promise<void> {
    await open('/administrators', anna);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('First password', { exact: true }).fill(NEW_PASSWORD);
    await end(anna);
    await clickUntilSignedOut(page.getByRole('button', { name: 'Add', exact: true }));
  }

  it('shows the next administrator nothing of the former, not even before the server has answered', async () => {
    await open('/account', anna);
    await page.getByRole('button', { name: new RegExp(`^End: ${anna}`) }).waitFor();
    await page.getByRole('button', { name: 'End all sessions and sign-ins' }).click();
    await page.getByLabel('User name').waitFor();
    const asked = page.waitForRequest('**/console/api/admin/session/list');
    await page.route('**/console/api/admin/session/list', () => undefined);
    await signIn(page, bert);
    await page.evaluate("location.hash = '#/account'");
    await asked;
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await expectSoon(() => documentOf(page)).not.toContain(anna);
  });

  it('keeps what was typed when a login ends, out of the document, for the same person', async () => {
    await beginToAdd('carl');
    const between = await documentOf(page);
    for (const text of [anna, bert, 'carl', NEW_PASSWORD]) {
      expect(between).not.toContain(text);
    }
    await signIn(page, anna);
    await expectSoon(() => page.getByLabel('Name').inputValue()).toBe('carl');
    await expectSoon(() => page.getByLabel('First password', { exact: true }).inputValue()).toBe(
      NEW_PASSWORD,
    );
  });

  it('gives what was typed to nobody else', async () => {
    await beginToAdd('carl');
    await signIn(page, bert);
    await expectSoon(() => page.url()).toBe(`${given.site.origin}/console/#/`);
    await page.evaluate("location.hash = '#/administrators'");
    await page.getByLabel('Name').waitFor();
    await expectSoon(() => documentOf(page)).not.toContain('carl');
  });

  it('forgets the passwords with a change of the own one', async () => {
    await open('/account', anna);
    await page.getByLabel('Present password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel('New password, again', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByLabel('User name').waitFor();
    await expectSoon(() => documentOf(page)).not.toContain(PASSWORD);
    await signIn(page, anna, NEW_PASSWORD);
    await page.evaluate("location.hash = '#/account'");
    await expectSoon(() => page.getByLabel('Present password', { exact: true }).inputValue()).toBe('');
  });

  it('forgets everything with a sign-out, the address too', async () => {
    await open('/administrators', anna);
    await page.getByLabel('Name').fill('carl');
    await signOut(page);
    await page.getByLabel('User name').waitFor();
    await expectSoon(() => documentOf(page)).not.toContain(anna);
    await expectSoon(() => page.url()).toBe(`${given.site.origin}/console/#/`);
    await signIn(page, anna);
    await page.evaluate("location.hash = '#/administrators'");
    await expectSoon(() => page.getByLabel('Name').inputValue()).toBe('');
  });

  it('tells the other tabs who is signed in', async () => {
    await open('/account', anna);
    const other = await page.context().newPage();
    await other.goto(`${given.site.origin}/console/#/account`);
    await other.getByRole('button', { name: new RegExp(`^End: ${anna}`) }).waitFor();
    await signOut(page);
    await other.getByLabel('User name').waitFor();
    await expectSoon(() => documentOf(other)).not.toContain(anna);
    await signIn(page, bert);
    await other.getByRole('button', { name: `${bert}: account and display` }).waitFor();
  });
});
