import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TokenStore } from '../../src/tokens/token-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState } from '../support/database/token-rows.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

let test: TestDatabase;
let tokens: TokenStore;

beforeAll(async () => {
  test = await createTestDatabase();
  tokens = new TokenStore({ database: test.database });
  await insertState(test.database, {
    resolvers: ['people'],
    realms: ['north', 'south', 'west'].map((name) => ({ name, resolvers: ['people'] })),
    tokens: [],
  });
});

afterAll(() => test.drop());

const auditOf = (subject: string): Promise<string[]> =>
  test.database.knex('audit').where({ subject }).orderBy('id').pluck<string[]>('outcome');

describe('a new token', () => {
  it('is stored once, when it comes twice at the same time', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => tokens.insert(tokenValue('Twice', { realms: ['north', 'west'] }), ACT)),
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
    expect(await tokens.update('Counted', { description: `${seen?.description ?? ''}x` }, ACT)).toMatchObject(
      {
        failCount: 5,
        counter: 9n,
        description: 'x',
      },
    );
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
