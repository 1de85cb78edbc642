import type { Browser, Page } from 'playwright-core';
import { openPage, type WatchedPage } from '../../../support/browser/chromium.ts';
import { ACTIVATION_CODE, type IssuedCodes } from './issued-codes.ts';

export const PIN = '482915';

/** The form that the app sends to the address of a code. */
export interface SentForm {
  readonly transactionid: string | null;
  readonly pass: string | null;
  /** Left out where there is none. */
  readonly decline?: string;
}

/** Opens the app in a fresh profile and chooses a PIN. */
export async function openApp(browser: Browser, origin: string, width = 1280): Promise<WatchedPage> {
  const watched = await openPage(browser, origin, width);
  await watched.page.goto('/');
  await choosePin(watched.page);
  return watched;
}

/** Passes the first start. @param next the title of the screen after it */
export async function choosePin(
  page: Page,
  next: string | RegExp = /^(Your tokens|Ihre Token)$/,
): Promise<void> {
  await page.getByLabel(/^(New PIN|Neue PIN)$/).fill(PIN);
  await page.getByLabel(/^(Repeat the PIN|PIN wiederholen)$/).fill(PIN);
  await page.getByRole('button', { name: /^(Set the PIN|PIN festlegen)$/ }).click();
  await expectScreen(page, next);
}

/** Opens a code by pasting its text on the scan screen. */
export async function pasteCode(page: Page, code: string): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: /^Scan/ }).click();
  await page.getByLabel(/^(Text of the code|Text des Codes)$/).fill(code);
  await page.getByRole('button', { name: /^(Open|Öffnen)$/ }).click();
}

/** Waits for a screen. */
export async function expectScreen(page: Page, title: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** Rolls a token out in both phases, up to its first challenge. */
export async function rollOut(page: Page, codes: IssuedCodes): Promise<void> {
  await pasteCode(page, codes.init);
  await page.getByRole('button', { name: 'Add the token' }).click();
  await expectScreen(page, 'The first step is done');
  await pasteCode(page, codes.nonce());
  await page.getByLabel('Activation code').fill(ACTIVATION_CODE);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expectScreen(page, 'Do you want to confirm this?');
}

/**
 * Answers for the server at the address of the codes.
 * @param verdict of the server; null: none that can be read; undefined: the network is away
 * @returns the forms that arrived
 */
export async function answerAt(
  page: Page,
  url: string,
  verdict: boolean | null | undefined,
): Promise<readonly SentForm[]> {
  const forms: SentForm[] = [];
  await page.route(url, async (route) => {
    const form = new URLSearchParams(route.request().postData() ?? '');
    const decline = form.get('decline');
    forms.push({
      transactionid: form.get('transactionid'),
      pass: form.get('pass'),
      ...(decline !== null && { decline }),
    });
    if (verdict === undefined) {
      await route.abort('connectionrefused');
    } else {
      await route.fulfill({
        contentType: 'application/json',
        headers: { 'Access-Control-Allow-Origin': '*' },
        body: JSON.stringify(
          verdict === null ? {} : { result: { status: true, value: answerTo(decline, verdict) } },
        ),
      });
    }
  });
  return forms;
}

function answerTo(decline: string | null, verdict: boolean): object {
  return decline === null
    ? { failcount: 0, result: verdict }
    : { failcount: 0, result: false, declined: verdict };
}
