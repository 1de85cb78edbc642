import {
  openChallenge,
  type OpenChallenge,
  awaitedToken,
  openActivation,
  startRollOut,
  type StartedRollOut,
} from '../../../src/device/challenge.ts';
import { type DeviceToken, findToken } from '../../../src/device/device-token.ts';
import { readCode } from '../../../src/device/read-code.ts';
import type { ReadNonceUrl } from '../../../src/ocra/qrtan-url.ts';
import { type HistoryEntry, isDecline, type RestoredState, type Vault } from '../vault/vault.ts';
import { type Destination, destinationOf } from './destination.ts';

/** A challenge with a verified signature, to be shown and decided on. */
export interface ShownChallenge {
  readonly kind: 'challenge';
  readonly challenge: OpenChallenge;
  /** The name that the user gave the token. */
  readonly tokenName: string;
  readonly restored: RestoredState | undefined;
  readonly destination: Destination;
  /** What was done with the same transaction: the decline that the server took, else the last answer, else a decline. */
  readonly earlier: HistoryEntry | undefined;
}

/** The first code of a roll-out: nothing is stored yet. */
export interface ReadRollOut extends StartedRollOut {
  readonly kind: 'roll-out';
  /** True if this very token is stored already: the code was read before. */
  readonly isStored: boolean;
}

/** The second code of a roll-out, which needs its activation code. */
export interface AwaitedActivation {
  readonly kind: 'activation';
  readonly url: ReadNonceUrl;
  readonly text: string;
  readonly token: DeviceToken;
}

export type OpenedCode = ReadRollOut | AwaitedActivation | ShownChallenge;

/**
 * Reads a code against the tokens of this phone.
 * @throws ServiceError for a refused code; VaultError
 */
export async function openCode(vault: Vault, text: string): Promise<OpenedCode> {
  const url = readCode(text);
  const stored = await vault.listTokens();
  const tokens = stored.map(({ token }) => token);
  const policy = await policyOf(vault);
  switch (url.kind) {
    case 'init':
      return rollOut(tokens, startRollOut(tokens, url));
    case 'nonce':
      destinationOf(url.callbackUrl);
      return { kind: 'activation', url, text, token: awaitedToken(tokens, url, policy) };
    case 'req':
      return shown(vault, openChallenge(tokens, url, text, policy));
  }
}

/**
 * Derives the key of a token, stores it, and opens the first challenge.
 * @throws ServiceError for a wrong activation code or signature; VaultError
 */
export async function activate(
  vault: Vault,
  { url, text }: AwaitedActivation,
  activationCode: string,
): Promise<ShownChallenge> {
  const stored = await vault.listTokens();
  const tokens = stored.map(({ token }) => token);
  const challenge = await openActivation(tokens, url, text, activationCode, await policyOf(vault));
  // After a second reading of the code the token is as it was.
  if (findToken(tokens, challenge.token.serial)?.key !== challenge.token.key) {
    await vault.saveToken(challenge.token);
  }
  return shown(vault, challenge);
}

function rollOut(tokens: readonly DeviceToken[], started: StartedRollOut): ReadRollOut {
  return { kind: 'roll-out', ...started, isStored: tokens.includes(started.token) };
}

async function policyOf(vault: Vault): Promise<{ requireCallback: boolean }> {
  const { requireCallback } = await vault.settings();
  return { requireCallback };
}

async function shown(vault: Vault, challenge: OpenChallenge): Promise<ShownChallenge> {
  const { token, transactionId } = challenge;
  const [tokens, history] = await Promise.all([vault.listTokens(), vault.listHistory()]);
  const stored = tokens.find((one) => one.token.serial === token.serial);
  return {
    kind: 'challenge',
    challenge,
    tokenName: stored?.name ?? '',
    restored: stored?.restored,
    destination: destinationOf(challenge.callbackUrl),
    earlier: earlierOf(
      history.filter((entry) => entry.serial === token.serial && entry.transactionId === transactionId),
    ),
  };
}

function earlierOf(entries: readonly HistoryEntry[]): HistoryEntry | undefined {
  return (
    entries.find(({ outcome }) => outcome === 'declined' || outcome === 'reported') ??
    entries.find(({ outcome }) => !isDecline(outcome)) ??
    entries[0]
  );
}
