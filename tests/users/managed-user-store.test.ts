import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ManagedUser } from '../../src/users/user.ts';
import { beginningCondition, phoneCondition } from '../../src/resolvers/user-source.ts';
import { ManagedUserStore } from '../../src/users/managed-user-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

let test: TestDatabase;
let users: ManagedUserStore;
let people: string;
let staff: string;
let unix: string;

beforeAll(async () => {
  test = await createTestDatabase();
  users = new ManagedUserStore({ database: test.database });
  [people, staff, unix] = (await test.database
    .knex('resolvers')
    .insert([
      { name: 'people', kind: 'managed' },
      { name: 'staff', kind: 'managed' },
      { name: 'unix', kind: 'passwd' },
    ])
    .returning('id')
    .then((rows: { id: string }[]) => rows.map(({ id }) => id))) as [string, string, string];
});

afterAll(() => test.drop());

function person(login: string): Omit<ManagedUser, 'userId'> {
  return {
    login,
    givenName: 'Änne',
    surname: "O'Neil",
    email: 'a@example.org',
    phone: '+49 1',
    passwordHash: '$argon2id$',
  };
}

describe('a user of a managed resolver', () => {
  it('is found by login and by id, in that resolver only', async () => {
    const inserted = await users.insert(people, person('ann'), ACT);
    expect(inserted).toEqual({ ...person('ann'), userId: expect.any(String) });
    expect(await users.findByLogin(people, 'ann')).toEqual(inserted);
    expect(await users.findById(people, inserted.userId)).toEqual(inserted);
    expect(await users.findByLogin(staff, 'ann')).toBeUndefined();
    expect(await users.findById(staff, inserted.userId)).toBeUndefined();
  });

  it('has a login that nobody else in the resolver has', async () => {
    await users.insert(people, person('twin'), ACT);
    await expect(users.insert(people, person('twin'), ACT)).rejects.toMatchObject({ code: 'user.exists' });
    await users.insert(staff, person('twin'), ACT);
  });

  it('is found in another case or Unicode form, under their own login, and never by other letters', async () => {
    for (const login of ['Zo\u00eb', 'İbo', 'straße', 'Moe', 'moe', 'x%y']) {
      await users.insert(staff, person(login), ACT);
    }
    const found = async (login: string): Promise<string | undefined> =>
      (await users.findByLogin(staff, login))?.login;
    expect(await found('ZOE\u0308')).toBe('Zo\u00eb');
    expect([await found('STRAßE'), await found('STRASSE'), await found('strasse')]).toEqual([
      'straße',
      undefined,
      undefined,
    ]);
    expect([await found('İBO'), await found('ibo'), await found('Ibo')]).toEqual([
      'İbo',
      undefined,
      undefined,
    ]);
    expect([await found('Moe'), await found('moe'), await found('X%Y'), await found('xzy')]).toEqual([
      'Moe',
      'moe',
      'x%y',
      undefined,
    ]);
    await expect(found('MOE')).rejects.toMatchObject({ code: 'user.ambiguous', payload: { login: 'MOE' } });
  });

  it.each(['', '*', '%', '_nn', ' ', 'a\0nn', '\ud800'])('is not found as %j', async (login) => {
    expect(await users.findByLogin(people, login)).toBeUndefined();
    expect(await users.findById(people, login)).toBeUndefined();
  });

  it.each(['', '*', 'x', '999', '99999999999999999999'])(
    'is not found in the resolver %j',
    async (resolver) => {
      expect(await users.findByLogin(resolver, 'ann')).toBeUndefined();
      expect(await users.findById(resolver, '1')).toBeUndefined();
      expect(await users.list(resolver)).toEqual([]);
      expect(await users.count(resolver)).toBe(0);
      await expect(users.insert(resolver, person('x'), ACT)).rejects.toMatchObject({
        code: 'resolver.unknown',
      });
    },
  );

  it('is refused where users are kept elsewhere, and with a NUL character', async () => {
    await expect(users.insert(unix, person('x'), ACT)).rejects.toMatchObject({ code: 'resolver.invalid' });
    await expect(users.insert(people, person('x\0'), ACT)).rejects.toMatchObject({
      code: 'parameter.invalid',
    });
  });

  it('can get another password or none', async () => {
    const { userId } = await users.insert(staff, person('pass'), ACT);
    expect(await users.setPassword(staff, userId, 'new secret', ACT)).toBe(true);
    expect((await users.findById(staff, userId))?.passwordHash).toBe('new secret');
    expect(await users.setPassword(staff, userId, null, ACT)).toBe(true);
    expect((await users.findById(staff, userId))?.passwordHash).toBeNull();
    expect(await users.setPassword(people, userId, 'x', ACT)).toBe(false);
    expect(await users.setPassword(staff, '*', 'x', ACT)).toBe(false);
    expect(JSON.stringify(await test.database.knex('audit'))).not.toContain('secret');
  });

  it('leaves tokens unassigned when removed, and other users in peace', async () => {
    const tokens = new TokenStore({ database: test.database });
    const [gone, stays] = [
      await users.insert(staff, person('gone'), ACT),
      await users.insert(staff, person('stays'), ACT),
    ];
    const owner = ({ userId, login }: ManagedUser) => ({
      resolverId: staff,
      resolver: 'staff',
      userId,
      login,
    });
    await tokens.insert(tokenValue('A', { owner: owner(gone) }), ACT);
    await tokens.insert(tokenValue('B', { owner: owner(stays) }), ACT);
    expect(await users.remove(people, gone.userId, ACT)).toBe(false);
    expect(await users.remove(staff, '', ACT)).toBe(false);
    expect(await users.remove(staff, gone.userId, ACT)).toBe(true);
    expect(await users.remove(staff, gone.userId, ACT)).toBe(false);
    expect((await tokens.findBySerial('A'))?.owner).toBeNull();
    expect((await tokens.findBySerial('B'))?.owner).toEqual(owner(stays));
    const outcomes = await test.database.knex('audit').where({ subject: 'gone' }).pluck<string[]>('outcome');
    expect(outcomes).toEqual(['created', 'removed, 1 tokens unassigned']);
  });
});

