import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { computeDecline } from '../../../src/ocra/decline.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import { type FileSite, serveFiles } from '../../support/browser/file-site.ts';
import { builtApp } from '../../support/browser/vite.ts';
import { issuerLogo } from '../../support/values/qr-code.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { answerAt, expectScreen, openApp, pasteCode, rollOut } from './support/app-page.ts';
import { ACTIVATION_CODE, COUNTER_SUITE, issueCodes, QUESTION } from './support/issued-codes.ts';

const ADDRESS = 'https://bank.example/ocra/check_t';
const CONFIRM = 'Do you want to confirm this?';

describeWithProgram('the flows of the app', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: FileSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), builtApp().then(serveFiles)]);
  });

  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();
  const digitsShown = async (page: Page): Promise<string> =>
    ((await page.locator('.digits').textContent()) ?? '').replace(/\s/g, '');

  it('rolls a token out in two phases and confirms its first challenge', async () => {
    const { page, problems } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    const forms = await answerAt(page, ADDRESS, true);
    await rollOut(page, codes);
    await page.getByText('Activate your token').waitFor();
    await page.getByText('bank.example', { exact: true }).waitFor();
    expect(forms).toEqual([]);
    await press(page, 'Confirm');
    await expectScreen(page, 'Confirmed');
    const pass = computeResponse(parseOcraSuite(COUNTER_SUITE), codes.key, {
      question: QUESTION,
      counter: 0n,
    });
    expect(forms).toEqual([{ transactionid: '0123456789abcdef0123', pass }]);
    expect(problems).toEqual([]);
  });

  it('shows the issuer that the roll-out has signed, with its logo, from then on', async () => {
    const { page, problems } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    const issuer = { name: 'Musterbank <b>eG</b>', logo: issuerLogo(32) };
    await answerAt(page, ADDRESS, true);
    await rollOut(page, { ...codes, nonce: () => codes.nonce({ issuer }) });
    const isDrawn = (): Promise<unknown> =>
      page.evaluate(`document.querySelector('.issuer-logo')?.naturalWidth`);
    await page.getByText(issuer.name, { exact: true }).waitFor();
    await expectSoon(isDrawn).toBe(32);
    await press(page, 'Confirm');
    await pasteCode(page, codes.request({ transactionId: 'aaaa' }));
    await page.getByText(issuer.name, { exact: true }).waitFor();
    await press(page, 'Tokens');
    await page.getByRole('button', { name: /Musterbank/ }).waitFor();
    await expectSoon(isDrawn).toBe(32);
    await page.getByRole('button', { name: /Musterbank/ }).click();
    await page.getByText('Issuer').waitFor();
    await page.getByText(issuer.name, { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it('shows a payment before it answers, and counts on', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    const forms = await answerAt(page, ADDRESS, true);
    await rollOut(page, codes);
    await press(page, 'Confirm');
    await pasteCode(page, codes.request({ message: 'Pay 5 EUR to Ann', transactionId: 'aaaa' }));
    await expectScreen(page, CONFIRM);
    await page.getByText('Pay 5 EUR to Ann').waitFor();
    await press(page, 'Confirm');
    await expectScreen(page, 'Confirmed');
    const pass = computeResponse(parseOcraSuite(COUNTER_SUITE), codes.key, {
      question: QUESTION,
      counter: 1n,
    });
    expect(forms.at(-1)).toEqual({ transactionid: 'aaaa', pass });
    await press(page, 'History');
    await page.getByText('Pay 5 EUR to Ann').waitFor();
    await page.getByText('Confirmed · bank.example').first().waitFor();
    await expectSoon(() => page.getByRole('listitem').filter({ hasText: 'bank.example' }).count()).toBe(2);
  });

  it('stores the next counter before the response leaves', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    let counterAtSending: string | null = null;
    await rollOut(page, codes);
    const second = await page.context().newPage();
    await page.route(ADDRESS, async (route) => {
      // Another window sees what is on disk.
      await second.goto('/');
      await second.getByLabel('PIN').fill('482915');
      await second.getByRole('button', { name: 'Unlock' }).click();
      await second.getByRole('button', { name: /LSQR0001/ }).click();
      counterAtSending = await second.locator('dd').last().textContent();
      await route.abort();
    });
    await press(page, 'Confirm');
    await expectScreen(page, 'Type these digits');
    expect(counterAtSending).toBe('1');
  });

  it('shows the digits where nobody answers', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    await answerAt(page, ADDRESS, undefined);
    await rollOut(page, codes);
    await press(page, 'Confirm');
    await expectScreen(page, 'Type these digits');
    await expectSoon(() => digitsShown(page)).toBe(
      computeResponse(parseOcraSuite(COUNTER_SUITE), codes.key, { question: QUESTION, counter: 0n }),
    );
    await page.getByText('No answer came back').waitFor();
  });

  it('takes no press in the moment in which the data appear, or the window comes to the front', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    const forms = await answerAt(page, ADDRESS, true);
    await rollOut(page, codes);
    await press(page, 'Confirm');
    await expectScreen(page, 'Confirmed');
    await page.evaluate(`new MutationObserver((_, observer) => {
      const button = document.querySelector('.confirmation form button[type=submit]');
      if (button !== null) {
        observer.disconnect();
        button.click();
        globalThis.hasPressed = true;
      }
    }).observe(document.body, { childList: true, subtree: true })`);
    await pasteCode(page, codes.request({ transactionId: 'aaaa' }));
    await page.waitForFunction(() => 'hasPressed' in globalThis);
    await page.getByRole('button', { name: 'Confirm', disabled: false }).waitFor();
    await page.evaluate(`(async () => {
      window.dispatchEvent(new Event('focus'));
      await new Promise(requestAnimationFrame);
      document.querySelector('button[type=submit]').click();
    })()`);
    expect(forms).toHaveLength(1);
    await press(page, 'Confirm');
    await expectScreen(page, 'Confirmed');
    expect(forms.map(({ transactionid }) => transactionid)).toEqual(['0123456789abcdef0123', 'aaaa']);
  });

  it('says that a code has no text, also where it has blanks alone', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    await rollOut(page, codes);
    for (const message of ['', ' \n\u3000\t']) {
      await pasteCode(page, codes.request({ message }));
      await page.getByText('The code contains no text.').waitFor();
      await press(page, 'Decline');
      await expectScreen(page, 'Declined');
    }
  });

  it('says that the server refused', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    await answerAt(page, ADDRESS, false);
    await rollOut(page, codes);
    await press(page, 'Confirm');
    await expectScreen(page, 'Not accepted');
    // An earlier answer may have been accepted, so something may have been carried out.
    await page.getByText('an earlier answer may have counted').waitFor();
    await press(page, 'History');
    await page.getByText('Not accepted · bank.example').waitFor();
  });

  it.each([
    ['Decline', 'declined'],
    ['This was not me', 'reported'],
  ] as const)(
    'tells the server what “%s” means, signed by the token, and no response',
    async (button, kind) => {
      const { page } = await openApp(browser, site.origin);
      const codes = await issueCodes(ADDRESS);
      const forms = await answerAt(page, ADDRESS, true);
      await rollOut(page, codes);
      await press(page, 'Confirm');
      await expectScreen(page, 'Confirmed');
      await pasteCode(page, codes.request({ transactionId: '0123456789abcdef0124' }));
      await press(page, button);
      await expectScreen(page, 'Declined');
      await page.getByText('bank.example knows.').waitFor();
      await expectSoon(() => page.getByText('roll-out').count()).toBe(0);
      const challenge = { question: QUESTION, transactionId: '0123456789abcdef0124' };
      const decline = computeDecline(parseOcraSuite(COUNTER_SUITE), codes.key, challenge, kind);
      expect(forms.slice(1)).toEqual([{ transactionid: '0123456789abcdef0124', pass: null, decline }]);
      await press(page, 'History');
      await page.getByText('Declined · bank.example').waitFor();
      await press(page, 'Tokens');
      await page.getByRole('button', { name: /LSQR0001/ }).click();
      await expectSoon(() => page.locator('dd').last().textContent()).toBe('1');
    },
  );

  it('sends nothing for a declined challenge whose code names no address', async () => {
    const { page } = await openApp(browser, site.origin);
    await press(page, 'Settings');
    await page.getByLabel('Allow codes without an address').check();
    await rollOut(page, await issueCodes(''));
    await press(page, 'Decline');
    await page.getByText('Nothing was sent, as the code names no address').waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  });

  it('refuses a code without an address, until the user allows such codes', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes('');
    await pasteCode(page, codes.init);
    await press(page, 'Add the token');
    await expectScreen(page, 'The first step is done');
    await pasteCode(page, codes.nonce());
    await expectScreen(page, 'The code does not say where the answer goes');
    await press(page, 'Settings');
    await page.getByLabel('Allow codes without an address').check();
    await pasteCode(page, codes.nonce());
    await page.getByLabel('Activation code').fill(ACTIVATION_CODE);
    await press(page, 'Continue');
    await page.getByText('After that you see digits').waitFor();
    await press(page, 'Confirm');
    await expectScreen(page, 'Type these digits');
    await expectSoon(() => digitsShown(page)).toMatch(/^\d{8}$/);
  });

  it('asks for the PIN of a suite with one, and again after a refusal', async () => {
    const { page } = await openApp(browser, site.origin);
    const suite = 'OCRA-1:HOTP-SHA256-8:C-QA64-PSHA1';
    const codes = await issueCodes(ADDRESS, { suite });
    await rollOut(page, codes);
    await press(page, 'Confirm');
    await page.getByText('Enter the PIN of this token.').waitFor();
    await answerAt(page, ADDRESS, false);
    await page.getByLabel('PIN of this token').fill('1111');
    await press(page, 'Confirm');
    await expectScreen(page, 'Not accepted');
    await press(page, 'Try once more');
    await page.unroute(ADDRESS);
    const forms = await answerAt(page, ADDRESS, true);
    await page.getByLabel('PIN of this token').fill('2222');
    await press(page, 'Confirm');
    await expectScreen(page, 'Confirmed');
    expect(forms[0]?.pass).toBe(
      computeResponse(parseOcraSuite(suite), codes.key, { question: QUESTION, counter: 1n, pin: '2222' }),
    );
  });

  it('replaces a token only after a warning', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    await pasteCode(page, codes.init);
    await press(page, 'Add the token');
    await expectScreen(page, 'The first step is done');
    await pasteCode(page, codes.init.replace('sh=00', 'sh=ff'));
    await page.getByText('It is replaced').waitFor();
    await press(page, 'Cancel');
    // The first secret is still there: reading its code again changes nothing.
    await pasteCode(page, codes.init);
    await expectScreen(page, 'The first step is done');
  });

  it('renames and removes tokens', async () => {
    const { page } = await openApp(browser, site.origin);
    await pasteCode(page, (await issueCodes(ADDRESS)).init);
    await press(page, 'Add the token');
    await press(page, 'To the tokens');
    await page.getByRole('button', { name: /LSQR0001/ }).click();
    await page.getByLabel('Name').fill('Savings <b>bank</b>');
    await press(page, 'Save the name');
    await expectScreen(page, 'Savings <b>bank</b>');
    // Browsers keep titles in their history, in the clear.
    await expectSoon(() => page.title()).toBe('Your tokens – Tankeeper');
    await page.getByRole('button', { name: 'Your tokens' }).click();
    await page.getByText('Savings <b>bank</b>').click();
    await press(page, 'Remove this token');
    await press(page, 'Keep it');
    await press(page, 'Remove this token');
    await press(page, 'Remove for ever');
    await page.getByText('Scan your first code').waitFor();
  });
});
