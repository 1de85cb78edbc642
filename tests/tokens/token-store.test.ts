import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { TokenFilter } from '../../src/tokens/token-selection.ts';
import type { Owner } from '../../src/users/user.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState } from '../support/database/token-rows.ts';
import { ACT, sealedBytes, tokenValue } from '../support/values/token-values.ts';

let test: TestDatabase;
let tokens: TokenStore;
let ann: Owner;
let bob: Owner;

beforeAll(async () => {
  test = await createTestDatabase();
  tokens = new TokenStore({ database: test.database });
  await insertState(test.database, {
    resolvers: ['people'],
    realms: ['north', 'south', 'west'].map((name) => ({ name, resolvers: ['people'] })),
    tokens: [],
  });
  [ann, bob] = [await addUser('ann'), await addUser('bob')];
});

afterAll(() => test.drop());

async function addUser(login: string): Promise<Owner> {
  const { knex } = test.database;
  const resolver = await knex('resolvers').first<{ id: string }>('id');
  const [user] = await knex('users')
    .insert({ resolver_id: resolver.id, login })
    .returning<{ id: string }[]>('id');
  return { resolverId: resolver.id, resolver: 'people', userId: user?.id ?? '', login };
}

const auditOf = (subject: string): Promise<string[]> =>
  test.database.knex('audit').where({ subject }).orderBy('id').pluck<string[]>('outcome');

describe('a new token', () => {
  it('is found as it was given', async () => {
    const value = tokenValue('Whole', {
      type: 'ocra',
      description: 'Ännes Gerät',
      active: false,
      owner: ann,
      realms: ['south', 'north'],
      failCount: 3,
      maxFail: 7,
      counter: 2n ** 62n,
      counterWindow: 5,
      syncWindow: 50,
      timeShift: -60,
      ocraSuite: null,
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
    const inserted = await tokens.insert(value, ACT);
    expect(inserted).toMatchObject({ ...value, realms: ['north', 'south'] });
    expect(inserted.lastSuccessAt).toBeNull();
    expect(inserted.createdAt).toBeInstanceOf(Date);
    expect(await tokens.findBySerial('Whole')).toEqual(inserted);
  });

  it('is refused when only the case of its serial differs from another', async () => {
    await tokens.insert(tokenValue('Case1'), ACT);
    for (const serial of ['Case1', 'CASE1', 'case1']) {
      await expect(tokens.insert(tokenValue(serial), ACT)).rejects.toMatchObject({ code: 'token.exists' });
    }
    expect(await auditOf('CASE1')).toEqual([]);
  });

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
    ['parameter.invalid', { ocraSuite: '\ud800' }],
  ])('is refused with %s for %j', async (code, changes) => {
    await expect(tokens.insert(tokenValue('Refused', changes), ACT)).rejects.toMatchObject({ code });
    expect(await tokens.findBySerial('Refused')).toBeUndefined();
  });

  it('is refused for a user that a managed resolver does not have', async () => {
    for (const userId of ['999', 'nobody', '']) {
      const owner = { ...ann, userId };
      await expect(tokens.insert(tokenValue('Refused', { owner }), ACT)).rejects.toMatchObject({
        code: 'user.unknown',
      });
    }
  });

  it('keeps a set of realms once, however it is written', async () => {
    await tokens.insert(tokenValue('Set1', { realms: ['south', 'west'] }), ACT);
    await tokens.insert(tokenValue('Set2', { realms: [' WEST', 'south', 'west'] }), ACT);
    const sets = await test.database
      .knex('tokens')
      .whereIn('serial', ['Set1', 'Set2'])
      .distinct('realm_set_id');
    expect(sets).toHaveLength(1);
  });
});

