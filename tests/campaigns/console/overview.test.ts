import { beforeAll, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { Locator, Page } from 'playwright-core';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { keepPicture } from '../../support/browser/chromium.ts';
import {
  addAdministrator,
  describeConsole,
  expectNoProblem,
  lookAt,
  setPolicies,
  showsTotal,
  signIn,
  WIDTHS,
  faultsOf,
} from '../../support/browser/console-site.ts';
import { tamperOnce } from '../../support/database/test-server.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const PLAIN_SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

const DATA = '12345678';

const TOKENS = 48;

const MINUTES = 60;

/** An hour of an installation in use, as the README shows it. */
describeConsole('an overview of an installation in use', (given) => {
  let enrolled = 0;

  beforeAll(async () => {
    const { application } = given.site;
    const { tokens, observations } = application.services;
    await application.addRealm('customers', ['anna', 'bert', 'cleo', 'dora']);
    await application.addRealm('staff', ['emil', 'fina']);
    const owners = [
      { user: 'anna', realm: 'customers' },
      { user: 'bert', realm: 'customers' },
      { user: 'cleo', realm: 'customers' },
      { user: 'emil', realm: 'staff' },
      {},
    ];
    for (let number = 0; number < TOKENS; number += 1) {
      await application.enrolPlain(`T${number}`, PLAIN_SUITE, owners[number % owners.length]);
    }
    for (const serial of ['T7', 'T19', 'T23']) {
      await tokens.disable(OPERATOR, { serial });
    }
    await doFirstSteps();
    const now = Date.now();
    for (let minute = MINUTES - 1; minute >= 0; minute -= 1) {
      application.clock.set(new Date(now - minute * 60_000));
      const responses = 3 + Math.round(2 * Math.sin(minute / 6));
      for (let number = 0; number < responses; number += 1) {
        await answer(`T${(minute + number * 5) % 7}`, (minute * 7 + number) % 9 !== 0);
      }
    }
    await tokens.set(OPERATOR, { serial: 'T11' }, { maxFail: 1 });
    await answer('T11', false);
    await observations.flush();
  });

  /** The overview lists them until they are done. */
  async function doFirstSteps(): Promise<void> {
    const { backups, administrators } = given.site.application.services;
    await setPolicies(given.site, [
      'answers',
      'authentication',
      `qrtanurl=${given.site.origin}/ocra/check_t`,
      '*',
    ]);
    await addAdministrator(given.site, 'officer');
    await administrators.setSecondFactor(OPERATOR, 'officer', 'T4');
    await backups.export(OPERATOR, {
      lock: { recipients: [await identityToRecipient(await generateX25519Identity())] },
      version: 'test',
      write: () => Promise.resolve(),
    });
  }

  async function answer(serial: string, isRight: boolean): Promise<void> {
    const { application } = given.site;
    const { transactionid } = await application.challenge(serial, DATA);
    const right = application.respond(PLAIN_SUITE, DATA);
    await application.check(transactionid, isRight ? right : wrongResponse(right));
  }

  async function enrol(): Promise<void> {
    enrolled += 1;
    await given.site.application.enrolPlain(`T${TOKENS + enrolled}`, PLAIN_SUITE);
  }

  it('has no fault, and is the picture of the README', async () => {
    const { page, problems } = await given.open({ path: '/' });
    await showsTotal(page, TOKENS);
    await page.getByRole('img', { name: /^Chart: responses/ }).waitFor();
    await keepPicture(page, 'console');
    expect(await lookAt(page, 'overview-in-use')).toEqual([]);
    // Of 1280 pixels at four times the size, WCAG 2.2, 1.4.10.
    await page.setViewportSize({ width: 320, height: 700 });
    await expectSoon(() => faultsOf(page)).toEqual([]);
    expectNoProblem(problems);
  });

  it('shows a change by itself, and is not sent again what it has', async () => {
    const { page } = await given.open();
    await showsTotal(page, TOKENS);
    const known = await page.waitForResponse((response) => isOverview(response) && response.status() === 304);
    expect(await known.headerValue('etag')).toMatch(/^"[\w-]+"$/);
    await page.getByText(/^Live:/).waitFor();
    await enrol();
    await showsTotal(page, TOKENS + 1);
    await page.context().close();
  });

  it('asks for nothing while its tab is hidden, and at once when it is seen again', async () => {
    const { page } = await given.openPage();
    await page.clock.install();
    await page.goto(`${given.site.origin}/console/#/`);
    await signIn(page, 'admin');
    await showsTotal(page, TOKENS + 1);
    await setHidden(page, true);
    let questions = 0;
    page.on('request', (asked) => (questions += isOverview(asked) ? 1 : 0));
    await enrol();
    await page.clock.runFor('01:00');
    expect(questions).toBe(0);
    await setHidden(page, false);
    await showsTotal(page, TOKENS + 2);
    await page.context().close();
  });
});

/** Tells the page that its tab is hidden, or seen. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${isHidden ? 'hidden' : 'visible'}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

const isOverview = (of: { url: () => string }): boolean => of.url().endsWith('/admin/installation/overview');

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

describeConsole('the health page', (given) => {
  beforeAll(async () => {
    const { application } = given.site;
    const { webhooks } = application.services;
    await application.addRealm('north', ['anna']);
    await application.addRealm('south', ['berta']);
    for (const [serial, user, realm] of [
      ['N1', 'anna', 'north'],
      ['S1', 'berta', 'south'],
    ] as const) {
      await application.enrolPlain(serial, SUITE, { user, realm });
      const { transactionid } = await application.challenge(serial, '12345678');
      await application.check(transactionid, '00000000');
    }
    await webhooks.add(OPERATOR, { name: 'siem', url: 'https://siem.example.org/' });
    await application.rows(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, data, attempts, given_up_at)
         SELECT id, gen_random_uuid(), 'token.locked', now(), '{}', 3, now() FROM webhooks;
       INSERT INTO webhook_health (webhook_id, last_failure_at, last_failure)
         SELECT id, now(), 'HTTP 500' FROM webhooks;
       INSERT INTO response_minutes (minute, outcome, durations) VALUES
         (now() - interval '1 hour', 'accepted', '{3,1}'), (now() - interval '3 days', 'expired', '{5}')`,
    );
  });

  it.each(WIDTHS)('tells what needs attention, with what helps, %d pixels wide', async (width) => {
    const { page, problems } = await given.open({ path: '/health', width });
    await page.getByText('webhooks.failing').waitFor();
    await page.getByText('tankeeper webhook test NAME').first().waitFor();
    await page.getByRole('row', { name: /siem/ }).waitFor();
    await page.getByRole('row', { name: /last 7 days.*4.*0.*5/s }).waitFor();
    await page.getByRole('row', { name: /anna.*N1/s }).waitFor();
    await page.getByRole('row', { name: /berta.*S1/s }).waitFor();
    expect(await lookAt(page, 'health')).toEqual([]);
    await page.getByRole('link', { name: 'anna' }).click();
    await page.getByText('anna · Realm: north').waitFor();
    expectNoProblem(problems);
    await page.context().close();
  });
});

/** A serial that is markup. */
const PROBE = '<img/src=x/onerror=alert(1)>';

describeConsole('the pages of the audit', (given) => {
  beforeAll(async () => {
    const { application } = given.site;
    await application.addRealm('north', ['ann']);
    await setPolicies(given.site, ['all', 'admin', '*', 'admin']);
    await application.enrolPlain('NORTH', SUITE, { user: 'ann', realm: 'north' });
    await application.enrolPlain(PROBE, SUITE);
    for (let number = 0; number < 60; number += 1) {
      await application.challenge('NORTH', DATA);
    }
    const { transactionid } = await application.challenge('NORTH', DATA);
    const right = application.respond(SUITE, DATA);
    await application.check(transactionid, wrongResponse(right));
    await application.check(transactionid, right);
  });

  async function open(path: string, width = 1280): Promise<Page> {
    const { page } = await given.open({ path, width });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
  const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
  const rows = (page: Page): Locator => page.locator('li > details');

  it.each(WIDTHS)('searches by known values, pages, and shows a row whole, %d pixels wide', async (width) => {
    const page = await open('/audit', width);
    await rows(page).first().waitFor();
    await expectSoon(() => rows(page).count()).toBe(50);
    await button(page, 'Older rows').click();
    await page.getByText('These are all rows.').waitFor();
    await expectSoon(() => rows(page).count()).toBeGreaterThan(60);
    if (width < 768) {
      await page.locator('summary', { hasText: /^Search$/ }).click();
    }
    await page.getByLabel('Token or other object').fill('NORTH');
    await page.getByLabel('Outcome').fill('accepted');
    await expectSoon(() => page.locator('datalist option[value="accepted"]').count()).toBe(1);
    await button(page, 'Search').click();
    await waitForCount(rows(page), 1);
    await rows(page).first().locator('summary').click();
    await page.getByRole('link', { name: 'NORTH' }).waitFor();
    await expectSoon(() => page.locator('dl').getByRole('link').nth(1).getAttribute('href')).toMatch(
      /^#\/transactions\/[0-9a-f]{20}$/,
    );
    expect(await lookAt(page, 'audit')).toEqual([]);
    await page.context().close();
  });

  it.each(WIDTHS)('lists what was tampered with, %d pixels wide', async (width) => {
    const change = (outcome: string, from: string): Promise<unknown> =>
      tamperOnce(
        given.site.application.databaseUrl,
        `UPDATE audit SET outcome = '${outcome}' WHERE subject = 'NORTH' AND outcome = '${from}'`,
      );
    await given.site.application.services.auditSealer.sealAll();
    await change('forged', 'wrong');
    const page = await open('/audit-verification', width);
    await button(page, 'Verify now').click();
    await page.getByText('One finding.').waitFor();
    await page.getByText(/row \d+.*knows another one of this id/).waitFor();
    expect(await lookAt(page, 'audit-findings')).toEqual([]);
    await change('wrong', 'forged');
    await page.context().close();
  });
});

/** Waits until there are as many. */
async function waitForCount(found: Locator, count: number): Promise<void> {
  await found.nth(count - 1).waitFor();
  await found.nth(count).waitFor({ state: 'detached' });
}
