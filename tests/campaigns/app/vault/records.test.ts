import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import type { HistoryEntry } from '../../../../app/src/vault/vault.ts';
import { findChromium, startChromium } from '../../../support/browser/chromium.ts';
import type { FileSite } from '../../../support/browser/file-site.ts';
import { describeWithProgram } from '../../../support/servers/system-programs.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';
import {
  countRecords,
  faultOf,
  openVaultIn,
  openVaultPage,
  PIN,
  serveVault,
  token,
  untilState,
  type VaultPage,
} from './vault-site.ts';

describeWithProgram('the vault of the app', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: FileSite;
  let context: BrowserContext;
  let first: VaultPage;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), serveVault()]);
    context = await browser.newContext();
    first = await openVaultPage(context, site.origin);
    await first.vault.evaluate((vault, pin) => vault.create(pin), PIN);
  });

  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  afterEach(async () => {
    const others = context.pages().filter((page) => page !== first.page);
    await Promise.all(others.map((page) => page.close()));
    await first.vault.evaluate(async (vault) => {
      const tokens = await vault.listTokens();
      await Promise.all(tokens.map(({ token: { serial } }) => vault.removeToken(serial)));
    });
  });

  async function unlock({ vault }: VaultPage): Promise<unknown> {
    return vault.evaluate((opened, pin) => opened.unlock({ kind: 'pin', pin }), PIN);
  }

  /** Loads the first page again. */
  async function reload(): Promise<void> {
    await first.page.reload();
    first = { ...first, vault: await openVaultIn(first.page) };
  }

  /** Saves a token; the error's code if it is refused. */
  function save({ vault }: VaultPage, saved = token()): Promise<string> {
    return faultOf(vault.evaluate((opened, value) => opened.saveToken(value), saved));
  }

  async function counters({ vault }: VaultPage): Promise<string[]> {
    return (await vault.evaluate((opened) => opened.listTokens())).map(({ token: { counter } }) => counter);
  }

  async function secondPage(): Promise<VaultPage> {
    const second = await openVaultPage(context, site.origin);
    await unlock(second);
    return second;
  }

  describe('tokens', () => {
    it('come back after a reload and the PIN', async () => {
      expect(await save(first)).toBe('none');
      await first.vault.evaluate((vault) => vault.renameToken('ocra00012345', 'Everyday account'));
      await reload();
      await expectSoon(() => first.vault.evaluate((vault) => vault.state)).toBe('locked');
      expect(await faultOf(first.vault.evaluate((vault) => vault.listTokens()))).toBe('locked');
      expect(await unlock(first)).toEqual({ kind: 'open' });
      await expectSoon(() => first.vault.evaluate((vault) => vault.listTokens())).toEqual([
        { token: token(), name: 'Everyday account', addedAt: expect.any(Number) },
      ]);
    });

    it('are one for serials that differ in letter case alone, and keep their name', async () => {
      await save(first);
      await first.vault.evaluate((vault) => vault.renameToken('OCRA00012345', 'Everyday account'));
      expect(await save(first, token({ serial: 'ocra00012345', counter: '6' }))).toBe('none');
      const tokens = await first.vault.evaluate((vault) => vault.listTokens());
      expect(tokens.map(({ name }) => name)).toEqual(['Everyday account']);
    });

    it('go when they are removed, and cannot be renamed then', async () => {
      await save(first);
      await first.vault.evaluate((vault) => vault.removeToken('OCRA00012345'));
      await expectSoon(() => counters(first)).toEqual([]);
      expect(await faultOf(first.vault.evaluate((vault) => vault.renameToken('OCRA00012345', 'x')))).toBe(
        'token-unknown',
      );
    });
  });

  describe('counters', () => {
    it.each([
      ['a lower counter', token({ counter: '4' })],
      ['the same counter', token()],
      ['the same secret without its key', token({ key: null, counter: '9' })],
      ['a lower counter, in more digits', token({ counter: '0004' })],
    ])('are kept against %s', async (_what, change) => {
      await save(first);
      expect(await save(first, change)).toBe('counter-used');
      await expectSoon(() => counters(first)).toEqual(['5']);
    });

    it.each([
      ['a greater one beyond the safe integers', token({ counter: '9007199254740993' })],
      ['a new key', token({ key: '00'.repeat(20), counter: '0' })],
      ['a new roll-out', token({ sharedSecret: '11'.repeat(20), key: null, counter: '0' })],
    ])('take %s', async (_what, change) => {
      await save(first);
      expect(await save(first, change)).toBe('none');
      await expectSoon(() => counters(first)).toEqual([change.counter]);
    });

    it('of a suite without counter may stay', async () => {
      const still = token({ suite: 'OCRA-1:HOTP-SHA256-8:QA64-T1M', counter: '0' });
      expect([await save(first, still), await save(first, still)]).toEqual(['none', 'none']);
    });

    it('are given to one of two pages that race', async () => {
      await save(first);
      const second = await secondPage();
      for (let counter = 6; counter < 16; counter += 1) {
        const next = token({ counter: String(counter) });
        const outcomes = await Promise.all([save(first, next), save(second, next)]);
        expect(outcomes.toSorted()).toEqual(['counter-used', 'none']);
        expect(await Promise.all([counters(first), counters(second)])).toEqual([
          [String(counter)],
          [String(counter)],
        ]);
      }
    });

    it('are all there that a save has confirmed, when the page is reloaded meanwhile', async () => {
      await first.page.evaluate('globalThis.confirmed = []');
      await first.page.exposeFunction('confirmCounter', (counter: number) => confirmed.push(counter));
      const confirmed: number[] = [];
      await save(first, token({ counter: '0' }));
      void first.vault
        .evaluate(async (vault, value) => {
          const confirm = (globalThis as unknown as { confirmCounter: (counter: number) => Promise<void> })
            .confirmCounter;
          for (let counter = 1; counter < 10_000; counter += 1) {
            await vault.saveToken({ ...value, counter: String(counter) });
            // Waited for, as a reload loses the confirmations that are on their way.
            await confirm(counter);
          }
        }, token())
        .catch(() => undefined);
      while (confirmed.length < 20) {
        await first.page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
      }
      await reload();
      await unlock(first);
      const [stored] = await first.vault.evaluate((vault) => vault.listTokens());
      const last = Math.max(...confirmed);
      // The one that was under way at the reload may have been stored as well.
      expect([last, last + 1]).toContain(Number(stored?.token.counter));
    });
  });

  describe('history', () => {
    const entry = (at: number): HistoryEntry => ({
      id: `entry-${at}`,
      serial: 'OCRA00012345',
      at,
      message: 'Pay 120 EUR to Bert',
      transactionId: '4711',
      callbackUrl: '',
      outcome: 'unknown',
    });

    it('shows the newest first, with the outcome that was told later', async () => {
      for (const at of [2, 3, 1]) {
        await first.vault.evaluate((vault, value) => vault.addHistory(value), entry(at));
      }
      await first.vault.evaluate((vault) => vault.updateHistory('entry-2', 'accepted'));
      const listed = await first.vault.evaluate((vault) => vault.listHistory());
      expect(listed).toEqual([entry(3), { ...entry(2), outcome: 'accepted' }, entry(1)]);
    });

    it('keeps 500 entries', async () => {
      const listed = await first.vault.evaluate(async (vault, value) => {
        for (let at = 1; at <= 560; at += 1) {
          await vault.addHistory({ ...value, id: `entry-${at}`, at });
        }
        return vault.listHistory();
      }, entry(0));
      expect(listed.map(({ at }) => at)).toEqual(Array.from({ length: 500 }, (_, place) => 560 - place));
      await expectSoon(() => countRecords(first.page)).toBe(509);
    });
  });

  describe('locking', () => {
    it('in one tab locks all', async () => {
      const second = await secondPage();
      await first.vault.evaluate((vault) => {
        vault.lock();
      });
      await untilState(second, 'locked');
      await expectSoon(() => second.vault.evaluate((vault) => vault.state)).toBe('locked');
      expect(await faultOf(second.vault.evaluate((vault) => vault.listTokens()))).toBe('locked');
      await unlock(first);
    });
  });
});
