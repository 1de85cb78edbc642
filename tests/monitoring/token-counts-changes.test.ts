import { TokenStore } from '../../src/tokens/token-store.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';

import { systemClock } from '../../src/kernel/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { ManagedUserStore } from '../../src/users/managed-user-store.ts';
import { ConfigurationStore } from '../../src/configuration/configuration-store.ts';
import { TokenCountStore } from '../../src/monitoring/token-count-store.ts';
import {
  expectRightAnswers,
  expectRightCounts,
  pendingDeltas,
} from '../campaigns/count-model/count-model-answers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState, insertTokens } from '../support/database/token-rows.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const RESOLVERS = ['people', 'staff'];
const TOKENS = [
  { serial: 'T1', realms: ['north'], owner: { resolver: 'people', userId: '1' } },
  { serial: 'T2', realms: ['north', 'south'], owner: { resolver: 'people', userId: '1' } },
  { serial: 'T3', realms: ['south'], active: false, owner: { resolver: 'people', userId: '2' } },
  { serial: 'T4', realms: [], owner: { resolver: 'staff', userId: '1' } },
  { serial: 'T5', realms: ['north'] },
  { serial: 'T6', realms: [], active: false },
];

let test: TestDatabase;
let database: Database;
let knex: Knex;

beforeAll(async () => {
  test = await createTestDatabase();
  ({ database } = test);
  ({ knex } = database);
});

beforeEach(async () => {
  await knex.raw(
    'TRUNCATE tokens, users, realm_resolvers, realms, resolvers CASCADE; DELETE FROM realm_sets WHERE id > 1',
  );
  await insertState(database, {
    resolvers: RESOLVERS,
    realms: ['north', 'south'].map((name) => ({ name, resolvers: RESOLVERS })),
    tokens: TOKENS,
  });
  await knex.raw(`INSERT INTO users (resolver_id, login) SELECT id, 'ann' FROM resolvers`);
});

afterAll(() => test.drop());

/** The number of tokens, as monitoring reads it. */
async function total(): Promise<number> {
  const { tokens } = await new TokenCountStore({ database }).snapshot();
  return tokens.reduce((sum, row) => sum + row.tokens, 0);
}

const setOf = (...realms: string[]): string =>
  `intern_realm_set(ARRAY(SELECT id FROM realms WHERE name IN ('${realms.join(`','`)}')))`;
const resolver = (name: string): string => `(SELECT id FROM resolvers WHERE name = '${name}')`;

