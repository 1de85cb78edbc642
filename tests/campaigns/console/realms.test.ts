import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import {
  type ConsoleSite,
  lookAt,
  openConsole,
  startConsole,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const PROBE = '<img src=x onerror="document.title=1">';

describeWithProgram('realms and resolvers in the console', findChromium(), 'chromium', (program) => {
  const folder = mkdtempSync(join(tmpdir(), 'tankeeper-'));
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    writeFileSync(join(folder, 'passwd'), 'carl:x:1:1:Carl Dietz::\ndora:x:2:1:Dora Ernst::\n');
    [browser, site] = await Promise.all([
      startChromium(program),
      startConsole({ resolverFileDirs: [folder] }),
    ]);
    await site.application.addRealm('customers', ['anna', 'bert']);
    await site.application.addRealm('staff', ['carl']);
    await site.application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
    await site.application.asAdmin('/admin/tokenrealm', { serial: 'T1', realms: 'customers' });
    const { resolvers } = site.application.services;
    await resolvers.set(OPERATOR, {
      name: 'directory',
      kind: 'ldap',
      secret: 'the bind password',
      settings: {
        LDAPURI: 'ldap://127.0.0.1:1',
        LDAPBASE: 'dc=example,dc=com',
        BINDDN: 'cn=reader',
        LOGINNAMEATTRIBUTE: 'uid',
        LDAPSEARCHFILTER: '(uid=*)',
        LDAPFILTER: '(uid=%s)',
      },
    });
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
    rmSync(folder, { recursive: true });
  });

  const shown = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();

  it.each(WIDTHS)('have no fault, %d pixels wide', async (width) => {
    const { page, problems } = await openConsole(browser, site, { path: '/realms', width });
    await page.getByRole('listitem').filter({ hasText: 'staff' }).waitFor();
    expect(await lookAt(page, 'realms')).toEqual([]);
    await page.getByRole('button', { name: 'Remove: customers' }).click();
    await shown(page, '1 token leaves this realm');
    expect(await lookAt(page, 'realm-removal')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Edit: customers' }).click();
    await page.getByLabel('Add a resolver').selectOption('staff');
    expect(await lookAt(page, 'realm-edit')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.goto(`${site.origin}/console/#/resolvers`);
    await page.getByRole('link', { name: 'Open: directory' }).waitFor();
    expect(await lookAt(page, 'resolvers')).toEqual([]);
    await page.getByRole('link', { name: 'Open: directory' }).click();
    await page.getByRole('button', { name: 'Test' }).click();
    await shown(page, 'The users cannot be read');
    expect(await lookAt(page, 'resolver-ldap')).toEqual([]);
    await page.goto(`${site.origin}/console/#/resolvers/customers`);
    await page.getByRole('row', { name: /^anna/ }).waitFor();
    expect(await lookAt(page, 'resolver-managed')).toEqual([]);
    await page.goto(`${site.origin}/console/#/new-resolver`);
    await page.getByRole('radio', { name: 'SQL database' }).check();
    await page.getByLabel('Table (Table)').waitFor();
    expect(await lookAt(page, 'resolver-new')).toEqual([]);
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  it('make a resolver after a trial, and a realm of it', async () => {
    const { page } = await openConsole(browser, site, { path: '/resolvers' });
    await page.getByRole('link', { name: 'New resolver' }).click();
    await page.getByRole('radio', { name: 'File' }).check();
    await page.getByLabel('Name', { exact: true }).fill('files');
    await page.getByLabel('File (fileName)').fill(join(folder, 'nobody'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await shown(page, 'The users cannot be read');
    await expect(site.application.services.resolvers.show('files')).rejects.toThrow();
    // Nothing typed is lost.
    await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('files');
    await page.getByLabel('File (fileName)').fill(join(folder, 'passwd'));
    await page.getByRole('button', { name: 'Test' }).click();
    await shown(page, 'It works: 2 users.');
    await page.getByRole('cell', { name: 'dora Dora Ernst' }).waitFor();
    await page.getByLabel('Beginning of a login').fill('diet');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'dora Dora Ernst' }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: /^carl/ }).waitFor();
    await page.getByLabel('Beginning of a login').fill('nobody');
    await page.getByRole('button', { name: 'Look' }).click();
    await shown(page, 'Nobody is found so.');
    await expect(site.application.services.resolvers.show('files')).rejects.toThrow();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'files' }).waitFor();
    await page.goto(`${site.origin}/console/#/realms`);
    await page.getByRole('button', { name: 'New realm' }).click();
    await page.getByLabel('Name', { exact: true }).fill('office');
    await page.getByLabel('Add a resolver').selectOption('files');
    await page.getByLabel('Add a resolver').selectOption('staff');
    await page.getByRole('button', { name: 'staff: up' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('listitem').filter({ hasText: 'staff, files' }).waitFor();
    const realms = await site.application.services.realms.list();
    expect(realms.find(({ name }) => name === 'office')?.resolvers).toEqual(['staff', 'files']);
  });

  it('tell of the change of somebody else, and keep what was typed', async () => {
    const { page } = await openConsole(browser, site, { path: '/realms' });
    await page.getByRole('button', { name: 'Edit: staff' }).click();
    await page.getByLabel('Add a resolver').selectOption('directory');
    await site.application.services.realms.set(OPERATOR, {
      name: 'staff',
      resolvers: ['staff', 'customers'],
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page, "The realm 'staff' was changed by somebody else meanwhile");
    await page.getByRole('button', { name: 'directory: leave out' }).waitFor();
    const realms = await site.application.services.realms.list();
    expect(realms.find(({ name }) => name === 'staff')?.resolvers).toEqual(['staff', 'customers']);
  });

  it('never show a password, and want it again for another server', async () => {
    const { page } = await openConsole(browser, site, { path: '/resolvers/directory' });
    await page.getByLabel('Addresses (LDAPURI)').fill('ldap://127.0.0.1:2');
    await expectSoon(() => page.getByLabel('Password (BINDPW)').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Test' }).click();
    await shown(page, 'must be given again, as LDAPURI would change');
    await expectSoon(() => page.content()).not.toContain('the bind password');
    await page.getByLabel('Password (BINDPW)').fill('another one');
    await page.getByRole('button', { name: 'Test' }).click();
    await shown(page, 'The users cannot be read');
    await page.getByRole('button', { name: 'Save all the same' }).click();
    await shown(page, 'Saved.');
    await expectSoon(() => page.getByLabel('Password (BINDPW)').inputValue()).toBe('');
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(stored).not.toMatch(/bind password|another one/);
  });

  it('add a user, set the password, remove the user', async () => {
    const { page } = await openConsole(browser, site, { path: '/resolvers/customers' });
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByLabel('Login', { exact: true }).fill('zoe');
    await page.getByLabel('Surname').fill(PROBE);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(PROBE).waitFor();
    await page.getByRole('button', { name: 'Password: zoe' }).click();
    await page.getByLabel('New password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Save' }).click();
    await shown(page, 'at least 8 characters');
    await page.getByLabel('New password', { exact: true }).fill('long enough');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Search by login').fill('zo');
    await page.getByRole('row', { name: /^anna/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove: zoe' }).click();
    await shown(page, 'Nothing else depends on it.');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await shown(page, 'No user matches.');
    await expectSoon(() => page.title()).toContain('Tankeeper');
  });
});
