import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { SHARING, type Sharing } from '../../src/database/prepared-statements.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import type { NewToken, Token } from '../../src/tokens/token.ts';
import type { Owner } from '../../src/users/user.ts';
import { AuditedDatabase } from '../support/database/audited-database.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { statementsOf } from '../support/database/sql-tap.ts';
import { insertState } from '../support/database/token-rows.ts';
import { ACT, sealedBytes, tokenValue } from '../support/values/token-values.ts';

let audited: AuditedDatabase;
let tokens: TokenStore;
let number = 0;
const pools: Database[] = [];

beforeAll(async () => {
  audited = await AuditedDatabase.create();
  await insertState(audited.test.database, {
    resolvers: ['people'],
    realms: ['north', 'south'].map((name) => ({ name, resolvers: ['people'] })),
    tokens: [],
  });
});
afterAll(() => audited.drop());
beforeEach(() => {
  tokens = opened();
});
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

function opened(sharing: Sharing = SHARING): TokenStore {
  const database = audited.server(sharing);
  pools.push(database);
  return new TokenStore({ database });
}

function newTokens(count: number, changes: Partial<NewToken> = {}): readonly NewToken[] {
  number += 1;
  return Array.from({ length: count }, (_, index) => tokenValue(`NEW${number}X${index}`, changes));
}

/** A user of the resolver, who is new. */
async function newOwner(): Promise<Owner> {
  number += 1;
  const { knex } = audited.test.database;
  const login = `user${number}`;
  const resolver = await knex('resolvers').where({ name: 'people' }).first<{ id: string }>('id');
  const [user] = await knex('users')
    .insert({ resolver_id: resolver.id, login })
    .returning<{ id: string }[]>('id');
  return { resolverId: resolver.id, resolver: 'people', userId: user?.id ?? '', login };
}

/** Inserts tokens at the same moment under serials that the server has generated. */
function insertedTogether(
  values: readonly NewToken[],
  store = tokens,
): Promise<PromiseSettledResult<Token>[]> {
  return Promise.allSettled(values.map((value) => store.insert(value, ACT, 'generated')));
}

const codes = (settled: readonly PromiseSettledResult<Token>[]): unknown[] =>
  settled.map((each) => (each.status === 'fulfilled' ? 'stored' : codeOf(each.reason)));

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

/** Expects exactly these of the tokens in the database, each with one audit row, and an intact trail. */
async function expectStored(values: readonly NewToken[], stored: readonly NewToken[]): Promise<void> {
  const serials = values.map(({ serial }) => serial);
  const expected = stored.map(({ serial }) => serial).sort();
  const { knex } = audited.test.database;
  const found = await knex('tokens').whereIn('serial', serials).pluck<string[]>('serial');
  expect(found.sort()).toEqual(expected);
  const created = await knex('audit')
    .whereIn('subject', serials)
    .where({ outcome: 'created' })
    .pluck<string[]>('subject');
  expect(created.sort()).toEqual(expected);
  expect((await audited.verify()).all).toEqual([]);
}

/** @returns the insertions that `work` sends */
async function insertionsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  return (await statementsOf(work)).filter((text) => /^WITH request|^insert into "tokens"/.test(text));
}