describe('counts are right after a change by hand', () => {
  it.each([
    ['nothing yet', 'SELECT 1'],
    ['a token enabled', "UPDATE tokens SET active = true WHERE serial = 'T3'"],
    ["a user's last active token disabled", "UPDATE tokens SET active = false WHERE serial = 'T4'"],
    ['all disabled', 'UPDATE tokens SET active = false'],
    ['some locked', "UPDATE tokens SET fail_count = 10 WHERE serial IN ('T1', 'T5', 'T6')"],
    [
      'some locked, and moved, unlocked or deleted',
      `UPDATE tokens SET fail_count = 10;
       UPDATE tokens SET realm_set_id = 1 WHERE serial IN ('T1', 'T2');
       UPDATE tokens SET max_fail = 11 WHERE serial = 'T2';
       UPDATE tokens SET fail_count = 12 WHERE serial = 'T3';
       DELETE FROM tokens WHERE serial = 'T5'`,
    ],
    ['all turned about', 'UPDATE tokens SET active = NOT active'],
    [
      'all unassigned',
      'UPDATE tokens SET owner_resolver_id = NULL, owner_user_id = NULL, owner_login = NULL',
    ],
    [
      'all given to one user',
      `UPDATE tokens SET owner_resolver_id = ${resolver('staff')}, owner_user_id = '9', owner_login = 'zoe'`,
    ],
    ['all moved to one realm', `UPDATE tokens SET realm_set_id = ${setOf('south')}`],
    [
      'realm, state and owner changed at once',
      `UPDATE tokens SET realm_set_id = ${setOf('north', 'south')}, active = NOT active, owner_user_id = '2' WHERE serial = 'T1'`,
    ],
    ['what is not counted changed', "UPDATE tokens SET description = 'x', fail_count = 3, active = active"],
    ['one deleted', "DELETE FROM tokens WHERE serial = 'T2'"],
    ['all deleted', 'DELETE FROM tokens'],
    ['all emptied', 'TRUNCATE tokens CASCADE'],
    [
      'tokens emptied and some new',
      "TRUNCATE tokens CASCADE; INSERT INTO tokens (serial, type, active, realm_set_id) VALUES ('N', 'ocra', true, 1)",
    ],
    [
      'an id of a user with blanks and capitals',
      "UPDATE tokens SET owner_user_id = ' CN=Ann, O=x ' WHERE serial = 'T1'",
    ],
    [
      'users added',
      `INSERT INTO users (resolver_id, login) SELECT ${resolver('people')}, n FROM generate_series(1, 5) AS n`,
    ],
    [
      'a user moved to another resolver',
      `UPDATE users SET login = login || id, resolver_id = ${resolver('staff')}`,
    ],
    ['all users deleted', 'DELETE FROM users'],
    ['all users emptied', 'TRUNCATE users'],
    [
      'a resolver deleted with its users',
      `UPDATE tokens SET owner_resolver_id = NULL, owner_user_id = NULL, owner_login = NULL;
      DELETE FROM realm_resolvers; DELETE FROM resolvers WHERE name = 'people'`,
    ],
    ['a realm deleted by hand, its tokens left in the set', "DELETE FROM realms WHERE name = 'south'"],
  ])('%s, and at every stage of folding', async (_, sql) => {
    await knex.raw(sql);
    await expectRightCounts(database);
  });

  it.each(['SELECT 1', 'SELECT fold_counts(1000)'])('that is taken back, after %s', async (before) => {
    await knex.raw(before);
    const transaction = await knex.transaction();
    await transaction.raw('DELETE FROM tokens; DELETE FROM users');
    await expectRightAnswers(database);
    await transaction.rollback();
    await expectRightCounts(database);
  });

  it('of which a part is taken back', async () => {
    await knex.raw(`
      BEGIN; UPDATE tokens SET active = false WHERE serial = 'T1';
      SAVEPOINT a; DELETE FROM tokens; ROLLBACK TO a;
      SAVEPOINT b; DELETE FROM tokens WHERE serial = 'T2'; RELEASE b; COMMIT`);
    await expectRightCounts(database);
    expect(await total()).toBe(TOKENS.length - 1);
  });

  it('of the realms that a set stands for, also to a server that has read the counts before', async () => {
    const counts = new TokenCountStore({ database });
    await knex.raw("INSERT INTO realms (name) VALUES ('west'); SELECT fold_counts(1000)");
    await counts.snapshot();
    await knex.raw(`
      UPDATE realm_sets SET realm_ids = array_replace(realm_ids,
        (SELECT id FROM realms WHERE name = 'south'), (SELECT id FROM realms WHERE name = 'west'))`);
    expect(await counts.snapshot()).toEqual(await new TokenCountStore({ database }).snapshot());
    await expectRightCounts(database);
  });

  it('with any search path', async () => {
    await knex.transaction(async (transaction) => {
      await transaction.raw(`
        CREATE TEMPORARY TABLE count_deltas (LIKE public.count_deltas) ON COMMIT DROP;
        SET LOCAL search_path = pg_temp, pg_catalog;
        INSERT INTO public.tokens (serial, type, active, realm_set_id) VALUES ('P', 'ocra', true, 1)`);
    });
    await expectRightCounts(database);
    expect(await total()).toBe(TOKENS.length + 1);
  });
});

describe('counts are right after a change by the service', () => {
  it('that removes a realm, moves tokens, removes a token, a user', async () => {
    const configuration = new ConfigurationStore({ database, clock: systemClock });
    const tokens = new TokenStore({ database });
    const users = new ManagedUserStore({ database });
    await tokens.insert(tokenValue('S1', { realms: ['north', 'south'] }), ACT);
    await expectRightAnswers(database);
    await configuration.removeRealm('north', ACT);
    await expectRightCounts(database);
    await tokens.update('T5', { realms: ['south'], active: false }, ACT);
    await tokens.removeAll(['T1'], ACT);
    const ann = await knex('users').first<{ id: string; resolver_id: string }>('id', 'resolver_id');
    await tokens.update(
      'S1',
      { owner: { resolverId: ann.resolver_id, resolver: 'people', userId: ann.id, login: 'ann' } },
      ACT,
    );
    await expectRightCounts(database);
    expect(await users.remove(ann.resolver_id, ann.id, ACT)).toBe(true);
    await expectRightCounts(database);
    expect(await users.count(ann.resolver_id)).toBe(0);
  });
});

