import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type BrowserContext, chromium } from 'playwright-core';
import { findChromium } from '../../../support/browser/chromium.ts';
import { describeSite, type FileSite, readFolder } from '../../../support/browser/file-site.ts';
import { describeWithProgram } from '../../../support/servers/system-programs.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';
import {
  faultOf,
  openVaultPage,
  PASSPHRASE,
  PIN,
  serveVault,
  token,
  untilState,
  type VaultPage,
} from './vault-site.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS } from '../../../support/values/until.ts';

describeSite('storage that fails', serveVault, (given) => {
  let context: BrowserContext;

  beforeEach(async () => {
    context = await given.browser.newContext();
  });

  afterEach(async () => {
    await context.close();
  });

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

const NAME = 'Everyday canary account';

const MESSAGE = 'Pay 120 EUR to canary Bert';

const SECRETS = [token().sharedSecret, token().key ?? ''];

/** Each text in the encodings that LevelDB, V8's serializer or a cache may write. */
function encodings(): Map<string, Buffer> {
  const texts = [token().serial, NAME, MESSAGE, 'canary.example', PASSPHRASE, PIN, ...SECRETS];
  return new Map([
    ...texts.flatMap((text): [string, Buffer][] => [
      [text, Buffer.from(text)],
      [`${text} in UTF-16`, Buffer.from(text, 'utf16le')],
      [`${text} in base64`, Buffer.from(Buffer.from(text).toString('base64').replace(/=+$/, ''))],
    ]),
    ...SECRETS.flatMap((secret): [string, Buffer][] => [
      [`${secret} in bytes`, Buffer.from(secret, 'hex')],
      [`${secret} in upper case`, Buffer.from(secret.toUpperCase())],
      [`the bytes of ${secret} in base64`, Buffer.from(Buffer.from(secret, 'hex').toString('base64'))],
    ]),
  ]);
}

describeWithProgram('the files of a browser profile', findChromium(), 'chromium', (program) => {
  let site: FileSite;
  let folder: string;

  beforeAll(async () => {
    [site, folder] = await Promise.all([serveVault(), mkdtemp(join(tmpdir(), 'tankeeper-profile-'))]);
  });

  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('hold nothing that was kept in the vault, nor PIN or passphrase', async () => {
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: program,
      headless: true,
      timeout: PATIENCE_MS,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const { page, vault } = await openVaultPage(context, site.origin);
    await vault.evaluate((opened, pin) => opened.create(pin), PIN);
    for (let counter = 5; counter < 10; counter += 1) {
      await vault.evaluate((opened, saved) => opened.saveToken(saved), token({ counter: String(counter) }));
    }
    await vault.evaluate(
      async (opened, { name, message, serial, pin, passphrase }) => {
        await opened.renameToken(serial, name);
        await opened.addHistory({
          id: 'entry',
          serial,
          at: 1,
          message,
          transactionId: '4711',
          callbackUrl: 'https://canary.example/check',
          outcome: 'accepted',
        });
        const backup = await opened.exportBackup({ kind: 'pin', pin }, passphrase);
        if (backup.kind === 'file') {
          await opened.restore(await opened.planRestore(backup.text, passphrase));
        }
        opened.lock();
      },
      { name: NAME, message: MESSAGE, serial: token().serial, pin: PIN, passphrase: PASSPHRASE },
    );
    // What is no secret and lies beside the tokens, so that an empty profile cannot pass.
    await page.evaluate("localStorage.setItem('control', 'control-canary')");
    expect(
      await page.evaluate(
        '(async () => [localStorage.length, sessionStorage.length, (await caches.keys()).length, location.href, document.cookie])()',
      ),
    ).toEqual([1, 0, 0, `${site.origin}/`, '']);
    await context.close();

    const files = await readFolder(folder);
    const holds = (bytes: Buffer): string[] =>
      [...files].filter(([, content]) => content.includes(bytes)).map(([path]) => path);
    expect(holds(Buffer.from('control-canary')).length).toBeGreaterThan(0);
    expect([...files.keys()].some((path) => path.includes('IndexedDB'))).toBe(true);
    const found = [...encodings()].flatMap(([what, bytes]) => holds(bytes).map((path) => `${what}: ${path}`));
    expect(found).toEqual([]);
  });
});
