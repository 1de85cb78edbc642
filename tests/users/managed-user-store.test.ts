import { beforeAll, describe, expect, it } from '@jest/globals';

import type { ManagedUser } from '../../src/users/user.ts';
import { beginningCondition, phoneCondition } from '../../src/resolvers/user-source.ts';
import { ManagedUserStore } from '../../src/users/managed-user-store.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT } from '../support/values/token-values.ts';

const test = databaseOfTests();
let users: ManagedUserStore;
let people: string;
let staff: string;
let unix: string;

beforeAll(async () => {
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