describe('the users of a managed resolver', () => {
  it('are counted by one statement for all resolvers that are asked about at once', async () => {
    const statements: string[] = [];
    const listen = ({ sql }: { sql: string }): void => {
      statements.push(sql);
    };
    test.database.knex.on('query', listen);
    const before = await Promise.all([people, staff, '999', people].map((id) => users.count(id)));
    test.database.knex.off('query', listen);
    expect(statements).toHaveLength(1);
    await users.insert(staff, person('counted'), ACT);
    const [inPeople = -1, inStaff = -1] = before;
    expect(before).toEqual([inPeople, inStaff, 0, inPeople]);
    expect(await Promise.all([people, staff].map((id) => users.count(id)))).toEqual([inPeople, inStaff + 1]);
  });

  it('are listed by login, page by page, and counted', async () => {
    await test.database.knex('users').where({ resolver_id: people }).delete();
    for (const login of ['b', 'a', 'C', 'd']) {
      await users.insert(people, person(login), ACT);
    }
    const logins = async (page?: { limit?: number; offset?: number }): Promise<string[]> =>
      (await users.list(people, page)).map(({ login }) => login);
    expect(await logins()).toEqual(['C', 'a', 'b', 'd']);
    expect(await logins({ limit: 2, offset: 1 })).toEqual(['a', 'b']);
    expect(await users.count(people)).toBe(4);
  });
});

describe('a search for beginnings', () => {
  it('finds by two words a user whose first name more users have than are read', async () => {
    const { knex } = test.database;
    await knex.raw(
      `INSERT INTO users (resolver_id, login, given_name, surname)
       SELECT ?, 'crowd' || number, 'Anna', 'Usual' FROM generate_series(1, 1200) AS number`,
      [staff],
    );
    await users.insert(staff, { ...person('rare'), givenName: 'Anna', surname: 'Berg' }, ACT);
    const conditions = ['anna', 'berg'].map(beginningCondition);
    const found = await users.list(staff, { conditions, limit: 11, isInAnyOrder: true });
    expect(found.map(({ login }) => login)).toEqual(['rare']);
    await knex('users').where({ resolver_id: staff }).whereNot({ login: 'twin' }).delete();
  });
});

