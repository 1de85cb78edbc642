import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Decision, ChallengeOfToken } from '../../src/challenges/challenge.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import type { Database } from '../../src/database/database.ts';
import { SHARING, type Sharing } from '../../src/database/prepared-statements.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import type { Token } from '../../src/tokens/token.ts';
import { AuditedDatabase } from '../support/database/audited-database.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { statementsOf } from '../support/database/sql-tap.ts';
import { deferred } from '../support/values/until.ts';
import { challengeOf, rightly, wrongly } from '../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

type Decide = (found: ChallengeOfToken) => Promise<Decision>;

/** A server as others see it. */
interface Server {
  readonly database: Database;
  readonly challenges: ChallengeStore;
  readonly issues: ChallengeIssueStore;
  readonly tokens: TokenStore;
}

let audited: AuditedDatabase;
let server: Server;
let number = 0;

beforeEach(async () => {
  audited = await AuditedDatabase.create();
  server = opened();
});
afterEach(() => audited.drop());

function opened(sharing: Sharing = SHARING): Server {
  const database = audited.server(sharing);
  return {
    database,
    challenges: new ChallengeStore({ database }),
    issues: new ChallengeIssueStore({ database }),
    tokens: new TokenStore({ database }),
  };
}

function sql(text: string): Promise<unknown> {
  return audited.test.database.knex.raw(text);
}

async function newTokens(count: number): Promise<readonly Token[]> {
  const tokens: Token[] = [];
  for (let left = count; left > 0; left -= 1) {
    number += 1;
    tokens.push(await server.tokens.insert(tokenValue(`SHARED${number}`), ACT));
  }
  return tokens;
}

/** Tokens with an open challenge each, whose transaction id is the serial. */
async function withChallenges(count: number): Promise<readonly Token[]> {
  const tokens = await newTokens(count);
  await Promise.all(tokens.map((token) => server.issues.issue(challengeOf(token.id, token.serial), 4, ACT)));
  return tokens;
}

/** Answers all challenges; the decisions reach the database at the same moment. */
function answersTogether(
  tokens: readonly Token[],
  decideFor: (token: Token, place: number) => Decide = () => rightly(),
): Promise<PromiseSettledResult<Decision | undefined>[]> {
  const all = deferred<undefined>();
  let left = tokens.length;
  return Promise.allSettled(
    tokens.map((token, place) => {
      let isFirst = true;
      return server.challenges.answer(
        token.serial,
        async (found) => {
          const decision = await decideFor(token, place)(found);
          if (isFirst) {
            isFirst = false;
            left -= 1;
            if (left === 0) {
              all.resolve(undefined);
            }
            await all.promise;
          }
          return decision;
        },
        ACT,
      );
    }),
  );
}

const isWrite = (statement: string): boolean => statement.startsWith('WITH request');

/** Expects that each token was answered as often as `counters` says, with as many audit rows, which verify. */
async function expectCounters(tokens: readonly Token[], counters = tokens.map(() => 1)): Promise<void> {
  const found = await Promise.all(tokens.map(({ serial }) => server.tokens.findBySerial(serial)));
  expect(found.map((token) => Number(token?.counter))).toEqual(counters);
  const serials = tokens.map(({ serial }) => serial);
  const accepted = await audited.test.database
    .knex('audit')
    .whereIn('subject', serials)
    .where('outcome', 'accepted')
    .pluck<string[]>('subject');
  expect(accepted.sort()).toEqual(serials.filter((_serial, place) => counters[place] === 1).sort());
  expect((await audited.verify()).all).toEqual([]);
}

const results = (settled: readonly PromiseSettledResult<Decision | undefined>[]): unknown[] =>
  settled.map((each) => (each.status === 'fulfilled' ? each.value?.result : 'failed'));

