import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium, startChromium } from '../../support/browser/chromium.ts';
import { type FileSite, serveFiles } from '../../support/browser/file-site.ts';
import { builtApp } from '../../support/browser/vite.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { answerAt, choosePin, expectScreen, openApp, pasteCode, PIN, rollOut } from './support/app-page.ts';
import { ACTIVATION_CODE, issueCodes } from './support/issued-codes.ts';

const ADDRESS = 'https://bank.example/ocra/check_t';
const MARKUP = '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>';

describeWithProgram('codes in the app', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: FileSite;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), builtApp().then(serveFiles)]);
  });

  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  it('refuses what is no code of a token of this device, and says what it is instead', async () => {
    const { page, problems } = await openApp(browser, site.origin);
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

  it('refuses a tampered code, and asks again after a wrong activation code', async () => {
    const { page } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    await pasteCode(page, codes.init);
    await page.getByRole('button', { name: 'Add the token' }).click();
    await expectScreen(page, 'The first step is done');
    await pasteCode(page, codes.nonce());
    await page.getByLabel('Activation code').fill('AAAAAAAAAAAAAAAA00');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Activation code and QR code do not match').waitFor();
    await expectScreen(page, 'Enter the activation code');
    await page.getByLabel('Activation code').fill(ACTIVATION_CODE);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectScreen(page, 'Do you want to confirm this?');
    await pasteCode(page, codes.request().replace('Bert', 'Eve+'));
    await expectScreen(page, 'This code is not for you');
  });

  it.each(['javascript:alert(1)', 'data:text/html,<b>x</b>', 'ftp://bank.example/', 'https://'])(
    'refuses a code whose answer would go to %s',
    async (callbackUrl) => {
      const { page, problems } = await openApp(browser, site.origin);
      const codes = await issueCodes(ADDRESS);
      await rollOut(page, codes);
      await pasteCode(page, codes.request({ callbackUrl }));
      await expectScreen(page, 'The answer would go to a forbidden address');
      expect(problems).toEqual([]);
    },
  );

  it('sends nothing without encryption', async () => {
    const { page, problems } = await openApp(browser, site.origin);
    await rollOut(page, await issueCodes('http://bank.example/ocra/check_t'));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('an address without encryption').waitFor();
    expect(problems).toEqual([]);
  });

  it('shows markup in texts and names as what it is', async () => {
    const { page, problems } = await openApp(browser, site.origin);
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
    const { page } = await openApp(browser, site.origin);
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
    await expectScreen(page, 'Declined');
  });

  it('lets heaps of accents cover nothing outside of the text', async () => {
    const { page } = await openApp(browser, site.origin);
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

  it('opens the code of a link, which waits behind the lock and leaves the address at once', async () => {
    const { page, problems } = await openApp(browser, site.origin);
    const codes = await issueCodes(ADDRESS);
    await page.goto(`/#link=${encodeURIComponent(codes.init)}`);
    await expectScreen(page, 'Add this token?');
    await expectSoon(() => page.url()).toBe(`${site.origin}/`);
    await page.getByRole('button', { name: 'Add the token' }).click();
    await expectScreen(page, 'The first step is done');
    await page.getByRole('button', { name: 'Lock' }).click();
    await page.goto(`/#link=${encodeURIComponent(`web+${codes.nonce()}`)}`);
    await page.getByText('A code is waiting').waitFor();
    await expectSoon(() => page.url()).toBe(`${site.origin}/`);
    await expectSoon(() => page.evaluate('JSON.stringify(history.state)')).toMatch(/^\{"entry":\d+\}$/);
    await page.getByLabel('PIN').fill(PIN);
    await page.getByRole('button', { name: 'Unlock' }).click();
    await expectScreen(page, 'Enter the activation code');
    expect(problems).toEqual([]);
  });

  it('keeps a link of the first start until a PIN is chosen', async () => {
    const context = await browser.newContext({ baseURL: site.origin });
    const page = await context.newPage();
    const codes = await issueCodes(ADDRESS);
    await page.goto(`/#link=${encodeURIComponent(codes.init)}`);
    await page.getByText('A code is waiting').waitFor();
    await choosePin(page, 'Add this token?');
    await expectSoon(() => page.url()).toBe(`${site.origin}/`);
  });
});
