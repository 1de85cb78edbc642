import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  LDAP,
  addAdministrator,
  describeConsole,
  expectNoProblem,
  lookAt,
  setPolicies,
} from '../../support/browser/console-site.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR } from '../../support/application/test-application.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { registerKey } from '../../support/application/test-keys.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { WebhookReceiver } from '../../support/servers/webhook-receiver.ts';

describeConsole('the pages of policies and settings', (given) => {
  beforeAll(async () => {
    await addAdministrator(given.site, 'anna');
    await given.site.application.addRealm('office');
    await setPolicies(
      given.site,
      ['all', 'admin', '*', 'admin'],
      ['configuration', 'system', '*', 'admin'],
      ['helpdesk', 'admin', 'show, reset', 'anna', 'office'],
    );
  });

  function stored(name: string): Promise<unknown> {
    return given.site.application.services.policies.show(name);
  }

  async function open(path: string): Promise<Page> {
    const { page } = await given.open({ path });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  it('check a policy as it is typed, and store it', async () => {
    const page = await open('/policies/new');
    await page.getByLabel('Name').fill('probes');
    await page.getByLabel('Scope').selectOption('monitoring');
    await page.getByRole('checkbox', { name: 'tokens' }).check();
    await page.getByLabel('Realms', { exact: true }).fill('office');
    await page.getByLabel('Users', { exact: true }).fill('anna');
    await page.getByLabel('Clients', { exact: true }).fill('nowhere');
    await page.getByText("'nowhere' is not a client").waitFor();
    await page.getByLabel('Clients', { exact: true }).fill('10.0.0.0/8');
    await page.getByText("'nowhere' is not a client").waitFor({ state: 'detached' });
    await page
      .getByText('you lose monitoring:*')
      .or(page.getByText('you lose monitoring:tokens'))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'probes' }).waitFor();
    await expectSoon(() => stored('probes')).toMatchObject({
      scope: 'monitoring',
      action: 'tokens',
      realm: 'office',
      user: 'anna',
      client: '10.0.0.0/8',
    });
  });

  it('do not lock out without a confirmation', async () => {
    const page = await open('/policies');
    await page.getByRole('button', { name: 'Remove the policy configuration' }).click();
    const dialog = page.getByRole('dialog');
    // Without a policy the scope would be open: only another user's one locks out.
    await dialog.getByText('Nobody loses').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'configuration' }).click();
    await page.getByLabel('Users', { exact: true }).fill('somebody');
    await page.getByText('no administrator can change policies').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    const confirm = dialog.getByRole('button', { name: 'Save' });
    await expectSoon(() => confirm.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'I have read this' }).check();
    await expectSoon(() => confirm.isDisabled()).toBe(false);
    expect(await lookAt(page, 'policy-lock-out')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expectSoon(() => stored('configuration')).toMatchObject({ user: 'admin' });
  });
});

const PROBE = '<img src=x onerror="document.title=1">';

const folder = temporaryFolder();

describeConsole(
  'realms and resolvers in the console',
  (given) => {
    beforeAll(async () => {
      writeFileSync(join(folder, 'passwd'), 'carl:x:1:1:Carl Dietz::\ndora:x:2:1:Dora Ernst::\n');
      const { application } = given.site;
      await application.addRealm('customers', ['anna', 'bert']);
      await application.addRealm('staff', ['carl']);
      await application.setResolver('directory', 'ldap', LDAP, 'the bind password');
    });

    const shown = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();

    it('make a resolver after a trial, and a realm of it', async () => {
      const { page } = await given.open({ path: '/resolvers' });
      await page.getByRole('link', { name: 'New resolver' }).click();
      await page.getByRole('radio', { name: 'File' }).check();
      await page.getByLabel('Name', { exact: true }).fill('files');
      await page.getByLabel('File (fileName)').fill(join(folder, 'nobody'));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await shown(page, 'The users cannot be read');
      await expect(given.site.application.services.resolvers.show('files')).rejects.toThrow();
      // Nothing typed is lost.
      await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('files');
      await page.getByLabel('File (fileName)').fill(join(folder, 'passwd'));
      await page.getByRole('button', { name: 'Test' }).click();
      await shown(page, 'It works. Users: 2.');
      await page.getByRole('cell', { name: 'dora Dora Ernst' }).waitFor();
      await page.getByLabel('Beginning of a login').fill('diet');
      await page.keyboard.press('Enter');
      await page.getByRole('cell', { name: 'dora Dora Ernst' }).waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: /^carl/ }).waitFor();
      await page.getByLabel('Beginning of a login').fill('nobody');
      await page.getByRole('button', { name: 'Look' }).click();
      await shown(page, 'Nobody is found so.');
      await expect(given.site.application.services.resolvers.show('files')).rejects.toThrow();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'files' }).waitFor();
      await page.goto(`${given.site.origin}/console/#/realms`);
      await page.getByRole('button', { name: 'New realm' }).click();
      await page.getByLabel('Name', { exact: true }).fill('office');
      await page.getByLabel('Add a resolver').selectOption('files');
      await page.getByLabel('Add a resolver').selectOption('staff');
      await page.getByRole('button', { name: 'staff: up' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('listitem').filter({ hasText: 'staff, files' }).waitFor();
      const realms = await given.site.application.services.realms.list();
      expect(realms.find(({ name }) => name === 'office')?.resolvers).toEqual(['staff', 'files']);
    });

    it('never show a password, and want it again for another server', async () => {
      const { page } = await given.open({ path: '/resolvers/directory' });
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
      const { page } = await given.open({ path: '/resolvers/customers' });
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
  },
  { resolverFileDirs: [folder] },
);

