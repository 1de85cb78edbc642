import { beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { VirtualDevice } from '../../../src/cli/device/virtual-device.ts';
import { emptyDeviceState } from '../../../src/cli/device/device-file.ts';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import {
  addAdministrator,
  ADMIN_MAY_ALL,
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

  it('enrols a new phone by two QR codes, sees the response, and keeps no secret', async () => {
    const { application } = given.site;
    const device = new VirtualDevice({ clock: application.clock });
    const { page } = await given.open({ path: '/search', name: 'desk' });
    await searched(page, 'anna');
    await link(page, 'anna').click();
    await link(page, 'New token').click();
    await button(page, 'Show the first QR code').click();
    await page.getByText('the app must show “The first step is done”').waitFor();
    await page.getByText('The person has no app yet').click();
    expect(await shownCode(page, 'QR code of the address of the app')).toBe(`${given.site.origin}/app/`);
    const first = await shownCode(page, 'First QR code of the roll-out');
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await lookAt(page, 'enrol-code')).toEqual([]);
    const questions = {
      activationCode: () => Promise.resolve('GEZDGNBVGY3TQOJQ01'),
      ocraPin: () => Promise.resolve(''),
    };
    const begun = await device.scan(emptyDeviceState(), first, questions);
    await page.getByLabel('Activation code', { exact: true }).fill('GEZDGNBVGY3TQOJQ99');
    await button(page, 'Show the second QR code').click();
    await page
      .getByText(/activation code/i)
      .last()
      .waitFor();
    await page.getByLabel('Activation code', { exact: true }).fill('GEZDGNBVGY3TQOJQ01');
    await button(page, 'Show the second QR code').click();
    const second = await shownCode(page, 'Second QR code of the roll-out');
    await page.getByText('Waiting for the first response').waitFor();
    expect(await lookAt(page, 'enrol-response')).toEqual([]);
    const { answer } = await device.scan(begun.state, second, questions);
    if (answer.kind !== 'nonce') {
      throw new Error('no second code');
    }
    await application.check(answer.transactionId, wrongResponse(answer.response));
    await page.getByText('A wrong response has come (1)').waitFor();
    await application.check(answer.transactionId, answer.response);
    await page.getByText(`The token ${answer.serial} is ready.`).waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.documentElement.outerHTML])',
    );
    for (const secret of [first, second, 'GEZDGNBVGY3TQOJQ01']) {
      expect(kept).not.toContain(secret);
    }
    await link(page, 'To the token').click();
    await page.getByText('ready', { exact: true }).waitFor();
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

describeConsole('a new installation in the console', (given) => {
  it('shows what to do first in place of zeros, and sets the answer address', async () => {
    const { page } = await given.open();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('to do:').nth(6).waitFor();
    expect(await lookAt(page, 'first-steps')).toEqual([]);
    await expectSoon(() => page.getByText('Tokens, all').count()).toBe(0);
    await page.goto(`${given.site.origin}/console/#/tokens`);
    const content = page.locator('#content');
    await content.getByText('There is no token that you may see yet.').waitFor();
    await content.getByRole('link', { name: 'New token' }).click();
    await content.getByRole('link', { name: 'Choose the person first' }).waitFor();
    await page.goBack();
    await page.getByLabel('Beginning of the serial').fill('x');
    await content.getByText('No token matches.').waitFor();
    await page.goto(`${given.site.origin}/console/#/people`);
    await content.getByRole('link', { name: 'To the realms' }).waitFor();
    await page.goto(`${given.site.origin}/console/#/`);
    await steps.getByRole('button', { name: 'Set the answer address' }).click();
    const dialog = page.getByRole('dialog');
    await expectSoon(() => dialog.getByRole('textbox').inputValue()).toBe(
      `${given.site.origin}/ocra/check_t`,
    );
    await dialog.getByText('This address means the device that opens it').waitFor();
    await dialog.getByRole('textbox').fill('https://tan.example.org/ocra/check_t');
    await expectSoon(() => dialog.getByRole('status').textContent()).toBe('');
    await dialog.getByRole('textbox').fill('http://tan.example.org/ocra/check_t');
    await dialog.getByText('Without https, the app does not send its response').waitFor();
    await dialog.getByRole('textbox').fill(`${given.site.origin}/ocra/check_t`);
    expect(await lookAt(page, 'answer-address')).toEqual([]);
    await dialog.getByRole('button', { name: 'Set the answer address' }).click();
    await steps.getByText('✓ done:').waitFor();
    const { policies } = given.site.application.services;
    const [policy] = Object.values(await policies.list({ scope: 'authentication' }));
    expect(policy).toMatchObject({ realm: '*', action: `qrtanurl=${given.site.origin}/ocra/check_t` });
    await policies.remove(OPERATOR, 'answer-address');
  });

  it('tells a helpdesk without the right whom to ask, and shows it no first steps', async () => {
    await setPolicies(given.site, ...ADMIN_MAY_ALL, [
      'desk',
      'admin',
      'show, init, userlist',
      'desk',
      'south',
    ]);
    await addAdministrator(given.site, 'desk');
    await given.site.application.addRealm('south', ['bert']);
    const { page } = await given.open({ path: '/search', name: 'desk' });
    await page.getByRole('searchbox').fill('bert');
    await page.getByRole('link', { name: 'bert', exact: true }).click();
    await page.getByRole('link', { name: 'New token' }).click();
    await page.getByText('You have no right to policies (system:write). Ask whoever has it').waitFor();
    await page.goto(`${given.site.origin}/console/#/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectSoon(() => page.getByRole('region', { name: 'First steps' }).count()).toBe(0);
  });
});
