import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publishResults } from '../../../bench/result-page.ts';
import { AnswerRace, isExplainable, type RacingAnswer, type Reported } from './answer-race.ts';
import { type OpenTransaction, ServerClient } from '../../support/servers/server-client.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { wrongResponse } from '../../support/application/test-application.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';

/** Transactions; RACES_TRANSACTIONS=60 is a third of them, for trials. */
const TRANSACTIONS = Number(process.env.RACES_TRANSACTIONS ?? 200);
const SERVERS = 3;
/** Concurrent answers to one transaction. */
const ANSWERS = 64;
/** Transactions that are answered at the same time. */
const AT_ONCE = 4;
/** Milliseconds for one transaction on a busy machine. */
const TIMEOUT_MS = 3_000;
const NEVER_LOCKS = 1_000_000;

/** A row of a decision in the audit trail. */
interface DecisionRow {
  readonly request_id: string;
  readonly subject: string;
  readonly outcome: string;
}

interface Outcome {
  readonly transaction: OpenTransaction;
  /** The clients' answers, in the order in which the responses were sent. */
  readonly reported: readonly Reported[];
}

let folder: string;
let database: TestDatabase;
let servers: readonly ServerProcess[] = [];
let environment: Readonly<Record<string, string>>;
let client: ServerClient;
let race: AnswerRace;
let sent = 0;
let mixtures = 0;
const rows: (string | number)[][] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-races-'));
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, DATA_DIR: folder };
  const first = await startServerProcess(environment);
  servers = [
    first,
    ...(await Promise.all([
      startServerProcess(environment),
      startServerProcess({ ...environment, DATABASE_SHARED_STATEMENTS: 'off' }),
    ])),
  ];
  client = await ServerClient.open(first);
  race = new AnswerRace();
  // Only the token's lock closes challenges, so the fail counts follow from the answers alone.
  await client.post('/system/setConfig', { OcraMaxChallengeRequests: '1000' });
});

afterAll(async () => {
  race.close();
  const ends = await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
  await database.drop();
  await publishResults({
    name: 'races',
    title: 'Races',
    command: `RACES_TRANSACTIONS=${TRANSACTIONS} npm run test:campaigns -- tests/campaigns/races/races.test.ts`,
    measures: 'Answers to one transaction at once, over three servers: [Faults](../faults.md#races).',
    sections: [
      {
        head: [
          'kind',
          'transactions',
          'answers',
          'right',
          'accepted',
          'wrong',
          'locked',
          'closed',
          'seconds',
        ],
        rows,
      },
    ],
  });
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
});

/**
 * Responses, in turn over the servers; a third of them right: every third, or, for every other transaction, the last
 * third.
 */
function mixed({ transactionid, tan }: OpenTransaction, count = ANSWERS): RacingAnswer[] {
  mixtures += 1;
  const isRight =
    mixtures % 2 === 0 ? (index: number) => index % 3 === 0 : (index: number) => index >= (count * 2) / 3;
  return answers(transactionid, tan, count, isRight);
}

function answers(
  transactionid: string,
  tan: string,
  count: number,
  isRight: (index: number) => boolean,
): RacingAnswer[] {
  return Array.from({ length: count }, (_, index) => {
    sent += 1;
    const baseUrl = servers[sent % SERVERS]?.baseUrl ?? '';
    const right = isRight(index);
    const pass = right ? tan : wrongResponse(tan);
    return { baseUrl, transactionid, pass, right, requestId: `race-${String(sent).padStart(8, '0')}` };
  });
}

const never = (): boolean => false;
const always = (): boolean => true;

/** Runs `work` for each of them, some at the same time. */
async function forEach<T, Done>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      done[index] = await work(all[index] as T);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return done;
}

