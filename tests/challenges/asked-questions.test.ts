import { beforeAll, expect, it } from '@jest/globals';
import { ShownQuestions } from '../../src/ocra/question.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { NEW_TOKEN_COLUMNS } from '../../src/tokens/token-rows-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { statementsOf } from '../support/database/sql-tap.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { challengeOf } from '../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

// One connection, which keeps its settings.
const test = databaseOfTests({ poolSize: 1 });
let tokens: TokenStore;
let issues: ChallengeIssueStore;

beforeAll(() => {
  tokens = new TokenStore({ database: test.database });
  issues = new ChallengeIssueStore({ database: test.database });
});

/** Stores challenges of a token with one text, whose questions are these numbers. */
async function store(tokenId: string, first: number, last: number): Promise<void> {
  await test.database.knex.raw(
    `INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until, closed_by, closed_at)
     SELECT 'stored ' || :tokenId || ' ' || n, :tokenId, lpad(n::text, 4, '0'), 'A', now(), now(), 'superseded', now()
     FROM generate_series(:first::integer, :last::integer) AS n`,
    { tokenId, first, last },
  );
}

/** Tries to issue a challenge. */
async function issue(serial: string, question: string): Promise<void> {
  const seen = await tokens.findBySerial(serial);
  const questions = new ShownQuestions(parseOcraSuite('OCRA-1:HOTP-SHA256-8:QN04'), question, systemRandom);
  const challenge = { ...challengeOf(seen?.id ?? '', serial), question, questions, data: 'B' };
  await issues.issue({ ...challenge, ...(seen && { seen }) }, 4, ACT).catch(() => undefined);
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

/** @returns the parts that read challenges for questions, of the plan of the statement that issues, for any values */
async function looksOfIssues(
  serials: readonly [string, ...string[]],
): Promise<readonly (readonly string[])[]> {
  const [first, ...others] = serials;
  const issued = await statementsOf(async () => {
    await issue(first, '0042');
    await Promise.all(others.map((serial) => issue(serial, '0042')));
  });
  // The same for one request and for several.
  const [sql = '', ...more] = new Set(issued.filter((text) => text.includes('AS asked')));
  expect(more).toEqual([]);
  const plan = await genericPlanOf(sql);
  return [plan.filter((line) => / on challenges asked|challenges_question_idx/.test(line))];
}

const BY_INDEX = expect.stringMatching(/Index Scan (?:using|on) challenges_question_idx/);
const WHOLE = expect.stringContaining('Seq Scan on challenges asked');

it('an issue looks its question up by the index, also in a plan of a table without statistics', async () => {
  const serials = ['YOUNG1', 'YOUNG2', 'YOUNG3', 'YOUNG4', 'YOUNG5'] as const;
  for (const serial of serials) {
    const { id } = await tokens.insert(tokenValue(serial), ACT);
    await store(id, 0, 59);
  }
  for (const looks of await looksOfIssues(serials)) {
    expect(looks).toContainEqual(BY_INDEX);
    expect(looks).not.toContainEqual(WHOLE);
  }
});

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
    `INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until)
     SELECT serial || n, id, lpad((7 * id + n)::text, 4, '0'), 'A', now(), now() + interval '20 minutes'
     FROM tokens, generate_series(1, 2) AS n
     WHERE serial LIKE 'OTHER%'`,
  );
  await store(id, 0, 9_999);
  await knex.raw('ANALYZE challenges');
  for (const looks of await looksOfIssues(['BUSY', 'OTHER1', 'OTHER2', 'OTHER3', 'OTHER4'])) {
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
