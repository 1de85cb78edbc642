import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContext, CDPSession } from 'playwright-core';
import type { UnlockOutcome } from '../../../../app/src/vault/vault.ts';
import { describeSite } from '../../../support/browser/file-site.ts';
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
  WRONG_PIN,
} from './vault-site.ts';

describeSite('unlocking the app', serveVault, (given) => {
  let context: BrowserContext;
  let first: VaultPage;

  afterEach(() => context.close());

  beforeEach(async () => {
    context = await given.browser.newContext();
    first = await openVaultPage(context, given.site.origin);
    await first.vault.evaluate((vault, pin) => vault.create(pin), PIN);
    await first.vault.evaluate((vault, saved) => vault.saveToken(saved), token());
    await first.vault.evaluate((vault) => {
      vault.lock();
    });
  });

  function unlock({ vault }: VaultPage, pin = PIN): Promise<UnlockOutcome> {
    return vault.evaluate((opened, given) => opened.unlock({ kind: 'pin', pin: given }), pin);
  }

  async function kindsOf(page: VaultPage, pins: readonly string[]): Promise<string[]> {
    const kinds: string[] = [];
    for (const pin of pins) {
      kinds.push((await unlock(page, pin)).kind);
    }
    return kinds;
  }

  async function secondPage(): Promise<VaultPage> {
    return openVaultPage(first.page.context(), given.site.origin);
  }

  it('takes the right PIN alone, and forgets wrong ones after it', async () => {
    const wrong = Array.from({ length: 3 }, () => WRONG_PIN);
    expect(await kindsOf(first, [...wrong, PIN, ...wrong, PIN])).toEqual([
      'wrong',
      'wrong',
      'wrong',
      'open',
      'wrong',
      'wrong',
      'wrong',
      'open',
    ]);
  });

  it('takes a passphrase in either Unicode form', async () => {
    await first.vault.evaluate((vault, pin) => vault.changePin({ kind: 'pin', pin }, 'zwölf Füchse'), PIN);
    expect(await kindsOf(first, [PIN, 'zwölf Füchse'.normalize('NFD')])).toEqual(['wrong', 'open']);
  });

  it('goes on waiting after a reload, in another tab, and when the clock is set back', async () => {
    await kindsOf(first, [WRONG_PIN, WRONG_PIN, WRONG_PIN, WRONG_PIN]);
    await first.moveClock(-3_600);
    const reloaded = { ...first, vault: await openVaultIn(first.page) };
    expect((await unlock(reloaded)).kind).toBe('too-early');
    const second = await secondPage();
    await second.moveClock(-3_600);
    expect((await unlock(second)).kind).toBe('too-early');
    await first.moveClock(5);
    expect((await unlock(reloaded)).kind).toBe('open');
  });

  it('counts an attempt that was ended before its answer', async () => {
    await unlock(first);
    await first.vault.evaluate((vault) => vault.changeSettings({ wipeAfterWrongPins: 20 }));
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      // The key is never derived, as if the app were ended meanwhile.
      await first.page.evaluate(`{
        globalThis.deriving = new Promise((resolve) => {
          SubtleCrypto.prototype.deriveKey = () => new Promise(() => resolve(0));
        });
        0;
      }`);
      void first.vault
        .evaluate((vault, pin) => vault.unlock({ kind: 'pin', pin }), WRONG_PIN)
        .catch(() => undefined);
      await first.page.evaluate('deriving');
      const { attemptsLeft } = await first.vault.evaluate((vault) => vault.attempts());
      expect(attemptsLeft).toBe(20 - attempt);
      await first.page.reload();
      first = { ...first, vault: await openVaultIn(first.page) };
    }
    expect((await unlock(first)).kind).toBe('too-early');
  });

  it('gives two tabs together as many attempts as one', async () => {
    const second = await secondPage();
    const outcomes = await Promise.all(
      [first, second, first, second, first, second, first, second].map((page) => unlock(page, WRONG_PIN)),
    );
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual([
      'too-early',
      'too-early',
      'too-early',
      'too-early',
      'wrong',
      'wrong',
      'wrong',
      'wrong',
    ]);
  });

  it('removes nothing after wrong PINs unless the user has set it', async () => {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await unlock(first, WRONG_PIN);
      await first.moveClock(3_600);
    }
    expect((await unlock(first)).kind).toBe('open');
    await expectSoon(() => first.vault.evaluate((vault) => vault.listTokens())).toHaveLength(1);
  });

  it('removes everything after as many wrong PINs as the user has set, in every tab', async () => {
    await unlock(first);
    await first.vault.evaluate((vault) => vault.changeSettings({ wipeAfterWrongPins: 5 }));
    const second = await secondPage();
    const outcomes: UnlockOutcome[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      outcomes.push(await unlock(second, WRONG_PIN));
      await second.moveClock(20);
    }
    expect(
      outcomes.map((outcome) => ('attemptsLeft' in outcome ? outcome.attemptsLeft : outcome.kind)),
    ).toEqual([4, 3, 2, 1, 'wiped']);
    await untilState(first, 'new');
    await expectSoon(() => second.vault.evaluate(({ state, wasWiped }) => [state, wasWiped])).toEqual([
      'new',
      true,
    ]);
    await expectSoon(() => countRecords(first.page)).toBe(0);
    expect(await faultOf(first.vault.evaluate((vault, saved) => vault.saveToken(saved), token()))).toBe(
      'locked',
    );
  });

  it('counts wrong PINs of an open app as well, and changes the PIN by the right one alone', async () => {
    await unlock(first);
    const outcome = await first.vault.evaluate(
      (vault, pin) => vault.changePin({ kind: 'pin', pin }, '905173'),
      WRONG_PIN,
    );
    expect(outcome.kind).toBe('wrong');
    await first.vault.evaluate((vault) => {
      vault.lock();
    });
    expect(await kindsOf(first, ['905173', PIN])).toEqual(['wrong', 'open']);
    await first.vault.evaluate((vault, pin) => vault.changePin({ kind: 'pin', pin }, '905173'), PIN);
    expect(await kindsOf(first, [PIN, '905173'])).toEqual(['wrong', 'open']);
    await expectSoon(() => first.vault.evaluate((vault) => vault.listTokens())).toHaveLength(1);
  });

  it('makes one vault where two tabs make it at once', async () => {
    const second = await secondPage();
    await first.vault.evaluate((vault) => vault.removeEverything());
    await untilState(second, 'new');
    const outcomes = await Promise.all(
      [first, second].map((page) => faultOf(page.vault.evaluate((vault, pin) => vault.create(pin), PIN))),
    );
    expect(outcomes.toSorted()).toEqual(['locked', 'none']);
  });

  it('writes nothing of an old vault into a new one', async () => {
    await unlock(first);
    const second = await secondPage();
    // A tab that hears nothing of the others, as one that is frozen in the background.
    await first.page.evaluate('BroadcastChannel.prototype.postMessage = () => undefined');
    await second.page.evaluate('BroadcastChannel.prototype.postMessage = () => undefined');
    await second.vault.evaluate((vault) => vault.removeEverything());
    await second.vault.evaluate((vault, pin) => vault.create(pin), PIN);
    expect(
      await faultOf(first.vault.evaluate((vault, saved) => vault.saveToken(saved), token({ counter: '9' }))),
    ).toBe('locked');
    await expectSoon(() => countRecords(first.page)).toBe(0);
  });

  describe('the automatic lock', () => {
    it('locks an app that is not used', async () => {
      await first.page.clock.install();
      await first.runClock();
      await unlock(first);
      await first.page.clock.runFor(4 * 60_000);
      await first.page.keyboard.press('Shift');
      await first.page.clock.runFor(4 * 60_000);
      await expectSoon(() => first.vault.evaluate((vault) => vault.state)).toBe('open');
      await first.page.clock.runFor(61_000);
      await expectSoon(() => first.vault.evaluate((vault) => vault.state)).toBe('locked');
    });

    it.each(['focus', 'pageshow', 'pointerdown'])(
      'locks an app whose timers were held, at the first %s',
      async (event) => {
        await unlock(first);
        await first.moveClock(301);
        await expectSoon(() => first.vault.evaluate((vault) => vault.state)).toBe('open');
        await first.page.evaluate(`window.dispatchEvent(new Event('${event}'))`);
        await expectSoon(() => first.vault.evaluate((vault) => vault.state)).toBe('locked');
      },
    );
  });
});