describe('a search for a later word of a name', () => {
  const names: Readonly<Record<string, Partial<ManagedUser>>> = {
    hyphen: { surname: 'Schröder-Lockheim' },
    apostrophe: { surname: "O'Neill" },
    typographic: { surname: 'O\u2019Neill' },
    dot: { givenName: 'J.Mark' },
    blanks: { givenName: 'Hans  Paul-Peter', surname: 'van \\der Berg-' },
  };

  beforeAll(async () => {
    for (const [login, changes] of Object.entries(names)) {
      await users.insert(people, { ...person(login), givenName: '', surname: '', ...changes }, ACT);
      await users.insert(staff, { ...person(login), givenName: '', surname: '', ...changes }, ACT);
    }
  });

  it.each([
    ['LOCK', ['hyphen']],
    ['neill', ['apostrophe', 'typographic']],
    ['mark', ['dot']],
    ['paul', ['blanks']],
    ['paul-pet', ['blanks']],
    ['paul-x', []],
    ['\\d', ['blanks']],
    ['ockheim', []],
    ["'", []],
  ])('finds by %j', async (text, logins) => {
    const search = { conditions: [beginningCondition(text)], limit: 9 };
    for (const isInAnyOrder of [true, false]) {
      const found = await users.list(people, { ...search, isInAnyOrder });
      expect(found.map(({ login }) => login)).toEqual(logins);
    }
  });

  it('is answered by an index', async () => {
    const { knex } = test.database;
    await knex.raw(
      `INSERT INTO users (resolver_id, login, surname)
       SELECT ?, 'double' || number, 'Lee-Word' || number FROM generate_series(1, 5000) AS number`,
      [staff],
    );
    await knex.raw('ANALYZE users');
    const plans: unknown[] = [];
    const explain = (statement: { sql: string; bindings: unknown[] }): void => {
      plans.push(statement);
    };
    knex.on('query', explain);
    const search = { conditions: [beginningCondition('word4711')], limit: 9, isInAnyOrder: true };
    const found = await users.list(staff, search);
    knex.off('query', explain);
    expect(found.map(({ login }) => login)).toEqual(['double4711']);
    expect(plans).toHaveLength(1);
    const [{ sql, bindings }] = plans as [{ sql: string; bindings: unknown[] }];
    const { rows } = await knex.raw<{ rows: unknown[] }>(
      `EXPLAIN ${sql.replaceAll(/\$\d+/g, '?')}`,
      bindings as string[],
    );
    expect(JSON.stringify(rows)).toContain('users_later_words_idx');
    await knex('users').where({ resolver_id: staff }).whereLike('login', 'double%').delete();
  });
});

describe('a search for a telephone number', () => {
  it('finds the end of it, however it is written, among many by an index', async () => {
    const { knex } = test.database;
    await knex.raw(
      `INSERT INTO users (resolver_id, login, phone)
       SELECT ?, 'caller' || number, '+49 (30) 1-' || lpad(number::text, 6, '0') FROM generate_series(1, 20000) AS number`,
      [staff],
    );
    const found = async (text: string): Promise<readonly string[]> => {
      const conditions = [phoneCondition(text)].flatMap((one) => one ?? []);
      const list = await users.list(staff, { conditions, limit: 200, isInAnyOrder: true });
      return list.map(({ login }) => login);
    };
    expect(await found('030 1012345')).toEqual(['caller12345']);
    expect(await found('1/99999')).toEqual([]);
    expect(await found('1/019999')).toEqual(['caller19999']);
    await knex('users')
      .where({ resolver_id: staff, login: 'caller7' })
      .update({ phone: '030 1-000007 (mobile)' });
    expect(await found('030 1000007')).toEqual(['caller7']);
    await knex.raw('ANALYZE users');
    const { rows } = await knex.raw<{ rows: { 'QUERY PLAN': string }[] }>(
      `EXPLAIN SELECT id FROM users WHERE resolver_id = ? AND phone <> ''
         AND reverse(regexp_replace(phone, '[^0-9]', '', 'g')) ~>=~ '5432101'
         AND reverse(regexp_replace(phone, '[^0-9]', '', 'g')) ~<~ '5432101:'`,
      [staff],
    );
    expect(rows.map((row) => row['QUERY PLAN']).join()).toContain('users_phone_idx');
    await knex('users').where({ resolver_id: staff }).whereNot({ login: 'twin' }).delete();
  });
});