const KEY_ID = 'aa'.repeat(8);

describeConsole('keys and webhooks in the console', (given) => {
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    const { application } = given.site;
    await application.addRealm('office', ['anna']);
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
    const database = openDatabase({ connection: application.databaseUrl, applicationName: 'test' });
    await registerKey(database, { keyId: KEY_ID, canary: Buffer.from('canary') });
    await database.close();
    await application.services.webhooks.add(OPERATOR, { name: 'siem', url: receiver.url });
    await application.rows(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, data, attempts, last_failure)
       SELECT id, gen_random_uuid(), 'token.locked', now(), '{}', 3, 'HTTP 500' FROM webhooks`,
    );
  });
  afterAll(() => receiver.stop());

  const shown = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();

  it('show a new secret once, and keep it nowhere', async () => {
    const { page } = await given.open({ path: '/webhooks' });
    await page.getByRole('link', { name: 'New webhook' }).click();
    await page.getByLabel('Name', { exact: true }).fill('desk');
    await page.getByLabel('Address').fill('https://10.0.0.1/hook');
    await page.getByRole('checkbox', { name: 'response.accepted' }).uncheck();
    await page.getByRole('checkbox', { name: 'office' }).check();
    await page.getByRole('button', { name: 'Add' }).click();
    await shown(page, 'is no public address');
    await page.getByLabel('Address').fill('https://desk.invalid/hook');
    await page.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.getByText('whsec_').innerText();
    expect(await lookAt(page, 'webhook-secret')).toEqual([]);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('heading', { level: 1, name: 'desk' }).waitFor();
    await shown(page, 'public addresses only');
    const kept = async () =>
      String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')) +
      (await page.content());
    await expectSoon(() => kept()).not.toContain(secret.slice(6));
    const { events, realms } = await given.site.application.services.webhooks.show(OPERATOR, 'desk');
    expect(events).not.toContain('response.accepted');
    expect(realms).toEqual(['office']);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    const second = await page.getByRole('dialog').getByText('whsec_').innerText();
    expect(second).not.toBe(secret);
    await page.getByRole('button', { name: 'I have it' }).click();
    await expectSoon(() => kept()).not.toContain(second.slice(6));
  });

  it('count the sealed secrets, try a webhook, switch it off and on, repeat what waits, and remove it', async () => {
    const { page, problems } = await given.open({ path: '/keys' });
    await page.getByRole('button', { name: 'Count the sealed secrets' }).click();
    await page.getByText(/^0 of \d secrets are sealed with the current key\./).waitFor();
    await page.locator('button:focus', { hasText: 'Count the sealed secrets' }).waitFor();
    expect(await lookAt(page, 'keys')).toEqual([]);
    await page.goto(`${given.site.origin}/console/#/webhooks/siem`);
    await page.getByRole('cell', { name: /HTTP 500/ }).waitFor();
    await page.getByRole('button', { name: 'Test' }).click();
    await shown(page, 'The receiver has answered HTTP 200');
    expect(await lookAt(page, 'webhook')).toEqual([]);
    expectNoProblem(problems);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await page.getByRole('button', { name: 'Deliver now' }).click();
    await shown(page, 'Deliveries tried now: 1.');
    await page.getByRole('button', { name: 'Remove' }).click();
    await shown(page, 'Deliveries that are lost with it: 1.');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByRole('link', { name: 'Open: siem' }).waitFor({ state: 'detached' });
    const left = await given.site.application.services.webhooks.list(OPERATOR);
    expect(left.map(({ name }) => name)).not.toContain('siem');
  });
});