describe('responses at the same moment', () => {
  it('share statements: 40 of them take a few', async () => {
    const tokens = await withChallenges(40);
    const statements = await statementsOf(async () => {
      expect(results(await answersTogether(tokens))).toEqual(tokens.map(() => true));
    });
    expect(statements.length).toBeLessThanOrEqual(6);
    expect(statements.filter(isWrite)).toHaveLength(1);
    await expectCounters(tokens);
  });

  it('are 200, and all are settled, in groups of 64 at most', async () => {
    const tokens = await withChallenges(200);
    const statements = await statementsOf(async () => {
      expect(results(await answersTogether(tokens))).toEqual(tokens.map(() => true));
    });
    expect(statements.filter(isWrite).length).toBeGreaterThanOrEqual(4);
    expect(statements.filter(isWrite).length).toBeLessThanOrEqual(8);
    await expectCounters(tokens);
  });

  it('are decided again, and alone, where their token has changed', async () => {
    const tokens = await withChallenges(6);
    let looks = 0;
    const settled = await answersTogether(tokens, (token, place) => async (found) => {
      if (place === 2) {
        looks += 1;
        if (looks === 1) {
          await sql(`UPDATE tokens SET fail_count = 3 WHERE id = ${token.id}`);
        }
      }
      return rightly()(found);
    });
    expect(results(settled)).toEqual(tokens.map(() => true));
    expect(looks).toBe(2);
    await expectCounters(tokens);
  });

  it('do not wait for one whose token is locked', async () => {
    const tokens = await withChallenges(6);
    const [locked, ...others] = tokens as [Token, ...Token[]];
    const holder = await audited.test.database.knex.transaction();
    await holder('tokens').where({ id: locked.id }).forUpdate();
    const isSettled: string[] = [];
    const all = Promise.all(
      tokens.map(async ({ serial }) => {
        await server.challenges.answer(serial, rightly(), ACT);
        isSettled.push(serial);
      }),
    );
    await untilWaiting(audited.test.database);
    expect([...isSettled].sort()).toEqual(others.map(({ serial }) => serial).sort());
    await holder.rollback();
    await all;
    await expectCounters(tokens);
  });

  it('for one token count each', async () => {
    const [token] = (await newTokens(1)) as [Token];
    const ids = Array.from({ length: 8 }, (_, index) => `${token.serial}-${index}`);
    for (const id of ids) {
      await server.issues.issue(challengeOf(token.id, id), 8, ACT);
    }
    await Promise.all(ids.map((id) => server.challenges.answer(id, wrongly(1_000), ACT)));
    expect(await server.tokens.findBySerial(token.serial)).toMatchObject({ failCount: 8 });
    expect((await audited.verify()).all).toEqual([]);
  });

  it.each<[string, (decision: Decision) => Decision]>([
    ['breaks a constraint', (decision) => changed(decision, { wrongCount: -1 }, {})],
    [
      'has a number that is no integer of PostgreSQL',
      (decision) => changed(decision, {}, { failCount: 2 ** 31 }),
    ],
    ['has a text that is no JSON of PostgreSQL', (decision) => changed(decision, {}, { syncMarker: 'a\0b' })],
  ])('fail alone where one %s', async (_title, spoil) => {
    const tokens = await withChallenges(5);
    const settled = await answersTogether(tokens, (_token, place) => async (found) => {
      const decision = await rightly()(found);
      return place === 1 ? spoil(decision) : decision;
    });
    expect(results(settled)).toEqual([true, 'failed', true, true, true]);
    await expectCounters(tokens, [1, 0, 1, 1, 1]);
  });

  it('all fail with 503 where the outcome of their statement is unknown', async () => {
    const tokens = await withChallenges(5);
    await sql(`CREATE FUNCTION end_here() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); RETURN NULL; END $$;
      CREATE TRIGGER a_end AFTER UPDATE ON tokens FOR EACH ROW
        WHEN (NEW.serial = '${tokens[3]?.serial ?? ''}') EXECUTE FUNCTION end_here()`);
    const settled = await answersTogether(tokens);
    await sql('DROP TRIGGER a_end ON tokens');
    expect(
      settled.map((each) => each.status === 'rejected' && (each.reason as { code?: unknown }).code),
    ).toEqual(tokens.map(() => 'database.unavailable'));
    expect(results(await answersTogether(tokens))).toEqual(tokens.map(() => true));
    await expectCounters(tokens);
  });

  it('are settled without one whose challenge is just being deleted by hand', async () => {
    const tokens = await withChallenges(4);
    const operator = await audited.test.database.knex.transaction();
    await operator('challenges')
      .where({ transaction_id: tokens[1]?.serial ?? '' })
      .delete();
    const all = answersTogether(tokens);
    await untilWaiting(audited.test.database);
    await operator.commit();
    expect(results(await all)).toEqual([true, 'failed', true, true]);
    await expectCounters(tokens, [1, 0, 1, 1]);
  });
});

function changed(
  decision: Decision,
  challenge: Partial<NonNullable<Decision['change']>['challenge']>,
  token: NonNullable<Decision['change']>['token'],
): Decision {
  const { change } = decision;
  return change === null
    ? decision
    : {
        ...decision,
        change: {
          ...change,
          token: { ...change.token, ...token },
          challenge: { ...change.challenge, ...challenge },
        },
      };
}

