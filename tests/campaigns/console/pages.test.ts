import { beforeAll, expect, it } from '@jest/globals';
import type { Page, Request, Route } from 'playwright-core';
import { OPERATOR } from '../../support/application/test-application.ts';
import { type WatchedPage, watchPage } from '../../support/browser/chromium.ts';
import {
  LDAP,
  ADMIN_MAY_ALL,
  describeConsole,
  expectNoProblem,
  lookAt,
  PASSWORD,
  setPolicies,
  signIn,
  WIDTHS,
} from '../../support/browser/console-site.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const PROBE = '<img src=x onerror="window.probed=1">';
const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
/** Members of answers that pages decide by, in place of showing them. */
const DECIDING =
  /^(kind|scope|state|rollout|type|event|events|outcome|default|code|at|second_factor|administrator|version|meaning|words|choices|severity)$|_at$|^(created|examined|last_backup|succeeded|failed|last|expires|issued|time|begun|changed|since|issued|last_success|lastused)$/;
/** Frames without a request after which a page is taken for complete. */
const QUIET_FRAMES = 4;

/** The pages, each with a word that it shows in German. That of the transaction is `/transactions/`. */
const PAGES: readonly (readonly [path: string, german?: string])[] = [
  ['/', 'Erste Schritte'],
  ['/search'],
  ['/tokens', 'T1'],
  ['/tokens/T1', 'Umbenennen'],
  ['/people', 'anna'],
  ['/people/north/north/anna', 'Letzte Transaktionen'],
  ['/enrol', 'Neues Token'],
  ['/enrol/person/north/north/anna'],
  ['/transactions/', 'Falsche Antwort'],
  ['/policies', 'Richtlinien'],
  ['/policies/new', 'Bereich'],
  ['/policies/edit/values', 'Bereich'],
  ['/policies/edit/admin'],
  ['/policies/edit/admin/with/show'],
  ['/policies/explain', 'Wer darf was'],
  ['/audit', 'Audit'],
  ['/audit/user/anna@north'],
  ['/audit-verification', 'Prüfpunkt'],
  ['/health', 'letzte 30 Tage'],
  ['/realms', 'north'],
  ['/resolvers', 'north'],
  ['/resolvers/directory', 'LDAPURI'],
  ['/resolvers/north', 'anna'],
  ['/new-resolver', 'SQL'],
  ['/settings', 'OcraMaxChallenges'],
  ['/keys', 'Schlüssel'],
  ['/webhooks', 'siem'],
  ['/webhooks/siem', 'siem'],
  ['/webhooks/siem/edit'],
  ['/new-webhook', 'Der Fehlerzähler eines Tokens hat seine Grenze erreicht'],
  ['/administrators', 'admin'],
  ['/administrators/admin'],
  ['/sessions', 'admin'],
  ['/account', 'Passwort'],
];

/** Pages that show texts of answers. */
// prettier-ignore
const TELLING: readonly string[] = [
  '/search', '/tokens', '/tokens/T1', '/people', '/people/north/north/anna', '/policies', '/policies/edit/admin',
  '/policies/explain', '/audit', '/realms', '/resolvers', '/settings', '/webhooks', '/administrators',
  '/sessions', '/account', '/health',
];

/** The pages with the probe, as elements and as text. */
interface Looked {
  readonly markup: readonly string[];
  readonly text: readonly string[];
}