describe('tokens that are inserted at the same moment', () => {
  it('are as they were given, with owner and realm', async () => {
    const owner = await newOwner();
    const values = newTokens(3, {
      type: 'ocra',
      description: 'Ännes "Gerät"',
      active: false,
      owner,
      realms: [' South'],
      failCount: 3,
      maxFail: 7,
      counter: 2n ** 62n,
      counterWindow: 5,
      syncWindow: 50,
      timeShift: -60,
      algorithm: null,
      rollout: 'phase2',
      replayMarkers: ['a', 'b"{},'],
      secrets: {
        seed: sealedBytes('1'),
        sharedSecret: sealedBytes('2'),
        nonce: sealedBytes('3'),
        pin: sealedBytes('4'),
        ocraPin: sealedBytes('5'),
      },
    });
    // The first token of a set of realms makes the set.
    await tokens.insert(tokenValue(`FIRST${number}`, { realms: ['south'] }), ACT);
    const statements = await insertionsOf(async () => {
      const inserted = await Promise.all(values.map((value) => tokens.insert(value, ACT, 'generated')));
      expect(inserted).toEqual(await Promise.all(values.map(({ serial }) => tokens.findBySerial(serial))));
      expect(inserted).toMatchObject(values.map((value) => ({ ...value, realms: ['south'] })));
    });
    expect(statements).toHaveLength(1);
    const { knex } = audited.test.database;
    const serials = values.map(({ serial }) => serial);
    expect(await knex('audit').whereIn('subject', serials).distinct().pluck('realm')).toEqual(['south']);
  });

  it.each<[string, Partial<NewToken>]>([
    ['breaks a constraint', { maxFail: 0 }],
    ['has a number that is no integer of PostgreSQL', { failCount: 2 ** 31 }],
  ])('fail alone where one %s', async (_title, spoilt) => {
    const values = newTokens(5).map((value, place) => (place === 1 ? { ...value, ...spoilt } : value));
    const settled = await insertedTogether(values);
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true]);
    await expectStored(
      values,
      values.filter((_value, place) => place !== 1),
    );
  });

  it('are stored without one whose serial is taken, whatever its case, and without one of an unknown realm', async () => {
    const [taken] = newTokens(1) as [NewToken];
    await tokens.insert(taken, ACT);
    const fresh = newTokens(3);
    const refused = [
      { ...taken, serial: taken.serial.toLowerCase() },
      ...newTokens(1, { realms: ['nowhere'] }),
    ];
    const settled = await insertedTogether([...fresh, ...refused]);
    expect(codes(settled)).toEqual(['stored', 'stored', 'stored', 'token.exists', 'realm.unknown']);
    await expectStored([...fresh, ...refused], fresh);
  });

  it('on two servers under the same serials, in opposite orders, are stored once', async () => {
    const values = newTokens(40);
    const other = opened();
    const settled = await Promise.all([
      insertedTogether(values),
      insertedTogether([...values].reverse(), other),
    ]);
    const [here = [], there = []] = settled.map(codes);
    expect(here.map((code, place) => [code, there[39 - place]].sort())).toEqual(
      values.map(() => ['stored', 'token.exists']),
    );
    await expectStored(values, values);
  });
});

describe('a token whose serial is just being stored', () => {
  /** Begins an insertion that another transaction, which stores the same serial, holds up. */
  async function heldUp(values: readonly NewToken[]): Promise<{
    readonly held: Promise<PromiseSettledResult<Token>[]>;
    readonly end: (how: 'commit' | 'rollback') => Promise<unknown>;
  }> {
    const holder = await audited.test.database.knex.transaction();
    await holder.raw(
      `INSERT INTO tokens (serial, type, active, realm_set_id)
       SELECT serial, 'ocra', true, intern_realm_set('{}') FROM unnest(?::text[]) AS serial`,
      [values.map(({ serial }) => serial.toLowerCase())],
    );
    const held = Promise.allSettled(values.map((value) => tokens.insert(value, ACT)));
    await untilWaiting(audited.test.database, values.length);
    return { held, end: (how) => holder[how]() };
  }

  it.each([
    ['commit', 'token.exists'],
    ['rollback', 'stored'],
  ] as const)('waits alone, and after the %s of the other one is answered with %s', async (how, code) => {
    const [value] = newTokens(1) as [NewToken];
    const { held, end } = await heldUp([value]);
    const others = newTokens(5);
    expect(codes(await insertedTogether(others))).toEqual(others.map(() => 'stored'));
    await end(how);
    expect(codes(await held)).toEqual([code]);
    await expectStored([value, ...others], how === 'commit' ? others : [value, ...others]);
  });
});

describe('a token whose owner or realm is just being removed', () => {
  it.each(['users', 'realms'] as const)('waits alone for the row in %s, and is refused', async (table) => {
    const owner = await newOwner();
    const realm = `gone${number}`;
    const { knex } = audited.test.database;
    await knex('realms').insert({ name: realm });
    // The first token of a set of realms makes the set.
    await tokens.insert(tokenValue(`GONE${number}`, { realms: [realm] }), ACT);
    await tokens.insert(tokenValue(`NORTH${number}`, { realms: ['north'] }), ACT);
    await tokens.removeAll([`GONE${number}`], ACT);
    const holder = await knex.transaction();
    const row = table === 'users' ? { id: owner.userId } : { name: realm };
    await holder(table).where(row).forUpdate();
    const [held] = newTokens(1, table === 'users' ? { owner } : { realms: [realm] }) as [NewToken];
    const others = newTokens(5, { owner: await newOwner(), realms: ['north'] });
    const settled = insertedTogether([held, ...others]);
    try {
      await untilWaiting(audited.test.database);
      const found = await Promise.all(others.map(({ serial }) => tokens.findBySerial(serial)));
      expect(found).toMatchObject(others.map(({ serial }) => ({ serial })));
      await holder(table).where(row).delete();
    } finally {
      await holder.commit();
    }
    expect(codes(await settled)).toEqual([
      table === 'users' ? 'user.unknown' : 'realm.unknown',
      ...others.map(() => 'stored'),
    ]);
    await expectStored([held, ...others], others);
  });
});
