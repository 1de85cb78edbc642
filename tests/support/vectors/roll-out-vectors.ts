import {
  decodeActivationCode,
  decodeBase32,
  deriveTokenKey,
  encodeActivationCode,
  encodeBase32,
  normalizeActivationCode,
} from '../../../src/ocra/key-derivation.ts';
import { bytesFromHex, encodeHex } from '../../../src/ocra/hex.ts';
import type { HashName } from '../../../src/ocra/suite.ts';
import { type CheckedRow, fromHex, rowsOf, unlessRefused } from './checked-row.ts';

/** An activation code, and its bytes. */
export interface ActivationCodeRow {
  readonly acode_hex: string;
  readonly with_checksum: string;
  readonly without_checksum: string;
}

/** A text as typed, and as it is put right. */
interface NormalizeRow {
  readonly in: string;
  readonly out: { readonly ok: string };
}

/** The key of a token, and what it is derived from. */
export interface KeyRow {
  readonly sharedsecret: string;
  readonly activationcode: string;
  readonly nonce: string;
  readonly len: number;
  readonly iterations?: number;
  readonly digest?: string;
  /** false: the code comes without its two hexadecimal digits. */
  readonly checksum?: false;
  readonly ok?: string;
}

/** Writes and reads activation codes again. */
export function checkActivationCodes(text: string): CheckedRow[] {
  return rowsOf<ActivationCodeRow>(text).map((row) => {
    const bytes = fromHex(row.acode_hex);
    const holds =
      encodeActivationCode(bytes) === row.with_checksum &&
      encodeBase32(bytes) === row.without_checksum &&
      encodeHex(decodeActivationCode(row.with_checksum)) === row.acode_hex;
    return { name: row.with_checksum, holds };
  });
}

/** Puts typed codes right again. */
export function checkNormalization(text: string): CheckedRow[] {
  return rowsOf<NormalizeRow>(text).map((row) => ({
    name: row.in,
    holds: normalizeActivationCode(row.in) === row.out.ok,
  }));
}

/** Derives keys again. */
export function checkKeys(text: string): Promise<CheckedRow[]> {
  return Promise.all(
    rowsOf<KeyRow>(text).map(async (row) => {
      const key = await unlessRefused(() => deriveKey(row));
      return { name: `${row.activationcode} len=${row.len} nonce=${row.nonce}`, holds: key === row.ok };
    }),
  );
}

async function deriveKey(row: KeyRow): Promise<string> {
  return encodeHex(
    await deriveTokenKey({
      sharedSecret: bytesFromHex(row.sharedsecret, 'sharedsecret'),
      activationCode:
        row.checksum === false
          ? (decodeBase32(row.activationcode) ?? row.activationcode)
          : row.activationcode,
      nonce: bytesFromHex(row.nonce, 'nonce'),
      length: row.len,
      ...(row.iterations === undefined ? {} : { iterations: row.iterations }),
      ...(row.digest === undefined ? {} : { hash: row.digest.toLowerCase() as HashName }),
    }),
  );
}
