import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  compareWithLedger,
  type LedgerEntry,
  NOTHING_FOUND,
  readLedger,
} from '../support/values/compatibility-ledger.ts';
import { isIdentical, type MonitoringExchange, replay } from './monitoring-replay.ts';
import { MonitoringReplayState } from './monitoring-replay-state.ts';
import { ReplayServer } from './replay-server.ts';

const FILE = 'monitoring-3.4.4';
const MAX_ON_PURPOSE = 57;
/** These need other settings of the login: they show texts and shapes only. */
const SAMPLE = 'jwt ';

let server: ReplayServer;
let state: MonitoringReplayState;

beforeAll(async () => {
  server = await ReplayServer.start();
  state = await MonitoringReplayState.putUp(server);
});

afterAll(() => server.stop());

it('every recorded request to /monitoring gets the recorded bytes, or its ledger says why not', async () => {
  const rows = [];
  const differing: string[] = [];
  for (const exchange of readExchanges()) {
    await state.prepare(exchange.name);
    const answer = await replay(server, exchange);
    const holds = isIdentical(exchange, answer);
    rows.push({ name: exchange.name, holds });
    if (!holds && process.env.SHOW_DIFFERENCES !== undefined) {
      differing.push(
        `${exchange.name}\n- ${exchange.response.status} ${exchange.response.body}\n+ ${answer.status} ${answer.contentType} ${answer.body.toString('utf8')}`,
      );
    }
  }
  const findings = compareWithLedger(FILE, rows, readLedgerOfBytes());
  const counted = rows.filter(({ name }) => !name.startsWith(SAMPLE));
  const onPurpose = counted.filter(({ holds }) => !holds).length - findings.unlisted.length;
  process.stdout.write(
    `/monitoring: ${counted.length} recorded exchanges and ${rows.length - counted.length} samples: ` +
      `${counted.length - onPurpose - findings.unlisted.length} identical, ${onPurpose} on purpose, ` +
      `${findings.unlisted.length} different\n${differing.join('\n')}`,
  );
  expect(findings).toEqual(NOTHING_FOUND);
  expect(counted).toHaveLength(432);
  expect(onPurpose).toBeLessThanOrEqual(MAX_ON_PURPOSE);
});

function readExchanges(): MonitoringExchange[] {
  return readFileSync(join(import.meta.dirname, '..', 'exchanges', 'monitoring-3.4.4.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MonitoringExchange);
}

/** The differences in the facts, and those over HTTP alone. */
function readLedgerOfBytes(): LedgerEntry[] {
  return [...readLedger('monitoring'), ...readLedger('monitoringHttp')];
}
