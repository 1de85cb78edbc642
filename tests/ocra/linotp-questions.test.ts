import { describe, expect, it } from '@jest/globals';
import type { Random } from '../../src/kernel/clock.ts';
import { questionFromData } from '../../src/ocra/question.ts';
import { questionFromHash } from '../support/values/modes.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import {
  type CheckedRow,
  compareWithLedger,
  ledgerText,
  NOTHING_FOUND,
} from '../support/values/compatibility-ledger.ts';
import { readRows } from '../support/values/vectors.ts';

interface Row {
  readonly suite: string;
  readonly data: string;
  readonly typ_used_by_challenge: 'raw' | 'random';
  readonly raw: { readonly ok: string };
  readonly random: { readonly ok: string };
  readonly hash_of_utf8: { readonly ok: string };
}

/** Draws 0, 1, 2 … in turn, as was done when the rows were computed. */
function counting(): Random {
  let next = 0;
  return { bytes: (size) => Buffer.alloc(size), below: (bound) => next++ % bound };
}

function check(row: Row): CheckedRow {
  const suite = parseOcraSuite(row.suite);
  return {
    name: `${row.suite} ${ledgerText(row.data)}`,
    holds:
      questionFromData(suite, row.data, counting()) === row[row.typ_used_by_challenge].ok &&
      questionFromData(suite, undefined, counting()) === row.random.ok &&
      questionFromHash(suite, row.data) === row.hash_of_utf8.ok,
  };
}

describe('questions as LinOTP makes them', () => {
  it('every question is made alike, but for those set aside', () => {
    const checked = readRows<Row>('linotp-challenge').map(check);
    expect(checked).not.toHaveLength(0);
    expect(compareWithLedger('linotp-challenge', checked)).toEqual(NOTHING_FOUND);
  });
});
