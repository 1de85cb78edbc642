import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Challenge, Decision } from '../../src/challenges/challenge.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { LATER, NOW, rightly, wrongly } from '../support/values/challenge-answers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState } from '../support/database/token-rows.ts';
import { ACT, sealedBytes, tokenValue } from '../support/values/token-values.ts';
import { QUESTIONS } from '../support/values/question-values.ts';

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
  await insertState(test.database, {
    resolvers: ['people'],
    realms: [{ name: 'north', resolvers: ['people'] }],
    tokens: [],
  });
});

afterAll(() => test.drop());

/** A token of its own for each test. */
async function newToken(
  changes: Parameters<typeof tokenValue>[1] = {},
): Promise<{ id: string; serial: string }> {
  number += 1;
  return tokens.insert(tokenValue(`OCRA${number}`, changes), ACT);
}

const challengeFor = (tokenId: string, transactionId: string, issuedAt = NOW) => ({
  tokenId,
  transactionId,
  issuedAt,
  expiresAt: LATER,
  question: 'pay10euro',
  questions: QUESTIONS,
  data: 'pay 10 euro',
});

async function issued(token: { id: string }, transactionId = `T${token.id}`): Promise<string> {
  expect(await issues.issue(challengeFor(token.id, transactionId), 4, ACT)).toBe('pay10euro');
  return transactionId;
}

async function challengeOf(transactionId: string): Promise<Challenge | undefined> {
  return (await challenges.find({ transactionId }))[0]?.challenge;
}

async function auditOf(subject: string): Promise<string[]> {
  return test.database.knex('audit').where({ subject }).orderBy('id').pluck<string[]>('outcome');
}

