import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { compareWithLedger, NOTHING_FOUND, readLedger } from '../support/values/compatibility-ledger.ts';
import type { Replayed } from './ocra-replay.ts';
import { OtpReplay, readOtpRecordings } from './otp-replay.ts';
import { reportReplay } from './replay-report.ts';

const FILE = 'otp-3.4.4';
const MAX_DIFFERENCES = 30;

let replay: OtpReplay;

beforeAll(async () => {
  replay = await OtpReplay.open();
});

afterAll(async () => {
  await replay.close();
});

it('HOTP, TOTP, pw and spass are answered as LinOTP 3.4.4 answered them, or the ledger says why not', async () => {
  const ledger = readLedger('otp');
  const rows: Replayed[] = [];
  for (const recording of readOtpRecordings()) {
    rows.push(await replay.replay(recording));
  }
  reportReplay(`exchanges/${FILE}.jsonl`, rows, ledger);
  const checked = rows.map(({ name, identical }) => ({ name, holds: identical }));
  expect(compareWithLedger(FILE, checked, ledger)).toEqual(NOTHING_FOUND);
  expect(rows).toHaveLength(264);
  expect(rows.filter(({ identical }) => !identical).length).toBeLessThanOrEqual(MAX_DIFFERENCES);
});
