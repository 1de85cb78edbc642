import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import type { HistoryEntry, RestorePlan } from '../../../../app/src/vault/vault.ts';
import { describeSite } from '../../../support/browser/file-site.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';
import {
  countRecords,
  faultOf,
  openVaultIn,
  openVaultPage,
  PASSPHRASE,
  PIN,
  serveVault,
  token,
  untilState,
  type VaultPage,
  WRONG_PIN,
} from './vault-site.ts';

describeSite('the vault of the app', serveVault, (given) => {
  let context: BrowserContext;
  let first: VaultPage;

  beforeAll(async () => {
    context = await given.browser.newContext();
    first = await openVaultPage(context, given.site.origin);
    await first.vault.evaluate((vault, pin) => vault.create(pin), PIN);
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
    const second = await openVaultPage(context, given.site.origin);
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

describeSite('backups of the app', serveVault, (given) => {
  let contexts: BrowserContext[] = [];
  /** Of a phone with two tokens. */
  let file: string;
  let phone: VaultPage;

  const other = token({ serial: 'OCRA00099999', key: '77'.repeat(20), counter: '40' });

  beforeAll(async () => {
    const source = await newPhone();
    await save(source, token());
    await save(source, other);
    await source.vault.evaluate((vault) => vault.renameToken('OCRA00012345', 'Everyday account'));
    await source.vault.evaluate((vault) => vault.changeSettings({ lockAfterMinutes: 2 }));
    file = await backupOf(source);
  });

  beforeEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    phone = await newPhone();
  });

  async function newPhone(): Promise<VaultPage> {
    const context = await given.browser.newContext();
    contexts.push(context);
    const page = await openVaultPage(context, given.site.origin);
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
      ['JSON of another kind', () => '{"format":"otpauth"}', 'backup-invalid'],
      ['huge', () => ' '.repeat(5_000_001), 'backup-too-large'],
      ['of a newer version', () => changed((m) => (m.version = 2)), 'backup-newer'],
      ['of few rounds', () => changed((m) => (m.kdf.rounds = 1_000)), 'backup-invalid'],
      ['of endless rounds', () => changed((m) => (m.kdf.rounds = 4_000_000_000)), 'backup-invalid'],
      ['of other rounds', () => changed((m) => (m.kdf.rounds += 1)), 'backup-passphrase'],
      ['of short content', () => changed((m) => (m.content = 'AAAA')), 'backup-invalid'],
      ['changed', () => changed((m) => (m.content = flipped(m.content))), 'backup-passphrase'],
    ])('if they are %s', async (_what, text, code) => {
      await save(phone, token({ counter: '90' }));
      expect(await faultOf(plan(text()))).toBe(code);
      await expectSoon(() => tokens()).toEqual(['OCRA00012345 90']);
    });

    it('while the app is locked', async () => {
      await phone.vault.evaluate((vault) => {
        vault.lock();
      });
      expect(await faultOf(plan(file))).toBe('locked');
    });
  });
});
