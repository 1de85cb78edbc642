import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { shortOrLong } from '../../support/campaign.ts';
import { violationsInLightAndDark } from '../../support/browser/axe.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import {
  ACTIVATION_CODE,
  answerAt,
  describeApp,
  expectScreen,
  issueCodes,
  type IssuedCodes,
  openApp,
  pasteCode,
} from './support/app-page.ts';

const ADDRESS = 'https://bank.example/ocra/check_t';
const PAYMENT = 'Überweisung: 1.250,00 EUR an Bert Müller, DE12 3456 7890 1234 5678 90';

/** The smallest phone in use. */
const SMALLEST = { width: 320, height: 568 };

/** The faults of a screen, for each check of it. */
type Look = (page: Page, screen: string) => Promise<readonly string[]>;

describeApp('the screens of the app', (given) => {
  let codes: IssuedCodes;

  beforeAll(async () => {
    codes = await issueCodes(ADDRESS);
  });

  it.each(shortOrLong([360], [360, 390, 1280]))(
    'have no violation of axe in light and dark, %d pixels wide',
    async (width) => {
      const { page } = await openApp(given.browser, given.site.origin, width);
      expect(await visitScreens(page, codes, axeLook)).toEqual([]);
    },
  );

  it('fit 320 pixels, also with text of twice the size, and have targets of 44 pixels, in German, with no English text', async () => {
    const { page } = await openApp(given.browser, given.site.origin, 320);
    await page.setViewportSize(SMALLEST);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Deutsch').check();
    await expectScreen(page, 'Einstellungen');
    await expectSoon(() => page.locator('html').getAttribute('lang')).toBe('de');
    const look: Look = async (shown, screen) => [
      ...(await sizeLook(shown, screen)),
      ...(await wordLook(shown, screen)),
    ];
    expect(await visitScreens(page, codes, look)).toEqual([]);
  });

  it('lead through a confirmation by the keyboard alone, with the focus on each heading', async () => {
    const { page } = await openApp(given.browser, given.site.origin);
    await page.setViewportSize(SMALLEST);
    const forms = await answerAt(page, ADDRESS, true);
    await page.keyboard.press('Tab');
    await focusAndPress(page, 'Scan the first code');
    await expectFocusedHeading(page, 'Scan a code');
    await tabTo(page, 'Text of the code');
    await page.keyboard.insertText(codes.init);
    await focusAndPress(page, 'Open');
    await expectFocusedHeading(page, 'Add this token?');
    await focusAndPress(page, 'Add the token');
    await expectFocusedHeading(page, 'The first step is done');
    await focusAndPress(page, 'Scan the second code');
    await expectFocusedHeading(page, 'Scan a code');
    await tabTo(page, 'Text of the code');
    await page.keyboard.insertText(codes.nonce());
    await focusAndPress(page, 'Open');
    await expectFocusedHeading(page, 'Enter the activation code');
    await tabTo(page, 'Activation code');
    await page.keyboard.type(ACTIVATION_CODE);
    await page.keyboard.press('Enter');
    await expectFocusedHeading(page, 'Do you want to confirm this?');
    await focusAndPress(page, 'Confirm');
    await expectFocusedHeading(page, 'Confirmed');
    expect(forms).toHaveLength(1);
  });
});

/** Opens every screen and looks at it. */
async function visitScreens(page: Page, codes: IssuedCodes, look: Look): Promise<readonly string[]> {
  const found: string[] = [];
  const see = async (screen: string): Promise<void> => {
    await page.locator('main h1').waitFor();
    await page.getByText(/^(One moment|Einen Moment)/).waitFor({ state: 'detached' });
    found.push(...(await look(page, screen)));
  };
  const press = (name: RegExp): Promise<void> => page.getByRole('button', { name }).first().click();
  await page.getByRole('navigation').getByRole('button').first().click();
  await see('empty');
  await press(/^Scan/);
  await page.getByText(/^(This device has no camera|Dieses Gerät hat keine Kamera)/).waitFor();
  await see('scan');
  await pasteCode(page, codes.init);
  await expectScreen(page, /Add this token|Dieses Token hinzu/);
  await see('roll-out');
  await press(/^(Add the token|Token hinzufügen)$/);
  await expectScreen(page, /first step|erste Schritt/);
  await see('added');
  await pasteCode(page, codes.nonce({ message: PAYMENT }));
  await page.getByLabel(/^(Activation code|Aktivierungscode)$/).fill(`1${ACTIVATION_CODE.slice(1)}`);
  await see('wrong activation code');
  await page.getByLabel(/^(Activation code|Aktivierungscode)$/).fill(ACTIVATION_CODE);
  await press(/^(Continue|Weiter)$/);
  await expectScreen(page, /Do you want|Möchten Sie/);
  await see('challenge');
  await answerAt(page, 'https://bank.example/ocra/check_t', true);
  await press(/^(Confirm|Bestätigen)$/);
  await expectScreen(page, /^(Confirmed|Bestätigt)$/);
  await see('accepted');
  await pasteCode(
    page,
    codes.request({ message: `${'Loooooooooooooooooooooooong'.repeat(9)} p\u0430ypal \u202e` }),
  );
  await expectScreen(page, /cannot be confirmed|nicht bestätigen/);
  await see('unfaithful');
  await press(/^(Decline|Ablehnen)$/);
  await expectScreen(page, /^(Declined|Abgelehnt)$/);
  await see('declined');
  await page.unroute('https://bank.example/ocra/check_t');
  await pasteCode(page, codes.request());
  await press(/^(Confirm|Bestätigen)$/);
  await expectScreen(page, /Type these|Tippen Sie/);
  await see('digits');
  await pasteCode(page, 'otpauth://totp/x');
  await expectScreen(page, /another system|anderen System/);
  await see('refused');
  await page.getByRole('navigation').getByRole('button').first().click();
  await press(/LSQR0001/);
  await see('token');
  await press(/Remove this|Token entfernen/);
  await see('removal');
  await press(/^(History|Verlauf)$/);
  await see('history');
  const settings = /^(Settings|Einstellungen)$/;
  await press(settings);
  await see('settings');
  for (const [name, screen] of [
    [/^(PIN and lock|PIN und Sperre)$/, 'security'],
    [/^(Backup|Sicherung)$/, 'backup'],
    [/^(About this app|Über diese App)$/, 'about'],
  ] as const) {
    await press(settings);
    await press(name);
    await see(screen);
  }
  await press(/^(Lock|Sperren)$/);
  await expectScreen(page, /is locked|ist gesperrt/);
  await see('locked');
  return found;
}

