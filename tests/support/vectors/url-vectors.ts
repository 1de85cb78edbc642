import { encodeHex } from '../../../src/ocra/hex.ts';
import {
  buildInitUrl,
  buildNonceUrl,
  buildRequestUrl,
  parseQrTanUrl,
  qrTanSignature,
  verifyQrTanSignature,
} from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { type CheckedRow, fromHex, rowsOf } from './checked-row.ts';

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

/** A URL for apps, and what it was made of. */
export type UrlRow = InitRow | ChallengeRow;

/** Writes, reads and verifies URLs again. A URL that is read differently is a fault. */
export function checkUrls(text: string): CheckedRow[] {
  return rowsOf<UrlRow>(text).map((row) => (row.kind === 'init' ? checkInit(row) : checkChallenge(row)));
}

/** Computes signatures again. */
export function checkSignatures(text: string): CheckedRow[] {
  return rowsOf<SignatureRow>(text).map((row) => ({
    name: `${row.suite} ${row.data_hex}`,
    holds:
      qrTanSignature(parseOcraSuite(row.suite), fromHex(row.key), fromHex(row.data_hex)) === row.signature,
  }));
}

function checkInit(row: InitRow): CheckedRow {
  const fields = { sharedSecret: fromHex(row.sharedsecret), suite: row.suite, serial: row.serial };
  assertReadAs(row.data, { kind: 'init', ...fields });
  return { name: row.data, holds: buildInitUrl(fields) === row.data };
}

function checkChallenge(row: ChallengeRow): CheckedRow {
  const suite = parseOcraSuite(row.suite);
  const key = fromHex(row.key);
  const fields = {
    message: row.message ?? undefined,
    callbackUrl: row.url,
    question: row.challenge,
    transactionId: row.transactionid,
  };
  const rollout = { nonce: fromHex(row.nonce ?? ''), serial: row.serial ?? '' };
  const built =
    row.kind === 'req'
      ? buildRequestUrl(suite, key, { ...fields, message: fields.message ?? '' })
      : buildNonceUrl(suite, key, { ...fields, ...rollout });
  assertReadAs(row.data, {
    kind: row.kind,
    ...fields,
    ...(row.kind === 'nonce' ? rollout : {}),
    signature: row.data.slice(row.data.lastIndexOf('=') + 1),
  });
  return { name: row.data, holds: built === row.data && verifyQrTanSignature(suite, key, row.data) };
}

function assertReadAs(url: string, expected: object): void {
  const [is, shouldBe] = [flat(parseQrTanUrl(url)), flat(expected)];
  if (is !== shouldBe) {
    throw new Error(`${url} is read as ${is}, not as ${shouldBe}`);
  }
}

/** @returns the fields in order, as text: bytes in hexadecimal */
function flat(fields: object): string {
  return JSON.stringify(
    Object.entries(fields)
      .map(([name, value]: [string, unknown]) => ({
        name,
        value: value instanceof Uint8Array ? encodeHex(value) : (value ?? null),
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  );
}
