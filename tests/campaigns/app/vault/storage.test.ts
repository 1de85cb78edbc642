import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { describeSite } from '../../../support/browser/file-site.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';
import { faultOf, openVaultPage, PIN, serveVault, token, untilState, type VaultPage } from './vault-site.ts';

describeSite('storage that fails', serveVault, (given) => {
  let context: BrowserContext;

  beforeEach(async () => {
    context = await given.browser.newContext();
  });

  afterEach(() => context.close());

  /** @param script runs in the page before anything else */
  async function opened(script = ''): Promise<VaultPage> {
    await context.addInitScript(script);
    return openVaultPage(context, given.site.origin);
  }

  it('because it is full is told, and keeps what was there', async () => {
    // Before the first write: Chromium remembers for a while how much room there was.
    const devtools = await context.newCDPSession(await context.newPage());
    await devtools.send('Storage.overrideQuotaForOrigin', { origin: given.site.origin, quotaSize: 500_000 });
    const { vault } = await opened();
    await vault.evaluate((o, pin) => o.create(pin), PIN);
    await vault.evaluate((o, saved) => o.saveToken(saved), token());
    const large = '00'.repeat(400_000);
    for (const refused of [token({ counter: '6', key: large }), token({ serial: 'OCRA2', key: large })]) {
      expect(await faultOf(vault.evaluate((o, saved) => o.saveToken(saved), refused))).toBe('storage-full');
    }
    const stored = await vault.evaluate((o) => o.listTokens());
    expect(stored.map((entry) => entry.token)).toEqual([token()]);
  });

  it.each([
    ['is missing', "Object.defineProperty(window, 'indexedDB', { value: undefined })"],
    [
      'is refused',
      "IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError'); }",
    ],
    ['is broken', "IDBFactory.prototype.open = () => { throw new DOMException('x', 'UnknownError'); }"],
  ])('because IndexedDB %s makes the vault unavailable', async (_what, script) => {
    const { vault } = await opened(script);
    await expectSoon(() => vault.evaluate(({ state, problem }) => [state, problem])).toEqual([
      'unavailable',
      'storage-missing',
    ]);
    expect(await faultOf(vault.evaluate((o, pin) => o.create(pin), PIN))).toBe('storage-missing');
    expect(await faultOf(vault.evaluate((o) => o.listTokens()))).toBe('locked');
  });

  it('because a newer version has changed the data makes the vault unavailable', async () => {
    const first = await opened();
    await first.page.evaluate(
      "new Promise((resolve) => { indexedDB.open('tankeeper', 99).onsuccess = () => resolve(0); })",
    );
    await untilState(first, 'unavailable');
    await expectSoon(() => first.vault.evaluate(({ problem }) => problem)).toBe('storage-newer');
    const second = await opened();
    await expectSoon(() => second.vault.evaluate(({ state, problem }) => [state, problem])).toEqual([
      'unavailable',
      'storage-newer',
    ]);
  });

  it('because the site data were removed makes an open vault unavailable', async () => {
    const first = await opened();
    await first.vault.evaluate((o, pin) => o.create(pin), PIN);
    const devtools = await first.page.context().newCDPSession(first.page);
    await devtools.send('Storage.clearDataForOrigin', {
      origin: given.site.origin,
      storageTypes: 'indexeddb',
    });
    await untilState(first, 'unavailable');
    expect(await faultOf(first.vault.evaluate((o, saved) => o.saveToken(saved), token()))).toBe('locked');
  });

  it.each([
    ['moved to the place of another', 'b.sealed = a.sealed, [b]'],
    ['changed', 'a.sealed[20] ^= 1, [a]'],
    ["given another's kind", "a.kind = 'history', [a]"],
  ])('because a record was %s is told', async (_what, change) => {
    const { page, vault } = await opened();
    await vault.evaluate((o, pin) => o.create(pin), PIN);
    await vault.evaluate((o, saved) => o.saveToken(saved), token());
    await vault.evaluate((o, saved) => o.saveToken(saved), token({ serial: 'OCRA2' }));
    await page.evaluate(`new Promise((resolve) => {
      indexedDB.open('tankeeper').onsuccess = ({ target: { result } }) => {
        const transaction = result.transaction('records', 'readwrite');
        const store = transaction.objectStore('records');
        store.getAll().onsuccess = ({ target: { result: [a, b] } }) => {
          for (const record of (${change})) store.put(record);
        };
        transaction.oncomplete = () => { result.close(); resolve(0); };
      };
    })`);
    expect(await faultOf(vault.evaluate((o) => Promise.all([o.listTokens(), o.listHistory()])))).toBe(
      'storage-failed',
    );
  });

  it('is guarded against: every write has a fresh IV, and keys cannot be exported', async () => {
    const { page, vault } = await opened();
    await vault.evaluate((o, pin) => o.create(pin), PIN);
    const rows = `new Promise((resolve) => {
      indexedDB.open('tankeeper').onsuccess = ({ target: { result } }) => {
        const transaction = result.transaction(['records', 'protection']);
        const records = transaction.objectStore('records').getAll();
        const protection = transaction.objectStore('protection').get('protection');
        transaction.oncomplete = () => {
          result.close();
          resolve({
            ivs: records.result.map(({ sealed }) => String(sealed.subarray(0, 12))),
            extractable: protection.result.deviceKey.extractable,
            rounds: protection.result.pin.rounds,
          });
        };
      };
    })`;
    const ivs = new Set<string>();
    for (let counter = 1; counter <= 20; counter += 1) {
      await vault.evaluate((o, saved) => o.saveToken(saved), token({ counter: String(counter) }));
      const read = await page.evaluate(rows);
      expect(read).toMatchObject({ extractable: false, rounds: 600_000 });
      ivs.add(String((read as { ivs: string[] }).ivs));
    }
    expect(ivs.size).toBe(20);
  });

  it.each([
    ['kept', 'async () => true'],
    ['at-risk', 'async () => false'],
    ['unknown', 'undefined'],
  ])('later, as the browser says after the first token: %s', async (told, answer) => {
    const { page, vault } = await opened(`
      globalThis.asked = 0;
      StorageManager.prototype.persist = async () => { globalThis.asked += 1; return false; };
      StorageManager.prototype.persisted = ${answer};`);
    await vault.evaluate((o, pin) => o.create(pin), PIN);
    await expectSoon(() => page.evaluate('globalThis.asked')).toBe(0);
    await vault.evaluate((o, saved) => o.saveToken(saved), token());
    await vault.evaluate((o, saved) => o.saveToken(saved), token({ serial: 'OCRA2' }));
    await expectSoon(() => page.evaluate('globalThis.asked')).toBe(1);
    await expectSoon(() => vault.evaluate((o) => o.persistence())).toBe(told);
  });
});
