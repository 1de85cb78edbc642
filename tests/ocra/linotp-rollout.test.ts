import { describe, expect, it } from '@jest/globals';
import {
  decodeActivationCode,
  encodeActivationCode,
  normalizeActivationCode,
} from '../../src/ocra/activation-code.ts';
import { decodeBase32, encodeBase32 } from '../../src/ocra/base32.ts';
import { bytesFromHex } from '../../src/ocra/hex.ts';
import { deriveTokenKey } from '../../src/ocra/key-derivation.ts';
import { type HashName } from '../../src/ocra/suite.ts';
import { compareWithLedger, NOTHING_FOUND, unlessRefused } from '../support/values/compatibility-ledger.ts';
import { readRows } from '../support/values/vectors.ts';

interface ActivationCodeRow {
  readonly acode_hex: string;
  readonly with_checksum: string;
  readonly without_checksum: string;
}

interface NormalizeRow {
  readonly in: string;
  readonly out: { readonly ok: string };
}

interface KeyRow {
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

async function deriveKey(row: KeyRow): Promise<string> {
  const key = Buffer.from(
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
  return key.toString('hex');
}

describe('the roll-out as LinOTP computes it', () => {
  it('activation codes are written and read alike', () => {
    const checked = readRows<ActivationCodeRow>('linotp-activation-code').map((row) => {
      const bytes = Buffer.from(row.acode_hex, 'hex');
      const holds =
        encodeActivationCode(bytes) === row.with_checksum &&
        encodeBase32(bytes) === row.without_checksum &&
        Buffer.from(decodeActivationCode(row.with_checksum)).equals(bytes);
      return { name: row.with_checksum, holds };
    });
    expect(checked).not.toHaveLength(0);
    expect(compareWithLedger('linotp-activation-code', checked)).toEqual(NOTHING_FOUND);
  });

  it('what people type is put right alike', () => {
    const checked = readRows<NormalizeRow>('linotp-normalize-activation-code').map((row) => ({
      name: row.in,
      holds: normalizeActivationCode(row.in) === row.out.ok,
    }));
    expect(checked).not.toHaveLength(0);
    expect(compareWithLedger('linotp-normalize-activation-code', checked)).toEqual(NOTHING_FOUND);
  });

  it('keys are derived alike, and wrong input is refused alike', async () => {
    const rows = readRows<KeyRow>('linotp-kdf2');
    const checked = await Promise.all(
      rows.map(async (row) => {
        const key = await unlessRefused(() => deriveKey(row));
        return { name: `${row.activationcode} len=${row.len} nonce=${row.nonce}`, holds: key === row.ok };
      }),
    );
    expect(checked).not.toHaveLength(0);
    expect(compareWithLedger('linotp-kdf2', checked)).toEqual(NOTHING_FOUND);
  });
});
