import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { compareWithLedger, NOTHING_FOUND, readLedger } from '../support/values/compatibility-ledger.ts';
import { readOcraRecordings } from './ocra-recordings.ts';
import { OcraReplay, type Replayed } from './ocra-replay.ts';
import { reportReplay } from './replay-report.ts';

const FILE = 'ocra-2.12.6';
const MAX_DIFFERENCES = 60;
const ledger = readLedger('ocra');
const recordings = readOcraRecordings().filter(({ sample }) => sample !== true);
let replay: OcraReplay;

beforeAll(async () => {
  replay = await OcraReplay.open();
});

afterAll(async () => {
  await replay.close();
});

describe('the dialect linotp, asked what LinOTP 2.12.6 was asked', () => {
  it('answers byte for byte the same, or its ledger says why not', async () => {
    const rows: Replayed[] = [];
    for (const recording of recordings) {
      rows.push(await replay.replay(recording));
    }
    const checked = rows.map(({ name, identical }) => ({ name, holds: identical }));
    reportReplay(`exchanges/${FILE}.jsonl`, rows, ledger);
    expect(compareWithLedger(FILE, checked, ledger)).toEqual(NOTHING_FOUND);
    expect(rows.filter(({ identical }) => !identical).length).toBeLessThanOrEqual(MAX_DIFFERENCES);
  });

  it('is asked all but the samples', () => {
    expect(recordings).toHaveLength(397);
  });
});
