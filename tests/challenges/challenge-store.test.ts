import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Challenge } from '../../src/challenges/challenge.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { challengeOf, NOW, rightly } from '../support/values/challenge-answers.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { insertState } from '../support/database/token-rows.ts';
import { ACT, sealedBytes, tokenValue } from '../support/values/token-values.ts';

const test = databaseOfTests();
let tokens: TokenStore;
let challenges: ChallengeStore;
let issues: ChallengeIssueStore;
let number = 0;

beforeAll(async () => {
  tokens = new TokenStore({ database: test.database });
  challenges = new ChallengeStore({ database: test.database });
  issues = new ChallengeIssueStore({ database: test.database });
  await insertState(test.database, {
    resolvers: ['people'],
    realms: [{ name: 'north', resolvers: ['people'] }],
    tokens: [],
  });
});

/** A token of its own for each test. */
async function newToken(
  changes: Parameters<typeof tokenValue>[1] = {},
): Promise<{ id: string; serial: string }> {
  number += 1;
  return tokens.insert(tokenValue(`OCRA${number}`, changes), ACT);
}

async function issued(token: { id: string }, transactionId = `T${token.id}`): Promise<string> {
  expect(await issues.issue(challengeOf(token.id, transactionId), 4, ACT)).toBe('Q');
  return transactionId;
}

async function stored(transactionId: string): Promise<Challenge | undefined> {
  return (await challenges.find({ transactionId }))[0]?.challenge;
}

describe('issuing a challenge', () => {
  it.each([
    ['is disabled', { active: false }],
    ['is locked', { failCount: 10, maxFail: 10 }],
    ['begins later', { use: { validFrom: new Date(NOW.getTime() + 1) } }],
    ['has ended', { use: { validUntil: NOW } }],
    ['has been used as often as it may', { use: { maxUses: 3, useCount: 3 } }],
    ['has been right as often as it may', { use: { maxSuccesses: 1, successCount: 1 } }],
  ])('is refused to a PIN alone for a token that %s by now', async (_state, change) => {
    const token = await newToken();
    const asked = { ...challengeOf(token.id, `${token.serial}-pin`), pin: null };
    await issues.issue(asked, 4, ACT);
    await tokens.update(token.serial, change, ACT);
    await expect(
      issues.issue({ ...asked, transactionId: `${token.serial}-again` }, 4, ACT),
    ).rejects.toMatchObject({ code: 'token.unknown' });
    expect(await challenges.find({ serial: token.serial })).toHaveLength(1);
  });

  it('never closes the one just issued, though the clock of this server is behind', async () => {
    const token = await newToken();
    await issued(token, `${token.serial}-ahead`);
    const early = new Date(NOW.getTime() - 60_000);
    await issues.issue({ ...challengeOf(token.id, `${token.serial}-behind`), issuedAt: early }, 1, ACT);
    expect((await stored(`${token.serial}-behind`))?.closedBy).toBeNull();
    expect((await stored(`${token.serial}-ahead`))?.closedBy).toBe('superseded');
  });
});

describe('answering a challenge', () => {
  it('completes a roll-out and erases what only the roll-out needed', async () => {
    const secrets = {
      seed: sealedBytes('seed'),
      sharedSecret: sealedBytes('shared'),
      nonce: sealedBytes('nonce'),
      pin: sealedBytes('pin'),
      ocraPin: null,
    };
    const token = await newToken({ rollout: 'phase2', secrets });
    await challenges.answer(await issued(token), rightly(), ACT);
    expect(await tokens.findBySerial(token.serial)).toMatchObject({
      rollout: 'complete',
      secrets: { ...secrets, sharedSecret: null, nonce: null },
    });
  });
});

describe('the table of challenges', () => {
  it('lets nobody open a closed challenge again, whatever a program may try', async () => {
    const transactionId = await issued(await newToken());
    await challenges.answer(transactionId, rightly(), ACT);
    const rows = test.database.knex('challenges').where({ transaction_id: transactionId });
    await expect(rows.clone().update({ valid_tan: false, closed_by: null, closed_at: null })).rejects.toThrow(
      /closed for ever/,
    );
    for (const other of ['superseded', 'reported']) {
      await expect(rows.clone().update({ closed_by: other })).rejects.toThrow(/closed for ever/);
    }
  });
});