describe('writers at the same time', () => {
  const levels = ['read committed', 'repeatable read', 'serializable'] as const;
  const orders = [
    [0, 1],
    [1, 0],
  ] as const;

  it.each(levels.flatMap((level) => orders.map((order) => [level, order] as const)))(
    'at %s change tokens of one user in one realm without waiting, and commit in the order %s',
    async (isolationLevel, order) => {
      await knex.raw('SELECT fold_counts(1000)');
      const writers = [
        await knex.transaction({ isolationLevel }),
        await knex.transaction({ isolationLevel }),
      ] as const;
      const statements = [
        `UPDATE tokens SET active = false WHERE serial = 'T1'; INSERT INTO tokens
           (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
         VALUES ('W', 'ocra', true, ${setOf('north')}, ${resolver('people')}, '1', 'ann')`,
        `DELETE FROM tokens WHERE serial = 'T2'; UPDATE tokens SET active = true WHERE serial = 'T3'`,
      ] as const;
      for (const [index, writer] of writers.entries()) {
        // Far more than two writes take; a lock would be waited for until the other one has committed.
        await writer.raw(`SET LOCAL lock_timeout = '5s'; ${statements[index] ?? ''}`);
        await knex.raw('SELECT fold_counts(1000)');
      }
      await writers[order[0]].commit();
      await expectRightAnswers(database);
      await knex.raw('SELECT fold_counts(1)');
      await writers[order[1]].commit();
      await expectRightCounts(database);
    },
  );

  it('and folds in between leave nothing wrong', async () => {
    const writing = Array.from({ length: 12 }, async (_, index) => {
      const serial = `C${index}`;
      const owner = { resolver: 'people', userId: String(index % 3) };
      await insertTokens(database, [{ serial, realms: ['north'], owner }]);
      await knex.raw('SELECT fold_counts(3)');
      await knex.raw('UPDATE tokens SET active = NOT active WHERE serial = ?', [serial]);
      await knex.raw('SELECT fold_counts(2)');
      if (index % 2 === 0) {
        await knex('tokens').where({ serial }).delete();
      }
    });
    await Promise.all([...writing, expectRightAnswers(database), expectRightAnswers(database)]);
    await expectRightCounts(database);
    expect(await total()).toBe(TOKENS.length + 6);
  });
});

describe('folding', () => {
  it('is done by one at a time', async () => {
    const first = await knex.transaction();
    await first.raw('SELECT fold_counts(1)');
    const second = await knex.raw<{ rows: unknown[] }>('SELECT fold_counts(1000) AS folded');
    expect(second.rows).toEqual([{ folded: null }]);
    await expectRightAnswers(database);
    await first.commit();
    await expectRightCounts(database);
  });

  it('that is taken back has folded nothing', async () => {
    const pending = await pendingDeltas(database);
    const folding = await knex.transaction();
    await folding.raw('SELECT fold_counts(1000)');
    await folding.rollback();
    expect(await pendingDeltas(database)).toBe(pending);
    await expectRightCounts(database);
  });

  it.each(['fold_counts(1)', 'rebuild_counts()'])(
    'by %s is refused in a snapshot that may be older than its lock',
    async (call) => {
      const attempt = knex.transaction((transaction) => transaction.raw(`SELECT ${call}`), {
        isolationLevel: 'repeatable read',
      });
      await expect(attempt).rejects.toThrow('READ COMMITTED only');
    },
  );
});

describe('a bulk load with triggers disabled', () => {
  it('is counted by rebuild_counts in the same transaction', async () => {
    await knex.raw('SELECT fold_counts(2)');
    await knex.raw(`
      BEGIN; ALTER TABLE tokens DISABLE TRIGGER USER; ALTER TABLE users DISABLE TRIGGER USER;
      INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
      SELECT 'L' || n, 'ocra', n % 3 > 0, ${setOf('north')}, ${resolver('staff')}, n % 7, n % 7
      FROM generate_series(1, 50) AS n;
      INSERT INTO users (resolver_id, login) SELECT ${resolver('staff')}, n FROM generate_series(1, 9) AS n;
      ALTER TABLE tokens ENABLE TRIGGER USER; ALTER TABLE users ENABLE TRIGGER USER;
      SELECT rebuild_counts(); COMMIT`);
    expect(await pendingDeltas(database)).toBe(0);
    await expectRightCounts(database);
    expect(await total()).toBe(TOKENS.length + 50);
  });
});
