import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import type { CountDrift } from '../../src/monitoring/token-counts.ts';
import { TokenCountStore } from '../../src/monitoring/token-count-store.ts';
import { expectRightCounts } from '../campaigns/count-model/count-model-answers.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { insertState, insertTokens, type TokenSketch } from '../support/database/token-rows.ts';
import { ACT } from '../support/values/token-values.ts';

const test = databaseOfTests();
let database: Database;
let verification: TokenCountStore;

beforeAll(async () => {
  ({ database } = test);
  verification = new TokenCountStore({ database });
  await insertState(database, {
    resolvers: ['people'],
    realms: ['north', 'south'].map((name) => ({ name, resolvers: ['people'] })),
    tokens: [],
  });
});

const owned = (serial: string, userId: string, realms: readonly string[]): TokenSketch => ({
  serial,
  realms,
  owner: { resolver: 'people', userId },
});

beforeEach(async () => {
  const { knex } = database;
  await knex.raw("SELECT set_config('tankeeper.audit', 'open', true); TRUNCATE tokens, users, audit CASCADE");
  await knex.raw(`INSERT INTO users (resolver_id, login) SELECT id, 'ann' FROM resolvers`);
  await insertTokens(database, [
    owned('T1', 'ann', ['north']),
    owned('T2', 'ann', ['north', 'south']),
    { serial: 'T3', realms: [] },
  ]);
  await knex.raw('SELECT fold_counts(1000)');
  // Some folded, some not.
  await insertTokens(database, [owned('T4', 'bob', ['south'])]);
});

const auditRows = (): Promise<unknown[]> =>
  database.knex('audit').select('actor', 'action', 'subject', 'outcome');

const NO_REALM = { resolver: null, userId: null, realms: ['no realm'] };
const UNTRACED = { active: null, assigned: null };
const OF_ACTIVE = { resolver: 'people', active: true, assigned: true };

/** Changes of rows without triggers: what each may do to a count. */
const withoutTriggers = (sql: string): string =>
  `ALTER TABLE tokens DISABLE TRIGGER USER; ${sql}; ALTER TABLE tokens ENABLE TRIGGER USER`;

/** Any of these can only come about where triggers were switched off or the tables themselves were changed. */
const DRIFTS: readonly (readonly [what: string, sql: string, drift: Partial<CountDrift>])[] = [
  [
    'tokens',
    'UPDATE token_counts SET tokens = 7 WHERE realm_set_id = 1',
    { counts: 'tokens', ...NO_REALM, active: true, assigned: false, kept: 7, counted: 1 },
  ],
  [
    'tokens that are not there any more',
    withoutTriggers("DELETE FROM tokens WHERE serial = 'T3'"),
    { counts: 'tokens', ...NO_REALM, active: true, assigned: false, kept: 1, counted: 0 },
  ],
  [
    'active tokens of a user',
    'UPDATE active_user_tokens SET tokens = 2 WHERE realm_set_id = (SELECT max(realm_set_id) FROM active_user_tokens)',
    {
      counts: 'active tokens of a user',
      ...OF_ACTIVE,
      userId: 'ann',
      realms: ['north & south'],
      kept: 2,
      counted: 1,
    },
  ],
  [
    'active users',
    'DELETE FROM active_user_counts',
    {
      counts: 'active users',
      ...OF_ACTIVE,
      userId: null,
      realms: ['north', 'north & south'],
      kept: 0,
      counted: 1,
    },
  ],
  [
    'managed users',
    'UPDATE user_counts SET users = 5',
    {
      counts: 'managed users',
      resolver: 'people',
      userId: null,
      realms: [],
      ...UNTRACED,
      kept: 5,
      counted: 1,
    },
  ],
  [
    'locked tokens',
    'INSERT INTO locked_token_counts (realm_set_id, tokens) VALUES (1, 4)',
    { counts: 'locked tokens', ...NO_REALM, ...UNTRACED, kept: 4, counted: 0 },
  ],
  [
    'locked tokens that are not counted',
    withoutTriggers("UPDATE tokens SET fail_count = 10 WHERE serial = 'T1'"),
    { counts: 'locked tokens', ...NO_REALM, ...UNTRACED, realms: ['north'], kept: 0, counted: 1 },
  ],
];