describe('issuing a challenge', () => {
  it('keeps what it was given, open and unanswered', async () => {
    const token = await newToken({ realms: ['north'] });
    await issued(token, 'given');
    const [found] = await challenges.find({ transactionId: 'given' });
    expect(found?.challenge).toEqual({
      id: expect.any(String),
      transactionId: 'given',
      question: 'pay10euro',
      data: 'pay 10 euro',
      issuedAt: NOW,
      expiresAt: LATER,
      wrongCount: 0,
      receivedTan: false,
      validTan: false,
      closedBy: null,
    });
    expect(found?.token).toMatchObject({ serial: token.serial, realms: ['north'] });
    expect(await auditOf(token.serial)).toEqual(['created', 'issued']);
  });

  it('leaves nothing behind when the transaction id is taken', async () => {
    const [first, second] = [await newToken(), await newToken({ rollout: 'phase1' })];
    await issued(first, 'taken');
    const change = { rollout: 'phase2', secrets: { nonce: sealedBytes('nonce') } } as const;
    expect(await issues.issue(challengeFor(second.id, 'taken'), 4, ACT, change)).toBeUndefined();
    expect(await tokens.findBySerial(second.serial)).toMatchObject({
      rollout: 'phase1',
      secrets: { nonce: null },
    });
    expect(await challenges.find({ serial: second.serial })).toEqual([]);
    expect(await auditOf(second.serial)).toEqual(['created']);
  });

  it('changes the token in the same transaction', async () => {
    const token = await newToken({ rollout: 'phase1', active: false });
    const change = { rollout: 'phase2', active: true, realms: ['north'], counter: 7n } as const;
    await issues.issue(challengeFor(token.id, 'phase2'), 4, ACT, change);
    expect(await tokens.findBySerial(token.serial)).toMatchObject(change);
  });

  it('stores nothing when what the token is to become is refused', async () => {
    const token = await newToken();
    await expect(
      issues.issue(challengeFor(token.id, 'nowhere'), 4, ACT, { realms: ['nowhere'] }),
    ).rejects.toMatchObject({ code: 'realm.unknown' });
    expect(await challengeOf('nowhere')).toBeUndefined();
  });

  it('is refused for a token that has gone', async () => {
    const token = await newToken();
    await tokens.removeAll([token.serial], ACT);
    await expect(issues.issue(challengeFor(token.id, 'gone'), 4, ACT)).rejects.toMatchObject({
      code: 'token.unknown',
    });
  });

  it.each([
    ['is disabled', { active: false }],
    ['is locked', { failCount: 10, maxFail: 10 }],
    ['begins later', { use: { validFrom: new Date(NOW.getTime() + 1) } }],
    ['has ended', { use: { validUntil: NOW } }],
    ['has been used as often as it may', { use: { maxUses: 3, useCount: 3 } }],
    ['has been right as often as it may', { use: { maxSuccesses: 1, successCount: 1 } }],
  ])('is refused to a PIN alone for a token that %s by now', async (_state, change) => {
    const token = await newToken();
    const asked = { ...challengeFor(token.id, `${token.serial}-pin`), pin: null };
    await issues.issue(asked, 4, ACT);
    await tokens.update(token.serial, change, ACT);
    await expect(
      issues.issue({ ...asked, transactionId: `${token.serial}-again` }, 4, ACT),
    ).rejects.toMatchObject({ code: 'token.unknown' });
    expect(await challenges.find({ serial: token.serial })).toHaveLength(1);
  });

  it('is refused for data that the database cannot hold, in words that the caller can use', async () => {
    const token = await newToken();
    const challenge = { ...challengeFor(token.id, 'nul'), data: 'a\0b' };
    await expect(issues.issue(challenge, 4, ACT)).rejects.toMatchObject({
      code: 'parameter.invalid',
    });
  });

  it('closes the oldest open ones beyond the limit, and no other', async () => {
    const token = await newToken();
    const ids = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => `${token.serial}-${name}`);
    await issued(token, ids[0]);
    await issued(token, ids[1]);
    await challenges.answer(ids[1] ?? '', rightly(), ACT);
    for (const id of ids.slice(2)) {
      await issued(token, id);
    }
    const states = await Promise.all(ids.map(async (id) => (await challengeOf(id))?.closedBy));
    expect(states).toEqual(['superseded', 'accepted', null, null, null, null]);
  });

  it('never closes the one just issued, though the clock of this server is behind', async () => {
    const token = await newToken();
    await issued(token, `${token.serial}-ahead`);
    const early = challengeFor(token.id, `${token.serial}-behind`, new Date(NOW.getTime() - 60_000));
    await issues.issue(early, 1, ACT);
    expect((await challengeOf(`${token.serial}-behind`))?.closedBy).toBeNull();
    expect((await challengeOf(`${token.serial}-ahead`))?.closedBy).toBe('superseded');
  });
});

