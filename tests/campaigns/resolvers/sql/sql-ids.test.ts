import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SqlUsers } from '../../../../src/resolvers/sources/sql/sql-users.ts';
import { fieldCondition } from '../../../../src/resolvers/user-source.ts';
import { examination } from '../../../support/application/user-sources.ts';
import { eventualRefusal } from '../../../support/values/refusal.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/test-database.ts';
import { findMariadb, type Mariadb, startMariadb } from '../../../support/servers/mariadb.ts';
import { type Reach, reachOf, sqlSettings, sqlUsers } from '../../../support/servers/sql-resolver.ts';
import { type Column, MARIADB_COLUMNS, POSTGRESQL_COLUMNS } from './sql-id-columns.ts';
import { UserDirectory } from '../../../../src/users/user-directory.ts';
import { configurationOf } from '../../../support/values/configuration-value.ts';

const mariadbPrograms = findMariadb();

const MAP = '{"userid": "uid", "username": "login"}';

const INEXACT = 'the column of its ids is of a type whose values have no exact text (FLOAT, TIMESTAMP, JSON)';

interface Place {
  readonly reach: Reach;
  readonly password: string;
  run(...statements: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

async function postgresPlace(): Promise<Place> {
  const database: TestDatabase = await createTestDatabase({ schema: 'empty' });
  const run = async (...statements: readonly string[]): Promise<unknown> =>
    database.database.knex.raw(statements.join(';').replaceAll('?', '\\?'));
  const { reach, password } = reachOf(database.url);
  // What the role's session would otherwise have.
  await run(
    ...['datestyle', 'bytea_output', 'extra_float_digits', 'timezone'].map(
      (name, index) =>
        `ALTER DATABASE "${reach.Database ?? ''}" SET ${name} = '${['German, DMY', 'escape', '-10', 'Europe/Berlin'][index] ?? ''}'`,
    ),
  );
  return { reach, password, run, close: () => database.drop() };
}

async function mariadbPlace(): Promise<Place> {
  const mariadb: Mariadb = await startMariadb(mariadbPrograms ?? { server: '', installer: '' });
  await mariadb.query(
    'CREATE DATABASE directory CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci',
    "CREATE USER reader@'%' IDENTIFIED BY 'geheim'",
    "GRANT SELECT ON directory.* TO reader@'%'",
    "SET GLOBAL sql_mode = 'PAD_CHAR_TO_FULL_LENGTH,STRICT_TRANS_TABLES'",
  );
  return {
    reach: {
      Driver: 'mysql',
      Server: '127.0.0.1',
      Port: String(mariadb.port),
      User: 'reader',
      Database: 'directory',
    },
    password: 'geheim',
    run: (...statements) => mariadb.query('USE directory', 'SET NAMES utf8mb4', ...statements),
    close: () => mariadb.remove(),
  };
}

const KINDS = [
  ['PostgreSQL', postgresPlace, POSTGRESQL_COLUMNS],
  ['MariaDB', mariadbPlace, MARIADB_COLUMNS],
] as const;

describe.each(KINDS.filter(([name]) => name !== 'MariaDB' || mariadbPrograms !== undefined))(
  'the ids of users in %s',
  (kind, open, columns) => {
    let place: Place;
    let tables = 0;
    const opened: SqlUsers[] = [];

    const people = async (
      definition: string,
      rows: readonly (readonly [string, string])[],
    ): Promise<SqlUsers> => {
      tables += 1;
      const table = `people${tables}`;
      const values = rows.map(([uid, login]) => `(${uid}, ${login})`).join(', ');
      await place.run(`CREATE TABLE ${table} (${definition})`, `INSERT INTO ${table} VALUES ${values}`);
      const settings = sqlSettings(place.reach, { Table: table, Map: MAP });
      const source = sqlUsers({ settings, password: place.password });
      opened.push(source);
      return source;
    };
    const numbered = (ids: Column[1]): readonly (readonly [string, string])[] =>
      Object.keys(ids).map((uid, index) => [uid, `'user${index}'`]);

    beforeAll(async () => {
      place = await open();
    });
    afterEach(() => Promise.all(opened.splice(0).map((source) => source.close())));
    afterAll(() => place.close());

    it.each(columns)('of the type %s are told apart, and each finds its own user only', async (type, ids) => {
      const source = await people(`uid ${type}, login varchar(80)`, numbered(ids));
      for (const [index, userId] of Object.values(ids).entries()) {
        const login = `user${index}`;
        expect(await source.findByLogin(login)).toMatchObject({ login, userId });
        expect([userId, await source.findById(userId)]).toEqual([
          userId,
          expect.objectContaining({ login, userId }),
        ]);
        const conditions = [fieldCondition('userId', userId.replaceAll('*', ''))];
        const found = await source.list({ conditions, limit: 100 });
        expect(found.map((user) => user.login)).toContain(login);
      }
      const users = Object.keys(ids).length;
      expect((await source.list()).map(({ userId }) => userId)).toEqual(Object.values(ids));
      expect(await source.count()).toBe(users);
      expect(await source.examine()).toEqual(examination(users));
    });

    it.each(['', 'zz', 'F1', '\\xF1', 'x', '0x4b31', '4B31', "'", '\\'])(
      'that are bytes are found by their hex digits only, so not by %j',
      async (text) => {
        const source = await people(
          `uid ${kind === 'MariaDB' ? 'VARBINARY(9)' : 'bytea'}, login varchar(80)`,
          [["'K1'", "'anna'"]],
        );
        expect(await source.findById(text)).toBeUndefined();
        expect((await source.findById('4b31'))?.login).toBe('anna');
      },
    );

    it('are missing, or the login is: those rows are no users, and are counted by what they lack', async () => {
      const source = await people('uid varchar(9), login varchar(80)', [
        ["'1'", "'anna'"],
        ['NULL', "'bert'"],
        ["''", "'carl'"],
        ["'4'", 'NULL'],
        ["'5'", "''"],
        ["''", "''"],
        ["'6'", "' '"],
        ["'7'", kind === 'MariaDB' ? "' \\t'" : "E' \\t'"],
      ]);
      expect(await source.examine()).toEqual(examination(8, { users: 1, withoutId: 3, withoutLogin: 4 }));
      expect([await source.count(), (await source.list()).length]).toEqual([1, 1]);
      expect(await source.findByLogin('bert')).toBeUndefined();
      expect(await source.findByLogin('carl')).toBeUndefined();
      expect(await source.findByLogin(' ')).toBeUndefined();
      expect(await source.findById('6')).toBeUndefined();
      expect(await source.findById('')).toBeUndefined();
    });

    it('that two rows have are told, and those that differ in case or blanks are two', async () => {
      const source = await people('uid varchar(9), login varchar(80)', [
        ["'1'", "'anna'"],
        ["'1'", "'bert'"],
        ["'1 '", "'carl'"],
        ["'a'", "'dora'"],
        ["'A'", "'emil'"],
      ]);
      expect(await source.examine()).toMatchObject({ entries: 5, users: 5, sharingId: 2 });
      expect((await eventualRefusal(source.findById('1'))).message).toContain(
        'several rows have the same user id',
      );
      expect((await source.findById('1 '))?.login).toBe('carl');
      expect((await source.findById('A'))?.login).toBe('emil');
    });

    it('are examined in no more rows than the setting allows', async () => {
      await place.run(
        'CREATE TABLE limited (uid varchar(9), login varchar(80))',
        "INSERT INTO limited VALUES ('1', 'a'), ('2', 'b'), ('2', 'c')",
      );
      const settings = sqlSettings(place.reach, {
        Table: 'limited',
        Map: MAP,
        Limit: '2',
        Where: `uid <> '1'`,
      });
      const source = sqlUsers({ settings, password: place.password });
      opened.push(source);
      expect(await source.examine()).toEqual(examination(2, { sharingId: 2 }));
    });

    it('belong to logins that keep their blanks, and are bytes only where they are UTF-8', async () => {
      const bytes = kind === 'MariaDB' ? 'VARBINARY(20)' : 'bytea';
      const source = await people(`uid integer, login ${bytes}`, [
        ['1', kind === 'MariaDB' ? "'ärna'" : "convert_to('ärna', 'UTF8')"],
        ['2', kind === 'MariaDB' ? "X'61FF'" : "'\\x61FF'"],
        ['3', "'anna '"],
      ]);
      expect(await source.findByLogin('ärna')).toMatchObject({ userId: '1' });
      expect(await source.findByLogin('anna')).toBeUndefined();
      expect(await source.findByLogin('anna ')).toMatchObject({ userId: '3' });
      expect(await source.findByLogin('a\u{FFFD}')).toBeUndefined();
      expect((await source.list()).map(({ userId }) => userId).sort()).toEqual(['1', '3']);
    });
  },
);

(mariadbPrograms === undefined ? describe.skip : describe)('the ids of a table in MariaDB', () => {
  let place: Place;
  let people: SqlUsers;
  const make = async (definition: string, rows: string): Promise<void> => {
    await place.run(
      `CREATE OR REPLACE TABLE people (uid ${definition}, login varchar(80))`,
      `INSERT INTO people VALUES ${rows}`,
    );
  };

  beforeAll(async () => {
    place = await mariadbPlace();
    const settings = sqlSettings(place.reach, { Map: MAP });
    people = sqlUsers({ settings, password: place.password });
  });
  afterAll(async () => {
    await people.close();
    await place.close();
  });

  it.each(['FLOAT', 'TIMESTAMP(6)'])('of the type %s are refused, whatever is asked', async (type) => {
    await make(type, "(NULL, 'anna')");
    for (const question of [
      () => people.examine(),
      () => people.count(),
      () => people.list(),
      () => people.findByLogin('nobody'),
      () => people.findById('1'),
      () => people.checkPassword('1', 'x'),
    ]) {
      const { message } = await eventualRefusal(question());
      expect(message).toBe(`The resolver 'staff' is unavailable: ${INEXACT}`);
    }
  });

  it('with NUL, which cannot be kept here, are those of nobody', async () => {
    await make('varchar(9)', "('K1', 'anna'), (CONCAT('K1', CHAR(0)), 'bert')");
    expect(await people.examine()).toMatchObject({ entries: 2, users: 1, withoutId: 1 });
    expect(await people.count()).toBe(1);
    expect(await people.findByLogin('bert')).toBeUndefined();
    expect((await people.findById('K1'))?.login).toBe('anna');
  });

  it('are read as the database describes them now: a column may become one of bytes', async () => {
    await make('varchar(9)', "('K1', 'anna')");
    expect((await people.findById('K1'))?.login).toBe('anna');
    await place.run('ALTER TABLE people MODIFY uid VARBINARY(9)');
    expect(await people.findById('K1')).toBeUndefined();
    expect((await people.findById('4b31'))?.login).toBe('anna');
  });
});

describe('a table of a database that is not UTF-8', () => {
  it('has its users found by logins with umlauts, in either Unicode form, and nobody by letters that it lacks', async () => {
    const database = await createTestDatabase({ schema: 'empty' });
    const name = `${new URL(database.url).pathname.slice(1)}_latin1`;
    const { knex } = database.database;
    await knex.raw(`CREATE DATABASE "${name}" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`CREATE TABLE people (id integer, "user" text)`);
    await client.query(`INSERT INTO people VALUES (1, 'Zo\u00eb'), (2, 'anna')`);
    await client.end();
    const { reach, password } = reachOf(url.href);
    const settings = sqlSettings(reach, { Map: '{"userid": "id", "username": "user"}' });
    const source = sqlUsers({ settings, password });
    try {
      const configuration = configurationOf({
        realms: [{ name: 'office', resolvers: ['staff'] }],
        resolvers: [{ id: '1', name: 'staff' }],
      });
      const directory = new UserDirectory({ sources: () => source });
      const find = async (user: string): Promise<string | undefined> =>
        (await directory.find(configuration, { user }))?.userId;
      expect(await find('Zo\u00eb')).toBe('1');
      expect(await find('Zoe\u0308')).toBe('1');
      expect(await find('anna')).toBe('2');
      expect(await find('\u674e')).toBeUndefined();
    } finally {
      await source.close();
      await knex.raw(`DROP DATABASE "${name}" WITH (FORCE)`);
      await database.drop();
    }
  });
});