async function axeLook(page: Page, screen: string): Promise<readonly string[]> {
  const found = await violationsInLightAndDark(page, async (colorScheme) => {
    if (process.env.SCREENSHOTS !== undefined) {
      const width = page.viewportSize()?.width ?? 0;
      const name = screen.toLowerCase().replaceAll(/[^a-z]+/g, '-');
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/app-${width}-${colorScheme}-${name}.png` });
    }
    return [];
  });
  return found.map((fault) => `${screen}, ${fault}`);
}

async function sizeLook(page: Page, screen: string): Promise<readonly string[]> {
  const found = await page.evaluate<readonly string[]>(`[
    ...['212.5%', ''].flatMap((size) => {
      document.documentElement.style.fontSize = size;
      return [...document.querySelectorAll('html, body :not(input)')]
        .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth)
        .map((one) => 'too narrow with text of ' + size + ': ' + one.outerHTML.slice(0, 200));
    }),
    ...[...document.querySelectorAll('.confirmation [type=submit]')]
      .map((confirm) => confirm.getBoundingClientRect().bottom + scrollY)
      .filter((bottom) => bottom > 2 * innerHeight - document.querySelector('.navigation').offsetHeight)
      .map((bottom) => 'confirm ends at ' + bottom),
    ...[...document.querySelectorAll('button, input:not([type=radio], [type=checkbox], [type=file]), textarea, label:has(input), summary')]
      .filter((target) => target.checkVisibility())
      .map((target) => [target, target.getBoundingClientRect()])
      .filter(([, { width, height }]) => width < 44 || height < 44)
      .map(([target, { width, height }]) => target.textContent + ' ' + Math.round(width) + ' × ' + Math.round(height)),
  ]`);
  return found.map((fault) => `${screen}: ${fault}`);
}

/** Words of the English texts that no German one has; and not every issuer is a bank. */
const STRANGE = /\b(?:the|you|your|this|of|and|not|with|is|Bank)\b/;

async function wordLook(page: Page, screen: string): Promise<readonly string[]> {
  const text = await page.locator('body').innerText();
  const found = STRANGE.exec(text);
  return found === null ? [] : [`${screen}: ${text.slice(Math.max(0, found.index - 30), found.index + 40)}`];
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let place = 0; place < 30; place += 1) {
    await page.keyboard.press('Tab');
    // WCAG 2.2, 2.4.11.
    const covered = await page.evaluate<string | undefined>(`(() => {
      const navigation = document.querySelector('.navigation');
      const focused = document.activeElement;
      const { bottom } = focused.getBoundingClientRect();
      return bottom > navigation.getBoundingClientRect().top && !navigation.contains(focused) && focused !== document.body
        ? focused.outerHTML
        : undefined;
    })()`);
    if (covered !== undefined) {
      throw new Error(`The navigation covers ${covered}`);
    }
    const focused = await page.evaluate<string>(
      `(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`,
    );
    if (focused === name) {
      return;
    }
  }
  throw new Error(`The Tab key does not lead to ${name}`);
}

async function focusAndPress(page: Page, name: string): Promise<void> {
  // A question takes no press at first.
  await page.getByRole('button', { name, exact: true, disabled: false }).waitFor();
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

async function expectFocusedHeading(page: Page, title: string): Promise<void> {
  await expectScreen(page, title);
  await page.locator('h1:focus').filter({ hasText: title }).waitFor();
  await expectSoon(() => page.title()).toBe(`${title} – Tankeeper`);
}