describe('a statement that PostgreSQL aborts in favour of others', () => {
  it.each([
    ['40001', 1],
    ['40P01', 1],
    ['40001', 5],
    ['40P01', 5],
    // A month of the audit was made meanwhile.
    ['23514', 1],
    ['23514', 5],
  ])('with %s is repeated for %d responses', async (code, count) => {
    const tokens = await withChallenges(count);
    await sql(`CREATE SEQUENCE aborts;
      CREATE FUNCTION abort_some() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('aborts') <= 2 THEN
          RAISE EXCEPTION 'in favour of another' USING ERRCODE = '${code}', TABLE = 'audit_default';
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER a_abort AFTER UPDATE ON tokens FOR EACH STATEMENT EXECUTE FUNCTION abort_some()`);
    const settled = await answersTogether(tokens);
    expect(results(settled)).toEqual(tokens.map(() => true));
    await expectCounters(tokens);
  });
});

describe('requests for a challenge at the same moment', () => {
  const asSeen = (token: Token, transactionId: string, question = 'Q'): ReturnType<typeof challengeOf> => ({
    ...challengeOf(token.id, transactionId),
    question,
    seen: token,
  });

  it('share a statement', async () => {
    const tokens = await newTokens(30);
    const statements = await statementsOf(async () => {
      const issued = tokens.map((token) => server.issues.issue(asSeen(token, token.serial), 4, ACT));
      expect(await Promise.all(issued)).toEqual(tokens.map(() => 'Q'));
    });
    expect(statements).toHaveLength(1);
    expect((await audited.verify()).all).toEqual([]);
  });

  it('do not fail with one whose transaction id is in use', async () => {
    const tokens = await withChallenges(4);
    const [{ serial: used }] = tokens as [Token];
    const read = await Promise.all(tokens.map(({ serial }) => server.tokens.findBySerial(serial)));
    const now = read.filter((token) => token !== undefined);
    const ids = tokens.map(({ serial }, place) => (place === 2 ? used : `${serial}-again`));
    const issued = now.map((token, place) => server.issues.issue(asSeen(token, ids[place] ?? ''), 4, ACT));
    expect(await Promise.all(issued)).toEqual(['Q', 'Q', undefined, 'Q']);
    expect((await audited.verify()).all).toEqual([]);
  });

  it('for one token supersede as they would one after the other', async () => {
    const [token] = (await newTokens(1)) as [Token];
    const issued = Array.from({ length: 6 }, (_, index) =>
      server.issues.issue(asSeen(token, `${token.serial}-${index}`), 2, ACT),
    );
    expect(await Promise.all(issued)).toEqual(issued.map(() => 'Q'));
    expect(await server.challenges.find({ serial: token.serial, open: true })).toHaveLength(2);
    expect(await server.challenges.find({ serial: token.serial })).toHaveLength(6);
    expect((await audited.verify()).all).toEqual([]);
  });

  it('keep their texts', async () => {
    const texts = ['"\\', '\u0001\u001f\u2028\uffff', '😀', "'; --", '\\u0000', '{"a":null}', ''];
    const tokens = await newTokens(texts.length);
    await Promise.all(
      tokens.map((token, place) => server.issues.issue(asSeen(token, token.serial, texts[place]), 4, ACT)),
    );
    const stored = await Promise.all(
      tokens.map(({ serial }) => server.challenges.find({ transactionId: serial })),
    );
    expect(stored.map(([found]) => found?.challenge.question)).toEqual(texts);
  });
});

describe('a request behind statements that take too long', () => {
  it('is refused with 503 after the longest wait', async () => {
    const tokens = await withChallenges(2);
    server = opened({ maxItems: 1, maxGroups: 1, maxWaitMs: 100 });
    await server.database.audit.outbox.open(server.database.knex);
    const holder = await audited.test.database.knex.transaction();
    await holder.raw('LOCK TABLE audit IN ACCESS EXCLUSIVE MODE');
    const [first, second] = tokens.map(({ serial }) => server.challenges.answer(serial, rightly(), ACT));
    await expect(second).rejects.toMatchObject({ code: 'database.unavailable' });
    await holder.rollback();
    expect(await first).toMatchObject({ result: true });
    await expectCounters(tokens, [1, 0]);
  });
});

describe('responses whose statement writes in part', () => {
  it('fail, and leave no audit row', async () => {
    const tokens = await withChallenges(3);
    await sql(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER a_lose BEFORE UPDATE ON challenges FOR EACH ROW
        WHEN (NEW.transaction_id = '${tokens[1]?.serial ?? ''}') EXECUTE FUNCTION lose()`);
    const settled = await answersTogether(tokens);
    await sql('DROP TRIGGER a_lose ON challenges');
    expect(results(settled)).toEqual(['failed', 'failed', 'failed']);
    const next = await withChallenges(2);
    expect(results(await answersTogether(next))).toEqual([true, true]);
    await audited.seal();
    expect(await audited.verify()).toMatchObject({ all: [] });
  });
});
