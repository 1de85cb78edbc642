import type { DeviceToken } from '../../../src/device/device-token.ts';
import { shownIssuer } from '../../../src/device/challenge.ts';
import { MAX_COUNTER } from '../../../src/ocra/compute.ts';
import { decodeHex } from '../../../src/ocra/hex.ts';
import type { Issuer } from '../../../src/ocra/issuer.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { type BackupContent, type StoredToken, VaultError } from './vault.ts';

type Members = Readonly<Record<string, unknown>>;

const MAX_TOKENS = 1_000;
const MAX_TEXT_LENGTH = 200;

/**
 * Reads what a backup holds. Others who know the passphrase may have written it, so it is checked like a scanned code.
 * @throws VaultError 'backup-invalid'
 */
export function readBackupContent(text: string): BackupContent {
  try {
    const content = members(JSON.parse(text));
    const tokens = Array.isArray(content.tokens) ? content.tokens.map(readToken) : fail();
    const serials = new Set(tokens.map(({ token }) => token.serial.toLowerCase()));
    const { lockAfterMinutes, requireCallback } = members(content.settings);
    return {
      createdAt: instant(content.createdAt),
      tokens: tokens.length <= MAX_TOKENS && serials.size === tokens.length ? tokens : fail(),
      settings: {
        lockAfterMinutes: minutes(lockAfterMinutes),
        requireCallback: typeof requireCallback === 'boolean' ? requireCallback : fail(),
      },
    };
  } catch (cause) {
    throw new VaultError('backup-invalid', { cause });
  }
}

function readToken(value: unknown): StoredToken {
  const { token, name, addedAt } = members(value);
  const { serial, suite, sharedSecret, key, counter, issuer } = members(token);
  const shown = issuer === undefined ? undefined : readIssuer(issuer);
  const read: DeviceToken = {
    serial: words(serial),
    suite: parseOcraSuite(words(suite)).text,
    sharedSecret: hex(sharedSecret),
    key: key === null ? null : hex(key),
    counter: wholeNumber(counter),
    ...(shown !== undefined && { issuer: shown }),
  };
  // An empty name stands for the serial.
  return { token: read, name: name === '' ? '' : words(name), addedAt: instant(addedAt) };
}

/** @returns undefined for one that this browser cannot show: another may have written it */
function readIssuer(value: unknown): Issuer | undefined {
  const { name, logo } = members(value);
  return shownIssuer({ name: words(name), logo: typeof logo === 'string' ? logo : fail() });
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : fail();
}

function words(value: unknown): string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH ? value : fail();
}

/** 10 to 128 bytes: what servers enrol. */
function hex(value: unknown): string {
  const bytes = typeof value === 'string' ? decodeHex(value) : undefined;
  return typeof value === 'string' && bytes !== undefined && bytes.length >= 10 && bytes.length <= 128
    ? value.toLowerCase()
    : fail();
}

function wholeNumber(value: unknown): string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) && BigInt(value) <= MAX_COUNTER
    ? BigInt(value).toString()
    : fail();
}

/** The range of `Date`. */
function instant(value: unknown): number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15 ? value : fail();
}

function minutes(value: unknown): number {
  return typeof value === 'number' && value >= 1 && value <= 60 ? value : fail();
}

function fail(): never {
  throw new VaultError('backup-invalid');
}