describe('verifying counts', () => {
  it('finds nothing where nothing is wrong, and repairing does nothing then', async () => {
    expect(await verification.verify()).toEqual({ total: 0, drifts: [] });
    expect(await verification.repair(ACT)).toEqual({ total: 0, drifts: [] });
    expect(await auditRows()).toEqual([]);
    await expectRightCounts(database);
  });

  it.each(DRIFTS)('tells a drift of %s and leaves it; repairing sets it right', async (_, sql, drift) => {
    await database.knex.raw(sql);
    const found = { total: 1, drifts: [drift] };
    expect(await verification.verify()).toEqual(found);
    expect(await verification.verify()).toEqual(found);
    expect(await auditRows()).toEqual([]);
    expect(await verification.repair(ACT)).toEqual(found);
    expect(await auditRows()).toEqual([
      { actor: ACT.actor, action: ACT.action, subject: 'counts', outcome: 'repaired, 1 drifted' },
    ]);
    await expectRightCounts(database);
  });

  it('repairs all of it at once, of counts that are gone altogether', async () => {
    await database.knex.raw(
      'DELETE FROM token_counts; DELETE FROM active_user_tokens; DELETE FROM active_user_counts; DELETE FROM user_counts; DELETE FROM count_deltas',
    );
    expect((await verification.repair(ACT)).total).toBeGreaterThan(5);
    await expectRightCounts(database);
  });

  it('tells no more than a thousand drifts one by one, and how many there are', async () => {
    await database.knex.raw(`
      ALTER TABLE tokens DISABLE TRIGGER USER;
      INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
      SELECT 'M' || n, 'ocra', true, 1, resolvers.id, n, n FROM resolvers, generate_series(1, 1200) AS n;
      ALTER TABLE tokens ENABLE TRIGGER USER`);
    const { total, drifts } = await verification.verify();
    expect({ total, reported: drifts.length }).toEqual({ total: 1202, reported: 1000 });
    await verification.repair(ACT);
    await expectRightCounts(database);
  });

  it('neither waits for writers nor takes their changes for drifts', async () => {
    const writer = await database.knex.transaction();
    await writer.raw(
      `UPDATE tokens SET active = false WHERE serial = 'T1'; DELETE FROM tokens WHERE serial = 'T3'`,
    );
    expect(await verification.verify()).toEqual({ total: 0, drifts: [] });
    await database.knex.raw('UPDATE token_counts SET tokens = tokens + 3');
    expect((await verification.repair(ACT)).total).toBeGreaterThan(0);
    await writer.commit();
    await expectRightCounts(database);
  });

  it('repairs only when a fold that is under way has ended', async () => {
    await database.knex.raw("UPDATE tokens SET active = NOT active WHERE serial = 'T1'");
    const folding = await database.knex.transaction();
    await folding.raw('SELECT fold_counts(100)');
    const repairing = verification.repair(ACT);
    await untilWaiting(database);
    await folding.commit();
    expect(await repairing).toEqual({ total: 0, drifts: [] });
    await expectRightCounts(database);
  });

  it('repairs also while others write and fold', async () => {
    await database.knex.raw(
      'UPDATE token_counts SET tokens = tokens + 3; UPDATE active_user_tokens SET tokens = tokens + 1',
    );
    const writing = Array.from({ length: 8 }, async (_, index) => {
      await insertTokens(database, [owned(`W${index}`, `user${index % 2}`, ['north'])]);
      await database.knex.raw('SELECT fold_counts(2)');
      await database.knex.raw('UPDATE tokens SET active = NOT active WHERE serial = ?', [`W${index}`]);
    });
    await Promise.all([...writing, verification.repair(ACT), verification.repair(ACT)]);
    await expectRightCounts(database);
  });
});
