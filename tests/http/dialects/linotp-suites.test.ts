import { describe, expect, it } from '@jest/globals';
import { linotpWording } from '../../../src/http/dialects/linotp2/linotp-wording.ts';
import type { RequestContext } from '../../../src/http/request/exchange.ts';
import { failureForm } from '../../../src/http/failures.ts';
import { hashLength, type OcraSuite, parseOcraSuite } from '../../../src/ocra/suite.ts';
import {
  compareWithLedger,
  NOTHING_FOUND,
  unlessRefused,
} from '../../support/values/compatibility-ledger.ts';
import { refusalOf } from '../../support/values/refusal.ts';
import { readRows } from '../../support/values/vectors.ts';

/** Three digits in a session's length are enough here; docs/compatibility.md names it. */
const TAKEN_HERE = 'OCRA-1:HOTP-SHA1-6:QN08-S100';
const ASKED: RequestContext = {
  path: '/admin/init',
  family: 'linotp2',
  usage: '',
  language: 'en',
  parameters: new Map(),
  written: new Map(),
};

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
  readonly error?: { readonly message: string };
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

  const refused = readRows<Row>('linotp-suite-parse').flatMap(({ suite, error }) =>
    error === undefined || suite === TAKEN_HERE ? [] : [[suite, error.message] as const],
  );

  it.each(refused)('the dialect linotp answers %j as LinOTP does', (suite, message) => {
    const error = refusalOf(() => parseOcraSuite(suite));
    const wording = linotpWording(error, failureForm(error.code), ASKED);
    expect(wording.code).toBe(-311);
    // Over HTTP texts are Unicode, so Python shows them with a `u` where the vectors show them without.
    expect(wording.message.replace(/\bu'/, "'")).toBe(message);
  });
});
