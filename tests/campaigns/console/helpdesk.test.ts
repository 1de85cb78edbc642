import { beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import {
  addAdministrator,
  describeConsole,
  lookAt,
  setPolicies,
} from '../../support/browser/console-site.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { readQrCode } from '../../support/values/qr-code.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

const PROBE = `<img src=x onerror="document.title='probe'">`;

describeConsole('the helpdesk in the console', (given) => {
  beforeAll(async () => {
    const { application } = given.site;
    await application.addRealm('north', ['bert', 'o/d d%']);
    await application.addRealm('south', ['cleo']);
    await application.services.users.add(OPERATOR, {
      resolver: 'north',
      login: 'anna',
      givenName: 'Anna',
      surname: PROBE,
      email: 'anna@example.org',
      phone: '+49 30 7',
    });
    for (const [serial, user, realm] of [
      ['QR1', 'anna', 'north'],
      ['QR2', 'bert', 'north'],
      ['QR3', 'cleo', 'south'],
    ] as const) {
      await application.enrolPlain(serial, SUITE, { user, realm, description: PROBE });
    }
    await setPolicies(
      given.site,
      ['all', 'admin', '*', 'admin'],
      ['north', 'admin', '*', 'desk', 'north'],
      ['answers', 'authentication', 'qrtanurl=https://tan.example.org/ocra/check_t', '*'],
    );
    await addAdministrator(given.site, 'desk');
  });

  async function searched(page: Page, text: string): Promise<void> {
    await page.getByRole('searchbox').fill(text);
  }

  const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name });
  const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true });

  it('shows the code of an open transaction, and by a badge that the user says “this was not me”, also of a transaction that was accepted', async () => {
    const { application } = given.site;
    const report = async (data: string, isAnswered: boolean): Promise<string> => {
      const { transactionid, question } = await application.challenge('QR3', data);
      if (isAnswered) {
        await application.check(transactionid, application.respond(SUITE, question, { counter: 0n }));
      }
      const decline = application.decline(SUITE, transactionid, question, 'reported');
      await application.send('/ocra/check_t', { transactionid, decline });
      return transactionid;
    };
    const [stopped, late] = [await report('31111111', false), await report('32222222', true)];
    const open = await application.challenge('QR3', '33333333');
    const { page } = await given.open({ path: `/transactions/${open.transactionid}` });
    expect(await shownCode(page, 'QR code of the challenge')).toBe(open.url);
    await page.goto(`${given.site.origin}/console/#/transactions/${stopped}`);
    await page.getByText('the user reports: this was not me').waitFor();
    await page.getByText('Reported on the device: this was not me').waitFor();
    await page.goto(`${given.site.origin}/console/#/transactions/${late}`);
    await page.getByText('accepted', { exact: true }).waitFor();
    await expectSoon(() => page.getByText('the user reports: this was not me').count()).toBe(1);
  });

  it('shows the key of a plain token once, and assigns, describes and removes it', async () => {
    const { page } = await given.open({ path: '/enrol' });
    await page.getByLabel('Device with a key').check();
    await button(page, 'Make the key').click();
    const key = (await page.locator('pre').textContent()) ?? '';
    expect(key).toMatch(/^[0-9a-f]{40}$/);
    await button(page, 'Done, hide the key').click();
    await expectSoon(() => page.content()).not.toContain(key);
    await link(page, 'To the token').click();
    await button(page, 'Assign').click();
    await page.getByLabel('Login').fill('nobody-there');
    await page.getByLabel('Realm', { exact: true }).selectOption('north');
    await page.getByLabel('Login').press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await expectSoon(() => page.getByLabel('Login').inputValue()).toBe('nobody-there');
    await page.getByLabel('Login').fill('o/d d%');
    await page.getByLabel('Login').press('Enter');
    await link(page, 'o/d d%').click();
    await page.getByRole('heading', { name: 'o/d d%' }).waitFor();
    const serial = (await page.getByRole('region', { name: 'Tokens' }).getByRole('link').textContent()) ?? '';
    await link(page, serial).click();
    await button(page, 'Remove').click();
    await page.getByRole('dialog').getByText('removed for ever').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('searchbox').waitFor();
    await searched(page, serial);
    await page.getByText('Nothing was found').waitFor();
  });

  it('sets a PIN that is typed twice, and removes it only when asked, never by an empty field', async () => {
    const { tokens } = given.site.application.services;
    const { page } = await given.open({ path: '/tokens/QR3' });
    const facts = page.getByRole('definition');
    const dialog = page.getByRole('dialog');
    const pinOf = facts.filter({ hasText: /^(set|none)$/ });
    await expectSoon(() => pinOf.textContent()).toBe('none');
    await expectSoon(() => button(page, 'Remove the PIN').count()).toBe(0);
    await button(page, 'Set the PIN').click();
    await page.getByLabel('New token PIN').fill('1234');
    await page.keyboard.press('Enter');
    await page.getByLabel('The same PIN again').fill('1235');
    await page.getByText('The two PINs differ.').waitFor();
    await page.keyboard.press('Enter');
    expect((await tokens.show(OPERATOR, 'QR3')).hasPin).toBe(false);
    expect(await lookAt(page, 'pin')).toEqual([]);
    await page.getByLabel('The same PIN again').fill('1234');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await facts.getByText('set', { exact: true }).waitFor();
    await button(page, 'Set the PIN').click();
    await page.getByLabel('New token PIN').press('Enter');
    await expectSoon(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await tokens.show(OPERATOR, 'QR3')).hasPin).toBe(true);
    await button(page, 'Remove the PIN').click();
    await dialog.getByText('accepted without a PIN').waitFor();
    expect(await lookAt(page, 'remove-pin')).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove the PIN' }).click();
    await facts.getByText('none', { exact: true }).waitFor();
    expect((await tokens.show(OPERATOR, 'QR3')).hasPin).toBe(false);
  });

  async function shownCode(page: Page, name: string): Promise<string> {
    const picture = await page.getByRole('img', { name }).screenshot();
    return readQrCode(picture) ?? '';
  }
});
