import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page, Response } from 'playwright-core';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import { type ConsoleSite, openConsole, startConsole } from '../../support/browser/console-site.ts';
import { shortOrLong } from '../../support/campaign.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const TOKENS = shortOrLong(1_000, 10_000);
const PAGE_SIZE = 50;
const PAGES = TOKENS / PAGE_SIZE;
const ALL = inAll(TOKENS);
/** Of the window, in pixels. */
const HEIGHT = 900;

/** Every tenth is disabled, every fourth in the realm staff. */
const FILL = `
  INSERT INTO tokens (serial, type, active, realm_set_id, ocra_suite, seed)
  SELECT 'BULK' || lpad(n::text, 5, '0'), 'ocra2', n % 10 <> 0,
    CASE WHEN n % 4 = 0 THEN staff.set ELSE customers.set END,
    'OCRA-1:HOTP-SHA256-8:C-QA64', decode(repeat('5a', 64), 'hex')
  FROM generate_series(1, ${TOKENS}) AS n,
    (SELECT intern_realm_set(ARRAY[id]) AS set FROM realms WHERE name = 'customers') AS customers,
    (SELECT intern_realm_set(ARRAY[id]) AS set FROM realms WHERE name = 'staff') AS staff`;

interface Sheet {
  readonly tokens: readonly { readonly serial: string }[];
  readonly next: string | null;
}

/** @returns the serials of the tokens from this one on */
function serialsFrom(first: number): readonly string[] {
  return Array.from({ length: PAGE_SIZE }, (_, place) => serial(first + place));
}

/** @returns the serials on a page of all tokens */
function serialsOf(page: number): readonly string[] {
  return serialsFrom((page - 1) * PAGE_SIZE + 1);
}

function inAll(tokens: number): string {
  return `${tokens.toLocaleString('en')} in all`;
}

function serial(number: number): string {
  return `BULK${String(number).padStart(5, '0')}`;
}

describeWithProgram('many tokens in the console', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: ConsoleSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), startConsole()]);
    await site.application.addRealm('customers');
    await site.application.addRealm('staff');
    await queryOnce(site.application.databaseUrl, FILL);
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  async function open(): Promise<Page> {
    const { page } = await openConsole(browser, site, { path: '/tokens' });
    await shows(page, 1, ALL);
    return page;
  }

  /** Waits until the page says that it is this one. */
  const shows = (page: Page, number: number, total?: string): Promise<void> =>
    page
      .getByRole('status')
      .getByText(`Page ${number}${total === undefined ? '' : ` · ${total}`}`, { exact: true })
      .waitFor();

  const rows = (page: Page): Promise<string[]> =>
    page.locator('tbody td[data-name="Serial"]').allTextContents();
  const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
  const elements = (page: Page): Promise<number> =>
    page.evaluate<number>('document.querySelectorAll("*").length');

  /** Turns to a page further on. */
  async function turnTo(page: Page, from: number, to: number): Promise<void> {
    for (let number = from + 1; number <= to; number += 1) {
      await button(page, 'Next page').click();
      await shows(page, number, ALL);
    }
  }

  it('come page by page to the last one, each once, in a document that does not grow', async () => {
    const page = await open();
    const answers: Promise<Sheet>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/admin/tokens')) {
        answers.push(sheetOf(response));
      }
    });
    const size = await elements(page);
    for (let number = 1; number <= PAGES; number += 1) {
      await turnTo(page, Math.max(1, number - 1), number);
      // The number of the page is that of the rows.
      await expectSoon(() => rows(page)).toEqual(serialsOf(number));
      await expectSoon(() => elements(page)).toBeLessThanOrEqual(size);
    }
    await expectSoon(() => button(page, 'Next page').isDisabled()).toBe(true);
    const sheets = await Promise.all(answers);
    expect(sheets.map(({ tokens }) => tokens.length)).toEqual(Array(PAGES - 1).fill(PAGE_SIZE));
    expect(sheets.map(({ next }) => next === null)).toEqual([...Array<boolean>(PAGES - 2).fill(false), true]);
    await page.context().close();
  });

  it('are scrolled by the wheel, and begin at their first row on the next page', async () => {
    const page = await open();
    await page.mouse.move(640, 450);
    await page.mouse.wheel(0, 10_000);
    await page.waitForFunction('scrollY > 0 && scrollY + innerHeight >= document.body.scrollHeight - 1');
    await expectSoon(() => isInView(page.getByText(serial(50)))).toBe(true);
    await button(page, 'Next page').click();
    await shows(page, 2, ALL);
    await expectSoon(() => isInView(page.getByText(serial(51)))).toBe(true);
    await page.context().close();
  });

  it('are at the same page again after the way to a token and back, and forward', async () => {
    const page = await open();
    await turnTo(page, 1, 12);
    await page.getByRole('link', { name: serial(599) }).click();
    await button(page, 'Rename').waitFor();
    await expectSoon(() => isInView(page.getByRole('heading', { level: 1 }))).toBe(true);
    await page.goBack();
    await shows(page, 12, ALL);
    await expectSoon(() => rows(page)).toEqual(serialsOf(12));
    await page.goForward();
    await page.getByRole('heading', { level: 1, name: serial(599) }).waitFor();
    await page.goBack();
    await button(page, 'Previous page').click();
    await shows(page, 11, ALL);
    await expectSoon(() => rows(page)).toEqual(serialsOf(11));
    await page.context().close();
  });

  it('are filtered from any page, with the number of those that are left', async () => {
    const page = await open();
    await turnTo(page, 1, 3);
    await page.getByLabel('Beginning of the serial').fill(
      serial(TOKENS - 100)
        .slice(0, -2)
        .toLowerCase(),
    );
    await shows(page, 1);
    await expectSoon(() => rows(page)).toEqual(serialsFrom(TOKENS - 100));
    await button(page, 'Next page').click();
    await shows(page, 2);
    await expectSoon(() => rows(page)).toEqual(serialsFrom(TOKENS - 50));
    await expectSoon(() => button(page, 'Next page').isDisabled()).toBe(true);
    await page.getByLabel('Beginning of the serial').fill('');
    await page.getByLabel('State').selectOption('disabled');
    await shows(page, 1, inAll(TOKENS / 10));
    await page.getByLabel('Realm').selectOption('staff');
    await shows(page, 1, inAll(TOKENS / 20));
    expect((await rows(page)).slice(0, 2)).toEqual([serial(20), serial(40)]);
    await page.context().close();
  });

  it('turn one page where the button is clicked again before the server has answered', async () => {
    const page = await open();
    let asked = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const first = page.waitForRequest('**/admin/tokens');
    await page.route('**/admin/tokens', async (route) => {
      asked += 1;
      await released;
      await route.continue();
    });
    await button(page, 'Next page').click();
    // A person does not wait until the button looks enabled.
    await button(page, 'Next page').click({ force: true });
    // The rows are still those of the first page, and are called so.
    await shows(page, 1, ALL);
    await first;
    release();
    await shows(page, 2, ALL);
    expect(asked).toBe(1);
    await expectSoon(() => rows(page)).toEqual(serialsOf(2));
    await button(page, 'Previous page').click();
    await shows(page, 1, ALL);
    await page.context().close();
  });
});

async function sheetOf(response: Response): Promise<Sheet> {
  const { result } = (await response.json()) as { readonly result: { readonly value: Sheet } };
  return result.value;
}

/** @returns true if it is inside the window */
async function isInView(found: Locator): Promise<boolean> {
  const { y = -1, height = 0 } = (await found.boundingBox()) ?? {};
  return y >= 0 && y + height <= HEIGHT;
}
