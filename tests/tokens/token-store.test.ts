import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { renewStatistics } from '../../src/database/database.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import type { TokenChange } from '../../src/tokens/token.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { insertState } from '../support/database/token-rows.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

describe('the store of tokens', () => {
  const test = databaseOfTests();
  let tokens: TokenStore;

  beforeAll(async () => {
    tokens = new TokenStore({ database: test.database });
    await insertState(test.database, {
      resolvers: ['people'],
      realms: ['north', 'south', 'west'].map((name) => ({ name, resolvers: ['people'] })),
      tokens: [],
    });
  });

  const auditOf = (subject: string): Promise<string[]> =>
    test.database.knex('audit').where({ subject }).orderBy('id').pluck<string[]>('outcome');

  describe('a new token', () => {
    it('is stored once, when it comes twice at the same time', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, () =>
          tokens.insert(tokenValue('Twice', { realms: ['north', 'west'] }), ACT),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it.each([
      ['realm.unknown', { realms: ['north', 'nowhere'] }],
      ['realm.unknown', { realms: [''] }],
      ['realm.unknown', { realms: ['*'] }],
      ['realm.unknown', { realms: ['nor\0th'] }],
      ['resolver.unknown', { owner: { resolverId: '999', resolver: 'x', userId: '1', login: 'x' } }],
      ['resolver.unknown', { owner: { resolverId: 'x', resolver: 'x', userId: '1', login: 'x' } }],
      ['parameter.invalid', { description: 'a\0b' }],
      ['parameter.invalid', { algorithm: '\ud800' }],
    ])('is refused with %s for %j', async (code, changes) => {
      await expect(tokens.insert(tokenValue('Refused', changes), ACT)).rejects.toMatchObject({ code });
      expect(await tokens.findBySerial('Refused')).toBeUndefined();
    });
  });

  describe('changing a token', () => {
    it('does not write back a fail counter that it was not given', async () => {
      await tokens.insert(tokenValue('Counted'), ACT);
      const seen = await tokens.findBySerial('Counted');
      await test.database.knex('tokens').where({ serial: 'Counted' }).update({ fail_count: 5, counter: 9 });
      expect(
        await tokens.update('Counted', { description: `${seen?.description ?? ''}x` }, ACT),
      ).toMatchObject({
        failCount: 5,
        counter: 9n,
        description: 'x',
      });
    });

    it('changes nothing when a part of it is refused', async () => {
      const before = await tokens.insert(tokenValue('Part', { realms: ['north'] }), ACT);
      await expect(tokens.update('Part', { active: false, realms: ['nowhere'] }, ACT)).rejects.toMatchObject({
        code: 'realm.unknown',
      });
      expect(await tokens.findBySerial('Part')).toEqual(before);
    });
  });

  describe('a serial that is not there', () => {
    it.each(['', ' ', '*', '%', '_', 'unknown', 'a\0b', 'whole', '\udfff'])(
      '%j matches no token',
      async (serial) => {
        expect(await tokens.findBySerial(serial)).toBeUndefined();
        expect(await tokens.update(serial, { active: false }, ACT)).toBeUndefined();
        await expect(tokens.removeAll([serial], ACT)).rejects.toMatchObject({ code: 'token.unknown' });
        expect(await tokens.list({ serial })).toEqual([]);
        expect(await auditOf(serial.replaceAll(/\0|\udfff/g, ''))).toEqual([]);
      },
    );
  });
});

describe('groups of tokens', () => {
  const test = databaseOfTests();
  let tokens: TokenStore;

  beforeAll(() => {
    tokens = new TokenStore({ database: test.database });
  });

  beforeEach(async () => {
    await test.database.knex('tokens').delete();
    await test.database.knex.raw("SELECT set_config('tankeeper.audit', 'open', true); DELETE FROM audit");
    for (const serial of ['T1', 'T2', 'T3']) {
      await tokens.insert(tokenValue(serial, { failCount: 5 }), ACT);
    }
  });

  async function failCounts(): Promise<number[]> {
    return (await tokens.list({})).map(({ failCount }) => failCount);
  }

  const auditedAs = (outcome: string): Promise<string[]> =>
    test.database.knex('audit').where({ outcome }).orderBy('subject').pluck<string[]>('subject');

  const RESET: TokenChange = { failCount: 0 };

  describe('several tokens', () => {
    it.each(['nosuch', 't1', '*', '%', 'T1\0', '\ud800'])(
      'are left as they are when %j is among them, which is not there',
      async (other) => {
        const changes = new Map([
          ['T1', RESET],
          [other, RESET],
        ]);
        expect((await eventualRefusal(tokens.updateAll(changes, ACT))).code).toBe('token.unknown');
        expect((await eventualRefusal(tokens.removeAll(['T1', other], ACT))).code).toBe('token.unknown');
        expect(await failCounts()).toEqual([5, 5, 5]);
        expect(await auditedAs('changed failCount')).toEqual([]);
      },
    );

    it('are left as they are when one of the changes cannot be stored', async () => {
      const changes = new Map<string, TokenChange>([
        ['T1', RESET],
        ['T2', { realms: ['nosuch'] }],
      ]);
      expect((await eventualRefusal(tokens.updateAll(changes, ACT))).code).toBe('realm.unknown');
      expect(await failCounts()).toEqual([5, 5, 5]);
    });

    it('are changed by two at once in whatever order they name them', async () => {
      const order = ['T1', 'T2', 'T3'];
      const rounds = Array.from({ length: 20 }, (_, round) => (round % 2 === 0 ? order : order.toReversed()));
      await Promise.all(
        rounds.map((serials, failCount) =>
          tokens.updateAll(new Map(serials.map((serial) => [serial, { failCount }])), ACT),
        ),
      );
      expect(new Set(await failCounts()).size).toBe(1);
    });
  });
});

describe('loading of tokens', () => {
  const test = databaseOfTests();
  it('stores all of many or, where one is refused after the first thousand, none', async () => {
    const loading = new TokenStore({ database: test.database });
    const many = Array.from({ length: 1_002 }, (_, index) => tokenValue(`WHOLE${index + 1_000}`));
    await loading.insert(tokenValue('whole2001'), ACT);
    await expect(loading.insertAll(many, ACT)).rejects.toMatchObject({ code: 'token.exists' });
    expect(await loading.existingSerials(many.map(({ serial }) => serial))).toEqual(new Set(['whole2001']));
  });

  it('finds the serials that are in use, whatever their case', async () => {
    await test.database.knex.raw(
      "INSERT INTO tokens (serial, type, active, realm_set_id) SELECT 'Qr1', 'ocra', true, intern_realm_set('{}')",
    );
    const loading = new TokenStore({ database: test.database });
    expect(await loading.existingSerials(['QR1', 'QR2'])).toEqual(new Set(['qr1']));
    expect(await loading.existingSerials([])).toEqual(new Set());
  });

  describe('the statistics of the tokens', () => {
    const known = async (): Promise<number | undefined> => {
      const { rows } = await test.database.knex.raw<{ rows: { reltuples: number }[] }>(
        "SELECT reltuples FROM pg_class WHERE oid = 'tokens'::regclass",
      );
      return rows[0]?.reltuples;
    };

    it('are those of the rows after many were loaded, without a wait for autovacuum', async () => {
      const { knex } = test.database;
      await knex.raw('ALTER TABLE tokens SET (autovacuum_enabled = false)');
      const loading = new TokenStore({ database: test.database });
      const load = (name: string, number: number): Promise<void> =>
        loading.insertAll(
          Array.from({ length: number }, (_, index) => tokenValue(`${name}${index}`)),
          ACT,
        );
      const before = await known();
      await load('FEW', 20);
      expect(await known()).toBe(before);
      await load('MANY', 1_000);
      expect(await known()).toBeGreaterThanOrEqual(1_020);
    });

    it('are left to autovacuum where they cannot be renewed', async () => {
      const { knex } = test.database;
      const before = await known();
      await knex.transaction(async (transaction) => {
        await transaction.raw('LOCK TABLE tokens IN SHARE UPDATE EXCLUSIVE MODE');
        await renewStatistics(test.database, ['tokens']);
      });
      await knex.raw('ALTER TABLE tokens RENAME TO renamed');
      await renewStatistics(test.database, ['tokens']);
      await knex.raw('ALTER TABLE renamed RENAME TO tokens');
      expect(await known()).toBe(before);
    });
  });
});