const named = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${kind}-${index}`);

async function openTransactions(serial: string, maxFail: number, count = 1): Promise<OpenTransaction[]> {
  const opened = [await client.openTransaction(serial)];
  await client.post('/admin/set', { serial, MaxFailCount: String(maxFail) });
  while (opened.length < count) {
    opened.push(await client.openTransaction(serial, BigInt(opened.length)));
  }
  return opened;
}

async function raceEach(
  transactions: readonly OpenTransaction[],
  run: (transaction: OpenTransaction) => Promise<readonly Reported[]>,
): Promise<Outcome[]> {
  return forEach(transactions, AT_ONCE, async (transaction) => ({
    transaction,
    reported: await run(transaction),
  }));
}

/** @returns the decisions on these answers, by request */
async function decisionsOn(outcomes: readonly Outcome[]): Promise<ReadonlyMap<string, DecisionRow>> {
  const reported = outcomes.flatMap((outcome) => outcome.reported);
  const rows = await database.database
    .knex('audit')
    .whereIn(
      'subject',
      outcomes.map(({ transaction }) => transaction.serial),
    )
    .where({ action: 'ocra/check_t' })
    .select<DecisionRow[]>('request_id', 'subject', 'outcome');
  const byRequest = new Map(rows.map((row) => [row.request_id, row]));
  // One row for every answer, and no other.
  expect(rows).toHaveLength(reported.length);
  expect([...byRequest.keys()].sort()).toEqual(reported.map(({ requestId }) => requestId).sort());
  return byRequest;
}

interface Counted {
  readonly outcome: Outcome;
  /** The number of rows of each decision in the audit trail. */
  readonly times: (decision: string) => number;
  /** The counts in the answers to wrong responses, and to those for the locked token. */
  readonly counts: readonly number[];
}

/** Compares the clients' answers with the audit trail and the challenges. */
async function compare(outcomes: readonly Outcome[]): Promise<Counted[]> {
  const decisions = await decisionsOn(outcomes);
  const challenges = await database.database
    .knex('challenges')
    .whereIn(
      'transaction_id',
      outcomes.map(({ transaction }) => transaction.transactionid),
    )
    .select<
      { transaction_id: string; wrong_count: number; valid_tan: boolean; closed_by: string | null }[]
    >();
  const byTransaction = new Map(challenges.map((row) => [row.transaction_id, row]));
  return outcomes.map((outcome) => {
    const decided = (one: Reported): string => decisions.get(one.requestId)?.outcome ?? 'none';
    const times = (decision: string): number =>
      outcome.reported.filter((one) => decided(one) === decision).length;
    expect(outcome.reported.filter((one) => one.result !== (decided(one) === 'accepted'))).toEqual([]);
    expect(outcome.reported.filter(({ status }) => status !== 200)).toEqual([]);
    expect(byTransaction.get(outcome.transaction.transactionid)).toMatchObject({
      wrong_count: times('wrong'),
      valid_tan: times('accepted') === 1,
      closed_by: times('accepted') === 1 ? 'accepted' : null,
    });
    const counts = outcome.reported
      .filter((one) => ['wrong', 'locked'].includes(decided(one)))
      .map(({ failcount }) => failcount);
    return { outcome, times, counts };
  });
}

const sum = (counted: readonly Counted[], decision: string): number =>
  counted.reduce((all, { times }) => all + times(decision), 0);

/** Expects one acceptance of each transaction, in the answers and in the rows. */
function expectOneAcceptanceEach(counted: readonly Counted[]): void {
  expect(counted.map(({ times }) => times('accepted'))).toEqual(counted.map(() => 1));
  expect(counted.map(({ outcome }) => outcome.reported.filter(({ result }) => result).length)).toEqual(
    counted.map(() => 1),
  );
}

async function tokenOf(serial: string): Promise<unknown> {
  return database.database.knex('tokens').where({ serial }).first('fail_count', 'counter');
}

function tell(kind: string, counted: readonly Counted[], begun: number): void {
  const sums = ['accepted', 'wrong', 'locked', 'closed'].map((decision) => sum(counted, decision));
  const reported = counted.flatMap(({ outcome }) => outcome.reported);
  const right = reported.filter(({ right: isRight }) => isRight).length;
  rows.push([
    kind,
    counted.length,
    reported.length,
    right,
    ...sums,
    ((performance.now() - begun) / 1000).toFixed(1),
  ]);
}

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const ascending = (counts: readonly number[]): number[] => [...counts].sort((one, other) => one - other);
const part = (share: number): number => Math.max(1, Math.round(TRANSACTIONS * share));

describe(`${ANSWERS} answers at once to each transaction, a third of them right, over ${SERVERS} servers`, () => {
  it(
    'are accepted once; the wrong ones before that count one each, and none after it',
    async () => {
      const count = part(0.6);
      const transactions = (
        await forEach(named('alone', count), AT_ONCE, (serial) => openTransactions(serial, NEVER_LOCKS))
      ).flat();
      const begun = performance.now();
      const counted = await compare(await raceEach(transactions, (one) => race.run(mixed(one))));
      tell('a token of its own', counted, begun);
      expectOneAcceptanceEach(counted);
      for (const { outcome, times, counts } of counted) {
        expect(ascending(counts)).toEqual(upTo(times('wrong')));
        expect(times('wrong') + times('closed') + 1).toBe(ANSWERS);
        expect(await tokenOf(outcome.transaction.serial)).toEqual({ fail_count: 0, counter: '1' });
      }
    },
    600_000 + TRANSACTIONS * TIMEOUT_MS,
  );

  it(
    'are accepted once for each of four transactions of one token, and count together',
    async () => {
      const serials = named('shared', Math.max(1, Math.round(part(0.2) / 4)));
      const tokens = await forEach(serials, AT_ONCE, (serial) => openTransactions(serial, NEVER_LOCKS, 4));
      const begun = performance.now();
      const outcomes = await forEach(tokens, 1, (four) =>
        Promise.all(
          four.map(async (transaction) => ({ transaction, reported: await race.run(mixed(transaction)) })),
        ),
      );
      const counted = await compare(outcomes.flat());
      tell('four of one token', counted, begun);
      expectOneAcceptanceEach(counted);
      for (const serial of serials) {
        const its = counted.filter(({ outcome }) => outcome.transaction.serial === serial);
        const { fail_count, counter } = (await tokenOf(serial)) as { fail_count: number; counter: string };
        expect(counter).toBe('4');
        const counts = its.flatMap((one) => one.counts);
        expect({ counts, fail_count, ok: isExplainable(counts, 4, fail_count) }).toMatchObject({ ok: true });
      }
    },
    600_000 + TRANSACTIONS * TIMEOUT_MS,
  );

  it(
    'lock the token in the middle; then nothing is accepted until a reset, and then one',
    async () => {
      const serials = named('locking', part(0.1));
      const transactions = (await forEach(serials, AT_ONCE, (serial) => openTransactions(serial, 8))).flat();
      const begun = performance.now();
      const outcomes = await raceEach(transactions, async (transaction) => {
        const { transactionid, tan, serial } = transaction;
        const wrong = await race.run(answers(transactionid, tan, 24, never));
        const locked = await race.run(mixed(transaction, 20));
        // Each one counts, right or wrong, and each client gets a count of its own.
        expect(ascending(wrong.map(({ failcount }) => failcount))).toEqual(upTo(24));
        expect(ascending(locked.map(({ failcount }) => failcount))).toEqual(upTo(44, 25));
        expect(locked.filter(({ result }) => result)).toEqual([]);
        await client.post('/admin/reset', { serial });
        await client.post('/admin/set', { serial, MaxFailCount: String(NEVER_LOCKS) });
        return [...wrong, ...locked, ...(await race.run(mixed(transaction, 20)))];
      });
      const counted = await compare(outcomes);
      tell('locked in the middle', counted, begun);
      expectOneAcceptanceEach(counted);
      for (const { outcome, times } of counted) {
        expect(await tokenOf(outcome.transaction.serial)).toEqual({ fail_count: 0, counter: '1' });
        expect(times('locked')).toBe(24 - 8 + 20);
      }
    },
    600_000 + TRANSACTIONS * TIMEOUT_MS,
  );

  it(
    'either lock the token or are accepted before; whoever comes too late is accepted after a reset',
    async () => {
      const serials = named('either', part(0.1));
      const transactions = (await forEach(serials, AT_ONCE, (serial) => openTransactions(serial, 3))).flat();
      const begun = performance.now();
      const outcomes = await raceEach(transactions, async (transaction) => {
        const reported = await race.run(mixed(transaction));
        if (reported.some(({ result }) => result)) {
          return reported;
        }
        // Locked: right or wrong, each counts.
        expect(ascending(reported.map(({ failcount }) => failcount))).toEqual(upTo(ANSWERS));
        await client.post('/admin/reset', { serial: transaction.serial });
        return [
          ...reported,
          ...(await race.run(answers(transaction.transactionid, transaction.tan, 3, always))),
        ];
      });
      const counted = await compare(outcomes);
      tell('locked or accepted', counted, begun);
      expectOneAcceptanceEach(counted);
      for (const { outcome, times, counts } of counted) {
        expect(await tokenOf(outcome.transaction.serial)).toEqual({ fail_count: 0, counter: '1' });
        expect(ascending(counts)).toEqual(upTo(times('wrong') + times('locked')));
        expect([0, ANSWERS - 3]).toContain(times('locked'));
      }
    },
    600_000 + TRANSACTIONS * TIMEOUT_MS,
  );
});

describe('one response for four transactions of a token with the same question, over three servers', () => {
  it('is accepted for one of them', async () => {
    const serials = named('replayed', 5);
    const tokens = await forEach(serials, AT_ONCE, (serial) => openTransactions(serial, NEVER_LOCKS, 4));
    const begun = performance.now();
    const outcomes = await forEach(tokens, 1, async (four) => {
      const tan = four[0]?.tan ?? '';
      return Promise.all(
        four.map(async (transaction) => ({
          transaction,
          reported: await race.run(answers(transaction.transactionid, tan, 16, always)),
        })),
      );
    });
    const counted = await compare(outcomes.flat());
    tell('one response to four', counted, begun);
    for (const serial of serials) {
      const its = counted.filter(({ outcome }) => outcome.transaction.serial === serial);
      expect(its.map(({ times }) => times('accepted')).reduce((all, one) => all + one)).toBe(1);
      expect(await tokenOf(serial)).toEqual({ fail_count: 48, counter: '1' });
    }
  });
});

describe('the audit trail of it all', () => {
  it('verifies', async () => {
    const { code, output } = await runTankeeper(['audit', 'verify'], environment);
    expect({ code, output }).toMatchObject({ code: 0 });
  });
});
