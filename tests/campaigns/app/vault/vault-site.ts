import type { BrowserContext, JSHandle, Page } from 'playwright-core';
import type { DeviceToken } from '../../../../src/device/device-token.ts';
import type { ProtectedVault, VaultState } from '../../../../app/src/vault/vault.ts';
import { type FileSite, serveFiles } from '../../../support/browser/file-site.ts';
import { bundleForBrowser } from '../../../support/browser/vite.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';

export const PIN = '482915';
export const WRONG_PIN = '739164';
export const PASSPHRASE = 'seven otters cross the river';

/** The time of clocks that stand still, the same in all pages. */
const BEGUN = Date.now();

/** A page with an open connection to the vault of its browser profile. */
export interface VaultPage {
  readonly page: Page;
  readonly vault: JSHandle<ProtectedVault>;
  /** Moves the clock of the vault. Timers are not moved. @param seconds may be negative */
  moveClock(seconds: number): Promise<void>;
  /** Lets the clock run from now on, until the page is loaded again. */
  runClock(): Promise<void>;
}

/** @returns a host of an empty page and the bundle of the vault */
export async function serveVault(): Promise<FileSite> {
  return serveFiles(
    new Map([
      ['index.html', '<!doctype html><html lang="en"><title>Vault</title><body></body></html>'],
      ['vault.js', await bundleForBrowser('app/src/vault/open-vault.ts')],
    ]),
  );
}

/**
 * Opens the vault in a new page of the context. The number of rounds is the least. Its clock stands still, in every page
 * at the same time, so that no wait ends by itself; `runClock` lets it run.
 */
export async function openVaultPage(context: BrowserContext, origin: string): Promise<VaultPage> {
  const page = await context.newPage();
  await page.goto(origin);
  return {
    page,
    vault: await openVaultIn(page),
    moveClock: (seconds) => moveClock(page, seconds),
    runClock: () => page.evaluate('globalThis.clockRuns = true'),
  };
}

/** Opens the vault in a page, again after a reload. */
export async function openVaultIn(page: Page): Promise<JSHandle<ProtectedVault>> {
  return await page.evaluateHandle(`(async () => {
    const { openVault } = await import('/vault.js');
    let watch = 0;
    globalThis.clockOffset ??= 0;
    return openVault({
      now: () => (globalThis.clockRuns ? Date.now() : ${BEGUN}) + 1000 * globalThis.clockOffset,
      stopwatch: () => (watch += 1e6),
    });
  })()`);
}

async function moveClock(page: Page, seconds: number): Promise<void> {
  await page.evaluate(`globalThis.clockOffset += ${seconds}`);
}

/** @returns a token after phase 2, of a suite with a counter */
export function token(change: Partial<DeviceToken> = {}): DeviceToken {
  return {
    serial: 'OCRA00012345',
    suite: 'OCRA-1:HOTP-SHA256-8:C-QA64',
    sharedSecret: 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334',
    key: '9f8e7d6c5b4a39281706f5e4d3c2b1a0ffeeddcc',
    counter: '5',
    ...change,
  };
}

/** @returns the code of the error that the promise rejects with; `none` if it resolves */
export async function faultOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return /VaultError: ([a-z-]+)|: ([a-z-]+)$/m.exec(String(error))?.slice(1).find(Boolean) ?? String(error);
  }
}

/** Waits until the vault of a page is in the state. */
export async function untilState({ vault }: VaultPage, state: VaultState): Promise<void> {
  await expectSoon(() => vault.evaluate((opened) => opened.state)).toBe(state);
}

/** @returns the number of encrypted records in the database */
export function countRecords(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('tankeeper');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const counting = opening.result.transaction('records').objectStore('records').count();
      counting.onsuccess = () => {
        opening.result.close();
        resolve(counting.result);
      };
    };
  })`);
}
