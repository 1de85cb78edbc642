import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { savedText } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  ADMIN_MAY_ALL,
  describeConsole,
  expectNoProblem,
  lookAt,
  setPolicies,
} from '../../support/browser/console-site.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
/** Would end the test if a page took it for markup. */
const PROBE = `<img src=x onerror="document.title='probe'">`;
const NORTH = ['T1', 'T2', 'T3', 'T4'];

describeConsole('the tables of the helpdesk', (given) => {
  beforeAll(async () => {
    const { application } = given.site;
    await application.addRealm('north', ['bert']);
    await application.addRealm('south', ['cleo']);
    const { users } = application.services;
    const anna = { login: 'anna', givenName: 'Anna', surname: PROBE, email: '=1+1', phone: '+49 30 7' };
    await users.add(OPERATOR, { resolver: 'north', ...anna });
    for (const [serial, user, realm, description] of [
      ['T1', 'anna', 'north', '=cmd()'],
      ['T2', 'anna', 'north', PROBE],
      ['T3', 'bert', 'north', 'b'],
      ['T4', 'bert', 'north', 'a'],
      ['S1', 'cleo', 'south', ''],
    ] as const) {
      await application.enrolPlain(serial, SUITE, { user, realm, description, pin: 'pin' });
    }
    await setPolicies(
      given.site,
      ...ADMIN_MAY_ALL,
      ['desk', 'admin', '*', 'desk', 'north'],
      ['reader', 'admin', 'show, transaction, reset', 'reader', 'north'],
    );
    await addAdministrator(given.site, 'desk');
    await addAdministrator(given.site, 'reader');
  });
  beforeEach(async () => {
    const { tokens } = given.site.application.services;
    await given.site.application.rows(`DELETE FROM tokens WHERE serial LIKE 'BULK%'`);
    for (const [serial, user] of [
      ['T1', 'anna'],
      ['T2', 'anna'],
      ['T3', 'bert'],
      ['T4', 'bert'],
    ] as const) {
      await tokens.enable(OPERATOR, { serial }, true);
      await tokens.reset(OPERATOR, { serial });
      await tokens.assign(OPERATOR, { serial, user, realm: 'north' });
      await tokens.setRealms(OPERATOR, { serial, realms: ['north'] });
    }
  });

  const button = (page: Page | Locator, name: string | RegExp): Locator =>
    page.getByRole('button', { name, exact: true });
  const rows = (page: Page): Promise<string[]> => page.locator('td[data-name="Serial"]').allTextContents();
  const told = (page: Page, text: string): Promise<void> =>
    page.locator('[aria-live="polite"]').getByText(text).waitFor();
  const isActive = async (serial: string): Promise<boolean> =>
    (await given.site.application.services.tokens.show(OPERATOR, serial)).active;
  const auditOf = async (action: string): Promise<readonly string[]> =>
    (await given.site.application.auditRows({ action, limit: 100 })).map(
      ({ actor, subject }) => `${actor} ${subject}`,
    );

  it('act on a selection by keyboard alone, tell what follows before, and can be undone', async () => {
    await given.site.application.challenge('T1', DATA);
    const { administrators } = given.site.application.services;
    await administrators.setSecondFactor(OPERATOR, 'reader', 'T2');
    await given.site.application.services.tokens.disable(OPERATOR, { serial: 'T4' });
    const { page, problems } = await given.open({ path: '/tokens', name: 'desk' });
    for (const serial of ['T1', 'T2', 'T4']) {
      await page.getByLabel(`Select ${serial}`).focus();
      await page.keyboard.press('Space');
    }
    await page.getByRole('status').getByText('3 selected').waitFor();
    await button(page, 'Disable').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 tokens are disabled and take no responses').waitFor();
    await dialog.getByText('1 person is affected').waitFor();
    await dialog.getByText('Administrators sign in with these: T2').waitFor();
    await dialog.getByText('1 open challenge cannot be answered').waitFor();
    await dialog.getByText('1 is disabled already').waitFor();
    expect(await lookAt(page, 'bulk-question')).toEqual([]);
    expect(await isActive('T1')).toBe(true);
    await button(dialog, 'Disable').focus();
    await page.keyboard.press('Enter');
    await told(page, '2 tokens are disabled.');
    await dialog.waitFor({ state: 'detached' });
    expect([await isActive('T1'), await isActive('T2'), await isActive('T3')]).toEqual([false, false, true]);
    expect((await auditOf('token/disable')).filter((row) => row.startsWith('desk')).sort()).toEqual([
      'desk T1',
      'desk T2',
    ]);
    await page.getByRole('cell', { name: 'disabled', exact: true }).first().waitFor();
    await button(page, 'Undo').focus();
    await page.keyboard.press('Enter');
    await told(page, '2 tokens are enabled.');
    expect([await isActive('T1'), await isActive('T2'), await isActive('T4')]).toEqual([true, true, false]);
    expectNoProblem(problems);
    await administrators.setSecondFactor(OPERATOR, 'reader', undefined);
  });

  it('act on all that match a filter, and leave the others and other realms alone', async () => {
    const { page } = await given.open({ path: '/tokens', name: 'desk' });
    await page.getByLabel('Beginning of the serial').fill('t');
    await expectSoon(() => page.url()).toContain(';serial=t');
    await expectSoon(() => rows(page)).toEqual(NORTH);
    await button(page, 'Select all 4 that match').click();
    await button(page, 'Unassign').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 people are affected').waitFor();
    await button(dialog, 'Unassign').click();
    await told(page, '4 tokens belong to nobody now.');
    await button(page, 'Select all on this page').click();
    await button(page, 'Set realm').click();
    await expectSoon(() => dialog.getByLabel('Realm').locator('option').allTextContents()).toEqual([
      'choose a realm',
      'north',
    ]);
    await dialog.getByLabel('Realm').selectOption('north');
    await dialog.getByText('4 are there already').waitFor();
    await expectSoon(() => button(dialog, 'Set realm').isDisabled()).toBe(true);
    await button(dialog, 'Cancel').click();
    const { owner, realms } = await given.site.application.services.tokens.show(OPERATOR, 'S1');
    expect([owner?.login, realms]).toEqual(['cleo', ['south']]);
  });

  it('are sorted by their heads, with chosen columns, and the address keeps that for back and reload', async () => {
    const { page } = await given.open({ path: '/tokens', name: 'desk' });
    await expectSoon(() => rows(page)).toEqual(NORTH);
    await button(page, /^Serial/).click();
    await expectSoon(() => rows(page)).toEqual([...NORTH].reverse());
    await page.getByText('Columns', { exact: true }).first().click();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Description').check();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Owner’s name').check();
    await page
      .getByRole('cell', { name: `Anna ${PROBE}` })
      .first()
      .waitFor();
    await button(page, /^Description/).click();
    await expectSoon(() => rows(page)).toEqual(['T2', 'T1', 'T4', 'T3']);
    const head = page.getByRole('columnheader', { name: 'Description' });
    await expectSoon(() => head.getAttribute('aria-sort')).toBe('ascending');
    await page.getByRole('combobox', { name: 'State' }).selectOption('active');
    await expectSoon(() => page.url()).toContain('#/tokens;sort=description;state=active');
    await page.reload();
    await expectSoon(() => rows(page)).toEqual(['T2', 'T1', 'T4', 'T3']);
    await expectSoon(() => page.getByRole('combobox', { name: 'State' }).inputValue()).toBe('active');
    await page.goBack();
    await expectSoon(() => page.getByRole('combobox', { name: 'State' }).inputValue()).toBe('');
    await expectSoon(() => page.title()).not.toBe('probe');
    expect(await lookAt(page, 'tokens-columns')).toEqual([]);
  });

  it('are saved as they are shown, in an encoding that Excel knows, without formulas, and without what the helpdesk may not see', async () => {
    const { page } = await given.open({ path: '/tokens;sort=-serial', name: 'desk' });
    await page.getByText('Columns', { exact: true }).first().click();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Description').check();
    await page.getByRole('group', { name: 'Columns' }).getByLabel('Last use').uncheck();
    await expectSoon(() => rows(page)).toEqual([...NORTH].reverse());
    expect(await saved(page)).toBe(
      [
        '\uFEFFSerial,Owner,Description,Realms,State',
        'T4,bert,a,north,ready',
        'T3,bert,b,north,ready',
        `T2,anna,"${PROBE.replaceAll('"', '""')}",north,ready`,
        "T1,anna,'=cmd(),north,ready",
        '',
      ].join('\r\n'),
    );
    await told(page, 'Rows saved: 4.');
    await page.goto(`${given.site.origin}/console/#/people`);
    await page.getByRole('cell', { name: 'anna' }).first().waitFor();
    expect(await saved(page)).toContain(`,"Anna ${PROBE.replaceAll('"', '""')}",'=1+1\r\n`);
  });

  async function saved(page: Page): Promise<string> {
    const download = page.waitForEvent('download');
    await button(page, 'Save as CSV').click();
    return savedText(await download);
  }

  it('tell the helpdesk whether PIN or response was wrong, with the next step as a button', async () => {
    const { application } = given.site;
    await application.services.tokens.set(OPERATOR, { serial: 'T1' }, { maxFail: 2 });
    const { transactionid } = await application.challenge('T1', DATA);
    const right = application.respond(SUITE, DATA, { counter: 0n });
    await application.check(transactionid, `pin${wrongResponse(right)}`);
    await application.check(transactionid, `pen${right}`);
    const path = `/transactions/${transactionid}`;
    const { page } = await given.open({ path, name: 'desk' });
    const timeline = page.getByRole('region', { name: 'What happened' });
    await timeline.getByText('the PIN was right, the response was wrong').waitFor();
    await timeline.getByText('the response was right, the PIN was wrong').waitFor();
    const steps = page.getByRole('region', { name: 'Next step' });
    await button(steps, 'Set the PIN').click();
    await page.getByLabel('New token PIN').fill('1234');
    await page.getByLabel('The same PIN again').fill('1234');
    await page.keyboard.press('Enter');
    await told(page, 'T1 has a new PIN.');
    expect(await lookAt(page, 'next-steps')).toEqual([]);
    await button(steps, 'Unlock: T1').focus();
    await page.keyboard.press('Enter');
    await told(page, 'T1 is unlocked.');
    await expectSoon(() => button(steps, 'Unlock: T1').count()).toBe(0);
    const reading = await given.open({ path, name: 'reader' });
    const fewer = reading.page.getByRole('region', { name: 'Next step' });
    await fewer.waitFor();
    await expectSoon(() => fewer.getByRole('button').count()).toBe(0);
  });

  it('report a phone lost in one act, with what follows before it and what comes next after it', async () => {
    const { application } = given.site;
    const { transactionid } = await application.challenge('T3', DATA);
    const { page } = await given.open({ path: '/people/north/north/bert', name: 'desk' });
    await button(page, 'Phone lost: T3').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 open challenge is closed for good.').waitFor();
    await dialog.getByText('The audit says that it was lost.').waitFor();
    expect(await lookAt(page, 'lost')).toEqual([]);
    await button(dialog, 'Report as lost').click();
    await told(page, 'T3 is reported lost');
    expect(await isActive('T3')).toBe(false);
    expect(await auditOf('token/lost')).toEqual(['desk T3']);
    const { state } = await application.services.transactions.history(OPERATOR, transactionid);
    expect(state).toBe('superseded');
    await expectSoon(() => button(page, 'Undo').count()).toBe(0);
    expect(await lookAt(page, 'lost-told')).toEqual([]);
    await page.getByRole('link', { name: 'Roll out a new phone for bert' }).click();
    await page.getByText('bert').first().waitFor();
    await page.getByRole('heading', { level: 1, name: 'New token' }).waitFor();
  });
});