describeSite('a passkey of the app', serveVault, (given) => {
  let origin: string;
  let context: BrowserContext;
  let first: VaultPage;
  let devtools: CDPSession;

  beforeAll(() => {
    // Passkeys need a host name.
    origin = given.site.origin.replace('127.0.0.1', 'localhost');
  });

  afterEach(() => context.close());

  beforeEach(async () => {
    context = await given.browser.newContext();
    first = await openVaultPage(context, origin);
    devtools = await context.newCDPSession(first.page);
    await devtools.send('WebAuthn.enable');
    await first.vault.evaluate((vault, pin) => vault.create(pin), PIN);
    await first.vault.evaluate((vault, saved) => vault.saveToken(saved), token());
  });

  async function addAuthenticator(hasPrf: boolean): Promise<string> {
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        hasPrf,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return authenticatorId;
  }

  const addPasskey = (pin = PIN): Promise<unknown> =>
    first.vault.evaluate((vault, given) => vault.addPasskey({ kind: 'pin', pin: given }), pin);
  const unlock = (): Promise<unknown> => first.vault.evaluate((vault) => vault.unlock({ kind: 'passkey' }));
  const hasPasskey = (): Promise<boolean> => first.vault.evaluate((vault) => vault.hasPasskey);

  async function reload(): Promise<void> {
    await first.page.reload();
    first = { ...first, vault: await openVaultIn(first.page) };
  }

  it('opens it after a reload, as the PIN still does', async () => {
    await addAuthenticator(true);
    expect(await addPasskey()).toEqual({ kind: 'open' });
    await reload();
    await expectSoon(() => first.vault.evaluate((vault) => [vault.state, vault.hasPasskey])).toEqual([
      'locked',
      true,
    ]);
    expect(await unlock()).toEqual({ kind: 'open' });
    await expectSoon(() => first.vault.evaluate((vault) => vault.listTokens())).toHaveLength(1);
    await reload();
    const outcome = await first.vault.evaluate((vault, pin) => vault.unlock({ kind: 'pin', pin }), PIN);
    expect(outcome).toEqual({ kind: 'open' });
  });

  it('replaces a forgotten PIN', async () => {
    await addAuthenticator(true);
    await addPasskey();
    expect(await first.vault.evaluate((vault) => vault.changePin({ kind: 'passkey' }, '905173'))).toEqual({
      kind: 'open',
    });
    await reload();
    const outcome = await first.vault.evaluate((vault) => vault.unlock({ kind: 'pin', pin: '905173' }));
    expect(outcome).toEqual({ kind: 'open' });
    expect(await unlock()).toEqual({ kind: 'open' });
  });

  it('is not stored where the authenticator has no pseudo-random function', async () => {
    await addAuthenticator(false);
    expect(await addPasskey()).toEqual({ kind: 'passkey', fault: 'unsupported' });
    await expectSoon(() => hasPasskey()).toBe(false);
    await reload();
    await expectSoon(() => hasPasskey()).toBe(false);
    expect(await unlock()).toEqual({ kind: 'passkey', fault: 'wrong' });
  });

  it('needs the PIN to be set up', async () => {
    await addAuthenticator(true);
    expect(await addPasskey(WRONG_PIN)).toMatchObject({ kind: 'wrong' });
    await expectSoon(() => hasPasskey()).toBe(false);
  });

  it('does not open it while the user is not verified', async () => {
    const authenticatorId = await addAuthenticator(true);
    await addPasskey();
    await reload();
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    expect(await unlock()).toEqual({ kind: 'passkey', fault: 'cancelled' });
    await expectSoon(() => first.vault.evaluate((vault) => vault.state)).toBe('locked');
  });

  it('does not open it once it is removed', async () => {
    await addAuthenticator(true);
    await addPasskey();
    await first.vault.evaluate((vault) => vault.removePasskey());
    await reload();
    await expectSoon(() => hasPasskey()).toBe(false);
    expect(await unlock()).toEqual({ kind: 'passkey', fault: 'wrong' });
  });

  it('of another authenticator does not open it', async () => {
    const authenticatorId = await addAuthenticator(true);
    await addPasskey();
    await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    await addAuthenticator(true);
    expect(await unlock()).toMatchObject({ kind: 'passkey' });
  });
});
