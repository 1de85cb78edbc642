import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { ManagedUserStore } from '../../src/users/managed-user-store.ts';
import { ConfigurationStore } from '../../src/configuration/configuration-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const test = databaseOfTests({ poolSize: 20 });
let database: Database;
let tokens: TokenStore;
let configuration: ConfigurationStore;

beforeAll(() => {
  // Transactions are not tried again here, so that a deadlock shows.
  database = { ...test.database, transact: (work) => test.database.audit.transact(work) };
  tokens = new TokenStore({ database });
  configuration = new ConfigurationStore({ database, clock: systemClock });
});

beforeEach(async () => {
  for (const realm of ['north', 'south', 'west']) {
    await configuration.putRealm(realm, [], ACT);
  }
});

afterEach(async () => {
  await expectNothingDangling();
  await test.database.knex('tokens').delete();
});

/** Whatever happened: no set names a realm that is not there. */
async function expectNothingDangling(): Promise<void> {
  const { rows } = await test.database.knex.raw<{ rows: unknown[] }>(
    'SELECT * FROM realm_sets, unnest(realm_ids) AS realm_id WHERE realm_id NOT IN (SELECT id FROM realms)',
  );
  expect(rows).toEqual([]);
}

const realmsOf = async (serial: string): Promise<readonly string[] | undefined> =>
  (await tokens.findBySerial(serial))?.realms;

describe('removing a realm', () => {
  it('takes it from every token that is in it and from no other', async () => {
    const before = {
      A: ['north'],
      B: ['north', 'south'],
      C: ['south'],
      D: [],
      E: ['north', 'south', 'west'],
    };
    for (const [serial, realms] of Object.entries(before)) {
      await tokens.insert(tokenValue(serial, { realms }), ACT);
    }
    expect(await configuration.removeRealm(' North', ACT)).toBe(true);
    expect(await configuration.removeRealm('north', ACT)).toBe(false);
    const after = await Promise.all(Object.keys(before).map(realmsOf));
    expect(after).toEqual([[], ['south'], ['south'], [], ['south', 'west']]);
    const outcomes = await test.database
      .knex('audit')
      .where({ subject: 'north', action: ACT.action })
      .pluck<string[]>('outcome');
    expect(outcomes).toEqual(['created', 'removed, from 3 tokens']);
  });

  it('waits for a token that is being put into it, and takes it along', async () => {
    const realm = await test.database.knex('realms').where({ name: 'north' }).first<{ id: string }>('id');
    const inserting = await test.database.knex.transaction();
    await inserting('realms').where({ name: 'north' }).forKeyShare().select('id');
    const removed = configuration.removeRealm('north', ACT);
    await untilWaiting(test.database);
    await inserting.raw(
      `INSERT INTO tokens (serial, type, active, realm_set_id)
       VALUES ('Late', 'ocra', true, intern_realm_set(ARRAY[?::bigint]))`,
      [realm.id],
    );
    await inserting.commit();
    expect(await removed).toBe(true);
    expect(await realmsOf('Late')).toEqual([]);
  });

  it('is known to a token that comes too late', async () => {
    const removing = await test.database.knex.transaction();
    await removing('realms').where({ name: 'north' }).delete();
    const inserted = tokens
      .insert(tokenValue('TooLate', { realms: ['north'] }), ACT)
      .catch((error: unknown) => error);
    await untilWaiting(test.database);
    await removing.commit();
    expect(await inserted).toMatchObject({ code: 'realm.unknown' });
  });

  it('never meets a deadlock nor misses a token while tokens come and go', async () => {
    for (const round of [1, 2, 3, 4, 5]) {
      await configuration.putRealm('north', [], ACT);
      await configuration.putRealm('south', [], ACT);
      const serials = Array.from({ length: 12 }, (_, index) => `R${round}-${index}`);
      for (const serial of serials.slice(0, 6)) {
        await tokens.insert(tokenValue(serial, { realms: ['north', 'south'] }), ACT);
      }
      const results = await Promise.allSettled([
        ...serials
          .slice(6)
          .map((serial) => tokens.insert(tokenValue(serial, { realms: ['south', 'north'] }), ACT)),
        ...serials.slice(0, 3).map((serial) => tokens.update(serial, { realms: ['north'] }, ACT)),
        configuration.removeRealm('north', ACT),
        ...serials.slice(3, 6).map((serial) => tokens.update(serial, { realms: ['west', 'south'] }, ACT)),
        configuration.removeRealm('south', ACT),
        ...serials.slice(0, 6).map((serial) => tokens.update(serial, { failCount: round }, ACT)),
      ]);
      const reasons = results.flatMap((result) =>
        result.status === 'rejected' ? [(result.reason as { code?: string }).code] : [],
      );
      expect(new Set([...reasons, 'realm.unknown'])).toEqual(new Set(['realm.unknown']));
      await expectNothingDangling();
      expect(await tokens.count({ realm: 'north' })).toBe(0);
      expect(await tokens.count({ realm: 'south' })).toBe(0);
    }
  });
});

