import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readDerivedExchanges, readOcraRecordings } from './ocra-recordings.ts';
import { OcraReplay, type Replayed } from './ocra-replay.ts';
import { reportReplay } from './replay-report.ts';

/** Recorded rows that make the resolvers, realms and rights. */
const PREPARING = ['setup/setResolver-def', 'setup/setRealm-mydefrealm', 'policy/setPolicy-ocra-client'];

let replay: OcraReplay;

beforeAll(async () => {
  replay = await OcraReplay.open();
  for (const recording of readOcraRecordings().filter(({ name }) => PREPARING.includes(name))) {
    await replay.replay(recording);
  }
});

afterAll(async () => {
  await replay.close();
});

describe('the dialect linotp, asked what nobody recorded', () => {
  it('answers as LinOTP is known to: without a transaction id, and to a clock that is ahead', async () => {
    const rows: Replayed[] = [];
    for (const exchange of readDerivedExchanges()) {
      rows.push(await replay.replay(exchange));
    }
    reportReplay('compat/derived-exchanges.jsonl', rows, []);
    expect(rows.filter(({ identical }) => !identical).map(({ name }) => name)).toEqual([]);
    expect(rows).toHaveLength(33);
  });
});
