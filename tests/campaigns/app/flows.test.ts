import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { computeDecline } from '../../../src/ocra/decline.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { issuerLogo } from '../../support/values/qr-code.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import {
  answerAt,
  choosePin,
  describeApp,
  COUNTER_SUITE,
  expectScreen,
  issueCodes,
  openApp,
  pasteCode,
  QUESTION,
  rollOut,
} from './support/app-page.ts';

const ADDRESS = 'https://bank.example/ocra/check_t';

describeApp('the flows of the app', (given) => {
  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();

  /** @returns a page whose token has confirmed one payment, and what it sends */
  const confirmedOnce = async () => {
    const { page } = await openApp(given.browser, given.site.origin);
    const codes = await issueCodes(ADDRESS);
    const forms = await answerAt(page, ADDRESS, true);
    await rollOut(page, codes);
    await press(page, 'Confirm');
    await expectScreen(page, 'Confirmed');
    return { page, codes, forms };
  };

  it('shows the issuer that the roll-out has signed, with its logo, from then on', async () => {
    const { page, problems } = await openApp(given.browser, given.site.origin);
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

  it('stores the next counter before the response leaves', async () => {
    const { page } = await openApp(given.browser, given.site.origin);
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

  it('takes no press in the moment in which the data appear, or the window comes to the front', async () => {
    const { page, codes, forms } = await confirmedOnce();
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

  it.each([
    ['Pay by transfer\n\nAmount: 120.00 EUR\nPayee: Bert Miller: the baker\n', ['Amount: ', 'Payee: ']],
    ['Pay 900.00 EUR to Mallory for rent, Amount: 1.00 EUR, Payee: Bert Miller', []],
    ['Mallory: rent \u0430Payee: Bert Miller', []],
  ])(
    'sets the lines of a text apart, nothing within one, and shows all of it: %j',
    async (message, names) => {
      const { page } = await openApp(given.browser, given.site.origin);
      const codes = await issueCodes(ADDRESS);
      await rollOut(page, { ...codes, nonce: () => codes.nonce({ message }) });
      const shown = page.getByRole('group', { name: 'To be confirmed' });
      const textsOf = (parts: string) => expectSoon(() => shown.locator(parts).allTextContents());
      await textsOf('> *').toEqual(message.split(/(?<=\n)(?=Amount|Payee)/));
      await textsOf('.display-name').toEqual(names);
    },
  );

  it('says that the server refused', async () => {
    const { page } = await openApp(given.browser, given.site.origin);
    const codes = await issueCodes(ADDRESS);
    await answerAt(page, ADDRESS, false);
    await rollOut(page, codes);
    await press(page, 'Confirm');
    await expectScreen(page, 'Not accepted');
    // An earlier answer may have been accepted, so something may have been carried out.
    await page.getByText('an earlier answer may have counted').waitFor();
    await expectSoon(() => page.getByText('Not accepted', { exact: true }).count()).toBe(1);
    await press(page, 'History');
    await page.getByText('Not accepted · bank.example').waitFor();
  });

  it.each([
    ['Decline', 'declined', 'Declined', 'Declined · bank.example'],
    [
      'This was not me',
      'reported',
      'Reported: this was not you',
      'Reported: “This was not me” · bank.example',
    ],
  ] as const)(
    'tells the server what “%s” means, signed by the token, and no response',
    async (button, kind, title, entry) => {
      const { page, codes, forms } = await confirmedOnce();
      await pasteCode(page, codes.request({ transactionId: '0123456789abcdef0124' }));
      await press(page, button);
      await expectScreen(page, title);
      await page.getByText('bank.example knows.').waitFor();
      await expectSoon(() => page.getByText('roll-out').count()).toBe(0);
      const challenge = { question: QUESTION, transactionId: '0123456789abcdef0124' };
      const decline = computeDecline(parseOcraSuite(COUNTER_SUITE), codes.key, challenge, kind);
      expect(forms.slice(1)).toEqual([{ transactionid: '0123456789abcdef0124', pass: null, decline }]);
      await press(page, 'History');
      await page.getByText(entry, { exact: true }).waitFor();
      await press(page, 'Tokens');
      await page.getByRole('button', { name: /LSQR0001/ }).click();
      await expectSoon(() => page.locator('dd').last().textContent()).toBe('1');
      await pasteCode(page, codes.request({ transactionId: '0123456789abcdef0124' }));
      const [outcome = ''] = entry.split(' · ');
      await page.getByText(`You have answered this once already: ${outcome} (`).waitFor();
    },
  );

  it('renames and removes tokens', async () => {
    const { page } = await openApp(given.browser, given.site.origin);
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

const MARKUP = '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>';

describeApp('codes in the app', (given) => {
  it('refuses what is no code of a token of this device, and says what it is instead', async () => {
    const { page, problems } = await openApp(given.browser, given.site.origin);
    const codes = await issueCodes(ADDRESS);
    const strangers = await issueCodes(ADDRESS, { serial: 'OTHER' });
    const refusals: readonly (readonly [code: string, title: string])[] = [
      ['otpauth://totp/Bank:me?secret=ABCDEFGH', 'This is a code of another system'],
      ['otpauth-migration://offline?data=AAAA', 'This is the export of an authenticator app'],
      ['https://bank.example/', 'This is a link to a web page'],
      ['Hello', 'This is no QR-TAN code'],
      ['javascript:document.title="broken"', 'This is no QR-TAN code'],
      [codes.init.slice(0, 20), 'The code is incomplete'],
      ['lseqr://pay?a=b', 'This kind of code is unknown'],
      [`lseqr://req?me=${'a'.repeat(100_000)}`, 'The code is damaged'],
      [codes.init.replace(/sh=[^&]*/, 'sh=00ff'), 'The code is not safe'],
      [codes.init.replace(/os=[^&]*/, 'os=OCRA-2%3AX'), 'The app does not know this method'],
      [codes.init.replace(/&se=.*/, ''), 'The code names no token'],
      [strangers.nonce(), 'The first code is missing'],
      [codes.request(), 'This code is not for you'],
    ];
    for (const [code, title] of refusals) {
      await pasteCode(page, code);
      await expectScreen(page, title);
    }
    await page.getByRole('button', { name: 'To the tokens' }).click();
    await page.getByText('Scan your first code').waitFor();
    expect(problems).toEqual([]);
  });

  it('shows markup in texts and names as what it is', async () => {
    const { page, problems } = await openApp(given.browser, given.site.origin);
    const codes = await issueCodes(ADDRESS, { serial: MARKUP });
    await rollOut(page, codes);
    await answerAt(page, ADDRESS, true);
    await pasteCode(page, codes.request({ message: MARKUP }));
    await page.getByLabel('To be confirmed').getByText(MARKUP).waitFor();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expectScreen(page, 'Confirmed');
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByText(MARKUP).first().waitFor();
    await page.getByRole('navigation').getByRole('button', { name: 'Tokens' }).click();
    await page.getByText(MARKUP).first().click();
    await expectScreen(page, MARKUP);
    await expectSoon(() => page.locator('img, #app script').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('marks what is not what it looks like, and does not confirm it', async () => {
    const { page } = await openApp(given.browser, given.site.origin);
    const codes = await issueCodes(ADDRESS);
    await rollOut(page, codes);
    await pasteCode(page, codes.request({ message: 'Pay \u202e12\u202c EUR to p\u0430ypal\u200b' }));
    await expectScreen(page, 'This cannot be confirmed');
    await expectSoon(() => page.locator('mark').allTextContents()).toEqual([
      'U+202E right-to-left override',
      'U+202C pop directional formatting',
      'p\u0430ypal',
      'U+200B zero width space',
    ]);
    await expectSoon(() => page.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Decline' }).click();
    await expectScreen(page, 'The issuer may not know yet');
  });

  it('lets heaps of accents cover nothing outside of the text', async () => {
    const { page } = await openApp(given.browser, given.site.origin);
    const codes = await issueCodes(ADDRESS);
    await rollOut(page, codes);
    const headingOver = async (marks: number): Promise<string> => {
      // A long text in either case: it has a layout of its own.
      const message = `a${'\u0301'.repeat(marks)}${' word'.repeat(40)}`;
      await pasteCode(page, codes.request({ message }));
      await expectScreen(page, 'This cannot be confirmed');
      await page.locator('h1:focus').waitFor();
      return (await page.locator('h1').screenshot()).toString('base64');
    };
    expect(await headingOver(1_000)).toBe(await headingOver(5));
  });

  it('keeps a link of the first start until a PIN is chosen', async () => {
    const context = await given.browser.newContext({ baseURL: given.site.origin });
    const page = await context.newPage();
    const codes = await issueCodes(ADDRESS);
    await page.goto(`/#link=${encodeURIComponent(codes.init)}`);
    await page.getByText('A code is waiting').waitFor();
    await choosePin(page, 'Add this token?');
    await expectSoon(() => page.url()).toBe(`${given.site.origin}/`);
  });
});
