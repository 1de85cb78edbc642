import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { HousekeepingMoments, HousekeepingTally } from '../../src/housekeeping/housekeeping.ts';
import { ChallengeIssueStore } from '../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../src/challenges/challenge-store.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { HOUSEKEEPING_LOCK, HousekeepingStore } from '../../src/housekeeping/housekeeping-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { challengeOf, rightly } from '../support/values/challenge-answers.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const LONG_AGO = new Date('2026-11-01T00:00:00Z');
const KEPT_SINCE = new Date('2026-11-13T00:00:00Z');
const RECENTLY = new Date('2026-11-20T11:59:00Z');
const NOW = new Date('2026-11-20T12:00:00Z');
const LATER = new Date('2026-11-20T12:01:00Z');
const MOMENTS: HousekeepingMoments = {
  challengesEndBefore: KEPT_SINCE,
  sessionsEndBy: NOW,
  limitsEndBy: NOW,
  responsesByHourBefore: RECENTLY,
  responsesCountedBefore: KEPT_SINCE,
};

let other: Database;
afterAll(() => other.close());
const test = databaseOfTests();
let tokens: TokenStore;
let challenges: ChallengeStore;
let issues: ChallengeIssueStore;
let number = 0;

beforeAll(() => {
  other = openDatabase({ connection: test.url });
  tokens = new TokenStore({ database: test.database });
  challenges = new ChallengeStore({ database: test.database });
  issues = new ChallengeIssueStore({ database: test.database });
});

beforeEach(async () => {
  await test.database.knex('challenges').delete();
  await test.database.knex('sessions').delete();
});

async function newToken(): Promise<{ id: string; serial: string }> {
  number += 1;
  return tokens.insert(tokenValue(`HOUSE${number}`), ACT);
}

async function issue(
  token: { id: string },
  transactionId: string,
  issuedAt: Date,
  maxOpen = 4,
): Promise<void> {
  const challenge = { ...challengeOf(token.id, transactionId), issuedAt, expiresAt: issuedAt };
  await issues.issue(challenge, maxOpen, ACT);
}

async function left(): Promise<string[]> {
  return test.database.knex('challenges').orderBy('id').pluck<string[]>('transaction_id');
}

/** Many challenges at once, past the service. */
async function pile(count: number, token: { id: string }, closed: boolean): Promise<void> {
  await test.database.knex.raw(
    `INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until, closed_by, closed_at)
     SELECT 'pile' || n || ?, ?, 'Q', '', ?, ?, ?, ? FROM generate_series(1, ?::int) AS n`,
    [
      String(closed),
      token.id,
      LONG_AGO,
      LONG_AGO,
      closed ? 'superseded' : null,
      closed ? LONG_AGO : null,
      count,
    ],
  );
}

interface Cleared {
  readonly isOurs: boolean;
  readonly pieces: HousekeepingTally[];
}

async function clear(
  options: { chunk?: number; database?: Database; signal?: AbortSignal; onPiece?: () => void } = {},
): Promise<Cleared> {
  const { chunk = 1_000, database = test.database, signal = new AbortController().signal } = options;
  const pieces: HousekeepingTally[] = [];
  const isOurs = await new HousekeepingStore({ database, chunk }).clear(MOMENTS, {
    signal,
    removed: (tally) => {
      pieces.push(tally);
      options.onPiece?.();
    },
  });
  return { isOurs, pieces };
}

/** @returns whether the transaction that holds the lock of housekeeping holds up a vacuum; empty: there is none */
async function lookAtHolder(): Promise<readonly { held: boolean }[]> {
  const { rows } = await other.knex.raw<{ rows: { held: boolean }[] }>(
    `SELECT backend_xmin IS NOT NULL OR backend_xid IS NOT NULL AS held FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND (classid::bigint, objid::bigint) = (?::bigint, ?::bigint) AND granted`,
    [...HOUSEKEEPING_LOCK],
  );
  return rows;
}

const sum = (pieces: readonly HousekeepingTally[], chore: string): number =>
  pieces.filter((piece) => piece.chore === chore).reduce((total, { rows }) => total + rows, 0);