/** Choices and buttons that are cut off: what is beyond their end cannot be pressed or read. */
const CUT = `[...document.querySelectorAll('[role=radiogroup], .mantine-Button-label, .mantine-Badge-label')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

/** Words that no German sentence has. */
const ENGLISH = /\b(?:the|and|of|with|which|has|have|is|are|not|by|from|you|your)\b/;

describeConsole('the pages of the console', (given) => {
  let transaction: string;

  beforeAll(async () => {
    const { application } = given.site;
    const { resolvers, settings, users, webhooks } = application.services;
    await application.addRealm('north');
    await users.add(OPERATOR, {
      resolver: 'north',
      login: 'anna',
      givenName: 'A',
      surname: 'B',
      email: 'c@d.e',
      phone: '1',
    });
    await application.enrolPlain('T1', SUITE, { user: 'anna', realm: 'north', description: 'a phone' });
    transaction = (await application.challenge('T1', '12345678')).transactionid;
    await application.check(transaction, '00000000');
    await setPolicies(
      given.site,
      ['values', 'authentication', 'issuer=Bank, challenge_response=*', '*'],
      ...ADMIN_MAY_ALL,
    );
    await resolvers.set(OPERATOR, {
      name: 'directory',
      kind: 'ldap',
      secret: 'the bind password',
      settings: LDAP,
    });
    await settings.set(OPERATOR, new Map([['legacy.note', 'a note']]));
    await webhooks.add(OPERATOR, { name: 'siem', url: 'https://siem.example.org/' });
    await application.rows(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, data, attempts, last_failure)
       SELECT id, gen_random_uuid(), 'token.locked', now(), '{}', 3, 'HTTP 500' FROM webhooks`,
    );
  });

  function addressOf(path: string): string {
    return `${given.site.origin}/console/#${path}${path === '/transactions/' ? transaction : ''}`;
  }

  async function openInGerman(width: number): Promise<WatchedPage> {
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
    'have in German no English sentence, no fault and no complaint of the browser, %d pixels wide',
    async (width) => {
      const { page, problems } = await openInGerman(width);
      const faults: string[] = [];
      for (const [path, shown] of PAGES) {
        if (shown === undefined) {
          continue;
        }
        await page.goto(addressOf(path));
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

  /** Signs in where the Content-Security-Policy would not stop what markup does. */
  async function open(): Promise<Page> {
    const context = await given.browser.newContext({ baseURL: given.site.origin, bypassCSP: true });
    const { page } = await watchPage(context, given.site.origin);
    await page.goto(`${given.site.origin}/console/#/account`);
    await signIn(page, 'admin');
    return page;
  }

  async function lookThrough(page: Page): Promise<Looked> {
    const markup: string[] = [];
    const text: string[] = [];
    const settled = settling(page);
    for (const [path] of PAGES) {
      await page.goto(addressOf(path));
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      if (path === '/search') {
        await page.getByRole('searchbox').fill('anna');
        await page.getByRole('link', { name: /anna/ }).first().waitFor();
      }
      await settled();
      const isIn = Number(await page.evaluate('document.querySelectorAll("img, script:not([src])").length'));
      if (isIn > 0 || (await page.evaluate('window.probed')) !== undefined) {
        markup.push(path);
      }
      if ((await page.locator('#content').innerText()).includes('<img src=x')) {
        text.push(path);
      }
    }
    return { markup, text };
  }

  it('would be seen by the next test if they took a text for markup', async () => {
    const page = await open();
    await page.evaluate(`document.querySelector('#content').innerHTML = ${JSON.stringify(PROBE)}`);
    await page.waitForFunction('window.probed === 1');
    await expectSoon(() => page.locator('img').count()).toBe(1);
    await page.context().close();
  });

  it('show markup in any member of an answer as text', async () => {
    const page = await open();
    await page.route('**/console/api/**', spoil);
    const { markup, text } = await lookThrough(page);
    expect(markup).toEqual([]);
    // The pages have been looked at with their answers in them.
    expect(text).toEqual(expect.arrayContaining([...TELLING]));
    await page.goto(`${given.site.origin}/console/#/tokens`);
    await page.getByRole('link', { name: `T1${PROBE}` }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.context().close();
  });
});

/** @returns a function that waits until the page has received and drawn all that it has asked for */
function settling(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  page.on('request', (request) => open.add(request));
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => open.delete(request));
  }
  return async () => {
    for (let quiet = 0; quiet < QUIET_FRAMES; quiet = open.size === 0 ? quiet + 1 : 0) {
      await page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
      );
    }
  };
}

/** Puts the probe behind each text of an answer. */
async function spoil(route: Route): Promise<void> {
  if (route.request().url().endsWith('/admin/rights')) {
    await route.continue();
    return;
  }
  const response = await route.fetch();
  const text = await response.text();
  const body = text.startsWith('{') ? JSON.stringify(spoilt(JSON.parse(text) as unknown, '')) : text;
  await route.fulfill({ response, body });
}

function spoilt(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    return DECIDING.test(name) ? value : value + PROBE;
  }
  if (Array.isArray(value)) {
    return value.map((one: unknown) => spoilt(one, name));
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, spoilt(member, key)]))
    : value;
}
