import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Decision } from '../../../src/challenges/challenge.ts';
import type { ChallengeOfToken } from '../../../src/challenges/ports.ts';
import { SqlChallengeStore } from '../../../src/storage/challenges/challenge-store.ts';
import { IssuedChallenges } from '../../../src/storage/challenges/issued-challenges.ts';
import { type Database, openDatabase } from '../../../src/storage/database/database.ts';
import { SHARING, UNSHARED } from '../../../src/storage/database/sharing.ts';
import { SqlTokenStore } from '../../../src/storage/tokens/token-store.ts';
import { SqlTap } from '../../support/database/sql-tap.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { NOW, rightly, wrongly } from '../../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../../support/values/token-values.ts';

let test: TestDatabase;
let tokens: SqlTokenStore;
let pools: readonly Database[];
/** The server that has issued the challenges, and another one. */
let here: SqlChallengeStore;
let there: SqlChallengeStore;
let number = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  tokens = new SqlTokenStore({ database: test.database });
  pools = [SHARING, UNSHARED].map((sharing) => openDatabase({ connection: test.url, poolSize: 4, sharing }));
  [here, there] = pools.map((database) => new SqlChallengeStore({ database })) as [
    SqlChallengeStore,
    SqlChallengeStore,
  ];
});

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  await test.drop();
});

async function newToken(): Promise<string> {
  number += 1;
  return (await tokens.insert(tokenValue(`OCRA${number}`, { maxFail: 3 }), ACT)).serial;
}

/** Issues a challenge as the service does, for the token as it is. */
async function issued(serial: string, store = here): Promise<string> {
  number += 1;
  const transactionId = `T${number}`;
  const seen = await tokens.findBySerial(serial);
  if (seen === undefined) {
    throw new Error(`there is no token ${serial}`);
  }
  const challenge = { tokenId: seen.id, transactionId, question: 'Q1', data: 'D', issuedAt: NOW, seen };
  expect(await store.issue(challenge, 4, ACT)).toBe(true);
  return transactionId;
}

/** @returns the beginnings of the statements of the work */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const statements: string[] = [];
  const tap = new SqlTap({
    text: (text) => {
      statements.push(text.trimStart().slice(0, 6));
      return text;
    },
  });
  try {
    await work();
  } finally {
    tap.close();
  }
  return statements;
}

describe('a challenge that this server has issued', () => {
  it('is answered by one statement, as a read would have found it', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    const [read] = await there.find({ transactionId });
    const found: ChallengeOfToken[] = [];
    const decide = (seen: ChallengeOfToken): Promise<Decision> => {
      found.push(seen);
      return rightly()(seen);
    };
    let decision: Decision | undefined;
    const statements = await statementsOf(async () => {
      decision = await here.answer(transactionId, decide, ACT);
    });
    expect(statements).toEqual(['WITH w']);
    expect(found).toEqual([read]);
    expect(decision).toMatchObject({ result: true, reason: 'accepted' });
    expect((await there.find({ transactionId }))[0]?.challenge).toMatchObject({ closedBy: 'accepted' });
    expect(await tokens.findBySerial(serial)).toMatchObject({ counter: 1n, replayMarkers: ['mark 0'] });
  });

  it('is read for a second response', async () => {
    const transactionId = await issued(await newToken());
    expect(await here.answer(transactionId, wrongly(), ACT)).toMatchObject({ reason: 'wrong', failCount: 1 });
    const statements = await statementsOf(async () => {
      expect(await here.answer(transactionId, wrongly(), ACT)).toMatchObject({ failCount: 2 });
    });
    expect(statements).toEqual(['SELECT', 'WITH w']);
  });

  it('is not accepted again after another server has accepted a response', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    expect(await there.answer(transactionId, rightly(), ACT)).toMatchObject({ result: true });
    expect(await here.answer(transactionId, rightly(), ACT)).toMatchObject({
      result: false,
      reason: 'closed',
    });
    expect(await tokens.findBySerial(serial)).toMatchObject({ counter: 1n });
  });

  it('takes the state of its token from the database if that has changed', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    const others = [await issued(serial, there), await issued(serial, there), await issued(serial, there)];
    for (const other of others) {
      await there.answer(other, wrongly(), ACT);
    }
    expect(await here.answer(transactionId, rightly(), ACT)).toMatchObject({
      ...{ result: false, reason: 'locked', failCount: 4 },
    });
  });

  it('is refused by a decision that changes nothing only as the database has it', async () => {
    const transactionId = await issued(await newToken());
    const reasons: (string | null)[] = [];
    const decision = await here.answer(
      transactionId,
      ({ challenge, token }) => {
        reasons.push(challenge.closedBy);
        return Promise.resolve({
          ...{ result: false, failCount: token.failCount, reason: 'expired', change: null },
        } as const);
      },
      ACT,
    );
    expect(decision).toMatchObject({ reason: 'expired' });
    // Once as it was issued, once as it was read.
    expect(reasons).toEqual([null, null]);
    const { rows } = await test.database.knex.raw<{ rows: { count: string }[] }>(
      'SELECT count(*) FROM audit WHERE transaction_id = ? AND outcome = ?',
      [transactionId, 'expired'],
    );
    expect(rows).toEqual([{ count: '1' }]);
  });

  it('is unknown if a database of an earlier time has another one in its place', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    // As after a failover that has lost the issue: another challenge has got its id, and the token the same version.
    await test.database
      .knex('challenges')
      .where({ transaction_id: transactionId })
      .update({ transaction_id: `${transactionId} anew` });
    expect(await here.answer(transactionId, rightly(), ACT)).toBeUndefined();
    expect(await there.find({ transactionId: `${transactionId} anew` })).toMatchObject([
      { challenge: { receivedTan: false, closedBy: null }, token: { counter: 0n } },
    ]);
  });
});

describe('challenges in memory', () => {
  function found(tokenId: string, transactionId: string): ChallengeOfToken {
    return { token: { id: tokenId }, challenge: { transactionId } } as ChallengeOfToken;
  }

  it('serve one response, for two minutes', () => {
    let now = 0;
    const memory = new IssuedChallenges(() => now);
    memory.keep(found('1', 'A'));
    memory.keep(found('2', 'B'));
    now = 119_999;
    expect(memory.take('A')).toEqual(found('1', 'A'));
    expect(memory.take('A')).toBeUndefined();
    now = 120_000;
    expect(memory.take('B')).toBeUndefined();
  });

  it('are the newest of each token, a bounded number', () => {
    const memory = new IssuedChallenges(() => 0);
    memory.keep(found('1', 'A'));
    memory.keep(found('1', 'B'));
    expect(memory.take('A')).toBeUndefined();
    expect(memory.take('B')).toEqual(found('1', 'B'));
    for (let index = 0; index < 2_001; index += 1) {
      memory.keep(found(`t${index}`, `x${index}`));
    }
    expect(memory.take('x0')).toBeUndefined();
    expect(memory.take('x1')).toBeDefined();
  });
});
