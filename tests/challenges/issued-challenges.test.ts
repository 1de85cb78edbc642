import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';

import type { Decision } from '../../src/challenges/challenge.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { ChallengeOfToken } from '../../src/challenges/challenge.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import { IssuedChallenges } from '../../src/challenges/issued-challenges.ts';
import { type Database, openDatabase, poolUsage } from '../../src/database/database.ts';
import { SHARING, UNSHARED } from '../../src/database/sharing.ts';
import type { Sealed } from '../../src/keys/vault.ts';
import type { Token } from '../../src/tokens/token.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { untilWaiting } from '../support/database/lock-waits.ts';
import { SqlTap } from '../support/database/sql-tap.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { NOW, rightly, wrongly } from '../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';
import { QUESTIONS } from '../support/values/question-values.ts';

let test: TestDatabase;
let tokens: TokenStore;
let pools: readonly Database[];
/** The server that has issued the challenges, and another one. */
let here: ChallengeStore;
let there: ChallengeStore;
let number = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  tokens = new TokenStore({ database: test.database });
  pools = [SHARING, UNSHARED].map((sharing) => openDatabase({ connection: test.url, poolSize: 4, sharing }));
  [here, there] = pools.map((database) => new ChallengeStore({ database })) as [
    ChallengeStore,
    ChallengeStore,
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

async function stored(serial: string): Promise<Token> {
  const token = await tokens.findBySerial(serial);
  if (token === undefined) {
    throw new Error(`there is no token ${serial}`);
  }
  return token;
}

/** Decides on a right response as the service does for the last phase of a roll-out. */
async function completing(found: ChallengeOfToken): Promise<Decision> {
  const decision = await rightly()(found);
  return decision.change === null
    ? decision
    : {
        ...decision,
        change: { ...decision.change, token: { ...decision.change.token, rollout: 'complete' } },
      };
}

/** Issues a challenge as the service does, for the token as it is. */
async function issued(serial: string, store = here): Promise<string> {
  number += 1;
  const transactionId = `T${number}`;
  const seen = await stored(serial);
  const challenge = {
    tokenId: seen.id,
    transactionId,
    question: 'Q1',
    questions: QUESTIONS,
    data: 'D',
    issuedAt: NOW,
    seen,
  };
  expect(await store.issue(challenge, 4, ACT)).toBe('Q1');
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
      result: false,
      reason: 'locked',
      failCount: 4,
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
          result: false,
          failCount: token.failCount,
          reason: 'expired',
          change: null,
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

describe('a challenge that this server has issued and that has changed since', () => {
  it('is read and answered without a lock, while another token of its lane is locked', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    const lane = (id: string): bigint => BigInt(id) % 4n;
    const { id } = await stored(serial);
    let blocked = await stored(await newToken());
    while (lane(blocked.id) !== lane(id)) {
      blocked = await stored(await newToken());
    }
    const other = await issued(blocked.serial);
    const holder = await test.database.knex.transaction();
    await holder('tokens').where({ id: blocked.id }).forUpdate().select('id');
    const waiting = here.answer(other, rightly(), ACT);
    await untilWaiting(test.database);
    await tokens.update(serial, { description: 'changed' }, ACT);
    expect(await here.answer(transactionId, rightly(), ACT)).toMatchObject({ result: true });
    await holder.rollback();
    expect(await waiting).toMatchObject({ result: true });
  });

  it('is decided without the connection of a second pass, as deciding may need another one', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    await tokens.update(serial, { description: 'changed' }, ACT);
    const used: number[] = [];
    const decide = (seen: ChallengeOfToken): Promise<Decision> => {
      used.push(poolUsage(pools[0] ?? test.database).used);
      return rightly()(seen);
    };
    expect(await here.answer(transactionId, decide, ACT)).toMatchObject({ result: true });
    expect(used).toEqual([0, 0]);
  });

  it('is refused as the database has it, though the decision fails on what it was', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    await tokens.update(serial, { active: false }, ACT);
    const decide = (seen: ChallengeOfToken): Promise<Decision> =>
      seen.token.active
        ? Promise.reject(new ServiceError('secret.unreadable', 'an old key'))
        : rightly()(seen);
    expect(await here.answer(transactionId, decide, ACT)).toMatchObject({ reason: 'disabled' });
  });

  it('hides no fault of the decision', async () => {
    const transactionId = await issued(await newToken());
    const decide = (): Promise<Decision> => Promise.reject(new TypeError('a fault'));
    await expect(here.answer(transactionId, decide, ACT)).rejects.toThrow('a fault');
    expect(await here.answer(transactionId, rightly(), ACT)).toMatchObject({ result: true });
  });

  it('stays closed where it was closed by a statement that did not write its token', async () => {
    const [one, two] = [await newToken(), await newToken()];
    const ids = [await issued(one), await issued(two)];
    await test.database
      .knex('challenges')
      .whereIn('transaction_id', ids)
      .update({ closed_by: 'superseded', closed_at: NOW });
    // By both ways to settle: that of a roll-out changes more of the token.
    const decisions = [rightly(), completing].map((decide, index) =>
      here.answer(ids[index] ?? '', decide, ACT),
    );
    expect(await Promise.all(decisions)).toMatchObject([{ reason: 'dropped' }, { reason: 'dropped' }]);
  });

  it('is unknown to the way to settle that a roll-out takes, where another one has its place', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    await test.database
      .knex('challenges')
      .where({ transaction_id: transactionId })
      .update({ transaction_id: `${transactionId} anew` });
    expect(await here.answer(transactionId, completing, ACT)).toBeUndefined();
    expect(await stored(serial)).toMatchObject({ rollout: 'complete', counter: 0n });
  });

  it.each([
    ['another response for its token', (serial: string) => answeredThere(serial)],
    ['a challenge that was issued another way', (serial: string) => issuedUnseen(serial)],
  ])('is not taken from memory any more: %s', async (_title, change) => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    await change(serial);
    const looks: ChallengeOfToken[] = [];
    const decide = (seen: ChallengeOfToken): Promise<Decision> => {
      looks.push(seen);
      return wrongly()(seen);
    };
    await here.answer(transactionId, decide, ACT);
    expect(looks).toHaveLength(1);
  });

  /** Another challenge of the token, issued before on the other server, gets its response here. */
  async function answeredThere(serial: string): Promise<void> {
    const [latest] = await here.find({ serial });
    const other = await issued(serial, there);
    expect(latest?.challenge.transactionId).not.toBe(other);
    expect(await here.answer(other, wrongly(), ACT)).toMatchObject({ reason: 'wrong' });
  }

  async function issuedUnseen(serial: string): Promise<void> {
    const challenge = {
      tokenId: (await stored(serial)).id,
      question: 'Q1',
      questions: QUESTIONS,
      data: 'D',
      issuedAt: NOW,
    };
    expect(await here.issue({ ...challenge, transactionId: `${serial} unseen` }, 4, ACT)).toBe('Q1');
  }
});

