import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium, startChromium } from '../../../support/browser/chromium.ts';
import { builtComponent } from '../../../support/browser/vite.ts';
import { describeWithProgram } from '../../../support/servers/system-programs.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';
import { readQrCode } from '../../../support/values/qr-code.ts';
import { CHALLENGE, CODE, showChallenge, type ShownChallenge } from './shown-challenge.ts';

const { transaction } = CHALLENGE;

describeWithProgram('<tankeeper-challenge>', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let component: string;

  beforeAll(async () => {
    [browser, component] = await Promise.all([startChromium(program), builtComponent()]);
  });

  afterAll(() => browser.close());

  const show = (
    attributes: Readonly<Record<string, string>> = CHALLENGE,
    options: Parameters<typeof showChallenge>[3] = {},
  ): Promise<ShownChallenge> => showChallenge(browser, component, attributes, options);

  it('is one file that names its licence and loads nothing', () => {
    expect(component).toMatch(/^\/\*!\n ?\* SPDX-License-Identifier: MIT\n/);
    expect(component).toContain('Permission is hereby granted, free of charge');
    expect(component).not.toMatch(/^import |\bimport\(/m);
    expect(component.replace(/^\/\*![^]*?\*\//, '').replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:\/\//,
    );
    expect(Buffer.byteLength(component)).toBeLessThan(60_000);
  });

  describe('an open challenge', () => {
    it.each([
      ['light', 320],
      ['dark', 1280],
    ] as const)('shows a readable code in the %s scheme, %i pixels wide', async (colorScheme, width) => {
      await using shown = await show({ ...CHALLENGE, app: 'https://tan.example.org/app' }, { width });
      const { page, problems } = shown;
      await page.emulateMedia({ colorScheme });
      await shown.announced('Waiting for your confirmation.');
      expect(readQrCode(await page.getByRole('img', { name: 'QR code' }).screenshot())).toBe(CODE);
      await expectSoon(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
      expect(await shown.violations()).toEqual([]);
      if (process.env.SCREENSHOTS !== undefined) {
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/component-${colorScheme}-${width}.png` });
      }
      expect(problems).toEqual([]);
    });
  });

  describe('the state', () => {
    it('is asked once at once, then by waiting, and an acceptance ends it', async () => {
      await using shown = await show();
      await shown.portal.untilWaiting();
      expect(shown.portal.asked).toMatchObject([{ wait: null }, { wait: '20S' }]);
      await shown.portal.change({ state: 'accepted', failcount: 0 });
      await shown.announced('Confirmed.');
      await expectSoon(() => shown.events()).toEqual([
        { type: 'tankeeper-accepted', transaction, failcount: 0 },
      ]);
      await expectSoon(() => shown.page.getByRole('img').count()).toBe(0);
      await expectSoon(() => shown.page.getByRole('textbox').count()).toBe(0);
      expect(shown.problems).toEqual([]);
    });

    it.each([
      ['declined', 'You have declined this in your app.'],
      ['expired', 'This can no longer be confirmed.'],
    ])('ends when the portal says that it is %s', async (state, text) => {
      await using shown = await show();
      await shown.portal.untilWaiting();
      await shown.portal.change({ state, failcount: 0 });
      await shown.announced(text);
      await expectSoon(() => shown.events()).toEqual([
        { type: `tankeeper-${state}`, transaction, failcount: 0 },
      ]);
      await expectSoon(() => shown.page.getByRole('img').count()).toBe(0);
    });
  });

  describe('a state that is not to be had', () => {
    it.each([
      ['an outage', { status: 503 }],
      ['an answer that is no state', { text: '{"state":"maybe"}' }],
      ['a page instead of JSON', { text: '<h1>Log in</h1>' }],
    ])('is asked for more and more seldom: %s', async (_name, answer) => {
      await using shown = await show(CHALLENGE, { clock: true, answer });
      await shown.answered(1);
      for (const [pause, times] of [
        [999, 1],
        [1_001, 2],
        [1_999, 2],
        [2_001, 3],
      ] as const) {
        await shown.page.clock.runFor(pause);
        await shown.answered(times);
        expect(shown.portal.asked).toHaveLength(times);
      }
      await shown.announced('The connection is interrupted.');
      const status = 'status' in answer ? answer.status : 200;
      await expectSoon(() => shown.events()).toEqual([
        { type: 'tankeeper-failed', transaction, status, final: false },
      ]);
      shown.portal.answer = { state: 'open', failcount: 0 };
      await shown.page.clock.runFor(8_000);
      await shown.announced('Waiting for your confirmation.');
    });

    it.each([401, 403, 404])('ends the asking for good where the portal says %i', async (status) => {
      await using shown = await show(CHALLENGE, { answer: { status } });
      await shown.announced('The result cannot be shown here.');
      await expectSoon(() => shown.events()).toEqual([
        { type: 'tankeeper-failed', transaction, status, final: true },
      ]);
      expect(shown.portal.asked).toHaveLength(1);
    });

    it.each([
      'https://evil.example/status',
      '//evil.example/',
      'javascript:alert(1)',
      'data:application/json,{}',
    ])('is not asked of another origin: %s', async (status) => {
      await using shown = await show({ ...CHALLENGE, status });
      await shown.announced('The result cannot be shown here.');
      await expectSoon(() => shown.events()).toEqual([
        { type: 'tankeeper-failed', transaction, status: null, final: true },
      ]);
      expect(shown.problems).toEqual([]);
    });
  });

  describe('typed digits', () => {
    const type = async ({ page }: ShownChallenge, digits: string): Promise<void> => {
      await page.getByLabel('Or type the digits that the app shows').fill(digits);
      await page.getByRole('button', { name: 'Confirm' }).click();
    };

    it('are posted to the portal, and accepted', async () => {
      await using shown = await show();
      await shown.portal.untilWaiting();
      shown.portal.verdict = { state: 'accepted', failcount: 0 };
      await type(shown, ' 123 456 ');
      await shown.announced('Confirmed.');
      expect(shown.portal.asked).toContainEqual({ method: 'POST', wait: null, body: 'response=123456' });
      await expectSoon(() => shown.events()).toEqual([
        { type: 'tankeeper-accepted', transaction, failcount: 0 },
      ]);
    });
  });

  it.each([
    { data: 'https://evil.example/' },
    { data: '"><script>globalThis.hacked=1</script>' },
    { picture: 'javascript:globalThis.hacked=1' },
    { app: 'javascript:globalThis.hacked=1', data: CODE },
    { lang: '"><img src=x onerror=globalThis.hacked=1>' },
    { transaction: '<script>globalThis.hacked=1</script>', timeout: '-1' },
    { timeout: '1e9', lang: 'constructor' },
  ])('leaves a hostile attribute inert: %j', async (attributes) => {
    await using shown = await show({ status: '/status', ...attributes });
    await shown.portal.askedTimes(1);
    await expectSoon(() => shown.page.evaluate('globalThis.hacked')).toBeUndefined();
    await expectSoon(() => shown.page.getByRole('link').count()).toBe(0);
    await expectSoon(() => shown.page.getByRole('textbox').count()).toBe(1);
    expect(shown.problems).toEqual([]);
  });
});
