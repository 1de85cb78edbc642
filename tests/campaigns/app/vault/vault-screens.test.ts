import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { violationsOf } from '../../../support/browser/axe.ts';
import { openPage } from '../../../support/browser/chromium.ts';
import { describeSite, type FileSite, serveFiles } from '../../../support/browser/file-site.ts';
import { builtApp, bundleForBrowser } from '../../../support/browser/vite.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';
import { PASSPHRASE, PIN, token, WRONG_PIN } from './vault-site.ts';

type ScreenName = 'FirstStart' | 'UnlockScreen' | 'SecuritySettings' | 'BackupScreen';

/** @returns the page of the app, with its style and its Content-Security-Policy, but without its start */
async function serveScreens(): Promise<FileSite> {
  const [app, bundle] = await Promise.all([
    builtApp(),
    bundleForBrowser('tests/campaigns/app/vault/vault-bundle.js'),
  ]);
  const html = String(app.get('index.html')).replaceAll(/<script[^>]*><\/script>/g, '');
  return serveFiles(new Map<string, string | Buffer>([...app, ['index.html', html], ['vault.js', bundle]]));
}

describeSite('the screens of the vault', serveScreens, (given) => {
  let page: Page;
  let problems: readonly string[];

  beforeEach(async () => {
    ({ page, problems } = await openPage(given.browser, given.site.origin, 360));
    await page.goto('/');
    await page.evaluate(`(async () => {
      const bundle = await import('/vault.js');
      let watch = 0;
      const vault = await bundle.openVault({ stopwatch: () => (watch += 1e6) });
      globalThis.vault = vault;
      globalThis.show = (name, language) => bundle.render(
        bundle.h(bundle.LanguageContext.Provider, { value: language }, bundle.h(bundle[name], { vault, key: name })),
        document.getElementById('app'),
      );
    })()`);
  });

  afterEach(async () => {
    await page.context().close();
  });

  async function show(name: ScreenName, language = 'en'): Promise<void> {
    await page.evaluate(`show('${name}', '${language}')`);
    if (process.env.SCREENSHOTS !== undefined) {
      await page.screenshot({
        path: `${process.env.SCREENSHOTS}/vault-${name}-${language}.png`,
        fullPage: true,
      });
    }
  }

  /** Makes a vault with a token. */
  async function create(): Promise<void> {
    await page.evaluate(`vault.create('${PIN}').then(() => vault.saveToken(${JSON.stringify(token())}))`);
  }

  const state = (): Promise<unknown> => page.evaluate('vault.state');
  const field = (label: string): ReturnType<Page['getByLabel']> => page.getByLabel(label, { exact: true });
  const button = (name: string): ReturnType<Page['getByRole']> =>
    page.getByRole('button', { name, exact: true });

  /** @returns a script that waits for a condition, at each change that the vault tells */
  const untilTrue = (condition: string): string => `new Promise((resolve) => {
    const look = async () => (${condition}) && resolve(0);
    vault.subscribe(look);
    look();
  })`;

  async function untilState(wanted: string): Promise<void> {
    await page.evaluate(untilTrue(`vault.state === '${wanted}'`));
  }

  async function untilShown(text: string | RegExp): Promise<void> {
    await page.getByText(text).first().waitFor();
  }

  describe('the choice of a PIN', () => {
    it('refuses weak PINs and two that differ, and warns of short ones', async () => {
      await show('FirstStart');
      await field('New PIN').fill('1234');
      await untilShown(/Digits in a row/);
      await field('Repeat the PIN').fill('1234');
      await expectSoon(() => button('Set the PIN').isDisabled()).toBe(true);
      await field('New PIN').fill('4829');
      await untilShown(/easy to guess/);
      await untilShown('The two are not the same.');
      await expectSoon(() => button('Set the PIN').isDisabled()).toBe(true);
      await field('Repeat the PIN').fill('4829');
      await button('Set the PIN').click();
      await untilState('open');
      expect(problems).toEqual([]);
    });

    it('takes a passphrase with letters', async () => {
      await show('FirstStart');
      await expectSoon(() => field('New PIN').getAttribute('inputmode')).toBe('numeric');
      await page.getByLabel('Passphrase with letters').check();
      await expectSoon(() => field('New PIN').getAttribute('inputmode')).toBe('text');
      await field('New PIN').fill(PASSPHRASE);
      await field('Repeat the PIN').fill(PASSPHRASE);
      await page.keyboard.press('Enter');
      await untilState('open');
      await expectSoon(() => page.evaluate('vault.hasDigitPin')).toBe(false);
    });
  });

  describe('the locked app', () => {
    beforeEach(async () => {
      await create();
      await page.evaluate('vault.lock()');
      await show('UnlockScreen');
    });

    it('tells wrong PINs, and how long to wait', async () => {
      const begun = Date.now();
      await page.clock.setFixedTime(begun);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await page.evaluate(`vault.unlock({ kind: 'pin', pin: '${WRONG_PIN}' })`);
      }
      await field('PIN').fill(WRONG_PIN);
      await button('Unlock').click();
      await untilShown('This is not the PIN.');
      await untilShown(/Wait \d seconds/);
      await field('PIN').fill(PIN);
      await expectSoon(() => button('Unlock').isDisabled()).toBe(true);
      await page.clock.setFixedTime(begun + 5_000);
      await page.locator('button:not([disabled])', { hasText: 'Unlock' }).waitFor();
      await button('Unlock').click();
      await untilState('open');
    });

    it('removes everything only after a second press', async () => {
      await page.getByText('PIN forgotten?').click();
      await button('Remove everything').click();
      await button('Keep everything').click();
      await expectSoon(() => state()).toBe('locked');
      await button('Remove everything').click();
      await button('Remove everything now').click();
      await untilState('new');
    });
  });

  describe('the settings', () => {
    beforeEach(async () => {
      await create();
      await show('SecuritySettings');
    });

    it('store the automatic lock and the removal after wrong PINs, which is off at first', async () => {
      await expectSoon(() => page.getByLabel('Never').isChecked()).toBe(true);
      await page.getByLabel('After 10 wrong PINs').check();
      await page.getByLabel('15 minutes').check();
      await page.evaluate(untilTrue('(await vault.settings()).lockAfterMinutes === 15'));
      await expectSoon(() => page.evaluate('vault.settings()')).toMatchObject({ wipeAfterWrongPins: 10 });
    });

    it('say why a passkey cannot be set up at this address', async () => {
      await field('PIN').fill(PIN);
      await button('Set up a passkey').click();
      await untilShown('Passkeys do not work at this address. Use the PIN.');
      await expectSoon(() => page.evaluate('vault.hasPasskey')).toBe(false);
    });
  });

  describe('the backup', () => {
    async function openFile(text: string): Promise<void> {
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'backup.json', mimeType: 'application/json', buffer: Buffer.from(text) });
      await field('Passphrase of the file').fill(PASSPHRASE);
      await button('Open the file').click();
    }

    it('of another kind is refused with a clear text', async () => {
      await create();
      await show('BackupScreen');
      await openFile('{"otpauth": 1}');
      await untilShown('This file is no backup of this app, or it is damaged. Nothing was changed.');
      await expectSoon(() => page.getByRole('button', { name: 'Restore now' }).count()).toBe(0);
    });
  });

  it.each(['en', 'de'])('are accessible and fit 360 pixels, in %s', async (language) => {
    const faults: string[] = [];
    const check = async (name: ScreenName): Promise<void> => {
      await show(name, language);
      await page.getByRole('heading').first().waitFor();
      const violations = await violationsOf(page, {
        rules: { 'page-has-heading-one': { enabled: true } },
      });
      faults.push(...violations.map((violation) => `${name}: ${violation}`));
      await expectSoon(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    };
    await check('FirstStart');
    await create();
    await check('SecuritySettings');
    await check('BackupScreen');
    await page.evaluate('vault.lock()');
    await check('UnlockScreen');
    expect(faults).toEqual([]);
  });
});
