import { describe, expect, it } from '@jest/globals';
import { qrTanSignature, verifyQrTanSignature } from '../../src/ocra/qrtan-signature.ts';
import { buildInitUrl, buildNonceUrl, buildRequestUrl, parseQrTanUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { type CheckedRow, compareWithLedger, NOTHING_FOUND } from '../support/values/compatibility-ledger.ts';
import { readRows } from '../support/values/vectors.ts';

interface SignatureRow {
  readonly suite: string;
  readonly key: string;
  readonly data_hex: string;
  readonly signature: string;
}

interface InitRow {
  readonly kind: 'init';
  readonly suite: string;
  readonly serial: string;
  readonly sharedsecret: string;
  readonly data: string;
}

interface ChallengeRow {
  readonly kind: 'req' | 'nonce';
  readonly suite: string;
  readonly key: string;
  readonly message: string | null;
  readonly url: string;
  readonly challenge: string;
  readonly transactionid: string;
  readonly nonce?: string;
  readonly serial?: string;
  readonly data: string;
}

function checkInit(row: InitRow): CheckedRow {
  const fields = {
    sharedSecret: Buffer.from(row.sharedsecret, 'hex'),
    suite: row.suite,
    serial: row.serial,
  };
  expect(parseQrTanUrl(row.data)).toEqual({ kind: 'init', ...fields });
  return { name: row.data, holds: buildInitUrl(fields) === row.data };
}

function checkChallenge(row: ChallengeRow): CheckedRow {
  const suite = parseOcraSuite(row.suite);
  const key = Buffer.from(row.key, 'hex');
  const fields = {
    message: row.message ?? undefined,
    callbackUrl: row.url,
    question: row.challenge,
    transactionId: row.transactionid,
  };
  const rollout = { nonce: Buffer.from(row.nonce ?? '', 'hex'), serial: row.serial ?? '' };
  const built =
    row.kind === 'req'
      ? buildRequestUrl(suite, key, { ...fields, message: fields.message ?? '' })
      : buildNonceUrl(suite, key, { ...fields, ...rollout });
  const signature = row.data.slice(row.data.lastIndexOf('=') + 1);
  expect(parseQrTanUrl(row.data)).toEqual({
    kind: row.kind,
    ...fields,
    ...(row.kind === 'nonce' ? rollout : {}),
    signature,
  });
  return { name: row.data, holds: built === row.data && verifyQrTanSignature(suite, key, row.data) };
}

describe('QR-TAN URLs as LinOTP writes them', () => {
  it('every URL is written and read alike, its signature included', () => {
    const rows = readRows<InitRow | ChallengeRow>('linotp-lseqr-url');
    const checked = rows.map((row) => (row.kind === 'init' ? checkInit(row) : checkChallenge(row)));
    expect(checked).not.toHaveLength(0);
    expect(compareWithLedger('linotp-lseqr-url', checked)).toEqual(NOTHING_FOUND);
  });

  it('every signature is the same', () => {
    const checked = readRows<SignatureRow>('linotp-sign-data').map((row) => {
      const data = Buffer.from(row.data_hex, 'hex');
      const signature = qrTanSignature(parseOcraSuite(row.suite), Buffer.from(row.key, 'hex'), data);
      return { name: `${row.suite} ${row.data_hex}`, holds: signature === row.signature };
    });
    expect(checked).not.toHaveLength(0);
    expect(compareWithLedger('linotp-sign-data', checked)).toEqual(NOTHING_FOUND);
  });
});
