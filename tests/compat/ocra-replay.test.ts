import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NOTHING_FOUND, compareWithLedger, readLedger } from '../support/values/compatibility-ledger.ts';
import { readDerivedExchanges, readOcraRecordings } from './ocra-recordings.ts';
import { OcraReplay, type Replayed } from './ocra-replay.ts';
import { OtpReplay, readOtpRecordings } from './otp-replay.ts';
import { reportReplay } from './replay-report.ts';

describe('the recorded exchanges of OCRA', () => {
  const FILE = 'ocra-2.12.6';
  const MAX_DIFFERENCES = 60;
  const ledger = readLedger('ocra');
  const recordings = readOcraRecordings().filter(({ sample }) => sample !== true);
  let replay: OcraReplay;

  beforeAll(async () => {
    replay = await OcraReplay.open();
  });

  afterAll(() => replay.close());

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

  /** Recorded rows that make the resolvers, realms and rights. */
  const PREPARING = ['setup/setResolver-def', 'setup/setRealm-mydefrealm', 'policy/setPolicy-ocra-client'];

  let derived: OcraReplay;

  beforeAll(async () => {
    derived = await OcraReplay.open();
    for (const recording of readOcraRecordings().filter(({ name }) => PREPARING.includes(name))) {
      await derived.replay(recording);
    }
  });

  afterAll(() => derived.close());

  describe('the dialect linotp, asked what nobody recorded', () => {
    it('answers as LinOTP is known to: without a transaction id, and to a clock that is ahead', async () => {
      const rows: Replayed[] = [];
      for (const exchange of readDerivedExchanges()) {
        rows.push(await derived.replay(exchange));
      }
      reportReplay('compat/derived-exchanges.jsonl', rows, []);
      expect(rows.filter(({ identical }) => !identical).map(({ name }) => name)).toEqual([]);
      expect(rows).toHaveLength(33);
    });
  });
});

describe('the recorded exchanges of HOTP and TOTP', () => {
  const FILE = 'otp-3.4.4';
  const MAX_DIFFERENCES = 30;

  let replay: OtpReplay;

  beforeAll(async () => {
    replay = await OtpReplay.open();
  });

  afterAll(() => replay.close());

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
});
