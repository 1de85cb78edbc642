import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChallengeOfToken, decideDecline, type Decision } from '../../src/challenges/challenge.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { SHARING, UNSHARED } from '../../src/database/prepared-statements.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { challengeOf, NOW, rightly, wrongly } from '../support/values/challenge-answers.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

type Decide = (found: ChallengeOfToken) => Promise<Decision>;

const SERVERS = 8;

let tokens: TokenStore;
/**
 * As many servers: each with a pool and a store of its own, knowing of the others through the database only. In every
 * other one, requests share statements.
 */
let pools: Database[];
let servers: ChallengeStore[];
let issues: ChallengeIssueStore[];
let here: ChallengeStore;
let there: ChallengeStore;
let number = 0;

afterAll(() => Promise.all(pools.map((pool) => pool.close())));

const test = databaseOfTests();

beforeAll(() => {
  tokens = new TokenStore({ database: test.database });
  pools = Array.from({ length: SERVERS }, (_, index) =>
    openDatabase({ connection: test.url, poolSize: 6, sharing: index % 2 === 0 ? SHARING : UNSHARED }),
  );
  servers = pools.map((database) => new ChallengeStore({ database }));
  issues = pools.map((database) => new ChallengeIssueStore({ database }));
  [here, there] = servers as [ChallengeStore, ChallengeStore];
});

const declining: Decide = ({ challenge, token }) =>
  Promise.resolve(decideDecline(challenge, token, 'reported', NOW));

interface Named {
  readonly id: string;
  readonly serial: string;
}

async function newToken(changes: Parameters<typeof tokenValue>[1] = {}): Promise<Named> {
  number += 1;
  return tokens.insert(tokenValue(`OCRA${number}`, changes), ACT);
}

/** Issues a challenge as the service does. */
async function issued(token: Named, transactionId = `T${token.id}`, maxOpen = 4): Promise<string> {
  const seen = await tokens.findBySerial(token.serial);
  const challenge = { ...challengeOf(token.id, transactionId), ...(seen && { seen }) };
  expect(await issues[0]?.issue(challenge, maxOpen, ACT)).toBe('Q');
  return transactionId;
}

/** The same thing at once, in turn over the servers. */
function atOnce<Store, T>(
  stores: readonly Store[],
  times: number,
  work: (store: Store, index: number) => Promise<T>,
): Promise<T[]> {
  const all = Array.from({ length: Math.ceil(times / SERVERS) }, () => stores).flat();
  return Promise.all(all.slice(0, times).map(work));
}

/** Decides as `decide` does; at the first look, `meanwhile` happens before the decision gets to the database. */
function interrupted(
  decide: Decide,
  meanwhile: (found: ChallengeOfToken) => Promise<unknown>,
): {
  looks: ChallengeOfToken[];
  decide: Decide;
} {
  const looks: ChallengeOfToken[] = [];
  return {
    looks,
    decide: async (found) => {
      looks.push(found);
      const decision = await decide(found);
      if (looks.length === 1) {
        await meanwhile(found);
      }
      return decision;
    },
  };
}

