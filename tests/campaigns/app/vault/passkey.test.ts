import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, CDPSession } from 'playwright-core';
import { findChromium, startChromium } from '../../../support/browser/chromium.ts';
import type { FileSite } from '../../../support/browser/file-site.ts';
import { describeWithProgram } from '../../../support/servers/system-programs.ts';
import { expectSoon } from '../../../support/values/expect-soon.ts';
import {
  openVaultIn,
  openVaultPage,
  PIN,
  serveVault,
  token,
  type VaultPage,
  WRONG_PIN,
} from './vault-site.ts';

describeWithProgram('a passkey of the app', findChromium(), 'chromium', (program) => {
  let browser: Browser;
  let site: FileSite;
  let origin: string;
  let context: BrowserContext;
  let first: VaultPage;
  let devtools: CDPSession;

  beforeAll(async () => {
    [browser, site] = await Promise.all([startChromium(program), serveVault()]);
    // Passkeys need a host name.
    origin = site.origin.replace('127.0.0.1', 'localhost');
  });

  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  afterEach(async () => {
    await context.close();
  });

  beforeEach(async () => {
    context = await browser.newContext();
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

  it('is refused at an IP address, which cannot have one', async () => {
    const other = await openVaultPage(first.page.context(), site.origin);
    await other.vault.evaluate((vault, pin) => vault.create(pin), PIN);
    const outcome = await other.vault.evaluate((vault, pin) => vault.addPasskey({ kind: 'pin', pin }), PIN);
    expect(outcome).toEqual({ kind: 'passkey', fault: 'address' });
  });
});
