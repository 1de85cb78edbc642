import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  LDAP,
  ADMIN_MAY_ALL,
  describeConsole,
  expectNoProblem,
  faultsOf,
  lookAt,
  PASSWORD,
  setPolicies,
  signIn,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { OPERATOR, wrongResponse } from '../../support/application/test-application.ts';
import { type WatchedPage, watchPage } from '../../support/browser/chromium.ts';
import type { Page } from 'playwright-core';
import { readFolder } from '../../support/browser/file-site.ts';
import { builtFolder } from '../../support/browser/vite.ts';

describeConsole('the frame of the console', (given) => {
  beforeAll(async () => {
    const { application } = given.site;
    await application.enrolPlain('T1', 'OCRA-1:HOTP-SHA256-8:QN08');
  });

  it.each(WIDTHS)('has no fault, signed out and signed in, %d pixels wide', async (width) => {
    const { page, problems } = await given.openPage(width);
    await page.goto(`${given.site.origin}/console/`);
    await page.getByLabel('User name').waitFor();
    expect(await lookAt(page, 'sign-in')).toEqual([]);
    await signIn(page, 'admin');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await lookAt(page, 'start')).toEqual([]);
    if (width < 960) {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('navigation').waitFor();
      expect(await faultsOf(page)).toEqual([]);
    }
    expectNoProblem(problems);
  });

  it('tells installations apart, and all pages at a glance; after too many passwords, when to go on', async () => {
    const { settings } = given.site.application.services;
    const marks = { InstallationName: 'Bank, Test', InstallationColour: '#747474' };
    await settings.set(OPERATOR, new Map(Object.entries(marks)));
    const { page } = await given.openPage();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${given.site.origin}/console/`);
    await page.getByText('Bank, Test').waitFor();
    await expectSoon(() => page.title()).toBe('Sign in · Bank, Test');
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const answered = page.waitForResponse('**/admin/sign-in');
      await page.getByLabel('User name').fill('nobody');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await answered;
    }
    await page.getByText(/Try again in \d+ seconds\./).waitFor();
    await page.getByText('another administrator can set a new one').waitFor();
    expect(await lookAt(page, 'too-many')).toEqual([]);
    await signIn(page, 'admin');
    await expectSoon(() => page.title()).toBe('Overview · Bank, Test');
    const last = page.getByRole('link', { name: 'My account' });
    await expectSoon(async () => {
      const { y = 0, height = 0 } = (await last.boundingBox()) ?? {};
      return y + height;
    }).toBeLessThanOrEqual(800);
    await settings.remove(OPERATOR, 'InstallationName');
    await settings.remove(OPERATOR, 'InstallationColour');
  });
});

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

const DATA = '12345678';

/** Choices and buttons that are cut off: what is beyond their end cannot be pressed or read. */
const CUT = `[...document.querySelectorAll('[role=radiogroup], .mantine-Button-label, .mantine-Badge-label')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

/** Words that no German sentence has. */
const ENGLISH = /\b(?:the|and|of|with|which|has|have|is|are|not|by|from|you|your)\b/;

describeConsole('the pages of the console in German', (given) => {
  let payment: string;

  beforeAll(async () => {
    const { application } = given.site;
    await application.addRealm('nord', ['anna']);
    await application.enrolPlain('T1', SUITE, { user: 'anna', realm: 'nord' });
    const { webhooks, policies, resolvers } = application.services;
    await webhooks.add(OPERATOR, { name: 'portal', url: 'https://portal.example.org/' });
    payment = (await application.challenge('T1', DATA)).transactionid;
    await application.check(payment, wrongResponse(application.respond(SUITE, DATA)));
    const action = 'issuer=Bank, challenge_response=*';
    await policies.set(OPERATOR, { name: 'values', scope: 'authentication', action, realm: '*' });
    await setPolicies(given.site, ...ADMIN_MAY_ALL);
    await resolvers.set(OPERATOR, {
      name: 'directory',
      kind: 'ldap',
      secret: 'the bind password',
      settings: LDAP,
    });
  });

  async function open(width: number): Promise<WatchedPage> {
    const context = await given.browser.newContext({ locale: 'de', viewport: { width, height: 900 } });
    const watched = await watchPage(context, given.site.origin);
    const { page } = watched;
    await page.goto(`${given.site.origin}/console/`);
    await page.getByLabel('Benutzername').fill('admin');
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await page.locator('#content').waitFor();
    return watched;
  }

  it.each(WIDTHS)(
    'have no English sentence, no fault and no complaint of the browser, %d pixels wide',
    async (width) => {
      const { page, problems } = await open(width);
      const faults: string[] = [];
      for (const [path, shown] of [
        ['/', 'Erste Schritte'],
        ['/people/nord/nord/anna', 'Letzte Transaktionen'],
        ['/tokens/T1', 'Umbenennen'],
        [`/transactions/${payment}`, 'Falsche Antwort'],
        ['/tokens', 'T1'],
        ['/enrol', 'Neues Token'],
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
        ['/resolvers/directory', 'LDAPURI'],
        ['/new-resolver', 'SQL'],
        ['/keys', 'Schlüssel'],
        ['/webhooks', 'portal'],
        ['/webhooks/portal', 'portal'],
        ['/new-webhook', 'Der Fehlerzähler eines Tokens hat seine Grenze erreicht'],
        ['/health', 'letzte 30 Tage'],
        ['/people', 'anna'],
        ['/administrators', 'admin'],
        ['/sessions', 'admin'],
        ['/account', 'Passwort'],
      ] as const) {
        await page.goto(`${given.site.origin}/console/#${path}`);
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
      expectNoProblem(problems);
      await expectSoon(() => page.evaluate('document.documentElement.lang')).toBe('de');
    },
  );
});

const APP_SUITE = 'OCRA-1:HOTP-SHA256-8:QA64';

describeConsole('a console whose server is away', (given) => {
  let page: Page;

  beforeAll(async () => {
    await given.site.application.enrolPlain('T1', APP_SUITE);
    await given.site.application.services.webhooks.add(OPERATOR, {
      name: 'siem',
      url: 'https://siem.example.org/',
    });
  });
  beforeEach(async () => {
    ({ page } = await given.openPage());
  });
  afterEach(async () => {
    await page.context().close();
  });

  async function open(path: string): Promise<void> {
    await page.goto(`${given.site.origin}/console/#${path}`);
    await signIn(page, 'admin');
  }

  it('goes on by itself when the server is back, however long that takes', async () => {
    await page.clock.install();
    await page.route('**/console/api/admin/token/list', (route) => route.abort());
    await open('/tokens');
    await page.clock.runFor(5_000);
    await page.getByText('This page goes on as soon as it does.').waitFor();
    await page.clock.runFor(60_000);
    await page.getByText('This page goes on as soon as it does.').waitFor();
    await page.unroute('**/console/api/admin/token/list');
    await page.clock.runFor(6_000);
    await page.getByRole('link', { name: 'T1' }).waitFor();
    await expectSoon(() => page.getByRole('alert').count()).toBe(0);
  });

  it('says that an act may have been done, and sends none later', async () => {
    await open('/tokens/T1');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    // The browser itself knows that there is no network.
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alert').getByText('Whether this was done is not known.').waitFor();
    await page.context().setOffline(false);
    await page.reload();
    await page.getByText('ready', { exact: true }).waitFor();
    const shown = await given.site.application.asAdmin('/admin/show', { serial: 'T1' });
    expect(shown.body).toMatchObject({ result: { value: { tokens: [{ active: true }] } } });
  });
});

const MAX_KILOBYTES = 250;

it('the console has at most 250 kB, compressed as the server sends it', async () => {
  const files = await readFolder(builtFolder('console'));
  // The guides are beside it: a browser loads one where somebody asks for it.
  const sizes = [...files]
    .filter(([path]) => !path.startsWith('guides/') && !/\.(?:br|gz)$/.test(path))
    .map(([path, content]) => [path, (files.get(`${path}.br`) ?? content).length] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(total / 1000).toBeLessThanOrEqual(MAX_KILOBYTES);
  // All pages are there, each loaded when it is opened.
  expect(sizes.filter(([path]) => path.endsWith('.js')).length).toBeGreaterThan(8);
});