describe('many answers at once to a challenge', () => {
  it('counts 50 wrong responses to one transaction as 50', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const decisions = await atOnce(servers, 50, (server) =>
      server.answer(transactionId, wrongly(1_000), ACT),
    );
    expect(decisions.map((decision) => decision?.failCount ?? 0).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    expect(await tokens.findBySerial(token.serial)).toMatchObject({ failCount: 50 });
    expect((await here.find({ transactionId }))[0]?.challenge.wrongCount).toBe(50);
  });

  it('closes a challenge with exactly the third of 20 wrong responses', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    await atOnce(servers, 20, (server) => server.answer(transactionId, wrongly(), ACT));
    expect(await tokens.findBySerial(token.serial)).toMatchObject({ failCount: 3 });
    expect((await here.find({ transactionId }))[0]?.challenge).toMatchObject({
      wrongCount: 3,
      closedBy: 'exhausted',
    });
  });

  it('moves the counter on for each of the challenges of one token that are answered rightly', async () => {
    const token = await newToken();
    const ids = ['a', 'b', 'c', 'd'].map((name) => `${token.serial}-${name}`);
    for (const id of ids) {
      await issued(token, id);
    }
    const decisions = await atOnce(servers, 32, (server, index) =>
      server.answer(ids[index % 4] ?? '', rightly(), ACT),
    );
    expect(decisions.filter((decision) => decision?.result === true)).toHaveLength(4);
    expect(await tokens.findBySerial(token.serial)).toMatchObject({
      counter: 4n,
      replayMarkers: ['mark 0', 'mark 1', 'mark 2', 'mark 3'],
    });
  });

  it('waits in the server, not in the database, so that others find a free connection', async () => {
    const transactionId = await issued(await newToken());
    const looks = await Promise.all(
      Array.from({ length: 30 }, () =>
        here.answer(
          transactionId,
          async (found) => {
            await pools[0]?.knex.raw('SELECT pg_sleep(0.002)');
            return wrongly(1_000)(found);
          },
          ACT,
        ),
      ),
    );
    expect(looks.map((look) => look?.failCount)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it('decides under contention, though deciding asks the database, too', async () => {
    const own = await Promise.all(Array.from({ length: 12 }, () => newToken()));
    const ids: string[] = [];
    for (const token of own) {
      ids.push(await issued(token));
    }
    const asking: (database: Database | undefined) => Decide = (database) => async (found) => {
      await database?.knex('users').first();
      return wrongly(1_000)(found);
    };
    await atOnce(servers, 12 * SERVERS, (server, index) =>
      server.answer(ids[Math.floor(index / SERVERS)] ?? '', asking(pools[index % SERVERS]), ACT),
    );
    const counts = await Promise.all(
      own.map(async ({ serial }) => (await tokens.findBySerial(serial))?.failCount),
    );
    expect(counts).toEqual(own.map(() => SERVERS));
  });
});

describe('an answer between a look and its decision on a challenge', () => {
  it('another server accepts: this one sees it in the second pass', async () => {
    const transactionId = await issued(await newToken());
    const race = interrupted(rightly(), () => there.answer(transactionId, rightly(), ACT));
    expect(await here.answer(transactionId, race.decide, ACT)).toMatchObject({ reason: 'closed' });
    expect(race.looks).toHaveLength(2);
  });

  it('another server counts a wrong one: both count', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const race = interrupted(wrongly(), () => there.answer(transactionId, wrongly(), ACT));
    expect(await here.answer(transactionId, race.decide, ACT)).toMatchObject({ failCount: 2 });
    expect(race.looks).toHaveLength(2);
  });

  it('another transaction of the token is accepted: its marks and counter are seen', async () => {
    const token = await newToken();
    const [first, second] = [await issued(token), await issued(token, `${token.serial}-second`)];
    const race = interrupted(rightly(), () => there.answer(first, rightly(), ACT));
    await here.answer(second, race.decide, ACT);
    expect(race.looks.map((look) => look.token.replayMarkers)).toEqual([[], ['mark 0']]);
    expect(await tokens.findBySerial(token.serial)).toMatchObject({ counter: 2n });
  });

  it.each([
    ['reset', { failCount: 0 }, { failCount: 1, reason: 'wrong' }],
    ['disabled', { active: false }, { failCount: 5, reason: 'disabled' }],
    ['locked', { maxFail: 5 }, { failCount: 6, reason: 'locked' }],
  ])('the token is %s: that stands', async (_, change, expected) => {
    const token = await newToken({ failCount: 5 });
    const transactionId = await issued(token);
    const race = interrupted(wrongly(), () => tokens.update(token.serial, change, ACT));
    expect(await here.answer(transactionId, race.decide, ACT)).toMatchObject(expected);
    expect(await tokens.findBySerial(token.serial)).toMatchObject({
      ...change,
      failCount: expected.failCount,
    });
  });

  it('the token is removed: there is no such transaction any more', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const race = interrupted(rightly(), () => tokens.removeAll([token.serial], ACT));
    expect(await here.answer(transactionId, race.decide, ACT)).toBeUndefined();
  });

  it('the challenge alone is removed: the token is left as it was', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const race = interrupted(wrongly(), () =>
      test.database.knex('challenges').where({ transaction_id: transactionId }).delete(),
    );
    expect(await here.answer(transactionId, race.decide, ACT)).toBeUndefined();
    expect(await tokens.findBySerial(token.serial)).toMatchObject({ failCount: 0 });
  });

  it('the challenge is pushed out by newer ones: it is not accepted', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const race = interrupted(rightly(), () => issued(token, `${token.serial}-newer`, 1));
    expect(await here.answer(transactionId, race.decide, ACT)).toMatchObject({ reason: 'dropped' });
  });

  it('another server takes a decline: the response is not accepted', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const race = interrupted(rightly(), () => there.answer(transactionId, declining, ACT));
    expect(await here.answer(transactionId, race.decide, ACT)).toMatchObject({ reason: 'dropped' });
    expect(await tokens.findBySerial(token.serial)).toMatchObject({ counter: 0n, failCount: 0 });
  });

  it('another server accepts: the decline comes too late', async () => {
    const transactionId = await issued(await newToken());
    const race = interrupted(declining, () => there.answer(transactionId, rightly(), ACT));
    expect(await here.answer(transactionId, race.decide, ACT)).toMatchObject({
      reason: 'closed',
      decline: 'reported',
      change: null,
    });
    expect((await here.find({ transactionId }))[0]?.challenge.closedBy).toBe('accepted');
  });

  it('nothing happens: one look is enough', async () => {
    const transactionId = await issued(await newToken());
    const calm = interrupted(rightly(), () => Promise.resolve());
    await here.answer(transactionId, calm.decide, ACT);
    expect(calm.looks).toHaveLength(1);
  });

  it('somebody changes the token and is about to commit: it waits, then looks again', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    let answer: Promise<Decision | undefined> | undefined;
    const seen: Decision['reason'][] = [];
    await test.database.knex.transaction(async (transaction) => {
      await transaction('tokens').where({ id: token.id }).update({ active: false });
      answer = here.answer(
        transactionId,
        async (found) => {
          const decision = await rightly()(found);
          seen.push(decision.reason);
          return decision;
        },
        ACT,
      );
      await untilWaiting(test.database);
    });
    expect(await answer).toMatchObject({ result: false, reason: 'disabled' });
    expect(seen).toEqual(['accepted', 'disabled']);
  });

  it('somebody changes the token and rolls back: decides again under the lock', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const calm = interrupted(rightly(), () => Promise.resolve());
    const transaction = await test.database.knex.transaction();
    await transaction('tokens').where({ id: token.id }).update({ active: false });
    const answer = here.answer(transactionId, calm.decide, ACT);
    await untilWaiting(test.database);
    await transaction.rollback();
    expect(await answer).toMatchObject({ result: true });
    expect(calm.looks).toHaveLength(2);
  });

  it('somebody accepts while the second pass waits for the lock: it sees the challenge closed', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const holder = await test.database.knex.transaction();
    const race = interrupted(rightly(), async () => {
      await tokens.update(token.serial, { description: 'changed' }, ACT);
      await holder('tokens').where({ id: token.id }).forUpdate().select('id');
    });
    const answer = here.answer(transactionId, race.decide, ACT);
    await untilWaiting(test.database);
    await holder('tokens').where({ id: token.id }).update({ counter: 1 });
    await holder('challenges')
      .where({ token_id: token.id })
      .update({ received_tan: true, valid_tan: true, closed_by: 'accepted', closed_at: NOW });
    await holder.commit();
    expect(await answer).toMatchObject({ result: false, reason: 'closed' });
    expect(race.looks.at(-1)?.token.counter).toBe(1n);
  });
});

