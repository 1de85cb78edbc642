import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { ActiveUserRow, TokenCountRow } from '../../src/monitoring/token-counts.ts';
import { TokenCountStore } from '../../src/monitoring/token-count-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState, insertTokens, type TokenSketch } from '../support/database/token-rows.ts';

const REALMS = ['north', 'south', 'west'];
const RESOLVERS = ['people', 'staff'];

let test: TestDatabase;
let counts: TokenCountStore;

beforeAll(async () => {
  test = await createTestDatabase();
  counts = new TokenCountStore({ database: test.database });
  await insertState(test.database, {
    resolvers: RESOLVERS,
    realms: REALMS.map((name) => ({ name, resolvers: RESOLVERS })),
    tokens: [],
  });
});

beforeEach(async () => {
  await test.database.knex('tokens').delete();
});

afterAll(async () => {
  await test.drop();
});

const owned = (serial: string, user: string, realms: readonly string[], active = true): TokenSketch => {
  const [resolver = '', userId = ''] = user.split('/');
  return { serial, realms, active, owner: { resolver, userId } };
};

const tokensWhere = (rows: readonly TokenCountRow[], keep: (row: TokenCountRow) => boolean): number =>
  rows.filter(keep).reduce((sum, row) => sum + row.tokens, 0);
const usersWhere = (rows: readonly ActiveUserRow[], keep: (row: ActiveUserRow) => boolean): number =>
  rows.filter(keep).reduce((sum, row) => sum + row.users, 0);

describe('token counts', () => {
  it('keep tokens with the same realms, state and assignment together and all others apart', async () => {
    await insertTokens(test.database, [
      { serial: 'T1', realms: ['south', 'north'] },
      { serial: 'T2', realms: ['north', 'south'] },
      { serial: 'T3', realms: ['north', 'south'], active: false },
      { serial: 'T4', realms: ['north'] },
      { serial: 'T5', realms: [] },
      owned('T6', 'people/1', []),
    ]);
    const { tokens } = await counts.snapshot();
    expect(tokens).toHaveLength(5);
    expect(tokens).toEqual(
      expect.arrayContaining([
        { realms: ['north', 'south'], active: true, assigned: false, tokens: 2 },
        { realms: ['north', 'south'], active: false, assigned: false, tokens: 1 },
        { realms: ['north'], active: true, assigned: false, tokens: 1 },
        { realms: [], active: true, assigned: false, tokens: 1 },
        { realms: [], active: true, assigned: true, tokens: 1 },
      ]),
    );
  });

  it('name a realm by its new name and forget one that is gone', async () => {
    await insertTokens(test.database, [
      owned('T1', 'people/1', ['north', 'west']),
      owned('T2', 'people/2', ['west']),
    ]);
    const { knex } = test.database;
    await knex('realms').where({ name: 'north' }).update({ name: 'arctic' });
    await knex('realms').where({ name: 'west' }).delete();
    try {
      const { tokens, activeUsers } = await counts.snapshot();
      expect(new Set(tokens.map(({ realms }) => realms.join()))).toEqual(new Set(['arctic', '']));
      expect(activeUsers).toEqual(
        expect.arrayContaining([
          { resolver: 'people', realms: ['arctic'], inNoRealm: false, users: 1 },
          { resolver: 'people', realms: [], inNoRealm: true, users: 1 },
        ]),
      );
    } finally {
      await knex('realms').where({ name: 'arctic' }).update({ name: 'north' });
      await knex('realms').insert({ name: 'west' });
    }
  });
});

describe('active users', () => {
  it('are those with an active token, each in one row with all realms of the active tokens', async () => {
    await insertTokens(test.database, [
      owned('T1', 'people/1', ['north']),
      owned('T2', 'people/1', ['south']),
      owned('T3', 'people/1', ['west'], false),
      owned('T4', 'people/2', ['north', 'south']),
      owned('T5', 'people/3', ['north'], false),
      owned('T6', 'people/4', ['north']),
      owned('T7', 'people/4', []),
      { serial: 'T8', realms: ['west'] },
    ]);
    const rows = (await counts.snapshot()).activeUsers;
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        { resolver: 'people', realms: ['north', 'south'], inNoRealm: false, users: 2 },
        { resolver: 'people', realms: ['north'], inNoRealm: true, users: 1 },
      ]),
    );
  });

  it('with the same id in two resolvers are two users', async () => {
    await insertTokens(test.database, [
      owned('T1', 'people/1', ['north']),
      owned('T2', 'staff/1', ['north']),
    ]);
    expect(
      (await counts.snapshot()).activeUsers.map(({ resolver, users }) => [resolver, users]).sort(),
    ).toEqual([
      ['people', 1],
      ['staff', 1],
    ]);
  });
});

describe('for any tokens', () => {
  const realm = fc.subarray(REALMS);
  const token = fc.record({
    realms: realm,
    active: fc.boolean(),
    owner: fc.option(
      fc.record({ resolver: fc.constantFrom(...RESOLVERS), userId: fc.constantFrom('1', '2', '3') }),
    ),
  });

  it('the rows add up to the tokens and to the users, for every choice of realms', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(token, { maxLength: 25 }), realm, async (sketches, chosen) => {
        await test.database.knex('tokens').delete();
        const tokens = sketches.map(({ owner, ...rest }, index) => ({
          ...rest,
          serial: `T${index}`,
          ...(owner === null ? {} : { owner }),
        }));
        await insertTokens(test.database, tokens);
        const { tokens: rows, activeUsers } = await counts.snapshot();
        const isChosen = ({ realms }: { readonly realms: readonly string[] }): boolean =>
          realms.some((name) => chosen.includes(name));
        const activeOwners = (keep: (sketch: TokenSketch) => boolean): number =>
          new Set(
            tokens.flatMap((sketch) =>
              sketch.active && 'owner' in sketch && keep(sketch) ? [JSON.stringify(sketch.owner)] : [],
            ),
          ).size;
        expect({
          chosen: tokensWhere(rows, isChosen),
          inactive: tokensWhere(rows, (row) => isChosen(row) && !row.active),
          unassigned: tokensWhere(rows, (row) => isChosen(row) && !row.assigned),
          withoutRealm: tokensWhere(rows, (row) => row.realms.length === 0),
          users: usersWhere(activeUsers, isChosen),
          usersWithoutRealm: usersWhere(activeUsers, (row) => row.inNoRealm),
          allUsers: usersWhere(activeUsers, () => true),
        }).toEqual({
          chosen: tokens.filter(isChosen).length,
          inactive: tokens.filter((sketch) => isChosen(sketch) && !sketch.active).length,
          unassigned: tokens.filter((sketch) => isChosen(sketch) && !('owner' in sketch)).length,
          withoutRealm: tokens.filter(({ realms }) => realms.length === 0).length,
          users: activeOwners(isChosen),
          usersWithoutRealm: activeOwners(({ realms }) => realms.length === 0),
          allUsers: activeOwners(() => true),
        });
      }),
      { numRuns: 40 },
    );
  });
});
