import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ShownQuestions } from '../../../src/ocra/question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { SqlChallengeStore } from '../../../src/storage/challenges/challenge-store.ts';
import { NEW_TOKEN_COLUMNS } from '../../../src/storage/tokens/token-rows.ts';
import { SqlTokenStore } from '../../../src/storage/tokens/token-store.ts';
import { SqlTap } from '../../support/database/sql-tap.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { NOW } from '../../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../../support/values/token-values.ts';

let test: TestDatabase;
let tokens: SqlTokenStore;
let challenges: SqlChallengeStore;

beforeAll(async () => {
  // One connection, which keeps its settings.
  test = await createTestDatabase({ poolSize: 1 });
  tokens = new SqlTokenStore({ database: test.database });
  challenges = new SqlChallengeStore({ database: test.database });
});
afterAll(() => test.drop());

/** Stores challenges of a token with one text, whose questions are these numbers. */
async function store(tokenId: string, first: number, last: number): Promise<void> {
  await test.database.knex.raw(
    `INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, closed_by, closed_at)
     SELECT 'stored ' || :tokenId || ' ' || n, :tokenId, lpad(n::text, 4, '0'), 'A', now(), 'superseded', now()
     FROM generate_series(:first::integer, :last::integer) AS n`,
    { tokenId, first, last },
  );
}

/** Tries to issue a challenge. */
async function issue(serial: string, question: string): Promise<void> {
  const seen = await tokens.findBySerial(serial);
  const questions = new ShownQuestions(parseOcraSuite('OCRA-1:HOTP-SHA256-8:QN04'), question, systemRandom);
  const challenge = { transactionId: serial, question, questions, data: 'B', issuedAt: NOW };
  await challenges
    .issue({ ...challenge, tokenId: seen?.id ?? '', ...(seen && { seen }) }, 4, ACT)
    .catch(() => undefined);
}

/** @returns the statements that reached the database meanwhile */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const statements: string[] = [];
  const tap = new SqlTap({
    text: (sql) => {
      statements.push(sql);
      return sql;
    },
  });
  await work().finally(() => {
    tap.close();
  });
  return statements;
}

/** @returns the plan of a prepared statement for any values */
async function genericPlanOf(sql: string): Promise<readonly string[]> {
  const { knex } = test.database;
  const values = Math.max(...Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  await knex.raw('SET plan_cache_mode = force_generic_plan');
  await knex.raw(`PREPARE looked_at AS ${sql}`);
  const { rows } = await knex.raw<{ rows: { 'QUERY PLAN': string }[] }>(
    `EXPLAIN EXECUTE looked_at (${Array.from({ length: values }, () => 'NULL').join()})`,
  );
  await knex.raw('DEALLOCATE looked_at');
  await knex.raw('RESET plan_cache_mode');
  return rows.map((row) => row['QUERY PLAN']);
}

it('an issue looks its question up by the index, also in a plan for any values', async () => {
  const { knex } = test.database;
  const { id } = await tokens.insert(tokenValue('BUSY'), ACT);
  // Most tokens have few challenges: the planner expects few of any token.
  const columns = [
    ...Object.keys(NEW_TOKEN_COLUMNS).filter((name) => name !== 'serial'),
    'realm_set_id',
  ].join();
  await knex.raw(
    `INSERT INTO tokens (serial, ${columns})
     SELECT 'OTHER' || n, ${columns} FROM tokens, generate_series(1, 3000) AS n WHERE serial = 'BUSY'`,
  );
  await knex.raw(
    `INSERT INTO challenges (transaction_id, token_id, question, data, issued_at)
     SELECT serial || n, id, lpad((7 * id + n)::text, 4, '0'), 'A', now() FROM tokens, generate_series(1, 2) AS n`,
  );
  await store(id, 0, 9_999);
  await knex.raw('ANALYZE challenges');
  const issued = await statementsOf(async () => {
    await issue('BUSY', '0042');
    await Promise.all(['OTHER1', 'OTHER2', 'OTHER3', 'OTHER4'].map((serial) => issue(serial, '0042')));
  });
  const issues = [...new Set(issued.filter((sql) => sql.includes('AS asked')))];
  // For one request, and for several.
  expect(issues.map((sql) => sql.includes('json_to_recordset')).sort()).toEqual([false, true]);
  for (const sql of issues) {
    const looks = (await genericPlanOf(sql)).filter((line) =>
      / on challenges asked|challenges_question_idx/.test(line),
    );
    expect(looks).toEqual([
      expect.stringContaining('Index Scan using challenges_question_idx on challenges asked'),
    ]);
  }
});

it('a request for a text of which no question is free reads only the questions that it could ask', async () => {
  const { id } = await tokens.insert(tokenValue('FULL'), ACT);
  await store(id, 0, 9_999);
  const looks = (await statementsOf(() => issue('FULL', '1234'))).filter((sql) => sql.includes('as "asked"'));
  // The first, some drawn ones, and all hundred.
  expect(looks).toHaveLength(3);
  expect(looks.filter((sql) => !sql.includes('= ANY'))).toEqual([]);
});