describe('removing a realm of very many tokens', () => {
  const inNorth = ['M1', 'M2', 'M3', 'M4', 'M5'];
  let chunks: ConfigurationStore;
  beforeEach(async () => {
    chunks = new ConfigurationStore({ database, clock: systemClock, tokensAtOnce: 2 });
    for (const serial of [...inNorth, 'Other']) {
      await tokens.insert(
        tokenValue(serial, { realms: serial === 'Other' ? ['south'] : ['north', 'south'] }),
        ACT,
      );
    }
    await test.database.knex.raw("SELECT set_config('tankeeper.audit', 'open', true); DELETE FROM audit");
  });
  const outcomes = (): Promise<string[]> =>
    test.database.knex('audit').where({ subject: 'north' }).orderBy(['at', 'id']).pluck<string[]>('outcome');

  it('takes it from a few of them at a time, each time with a row in the audit', async () => {
    expect(await chunks.removeRealm('north', ACT)).toBe(true);
    expect(await Promise.all(inNorth.map(realmsOf))).toEqual(inNorth.map(() => ['south']));
    expect(await realmsOf('Other')).toEqual(['south']);
    expect(await outcomes()).toEqual([
      'being removed, from 2 tokens',
      'being removed, from 2 tokens',
      'removed, from 1 tokens',
    ]);
    expect(await chunks.removeRealm('north', ACT)).toBe(false);
  });

  it('lets others at those that have left it, and goes on where it was broken off', async () => {
    const holder = await test.database.knex.transaction();
    await holder('tokens').where({ serial: 'M4' }).forUpdate().select('id');
    const broken = chunks.removeRealm('north', ACT).catch((error: unknown) => error);
    await untilWaiting(test.database);
    // Waits for nobody.
    await holder('tokens').where({ serial: 'M1' }).update({ description: 'changed' });
    await holder.raw(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(await broken).toMatchObject({ code: 'database.unavailable' });
    await holder.commit();
    expect(await Promise.all(inNorth.map(realmsOf))).toEqual([
      ['south'],
      ['south'],
      ...[1, 2, 3].map(() => ['north', 'south']),
    ]);
    expect(await outcomes()).toEqual(['being removed, from 2 tokens']);

    expect(await chunks.removeRealm('north', ACT)).toBe(true);
    expect(await Promise.all(inNorth.map(realmsOf))).toEqual(inNorth.map(() => ['south']));
    expect((await outcomes()).slice(1)).toEqual(['being removed, from 2 tokens', 'removed, from 1 tokens']);
  });
});

describe('removing a user of a managed resolver', () => {
  it('leaves no token assigned, though tokens are being assigned at the same time', async () => {
    const users = new ManagedUserStore({ database });
    await configuration.putResolver({ name: 'people', kind: 'managed', settings: {} }, ACT);
    const resolverId = (await configuration.current()).resolvers[0]?.id ?? '';
    for (const round of [1, 2, 3, 4, 5]) {
      const details = { givenName: '', surname: '', email: '', phone: '', passwordHash: null };
      const { userId, login } = await users.insert(resolverId, { login: `ann${round}`, ...details }, ACT);
      const owner = { resolverId, resolver: 'people', userId, login };
      const serials = Array.from({ length: 8 }, (_, index) => `U${round}-${index}`);
      for (const serial of serials) {
        await tokens.insert(tokenValue(serial), ACT);
      }
      const assigning = serials.map((serial) =>
        tokens.update(serial, { owner }, ACT).catch((error: unknown) => error),
      );
      expect(await users.remove(resolverId, userId, ACT)).toBe(true);
      await Promise.all(assigning);
      expect(await tokens.count({ owner })).toBe(0);
    }
  });
});
