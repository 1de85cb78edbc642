import { measuredRounds, type PassphraseCost, passphraseKey } from './passphrase-key.ts';
import { type Bytes, randomBytes, seal, unseal, utf8 } from './sealing.ts';
import { VaultError } from './vault.ts';

/** The means that open the master key, at rest. */
export interface Protection {
  /** Random. Tells this vault from one that was made after everything was removed. */
  readonly vaultId: Bytes;
  /**
   * AES-256-GCM, non-extractable: the master key cannot be opened outside this browser profile by the ciphertext alone.
   */
  readonly deviceKey: CryptoKey;
  readonly pin: PinSlot;
  readonly passkey: PasskeySlot | null;
}

/** The master key, sealed by the key of the PIN and then by the device key. */
interface PinSlot extends PassphraseCost {
  /** True if the PIN has digits only. */
  readonly isDigits: boolean;
  readonly sealed: Bytes;
}

/** The master key, sealed by the key of the passkey and then by the device key. */
export interface PasskeySlot {
  readonly credentialId: Bytes;
  /** The input of the authenticator's pseudo-random function. */
  readonly salt: Bytes;
  readonly sealed: Bytes;
}

/** The secret of an authenticator for one salt. */
export interface PasskeySecret {
  readonly credentialId: Bytes;
  readonly salt: Bytes;
  readonly output: Bytes;
}

const PIN_CONTEXT = 'tankeeper vault pin';
const PASSKEY_CONTEXT = 'tankeeper vault passkey';

/** @returns a new protection, and the new master key that it protects */
export async function newProtection(
  pin: string,
  stopwatch: () => number,
): Promise<{ protection: Protection; master: Bytes }> {
  const master = randomBytes(32);
  const deviceKey = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  const slot = await newPinSlot(deviceKey, master, pin, stopwatch);
  return { protection: { vaultId: randomBytes(16), deviceKey, pin: slot, passkey: null }, master };
}

/** @returns the protection with another PIN */
export async function withPin(
  protection: Protection,
  master: Bytes,
  pin: string,
  stopwatch: () => number,
): Promise<Protection> {
  return { ...protection, pin: await newPinSlot(protection.deviceKey, master, pin, stopwatch) };
}

/** @returns the protection with a passkey in place of a former one */
export async function withPasskey(
  protection: Protection,
  master: Bytes,
  { credentialId, salt, output }: PasskeySecret,
): Promise<Protection> {
  const key = await passkeyKey(protection.vaultId, output);
  const sealed = await sealTwice(protection.deviceKey, key, master, PASSKEY_CONTEXT);
  return { ...protection, passkey: { credentialId, salt, sealed } };
}

/**
 * @returns the master key; null for a wrong PIN.
 * @throws VaultError 'storage-failed' if the device key is of another vault
 */
export async function openByPin({ deviceKey, pin: slot }: Protection, pin: string): Promise<Bytes | null> {
  return openTwice(deviceKey, await passphraseKey(pin, slot), slot.sealed, PIN_CONTEXT);
}

/** @returns the master key; null for another secret */
export async function openByPasskey(
  { deviceKey, vaultId }: Protection,
  slot: PasskeySlot,
  output: Bytes,
): Promise<Bytes | null> {
  return openTwice(deviceKey, await passkeyKey(vaultId, output), slot.sealed, PASSKEY_CONTEXT);
}

async function newPinSlot(
  deviceKey: CryptoKey,
  master: Bytes,
  pin: string,
  stopwatch: () => number,
): Promise<PinSlot> {
  const cost = { salt: randomBytes(16), rounds: await measuredRounds(stopwatch) };
  const sealed = await sealTwice(deviceKey, await passphraseKey(pin, cost), master, PIN_CONTEXT);
  return { ...cost, isDigits: /^\d+$/.test(pin), sealed };
}

/** HKDF-SHA256 (RFC 5869) of the output of the pseudo-random function. */
async function passkeyKey(vaultId: Bytes, output: Bytes): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', output, 'HKDF', false, ['deriveKey']);
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: vaultId, info: utf8(PASSKEY_CONTEXT) },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
}

async function sealTwice(outer: CryptoKey, inner: CryptoKey, master: Bytes, context: string): Promise<Bytes> {
  return seal(outer, await seal(inner, master, context), context);
}

async function openTwice(
  outer: CryptoKey,
  inner: CryptoKey,
  sealed: Bytes,
  context: string,
): Promise<Bytes | null> {
  const once = await unseal(outer, sealed, context);
  if (once === null) {
    throw new VaultError('storage-failed');
  }
  return unseal(inner, once, context);
}