describe('changing a token', () => {
  it('changes what is given and nothing else', async () => {
    const before = await tokens.insert(
      tokenValue('Change', { owner: ann, realms: ['north'], failCount: 4 }),
      ACT,
    );
    const after = await tokens.update('Change', { active: false, secrets: { pin: sealedBytes('new') } }, ACT);
    expect(after).toEqual({
      ...before,
      version: '2',
      active: false,
      secrets: { ...before.secrets, pin: sealedBytes('new') },
    });
    expect(await tokens.findBySerial('Change')).toEqual(after);
    expect(await auditOf('Change')).toEqual(['created', 'changed active, pin']);
  });

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

  it('gives and takes owner, realms and secrets', async () => {
    await tokens.insert(tokenValue('Assign'), ACT);
    expect(await tokens.update('Assign', { owner: bob, realms: ['west', 'north'] }, ACT)).toMatchObject({
      owner: bob,
      realms: ['north', 'west'],
    });
    expect(
      await tokens.update('Assign', { owner: null, realms: [], secrets: { seed: null } }, ACT),
    ).toMatchObject({
      owner: null,
      realms: [],
      secrets: { seed: null },
    });
  });

  it('changes nothing when a part of it is refused', async () => {
    const before = await tokens.insert(tokenValue('Part', { realms: ['north'] }), ACT);
    await expect(tokens.update('Part', { active: false, realms: ['nowhere'] }, ACT)).rejects.toMatchObject({
      code: 'realm.unknown',
    });
    expect(await tokens.findBySerial('Part')).toEqual(before);
  });

  it('is possible without a change', async () => {
    const before = await tokens.insert(tokenValue('Same'), ACT);
    expect(await tokens.update('Same', {}, ACT)).toEqual(before);
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

describe('removing a token', () => {
  it('takes its challenges along', async () => {
    const { id } = await tokens.insert(tokenValue('Gone'), ACT);
    await test.database
      .knex('challenges')
      .insert({ transaction_id: 'T', token_id: id, question: 'Q', data: '', issued_at: new Date() });
    await tokens.removeAll(['Gone'], ACT);
    await expect(tokens.removeAll(['Gone'], ACT)).rejects.toMatchObject({ code: 'token.unknown' });
    expect(await test.database.knex('challenges').where({ token_id: id })).toEqual([]);
    expect(await auditOf('Gone')).toEqual(['created', 'removed']);
  });
});

describe('listing tokens', () => {
  beforeAll(async () => {
    await test.database.knex('tokens').delete();
    await tokens.insert(tokenValue('B', { owner: ann, realms: ['north'] }), ACT);
    await tokens.insert(tokenValue('a', { owner: ann, realms: ['north', 'south'], active: false }), ACT);
    await tokens.insert(tokenValue('C', { owner: bob, realms: [] }), ACT);
    await tokens.insert(tokenValue('D', { realms: ['south'] }), ACT);
  });

  const LISTS: readonly (readonly [what: string, filter: TokenFilter, serials: readonly string[]])[] = [
    ['all', {}, ['B', 'C', 'D', 'a']],
    ['one', { serial: 'C' }, ['C']],
    ['those of a realm', { realm: 'north' }, ['B', 'a']],
    ['those of a realm in any case', { realm: ' North ' }, ['B', 'a']],
    ['those in no realm', { realm: null }, ['C']],
    ['those in one of several realms', { inRealms: ['north', 'south', 'nowhere'] }, ['B', 'D', 'a']],
    ['those of a realm that are in others too', { realm: 'north', inRealms: ['south'] }, ['a']],
    ['none in none of several realms', { inRealms: [] }, []],
    ['none in realms with NUL or wildcard', { inRealms: ['\0', '*'] }, []],
    ['active ones', { active: true }, ['B', 'C', 'D']],
    ['inactive ones', { active: false }, ['a']],
    ['assigned ones', { assigned: true }, ['B', 'C', 'a']],
    ['unassigned ones', { assigned: false }, ['D']],
    ['those that match everything', { realm: 'south', assigned: true, active: false }, ['a']],
    ['none of an unknown realm', { realm: 'nowhere' }, []],
    ['none of a blank realm', { realm: '' }, []],
    ['none of a realm with a wildcard', { realm: '*' }, []],
    ['none of a realm with NUL', { realm: '\0' }, []],
    ['none of a blank user', { owner: { resolverId: '1', userId: '' } }, []],
    ['none of an impossible resolver', { owner: { resolverId: '*', userId: '1' } }, []],
  ];

  it.each(LISTS)('shows %s, by serial', async (_, filter, serials) => {
    expect((await tokens.list(filter)).map(({ serial }) => serial)).toEqual(serials);
    expect(await tokens.count(filter)).toBe(serials.length);
  });

  it('shows those of a user', async () => {
    expect((await tokens.list({ owner: ann })).map(({ serial }) => serial)).toEqual(['B', 'a']);
    expect(await tokens.count({ owner: ann, active: true })).toBe(1);
  });

  it('shows a page of them', async () => {
    const page = async (limit: number, offset: number): Promise<string[]> =>
      (await tokens.list({ limit, offset })).map(({ serial }) => serial);
    expect(await page(2, 0)).toEqual(['B', 'C']);
    expect(await page(2, 2)).toEqual(['D', 'a']);
    expect(await page(2, 4)).toEqual([]);
    expect(await page(0, 0)).toEqual([]);
  });
});
