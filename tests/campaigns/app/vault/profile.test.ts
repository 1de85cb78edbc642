import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../support/browser/chromium.ts';
import { type FileSite, readFolder } from '../../../support/browser/file-site.ts';
import { describeWithProgram } from '../../../support/servers/system-programs.ts';
import { openVaultPage, PASSPHRASE, PIN, serveVault, token } from './vault-site.ts';
import { PATIENCE_MS } from '../../../support/values/until.ts';

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