describe('a challenge of a token whose state must be the present one', () => {
  it('is read before the decision', async () => {
    const serial = await newToken();
    const transactionId = await issued(serial);
    await there.answer(transactionId, rightly(), ACT);
    const looks: (string | null)[] = [];
    const decide = (seen: ChallengeOfToken): Promise<Decision> => {
      looks.push(seen.challenge.closedBy);
      return rightly()(seen);
    };
    await here.answer(transactionId, decide, ACT, ({ serial: asked }) => asked !== serial);
    expect(looks).toEqual(['accepted']);
  });
});

describe('challenges in memory', () => {
  const SECRETS = { seed: null, sharedSecret: null, nonce: null, pin: null, ocraPin: null };

  function found(tokenId: string, transactionId: string): ChallengeOfToken {
    return { token: { id: tokenId, secrets: SECRETS }, challenge: { transactionId } } as ChallengeOfToken;
  }

  afterEach(() => {
    jest.useRealTimers();
  });

  it('leave it when they are too old, also where nothing happens any more', () => {
    jest.useFakeTimers();
    const memory = new IssuedChallenges(() => 1 + performance.now());
    memory.keep(found('1', 'A'));
    jest.advanceTimersByTime(60_000);
    memory.keep(found('2', 'B'));
    jest.advanceTimersByTime(60_000);
    expect(memory.size).toBe(1);
    jest.advanceTimersByTime(120_000);
    expect(memory.size).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keep no memory in which other secrets may lie', () => {
    const seed = Buffer.from('00ff', 'hex') as Sealed;
    expect(seed.buffer.byteLength).toBeGreaterThan(seed.length);
    const memory = new IssuedChallenges(() => 0);
    const { token, challenge } = found('1', 'A');
    memory.keep({ challenge, token: { ...token, secrets: { ...SECRETS, seed } } });
    const kept = memory.consume('A')?.token.secrets.seed;
    expect(kept).toEqual(seed);
    expect(kept?.buffer.byteLength).toBe(seed.length);
  });

  it('serve one response, for two minutes', () => {
    let now = 1;
    const memory = new IssuedChallenges(() => now);
    memory.keep(found('1', 'A'));
    memory.keep(found('2', 'B'));
    now += 119_999;
    expect(memory.consume('A')).toEqual(found('1', 'A'));
    expect(memory.consume('A')).toBeUndefined();
    now += 1;
    expect(memory.consume('B')).toBeUndefined();
  });

  it('are the newest of each token, a bounded number', () => {
    const memory = new IssuedChallenges(() => 0);
    memory.keep(found('1', 'A'));
    memory.keep(found('1', 'B'));
    expect(memory.consume('A')).toBeUndefined();
    expect(memory.consume('B')).toEqual(found('1', 'B'));
    for (let index = 0; index < 1_001; index += 1) {
      memory.keep(found(`t${index}`, `x${index}`));
    }
    expect(memory.consume('x0')).toBeUndefined();
    expect(memory.consume('x1')).toBeDefined();
  });
});
