import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { compareWithLedger, NOTHING_FOUND } from '../support/values/compatibility-ledger.ts';
import { readVectorFile, VECTORS_FOLDER } from '../support/values/vectors.ts';
import { DEVICE_RUNS, OCRA_RUNS } from '../support/vectors/vector-runs.ts';

describe('the vectors of RFC 6287 and LinOTP', () => {
  it('are computed from every file that there is', () => {
    const files = readdirSync(VECTORS_FOLDER).filter((file) => /\.jsonl?$/.test(file));
    expect(OCRA_RUNS.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
  });

  it.each(OCRA_RUNS)('all $rows of $file hold, but for those set aside', async ({ file, rows, check }) => {
    const checked = await check(readVectorFile(file));
    expect(checked).toHaveLength(rows);
    expect(compareWithLedger(file.replace(/\.jsonl?$/, ''), checked)).toEqual(NOTHING_FOUND);
  });
});

describe('an app that meets the vectors', () => {
  it.each(DEVICE_RUNS)('agrees with $rows rows of $file', async ({ file, rows, check }) => {
    const checked = await check(readVectorFile(file));
    expect(checked).toHaveLength(rows);
    expect(checked.filter(({ holds }) => !holds)).toEqual([]);
  });
});
