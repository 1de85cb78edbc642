import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import {
  type ConsoleSite,
  faultsOf,
  lookAt,
  PASSWORD,
  startConsole,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';
const DATA = '12345678';
/** Choices and buttons that are cut off: what is beyond their end cannot be pressed or read. */
const CUT = `[...document.querySelectorAll('[role=radiogroup], .mantine-Button-label, .mantine-Badge-label')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;
/** Words that no German sentence has. */
const ENGLISH = /\b(?:the|and|of|with|which|has|have|is|are|not|by|from|you|your)\b/;

describeWithProgram('the console in German', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;
  let payment: string;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    const { application } = site;
    await application.addRealm('nord', ['anna']);
    await application.enrolPlain('T1', SUITE, { user: 'anna', realm: 'nord' });
    const { webhooks, policies } = application.services;
    await webhooks.add(OPERATOR, { name: 'portal', url: 'https://portal.example.org/' });
    payment = (await application.challenge('T1', DATA)).transactionid;
    await application.check(payment, wrongResponse(application.respond(SUITE, DATA)));
    const action = 'issuer=Bank, challenge_response=*';
    await policies.set(OPERATOR, { name: 'values', scope: 'authentication', action, realm: '*' });
    for (const scope of ['admin', 'system', 'monitoring', 'ocra'] as const) {
      await policies.set(OPERATOR, { name: scope, scope, action: '*', user: 'admin', realm: '*' });
    }
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  async function open(width: number): Promise<Page> {
    const context = await browser.newContext({ locale: 'de', viewport: { width, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${site.origin}/console/`);
    await page.getByLabel('Benutzername').fill('admin');
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await page.locator('#content').waitFor();
    return page;
  }

  it.each(WIDTHS)('has no English sentence and no fault on any page, %d pixels wide', async (width) => {
    const page = await open(width);
    const faults: string[] = [];
    for (const [path, shown] of [
      ['/', 'Erste Schritte'],
      ['/people/nord/nord/anna', 'Letzte Transaktionen'],
      ['/tokens/T1', 'Umbenennen'],
      [`/transactions/${payment}`, 'Falsche Antwort'],
      ['/tokens', 'T1'],
      ['/enrol', 'Ausrollen'],
      ['/audit', 'Audit'],
      ['/audit-verification', 'Prüfpunkt'],
      ['/policies', 'Richtlinien'],
      ['/policies/explain', 'Wer darf was'],
      ['/policies/new', 'Bereich'],
      ['/policies/edit/values', 'Bereich'],
      ['/settings', 'OcraMaxChallenges'],
      ['/realms', 'nord'],
      ['/resolvers', 'nord'],
      ['/resolvers/nord', 'anna'],
      ['/keys', 'Schlüssel'],
      ['/webhooks', 'portal'],
      ['/administrators', 'admin'],
      ['/sessions', 'admin'],
      ['/account', 'Passwort'],
    ] as const) {
      await page.goto(`${site.origin}/console/#${path}`);
      await page.locator('#content').getByText(shown).first().waitFor();
      faults.push(...(await lookAt(page, `de${path.replaceAll('/', '-').slice(0, 20)}`)));
      faults.push(...(await page.evaluate<string[]>(CUT)));
      const text = await page.locator('body').innerText();
      faults.push(
        ...text
          .split('\n')
          .filter((line) => ENGLISH.test(line))
          .map((line) => `${path}: ${line}`),
      );
    }
    expect(faults).toEqual([]);
    await expectSoon(() => page.evaluate('document.documentElement.lang')).toBe('de');
  });

  it.each([
    ['/', 'Realms'],
    ['/policies', 'Richtlinien'],
  ])('fits the many columns of %s into a window of a tablet', async (path, table) => {
    const page = await open(1024);
    await page.goto(`${site.origin}/console/#${path}`);
    await page.getByRole('table', { name: table }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