describe('housekeeping', () => {
  it('removes challenges that expired longer ago than they are kept, open or closed, and no others', async () => {
    const [one, two] = [await newToken(), await newToken()];
    await issue(one, 'old-superseded', LONG_AGO);
    await issue(one, 'old-open', LONG_AGO, 1);
    await issue(two, 'new-superseded', RECENTLY);
    await issue(two, 'new-open', RECENTLY, 1);
    const backlog = await new HousekeepingStore({ database: test.database }).backlog(MOMENTS);
    expect(backlog).toContainEqual({ chore: 'challenges', rows: 2 });
    const { isOurs, pieces } = await clear();
    expect(isOurs).toBe(true);
    expect(sum(pieces, 'challenges')).toBe(2);
    expect(await left()).toEqual(['new-superseded', 'new-open']);
  });

  it('removes sessions that have expired or were revoked, and no others', async () => {
    const { knex } = test.database;
    await knex('administrators').insert({ name: 'ann', password_hash: '' }).onConflict('name').ignore();
    const { id } = await knex('administrators').where({ name: 'ann' }).first<{ id: string }>('id');
    const later = new Date(NOW.getTime() + 1_000);
    for (const [name, expires, revoked] of [
      ['expired', NOW, null],
      ['revoked', later, RECENTLY],
      ['good', later, null],
    ] as const) {
      await knex('sessions').insert({
        administrator_id: id,
        session_hash: Buffer.from(name),
        expires_at: expires,
        revoked_at: revoked,
      });
    }
    expect(sum((await clear()).pieces, 'sessions')).toBe(2);
    const kept = await knex('sessions').pluck<Buffer[]>('session_hash');
    expect(kept.map(String)).toEqual(['good']);
  });

  it('removes what limits counted once it has ended or under a clock far ahead, and nothing that still counts', async () => {
    const { knex } = test.database;
    await knex('rate_limits').insert([
      { key: 'past', points: 9, expire: NOW.getTime() },
      { key: 'future', points: 9, expire: NOW.getTime() + 1 },
      { key: 'later', points: 9, expire: NOW.getTime() + 3_600_000 },
      { key: 'next year', points: 9, expire: NOW.getTime() + 31_536_000_000 },
    ]);
    expect(sum((await clear()).pieces, 'rate limits')).toBe(2);
    expect(await knex('rate_limits').orderBy('key').pluck('key')).toEqual(['future', 'later']);
  });

  it('removes old numbers of responses', async () => {
    const { knex } = test.database;
    await knex('response_minutes').insert([
      { minute: LONG_AGO, outcome: 'wrong', durations: [1] },
      { minute: LONG_AGO, outcome: 'accepted', durations: [1] },
      { minute: KEPT_SINCE, outcome: 'accepted', durations: [1] },
    ]);
    expect(sum((await clear({ chunk: 1 })).pieces, 'response minutes')).toBe(2);
    expect(await knex('response_minutes').pluck('minute')).toEqual([KEPT_SINCE]);
  });

  it('keeps the numbers of older minutes as the sums of their hours', async () => {
    const { knex } = test.database;
    await knex('response_minutes').delete();
    const row = (time: string, outcome: string, durations: readonly number[]): object => ({
      minute: new Date(`2026-11-19T${time}:00Z`),
      outcome,
      durations: [...durations],
    });
    const minutes = [
      row('10:00', 'accepted', [1, 0]),
      row('10:01', 'accepted', [2, 5]),
      row('10:59', 'accepted', [4, 1]),
      row('10:59', 'wrong', [1, 0]),
      row('11:30', 'accepted', [8, 0]),
    ];
    await knex('response_minutes').insert([
      ...minutes,
      { minute: RECENTLY, outcome: 'accepted', durations: [16, 0] },
    ]);
    expect(sum((await clear({ chunk: 3 })).pieces, 'response minutes')).toBe(4);
    await knex('response_minutes').insert(row('10:30', 'wrong', [2, 2]));
    await clear();
    const kept = await knex('response_minutes')
      .orderBy(['minute', 'outcome'])
      .select<{ minute: Date; outcome: string; durations: string[] }[]>('minute', 'outcome', 'durations');
    expect(kept.map(({ minute, outcome, durations }) => [minute, outcome, durations.map(Number)])).toEqual([
      [new Date('2026-11-19T10:00:00Z'), 'accepted', [7, 6]],
      [new Date('2026-11-19T10:00:00Z'), 'wrong', [3, 2]],
      [new Date('2026-11-19T11:00:00Z'), 'accepted', [8, 0]],
      [RECENTLY, 'accepted', [16, 0]],
    ]);
  });

  it('takes a long backlog in chunks', async () => {
    const token = await newToken();
    await pile(250, token, true);
    const { pieces } = await clear({ chunk: 100 });
    expect(pieces.map(({ rows }) => rows)).toEqual([100, 100, 50]);
    expect(await left()).toEqual([]);
  });

  it('keeps no snapshot between its transactions, so that PostgreSQL can remove the dead rows meanwhile', async () => {
    await pile(300, await newToken(), true);
    const looks: Promise<readonly { held: boolean }[]>[] = [];
    await clear({ chunk: 100, onPiece: () => void looks.push(lookAtHolder()) });
    const held = (await Promise.all(looks)).flat();
    expect(held).toContainEqual({ held: false });
    expect(held).not.toContainEqual({ held: true });
  });

  it('ends after the chunk that is under way when it is told to stop', async () => {
    const stopping = new AbortController();
    await pile(250, await newToken(), true);
    const { pieces } = await clear({
      chunk: 100,
      signal: stopping.signal,
      onPiece: () => {
        stopping.abort();
      },
    });
    expect(pieces).toHaveLength(1);
    expect(await left()).toHaveLength(150);
  });

  it('is done by one server at a time', async () => {
    await pile(10, await newToken(), true);
    await other.transact(async ({ sql }) => {
      await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...HOUSEKEEPING_LOCK]);
      expect(await clear()).toEqual({ isOurs: false, pieces: [] });
    });
    expect(await left()).toHaveLength(10);
    expect((await clear()).isOurs).toBe(true);
    expect(await left()).toEqual([]);
  });

  it('waits for nobody: what others hold is left for the next time', async () => {
    const [held, free] = [await newToken(), await newToken()];
    await issue(held, 'held', LONG_AGO);
    await issue(free, 'free', LONG_AGO);
    await other.transact(async ({ sql }) => {
      await sql('tokens').where({ id: held.id }).forNoKeyUpdate().select('id');
      expect(sum((await clear()).pieces, 'challenges')).toBe(1);
      expect(await left()).toEqual(['held']);
    });
    await clear();
    expect(await left()).toEqual([]);
  });

  it('holds no connection and no lock afterwards, whatever became of it', async () => {
    const broken = { ...test.database, transact: () => Promise.reject(new Error('broken')) } as Database;
    await expect(clear({ database: broken })).rejects.toThrow('broken');
    expect((await clear({ database: other })).isOurs).toBe(true);
  });
});

