import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACTS, OUTCOME_WORDS } from '../../src/audit/acts.ts';
import { AuditStore } from '../../src/audit/audit-store.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import { RESPONSE_REASONS } from '../../src/challenges/challenge.ts';
import type { Database } from '../../src/database/database.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { AuditedDatabase } from '../support/database/audited-database.ts';
import { statementsOf } from '../support/database/sql-tap.ts';
import { QUESTIONS, rightly, wrongly } from '../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

let audited: AuditedDatabase;
let servers: readonly Database[];
beforeAll(async () => {
  audited = await AuditedDatabase.create();
  servers = [audited.server(), audited.server()];
});
afterAll(() => audited.drop());

async function issued(serial: string): Promise<string> {
  const [database] = servers as [Database];
  const token = await new TokenStore({ database }).insert(tokenValue(serial), ACT);
  const challenge = {
    tokenId: token.id,
    transactionId: serial,
    question: 'Q',
    questions: QUESTIONS,
    data: '',
    issuedAt: new Date(),
    expiresAt: new Date(),
  };
  await new ChallengeIssueStore({ database }).issue(challenge, 5, ACT);
  return serial;
}

describe('a decision on a response', () => {
  it('takes a read and one statement that writes it with its audit row', async () => {
    const transactionId = await issued('statements');
    const [database] = servers as [Database];
    const store = new ChallengeStore({ database });
    const statements = await statementsOf(() => store.answer(transactionId, rightly(), ACT));
    expect(statements.map((text) => text.slice(0, 12))).toEqual(['SELECT reque', 'WITH request']);
  });

  it('names its transaction in the row, as does the issue of the challenge', async () => {
    const transactionId = await issued('named');
    const [database] = servers as [Database];
    const challenges = new ChallengeStore({ database });
    await challenges.answer(transactionId, wrongly(1_000), ACT);
    await challenges.answer(transactionId, rightly(), ACT);
    await challenges.answer(transactionId, rightly(), ACT);
    const { rows } = await new AuditStore({ database }).searchStep({ transaction: transactionId, limit: 10 });
    expect(rows.map(({ outcome }) => outcome)).toEqual(['closed', 'accepted', 'wrong', 'issued']);
  });

  it('leaves one row, also where servers get in each other’s way', async () => {
    const transactionId = await issued('races');
    const stores = servers.map((database) => new ChallengeStore({ database })) as [
      ChallengeStore,
      ChallengeStore,
    ];
    const answers = Array.from({ length: 24 }, (_, index) =>
      stores[index % 2 === 0 ? 0 : 1].answer(
        transactionId,
        index % 3 === 0 ? rightly() : wrongly(1_000),
        ACT,
      ),
    );
    await Promise.all(answers);
    const outcomes = await audited.test.database
      .knex('audit')
      .where({ subject: 'races' })
      .pluck<string[]>('outcome');
    expect(outcomes).toHaveLength(24 + 2);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(await audited.verify()).toMatchObject({ findings: 0 });
  });
});

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

function source(): string {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(SOURCES, path), 'utf8'))
    .join('\n');
}

function found(pattern: RegExp): readonly string[] {
  return [...source().matchAll(pattern)].map(([, text = '']) => text);
}

it('the acts of the audit include every one that the source names', () => {
  const known = new Set(ACTS);
  const acts = found(/(?:actOf|actOfCall|signedIn|changing)\(\s*\w+,\s*(?:call,\s*)?'([^']+)'/g);
  const others = found(/\baction: '(\w[\w-]*\/[\w-]+)'/g);
  expect(acts.length).toBeGreaterThan(30);
  expect([...acts, ...others].filter((action) => !known.has(action))).toEqual([]);
});

it('the outcomes of the audit include every one that the source writes as a text', () => {
  const literals = found(/audit\.write\(\s*[^,]+,\s*[^,]+,\s*['`]([^'`]+)['`]/g);
  const entries = found(/auditEntry\([^,]+,\s*[^,]+,\s*'([^']+)'/g);
  const reasons = RESPONSE_REASONS.filter((reason) => reason !== 'unknown' && reason !== 'nothing open');
  expect(literals.length).toBeGreaterThan(15);
  expect(reasons).toHaveLength(11);
  const words = [...literals, ...entries, ...reasons].map((outcome) => /^[a-z]*/.exec(outcome)?.[0] ?? '');
  expect(words.filter((word) => !OUTCOME_WORDS.includes(word))).toEqual([]);
});
