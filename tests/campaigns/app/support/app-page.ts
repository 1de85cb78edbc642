import { deriveTokenKey, encodeActivationCode } from '../../../../src/ocra/key-derivation.ts';
import { buildInitUrl, buildNonceUrl, buildRequestUrl } from '../../../../src/ocra/qrtan-url.ts';
import type { Issuer } from '../../../../src/ocra/issuer.ts';
import { parseOcraSuite } from '../../../../src/ocra/suite.ts';
import type { Browser, Page } from 'playwright-core';
import { openPage, type WatchedPage } from '../../../support/browser/chromium.ts';
import { describeSite, serveFiles } from '../../../support/browser/file-site.ts';
import { builtApp } from '../../../support/browser/vite.ts';

const SERIAL = 'LSQR0001';

export const COUNTER_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QA64';

export const QUESTION = 'Pay120EURtoBert0000012345';

const SECRET = new Uint8Array(20).map((_, place) => 17 * place);

const NONCE = new Uint8Array(64).map((_, place) => 3 * place);

/** The activation code of `issueCodes`: `ACTIVATION_CODE`. */
export const ACTIVATION_CODE = encodeActivationCode(new Uint8Array(10).map((_, place) => 20 + place));

/** The content of a code besides that of all codes. */
interface CodeContent {
  readonly message?: string;
  readonly callbackUrl?: string;
  readonly transactionId?: string;
  readonly question?: string;
  /** Of a roll-out. */
  readonly issuer?: Issuer;
}

/** Codes of one token, as its server issues them. */
export interface IssuedCodes {
  /** The first code of the roll-out. */
  readonly init: string;
  readonly key: Uint8Array;
  nonce(content?: CodeContent): string;
  request(content?: CodeContent): string;
}

/** Issues the codes of a token whose responses go to `callbackUrl` unless the content of a code says otherwise. */
export async function issueCodes(
  callbackUrl: string,
  { suite: suiteText = COUNTER_SUITE, serial = SERIAL }: { suite?: string; serial?: string } = {},
): Promise<IssuedCodes> {
  const suite = parseOcraSuite(suiteText);
  const key = await deriveTokenKey({ sharedSecret: SECRET, activationCode: ACTIVATION_CODE, nonce: NONCE });
  const complete = (content: CodeContent): Required<Omit<CodeContent, 'issuer'>> => ({
    message: 'Pay 120.00 EUR to Bert Miller',
    callbackUrl,
    transactionId: '0123456789abcdef0123',
    question: QUESTION,
    ...content,
  });
  return {
    init: buildInitUrl({ sharedSecret: SECRET, suite: suiteText, serial }),
    key,
    nonce: (content = {}) =>
      buildNonceUrl(suite, key, {
        ...complete({ message: 'Activate your token', ...content }),
        nonce: NONCE,
        serial,
      }),
    request: (content = {}) => buildRequestUrl(suite, key, complete(content)),
  };
}

export const PIN = '482915';

/** The form that the app sends to the address of a code. */
interface SentForm {
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

/** Tests of the app as it is built, on a site of its own. */
export function describeApp(title: string, tests: Parameters<typeof describeSite>[2]): void {
  describeSite(title, () => builtApp().then(serveFiles), tests);
}
