import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import type { RestorePlan } from '../../../../app/src/vault/vault.ts';
import { findChromium, startChromium } from '../../../support/browser/chromium.ts';
import type { FileSite } from '../../../support/browser/file-site.ts';
import { describeWithProgram } from '../../../support/servers/system-programs.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';
import {
  faultOf,
  openVaultPage,
  PASSPHRASE,
  PIN,
  serveVault,
  token,
  type VaultPage,
  WRONG_PIN,
} from './vault-site.ts';

describeWithProgram('backups of the app', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: FileSite;
  let contexts: BrowserContext[] = [];
  /** Of a phone with two tokens. */
  let file: string;
  let phone: VaultPage;

  const other = token({ serial: 'OCRA00099999', key: '77'.repeat(20), counter: '40' });

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), serveVault()]);
    const source = await newPhone();
    await save(source, token());
    await save(source, other);
    await source.vault.evaluate((vault) => vault.renameToken('OCRA00012345', 'Everyday account'));
    await source.vault.evaluate((vault) => vault.changeSettings({ lockAfterMinutes: 2 }));
    file = await backupOf(source);
  });

  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    phone = await newPhone();
  });

  async function newPhone(): Promise<VaultPage> {
    const context = await browser.newContext();
    contexts.push(context);
    const page = await openVaultPage(context, site.origin);
    await page.vault.evaluate((vault, pin) => vault.create(pin), PIN);
    return page;
  }

  /** Saves a token, a second after those before: tokens are listed by the time of their addition. */
  async function save(on: VaultPage, saved: ReturnType<typeof token>): Promise<void> {
    await on.moveClock(1);
    await on.vault.evaluate((opened, value) => opened.saveToken(value), saved);
  }

  async function backupOf({ vault }: VaultPage): Promise<string> {
    const outcome = await vault.evaluate(
      (opened, { pin, passphrase }) => opened.exportBackup({ kind: 'pin', pin }, passphrase),
      { pin: PIN, passphrase: PASSPHRASE },
    );
    return outcome.kind === 'file' ? outcome.text : outcome.kind;
  }

  function plan(text: string, passphrase = PASSPHRASE): Promise<RestorePlan> {
    return phone.vault.evaluate((vault, given) => vault.planRestore(given.text, given.passphrase), {
      text,
      passphrase,
    });
  }

  async function restore(text: string): Promise<string[]> {
    const planned = await plan(text);
    await phone.vault.evaluate((vault, value) => vault.restore(value), planned);
    return planned.tokens.map(({ kind }) => kind);
  }

  async function tokens(): Promise<string[]> {
    const stored = await phone.vault.evaluate((vault) => vault.listTokens());
    return stored.map(({ name, token: { counter } }) => `${name} ${counter}`).toSorted();
  }

  it('bring tokens, names and settings to a new phone', async () => {
    expect(await restore(file)).toEqual(['added', 'added']);
    await expectSoon(() => tokens()).toEqual(['Everyday account 10', 'OCRA00099999 45']);
    expect((await phone.vault.evaluate((vault) => vault.settings())).lockAfterMinutes).toBe(2);
  });

  it('change nothing before they are confirmed', async () => {
    await plan(file);
    await expectSoon(() => tokens()).toEqual([]);
  });

  it('never lower a counter, and keep names, settings and other keys of the phone', async () => {
    await save(phone, token({ counter: '90' }));
    await save(phone, { ...other, key: '33'.repeat(20), counter: '1' });
    expect(await restore(file)).toEqual(['merged', 'kept']);
    await expectSoon(() => tokens()).toEqual(['OCRA00012345 90', 'OCRA00099999 1']);
    expect((await phone.vault.evaluate((vault) => vault.settings())).lockAfterMinutes).toBe(5);
  });

  it('are compared with what is on the phone when they are confirmed', async () => {
    const planned = await plan(file);
    await save(phone, token({ counter: '50' }));
    await phone.vault.evaluate((vault, value) => vault.restore(value), planned);
    await expectSoon(() => tokens()).toEqual(['OCRA00012345 50', 'OCRA00099999 45']);
  });

  it('may be restored twice', async () => {
    await restore(file);
    expect(await restore(file)).toEqual(['merged', 'merged']);
    await expectSoon(() => tokens()).toEqual(['Everyday account 10', 'OCRA00099999 45']);
  });

  it('need the PIN, and a passphrase that is not weak', async () => {
    const attempt = (pin: string, passphrase: string): Promise<unknown> =>
      phone.vault.evaluate(
        (vault, given) => vault.exportBackup({ kind: 'pin', pin: given.pin }, given.passphrase),
        { pin, passphrase },
      );
    expect(await attempt(WRONG_PIN, PASSPHRASE)).toMatchObject({ kind: 'wrong' });
    expect(await faultOf(attempt(PIN, 'short words'))).toBe('pin-refused');
  });

  it('show nothing of what they hold', () => {
    for (const text of [
      'OCRA',
      'HOTP',
      'Everyday',
      token().sharedSecret,
      token().key ?? '',
      PASSPHRASE,
      PIN,
    ]) {
      expect(file).not.toContain(text);
    }
    expect(Object.keys(JSON.parse(file) as object)).toEqual([
      'format',
      'version',
      'kdf',
      'cipher',
      'content',
    ]);
  });

  describe('are refused', () => {
    /** The file with one member changed. */
    const changed = (
      change: (members: { [name: string]: unknown; kdf: { rounds: number } }) => void,
    ): string => {
      const members = JSON.parse(file) as { kdf: { rounds: number }; content: string };
      change(members);
      return JSON.stringify(members);
    };
    const flipped = (text: unknown): string => {
      const characters = Array.from(String(text));
      characters[40] = characters[40] === 'A' ? 'B' : 'A';
      return characters.join('');
    };

    it.each<[string, () => string, string]>([
      ['torn', () => file.slice(0, file.length / 2), 'backup-invalid'],
      ['empty', () => '', 'backup-invalid'],
      ['a picture', () => '\u0089PNG\r\n', 'backup-invalid'],
      ['JSON of another kind', () => '{"format":"otpauth"}', 'backup-invalid'],
      ['null', () => 'null', 'backup-invalid'],
      ['huge', () => ' '.repeat(5_000_001), 'backup-too-large'],
      ['of a newer version', () => changed((m) => (m.version = 2)), 'backup-newer'],
      ['of few rounds', () => changed((m) => (m.kdf.rounds = 1_000)), 'backup-invalid'],
      ['of endless rounds', () => changed((m) => (m.kdf.rounds = 4_000_000_000)), 'backup-invalid'],
      ['of other rounds', () => changed((m) => (m.kdf.rounds += 1)), 'backup-passphrase'],
      ['without content', () => changed((m) => delete m.content), 'backup-invalid'],
      ['of short content', () => changed((m) => (m.content = 'AAAA')), 'backup-invalid'],
      ['changed', () => changed((m) => (m.content = flipped(m.content))), 'backup-passphrase'],
    ])('if they are %s', async (_what, text, code) => {
      await save(phone, token({ counter: '90' }));
      expect(await faultOf(plan(text()))).toBe(code);
      await expectSoon(() => tokens()).toEqual(['OCRA00012345 90']);
    });

    it('with another passphrase', async () => {
      expect(await faultOf(plan(file, `${PASSPHRASE}.`))).toBe('backup-passphrase');
    });

    it('while the app is locked', async () => {
      await phone.vault.evaluate((vault) => {
        vault.lock();
      });
      expect(await faultOf(plan(file))).toBe('locked');
    });
  });
});
