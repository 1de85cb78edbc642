import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { printedPassword } from '../../support/servers/server-client.ts';
import { runTankeeper, type ServerProcess } from '../../support/servers/server-process.ts';
import { checkHistory, isAcceptance, reportFindings } from './checker.ts';
import { HistoryClient } from './client.ts';
import { drawnIn, type GivenResponse, type HistoryRecord, type Operation } from './operations.ts';
import { ServerFleet } from './server-fleet.ts';
import { withStoredFacts } from './stored-facts.ts';

/** Transactions of all races together. */
const TRANSACTIONS = shortOrLong(20, 200);
const SEED = campaignSeed(4);
const SERVERS = 3;
/** Concurrent answers to one transaction. */
const ANSWERS = 64;
/** Milliseconds for one transaction on a busy machine. */
const TIMEOUT_MS = 600_000 + TRANSACTIONS * 3_000;
const NEVER_LOCKS = 1_000_000;
const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const TEXT = '12345678';

/** A transaction, as known to a portal and its customer. */
interface Opened {
  readonly transaction: string;
  readonly right: GivenResponse;
}

let fleet: ServerFleet;
let environment: Readonly<Record<string, string>>;
let client: HistoryClient;
let key: string;
let sent = 0;

afterAll(async () => {
  expect(await fleet.stop()).toEqual([0, 0, 0]);
});
const folder = temporaryFolder();
const database = databaseOfTests();

beforeAll(async () => {
  environment = { DATABASE_URL: database.url, DATA_DIR: folder };
  fleet = await ServerFleet.ofThree(environment);
  const [first] = fleet.servers as [ServerProcess];
  client = await HistoryClient.open(first.baseUrl, await printedPassword(first));
  key = client.learn(Buffer.alloc(32, 49));
  // Only the token's lock closes challenges.
  await perform({ op: 'configure', args: { key: 'OcraMaxChallengeRequests', value: '1000' } });
});

/** Performs an operation on the next server. */
function perform(operation: Operation): Promise<HistoryRecord> {
  sent += 1;
  return client.perform(operation, fleet.servers[(SEED + sent) % SERVERS]?.baseUrl ?? '');
}

/** @returns challenges of one new token, whose device answers them with successive counters */
async function open(serial: string, maxFail: number, count = 1): Promise<Opened[]> {
  await perform({ op: 'enrol', args: { serial, suite: SUITE, key } });
  await perform({ op: 'limit', args: { serial, maxFail } });
  const opened: Opened[] = [];
  while (opened.length < count) {
    const { transaction = '', question = '' } = drawnIn(
      await perform({ op: 'request', args: { serial, text: TEXT } }),
    );
    opened.push({ transaction, right: { key, suite: SUITE, question, at: opened.length } });
  }
  return opened;
}

/** Sends responses at once, so many of them right; these are among the others, or the last ones. */
function race({ transaction, right }: Opened, count: number, rights: number): Promise<HistoryRecord[]> {
  const isSpread = (SEED + sent) % 2 === 0;
  const each = Math.floor(count / Math.max(1, rights));
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const isRight = isSpread ? index % each === 0 && index / each < rights : index >= count - rights;
      const response = isRight ? right : 'wrong';
      return perform({ op: 'answer', args: { via: 'ocra/check_t', transaction, response } });
    }),
  );
}

interface Race {
  readonly serial: string;
  readonly run: (serial: string) => Promise<number>;
}

/** Runs races of a kind one after the other, and checks their histories. @returns the acceptances of each */
async function check(kind: string, share: number, run: Race['run']): Promise<number[]> {
  const from = client.records.length;
  const serials = Array.from(
    { length: Math.max(1, Math.round(TRANSACTIONS * share)) },
    (_, index) => `${kind} ${index}`,
  );
  let transactions = 0;
  for (const serial of serials) {
    transactions += await run(serial.replaceAll(' ', '-'));
  }
  const configured = client.records.filter(({ op }) => op === 'configure');
  const history = client.records.slice(from).filter(({ op }) => op !== 'configure');
  const facts = await withStoredFacts([...configured, ...history], (sql, values) =>
    database.rows(sql, values),
  );
  const accepted = history.filter(isAcceptance).length;
  expect(reportFindings([...facts.findings, ...checkHistory(facts.records)], facts.records)).toBe('');
  return [transactions, accepted];
}

const THIRD = Math.round(ANSWERS / 3);

describe(`${ANSWERS} answers at once over ${SERVERS} servers, of which some order explains all`, () => {
  it(
    'to a transaction of a token of its own: one is accepted',
    async () => {
      const [transactions, accepted] = await check('own', 0.6, async (serial) => {
        const [opened] = await open(serial, NEVER_LOCKS);
        await (opened && race(opened, ANSWERS, THIRD));
        return 1;
      });
      expect(accepted).toBe(transactions);
    },
    TIMEOUT_MS,
  );

  it(
    'to each of four transactions of one token: one is accepted for each',
    async () => {
      const [transactions, accepted] = await check('shared', 0.05, async (serial) => {
        const opened = await open(serial, NEVER_LOCKS, 4);
        await Promise.all(opened.map((one) => race(one, ANSWERS, THIRD)));
        return opened.length;
      });
      expect(accepted).toBe(transactions);
    },
    TIMEOUT_MS,
  );

  it(
    'that lock the token in the middle: nothing is accepted until a reset, and then one',
    async () => {
      const [transactions, accepted] = await check('locking', 0.1, async (serial) => {
        for (const opened of await open(serial, 8)) {
          await race(opened, 24, 0);
          expect((await race(opened, 20, 7)).filter(isAcceptance)).toEqual([]);
          await perform({ op: 'reset', args: { serial } });
          await perform({ op: 'limit', args: { serial, maxFail: NEVER_LOCKS } });
          await race(opened, 20, 7);
        }
        return 1;
      });
      expect(accepted).toBe(transactions);
    },
    TIMEOUT_MS,
  );

  it(
    'that either lock the token or are accepted before; whoever comes too late is accepted after a reset',
    async () => {
      const [transactions, accepted] = await check('either', 0.1, async (serial) => {
        for (const opened of await open(serial, 3)) {
          if (!(await race(opened, ANSWERS, THIRD)).some(isAcceptance)) {
            await perform({ op: 'reset', args: { serial } });
            await race(opened, 3, 3);
          }
        }
        return 1;
      });
      expect(accepted).toBe(transactions);
    },
    TIMEOUT_MS,
  );

  it(
    'with one response for four transactions of a token with the same question: it is accepted for one of them',
    async () => {
      const [transactions = 0, accepted] = await check('replayed', 0.05, async (serial) => {
        const opened = await open(serial, NEVER_LOCKS, 4);
        const right = opened[0]?.right ?? 'wrong';
        await Promise.all(opened.map((one) => race({ ...one, right }, 16, 16)));
        return opened.length;
      });
      expect(accepted).toBe(transactions / 4);
    },
    TIMEOUT_MS,
  );
});

describe('the audit trail of it all', () => {
  it('verifies', async () => {
    const { code, output } = await runTankeeper(['audit', 'verify'], environment);
    expect({ code, output }).toMatchObject({ code: 0 });
  });
});
