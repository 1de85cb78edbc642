import { describe, expect, it } from '@jest/globals';
import { hashLength, type OcraSuite, parseOcraSuite } from '../../src/ocra/suite.ts';
import { compareWithLedger, NOTHING_FOUND, unlessRefused } from '../support/compatibility-ledger.ts';
import { readRows } from '../support/vectors.ts';

interface Row {
  readonly suite: string;
  readonly ok?: {
    readonly C: 'C' | null;
    readonly P: number | null;
    readonly Q: readonly [string, number] | null;
    readonly S: number | null;
    readonly T: number | null;
    readonly hash_digest_size: number;
    readonly truncation: number;
  };
}

function asRecorded(suite: OcraSuite): NonNullable<Row['ok']> {
  return {
    C: suite.counter ? 'C' : null,
    P: suite.pin === undefined ? null : hashLength(suite.pin.hash),
    Q: [suite.question.format, suite.question.length],
    S: suite.session?.length ?? null,
    T: suite.timeStep ?? null,
    hash_digest_size: hashLength(suite.hash),
    truncation: suite.truncation,
  };
}

describe('OCRA suites as LinOTP reads them', () => {
  it('every suite is read or refused alike, but for those set aside', async () => {
    const rows = readRows<Row>('linotp-suite-parse');
    const checked = await Promise.all(
      rows.map(async ({ suite, ok }) => {
        const parsed = await unlessRefused(() => asRecorded(parseOcraSuite(suite)));
        return { name: suite, holds: JSON.stringify(parsed) === JSON.stringify(ok) };
      }),
    );
    expect(checked).not.toHaveLength(0);
    expect(compareWithLedger('linotp-suite-parse', checked)).toEqual(NOTHING_FOUND);
  });
});
