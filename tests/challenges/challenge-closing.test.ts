import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Token, TokenChange } from '../../src/tokens/token.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { ACT, sealedBytes, tokenValue } from '../support/values/token-values.ts';
import { QUESTIONS } from '../support/values/question-values.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const LATER = new Date('2026-11-20T12:20:00Z');
const SECRET = sealedBytes('the shared secret');
const STEP = { rollout: 'phase2', secrets: { seed: sealedBytes('derived') } } as const satisfies TokenChange;

let test: TestDatabase;
let tokens: TokenStore;
let challenges: ChallengeStore;
let issues: ChallengeIssueStore;
let number = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  tokens = new TokenStore({ database: test.database });
  challenges = new ChallengeStore({ database: test.database });
  issues = new ChallengeIssueStore({ database: test.database });
});

afterAll(() => test.drop());

async function tokenInRollout(): Promise<Token> {
  number += 1;
  const { secrets, ...value } = tokenValue(`CLOSING${number}`, { rollout: 'phase1' });
  return tokens.insert({ ...value, secrets: { ...secrets, seed: null, sharedSecret: SECRET } }, ACT);
}

const challengeFor = ({ id, serial }: Token, name: string) => ({
  tokenId: id,
  transactionId: `${serial}-${name}`,
  question: 'Q',
  questions: QUESTIONS,
  data: '',
  issuedAt: NOW,
  expiresAt: LATER,
});

const open = async ({ serial }: Token): Promise<string[]> =>
  (await challenges.find({ serial }))
    .filter(({ challenge }) => challenge.closedBy === null)
    .map(({ challenge }) => challenge.transactionId);

describe('a step of the roll-out', () => {
  it('is taken while the token has the shared secret that it was made from', async () => {
    const token = await tokenInRollout();
    const challenge = { ...challengeFor(token, 'step'), sharedSecret: SECRET };
    expect(await issues.issue(challenge, 1, ACT, STEP)).toBe('Q');
    expect((await tokens.findBySerial(token.serial))?.rollout).toBe('phase2');
  });

  it.each([
    ['was enrolled anew', { secrets: { sharedSecret: sealedBytes('another') } }],
    ['has completed its roll-out', { rollout: 'complete', secrets: { sharedSecret: null } }],
  ] as const)('is not taken when the token %s meanwhile', async (_meanwhile, change) => {
    const token = await tokenInRollout();
    await tokens.update(token.serial, change, ACT);
    const before = await tokens.findBySerial(token.serial);
    const challenge = { ...challengeFor(token, 'late'), sharedSecret: SECRET };
    await expect(issues.issue(challenge, 1, ACT, STEP)).rejects.toMatchObject({ code: 'token.state' });
    expect(await tokens.findBySerial(token.serial)).toEqual(before);
    expect(await open(token)).toEqual([]);
  });
});

describe('open challenges', () => {
  it.each([
    ['key', { secrets: { seed: sealedBytes('new key') } }],
    ['shared secret', { secrets: { sharedSecret: sealedBytes('new secret') } }],
    ['owner', { owner: null }],
  ] as const)('are closed for ever by a new %s', async (_what, change) => {
    const token = await tokenInRollout();
    const other = await tokenInRollout();
    for (const name of ['a', 'b']) {
      await issues.issue(challengeFor(token, name), 4, ACT);
    }
    await issues.issue(challengeFor(other, 'c'), 4, ACT);
    await tokens.update(token.serial, change, ACT);
    expect(await open(token)).toEqual([]);
    expect(await open(other)).toHaveLength(1);
  });

  it('stay open when anything else changes', async () => {
    const token = await tokenInRollout();
    await issues.issue(challengeFor(token, 'a'), 4, ACT);
    await tokens.update(
      token.serial,
      { active: false, failCount: 0, secrets: { pin: sealedBytes('1') } },
      ACT,
    );
    expect(await open(token)).toHaveLength(1);
  });
});