describe('answering a challenge', () => {
  it('accepts the right response: the counter moves, the fail counter is 0, the challenge is closed', async () => {
    const token = await newToken({ failCount: 2, counter: 41n });
    const decision = await challenges.answer(await issued(token), rightly(), ACT);
    expect(decision).toMatchObject({ result: true, failCount: 0, reason: 'accepted' });
    expect(await tokens.findBySerial(token.serial)).toMatchObject({
      failCount: 0,
      counter: 42n,
      replayMarkers: ['mark 41'],
      lastSuccessAt: NOW,
    });
    expect(await challengeOf(`T${token.id}`)).toMatchObject({
      receivedTan: true,
      validTan: true,
      closedBy: 'accepted',
    });
    expect(await auditOf(token.serial)).toEqual(['created', 'issued', 'accepted']);
  });

  it('refuses the same response the second time and leaves everything as it was', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    await challenges.answer(transactionId, rightly(), ACT);
    const before = await challenges.find({ transactionId });
    expect(await challenges.answer(transactionId, rightly(), ACT)).toMatchObject({
      result: false,
      reason: 'closed',
      change: null,
    });
    expect(await challenges.find({ transactionId })).toEqual(before);
    expect(await auditOf(token.serial)).toEqual(['created', 'issued', 'accepted', 'closed']);
  });

  it('counts wrong responses at the token and closes the challenge with the third', async () => {
    const token = await newToken();
    const transactionId = await issued(token);
    const answers: (Decision | undefined)[] = [];
    while (answers.length < 4) {
      answers.push(await challenges.answer(transactionId, wrongly(), ACT));
    }
    expect(answers.map((answer) => [answer?.failCount, answer?.reason])).toEqual([
      [1, 'wrong'],
      [2, 'wrong'],
      [3, 'exhausted'],
      [3, 'dropped'],
    ]);
    expect(await challengeOf(transactionId)).toMatchObject({ wrongCount: 3, closedBy: 'exhausted' });
  });

  it('lets other challenges and other tokens alone', async () => {
    const [token, other] = [await newToken(), await newToken()];
    const [mine, second, foreign] = [await issued(token), await issued(token, 'second'), await issued(other)];
    await challenges.answer(mine, wrongly(), ACT);
    expect(await challengeOf(second)).toMatchObject({ wrongCount: 0, receivedTan: false });
    expect(await challengeOf(foreign)).toMatchObject({ wrongCount: 0, receivedTan: false });
    expect(await tokens.findBySerial(other.serial)).toMatchObject({ failCount: 0 });
  });

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

  it.each(['', 'unknown', '*', '%', '_', 'a\0b', '\ud800', "'; DROP TABLE tokens --"])(
    'knows no transaction %j and writes nothing',
    async (transactionId) => {
      const rows = async (): Promise<unknown> => test.database.knex('audit').count();
      const before = await rows();
      expect(await challenges.answer(transactionId, rightly(), ACT)).toBeUndefined();
      expect(await rows()).toEqual(before);
    },
  );

  it('passes on what deciding throws, and the next answer is looked at all the same', async () => {
    const transactionId = await issued(await newToken());
    const failure = challenges.answer(transactionId, () => Promise.reject(new Error('vault')), ACT);
    const next = challenges.answer(transactionId, rightly(), ACT);
    await expect(failure).rejects.toThrow('vault');
    expect(await next).toMatchObject({ result: true });
  });
});

describe('finding challenges', () => {
  it('shows those of OCRA tokens, newest first', async () => {
    const token = await newToken();
    const plain = await newToken({ type: 'hmac' });
    const at = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000);
    for (const [minutes, id] of [
      [2, 'later'],
      [1, 'sooner'],
      [2, 'latest'],
    ] as const) {
      await issues.issue(challengeFor(token.id, `${token.serial}-${id}`, at(minutes)), 4, ACT);
    }
    await issued(plain, `${plain.serial}-plain`);
    const found = await challenges.find({ serial: token.serial });
    expect(found.map(({ challenge }) => challenge.transactionId.split('-')[1])).toEqual([
      'latest',
      'later',
      'sooner',
    ]);
    expect(await challenges.find({ serial: plain.serial })).toEqual([]);
  });

  it('shows what matches everything that is given', async () => {
    const { id } = await test.database.knex('resolvers').first<{ id: string }>('id');
    const user = await test.database
      .knex('users')
      .insert({ resolver_id: id, login: 'ann' })
      .returning<{ id: string }[]>('id');
    const owner = { resolverId: id, resolver: 'people', userId: user[0]?.id ?? '', login: 'ann' };
    const [owned, other] = [await newToken({ owner }), await newToken()];
    const transactionId = await issued(owned);
    await issued(other);
    const found = await challenges.find({ owner });
    expect(found.map(({ token }) => token.owner)).toEqual([owner]);
    expect(await challenges.find({ owner, serial: owned.serial, transactionId })).toEqual(found);
    expect(await challenges.find({ owner, serial: other.serial })).toEqual([]);
  });

  it.each([
    {},
    { serial: '' },
    { serial: '*' },
    { serial: '%' },
    { transactionId: '' },
    { transactionId: '\0' },
    { owner: { resolverId: '1', userId: '' } },
    { owner: { resolverId: 'x', userId: '1' } },
    { owner: { resolverId: '', userId: '*' } },
  ])('finds nothing for %j', async (filter) => {
    await issued(await newToken());
    expect(await challenges.find(filter)).toEqual([]);
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
    await expect(rows.clone().update({ closed_by: 'accepted' })).rejects.toThrow(/closed for ever/);
  });
});
