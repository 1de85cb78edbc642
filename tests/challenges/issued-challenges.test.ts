import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChallengeOfToken, Decision } from '../../src/challenges/challenge.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import { IssuedChallenges } from '../../src/challenges/issued-challenges.ts';
import type { Token } from '../../src/tokens/token.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { SqlTap } from '../support/database/sql-tap.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { challengeOf, LATER, NOW, rightly, wrongly } from '../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const REVISION = 7n;

let test: TestDatabase;
let issued: IssuedChallenges;
let challenges: ChallengeStore;
let issues: ChallengeIssueStore;
let tokens: TokenStore;
/** Those that read or write, since the last call of `sent`. */
let statements: string[];
let tap: SqlTap;

beforeEach(async () => {
  test = await createTestDatabase();
  const { database } = test;
  issued = new IssuedChallenges();
  challenges = new ChallengeStore({ database, issued });
  issues = new ChallengeIssueStore({ database, issued });
  tokens = new TokenStore({ database });
  statements = [];
  tap = new SqlTap({ text: (text) => (statements.push(text), text) });
});
afterEach(() => {
  tap.close();
  return test.drop();
});

/** @returns a token to which challenges with these transaction ids were issued by this server */
async function tokenWith(...transactionIds: readonly string[]): Promise<Token | undefined> {
  const { id, serial } = await tokens.insert(tokenValue('T1'), ACT);
  for (const transactionId of transactionIds) {
    const seen = await tokens.findBySerial(serial);
    const challenge = { ...challengeOf(id, transactionId), question: `Q${transactionId}` };
    await issues.issue({ ...challenge, revision: REVISION, ...(seen && { seen }) }, 4, ACT);
  }
  return tokens.findBySerial(serial);
}

const sent = (): number => statements.splice(0).length;
const stored = (): Promise<Token | undefined> => tokens.findBySerial('T1');

describe('the first answer at the server that issued the challenge', () => {
  it('is decided on what would be read, and settled in one statement', async () => {
    await tokenWith('a');
    const [read] = await challenges.find({ transactionId: 'a' });
    const found: ChallengeOfToken[] = [];
    sent();
    const decide = (one: ChallengeOfToken): Promise<Decision> => (found.push(one), rightly()(one));
    expect(await challenges.answer('a', decide, ACT, REVISION)).toMatchObject({ result: true });
    expect(sent()).toBe(1);
    expect(found).toEqual([read]);
    expect(await stored()).toMatchObject({ counter: 1n });
    expect(await challenges.answer('a', rightly(), ACT, REVISION)).toMatchObject({ reason: 'closed' });
  });

  it('is the only one: further ones are decided on what is stored', async () => {
    await tokenWith('a');
    for (const failCount of [1, 2]) {
      expect(await challenges.answer('a', wrongly(), ACT, REVISION)).toMatchObject({ failCount });
    }
    sent();
    expect(await challenges.answer('a', rightly(), ACT, REVISION)).toMatchObject({ result: true });
    expect(sent()).toBe(2);
    expect(await stored()).toMatchObject({ failCount: 0, counter: 1n });
  });

  it('reads where the token has got another challenge since', async () => {
    await tokenWith('a', 'b');
    sent();
    expect(await challenges.answer('a', rightly(), ACT, REVISION)).toMatchObject({ result: true });
    expect(sent()).toBe(2);
  });

  it.each([
    ['the configuration has another revision', () => 8n],
    ['no revision is named', () => undefined],
    ['the database was away', () => (issued.forget(), REVISION)],
  ])('reads where %s', async (_what, revision) => {
    await tokenWith('a');
    sent();
    expect(await challenges.answer('a', rightly(), ACT, revision())).toMatchObject({ result: true });
    expect(sent()).toBe(2);
  });

  it.each<[string, string, Partial<Decision>, Partial<Token>]>([
    ['disabled', 'UPDATE tokens SET active = false', { reason: 'disabled', result: false }, { counter: 0n }],
    [
      'locked',
      'UPDATE tokens SET fail_count = max_fail',
      { reason: 'locked', result: false },
      { counter: 0n },
    ],
    ['moved on', 'UPDATE tokens SET counter = 5', { result: true }, { counter: 6n }],
    [
      'relieved of the challenge',
      "UPDATE challenges SET closed_by = 'superseded', closed_at = now()",
      { reason: 'dropped', result: false },
      { counter: 0n },
    ],
    [
      'given another challenge of the same id',
      "UPDATE challenges SET transaction_id = 'b'; INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until) SELECT 'a', token_id, 'Other', '', issued_at, open_until FROM challenges",
      { result: true },
      { counter: 1n },
    ],
  ])('does not accept on a token that was %s meanwhile', async (_what, sql, decision, token) => {
    await tokenWith('a');
    await test.database.knex.raw(sql);
    expect(await challenges.answer('a', rightly(), ACT, REVISION)).toMatchObject(decision);
    expect(await stored()).toMatchObject(token);
  });

  it('is accepted where the token was disabled at the issue, and is no longer', async () => {
    const { id } = await tokens.insert(tokenValue('T1', { active: false }), ACT);
    const seen = await stored();
    const challenge = { ...challengeOf(id, 'a'), revision: REVISION, ...(seen && { seen }) };
    await issues.issue(challenge, 4, ACT);
    await test.database.knex.raw('UPDATE tokens SET active = true');
    expect(await challenges.answer('a', rightly(), ACT, REVISION)).toMatchObject({ result: true });
  });
});

describe('the memory', () => {
  it('holds a bounded number, the newest', () => {
    const token = (id: number): Token =>
      ({ ...tokenValue(`T${id}`), id: String(id), version: '1' }) as unknown as Token;
    const challenge = { id: '1', question: 'Q', data: 'x'.repeat(1_000), issuedAt: NOW, expiresAt: LATER };
    const unanswered = { wrongCount: 0, receivedTan: false, validTan: false, closedBy: null };
    for (let id = 0; id < 10_000; id += 1) {
      const one = { ...challenge, ...unanswered, transactionId: `t${id}` };
      issued.remember(REVISION, { challenge: one, token: token(id) });
    }
    expect(issued.take(REVISION, 't0')).toBeUndefined();
    expect(issued.take(REVISION, 't9999')).toBeDefined();
    expect(issued.take(REVISION, 't9999')).toBeUndefined();
  });
});