describe('a challenge that is removed while a response to it is looked at', () => {
  const UNUSED = { counter: 0n, failCount: 0, replayMarkers: [] };

  it('is unknown then, and nothing of the token has changed', async () => {
    const token = await newToken();
    await issue(token, 'slow', LONG_AGO);
    const answer = rightly();
    let looks = 0;
    // The settlement was decided before the challenge expired, and comes when it has long been removed.
    const decision = await challenges.answer(
      'slow',
      async (found) => {
        looks += 1;
        const decided = await answer({ ...found, challenge: { ...found.challenge, expiresAt: LATER } });
        await clear();
        return decided;
      },
      ACT,
    );
    expect(looks).toBe(1);
    expect(decision).toBeUndefined();
    expect(await tokens.findBySerial(token.serial)).toMatchObject(UNUSED);
  });

  it('leaves the token whole also where the settlement waits for the removal', async () => {
    const token = await newToken();
    await issue(token, 'waiting', LONG_AGO);
    const answer = rightly();
    const settled = await other.transact(async ({ sql }) => {
      // As housekeeping does, but slowly: the settlement arrives while the token is written and the challenge goes.
      await sql.raw('UPDATE tokens SET serial = serial WHERE id = ?', [token.id]);
      await sql('challenges').where({ token_id: token.id }).delete();
      const answering = challenges.answer(
        'waiting',
        (found) => answer({ ...found, challenge: { ...found.challenge, expiresAt: LATER } }),
        ACT,
      );
      await untilWaiting(test.database, 1);
      return { answering };
    });
    expect(await settled.answering).toBeUndefined();
    expect(await tokens.findBySerial(token.serial)).toMatchObject(UNUSED);
  });

  it('changes the version of the token that it was open for, as ADR 0003 asks', async () => {
    const token = await newToken();
    await issue(token, 'open', LONG_AGO);
    const version = async (): Promise<unknown> =>
      (await test.database.knex('tokens').where({ id: token.id }).pluck<unknown[]>('version'))[0];
    const before = await version();
    await clear();
    expect(await version()).not.toEqual(before);
  });
});

describe('a long backlog', () => {
  it('is found by indexes', async () => {
    await pile(3_000, await newToken(), true);
    await test.database.knex.raw('ANALYZE challenges');
    const plan = await test.database.knex.raw<{ rows: Record<string, string>[] }>(
      'EXPLAIN SELECT id FROM challenges WHERE closed_by IS NULL AND open_until < now() ORDER BY open_until LIMIT 10',
    );
    expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('challenges_open_until_idx');
  });
});