describe('many challenges issued at once', () => {
  it('never leave more open than allowed', async () => {
    const token = await newToken();
    const results = await atOnce(issues, 40, (store, index) =>
      store.issue(challengeOf(token.id, `${token.serial}-${index}`), 4, ACT),
    );
    expect(results).toEqual(results.map(() => 'Q'));
    const found = await here.find({ serial: token.serial });
    expect(found).toHaveLength(40);
    expect(found.filter(({ challenge }) => challenge.closedBy === null)).toHaveLength(4);
  });

  it('give a transaction id to one only', async () => {
    const own = await Promise.all(Array.from({ length: 16 }, () => newToken()));
    const results = await atOnce(issues, 16, (store, index) =>
      store.issue(challengeOf(own[index]?.id ?? '', 'wanted by all'), 4, ACT),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await here.find({ transactionId: 'wanted by all' })).toHaveLength(1);
  });

  it('and answered at once, are each either answered or pushed out', async () => {
    const token = await newToken();
    const ids = Array.from({ length: 24 }, (_, index) => `${token.serial}-${index}`);
    const decisions = await atOnce(servers, 24, async (server, index) => {
      const transactionId = ids[index] ?? '';
      await issued(token, transactionId, 2);
      return server.answer(transactionId, rightly(), ACT);
    });
    const accepted = decisions.filter((decision) => decision?.result === true).length;
    const found = await here.find({ serial: token.serial });
    expect(found.filter(({ challenge }) => challenge.validTan)).toHaveLength(accepted);
    expect(await tokens.findBySerial(token.serial)).toMatchObject({ counter: BigInt(accepted) });
  });
});
