import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SqlUsers } from '../../../../src/resolvers/sources/sql/sql-users.ts';
import { type UserCondition, fieldCondition, freeCondition } from '../../../../src/resolvers/user-source.ts';
import { until } from '../../../support/values/until.ts';
import type { ServiceError } from '../../../../src/kernel/errors.ts';
import { eventualRefusal } from '../../../support/values/refusal.ts';
import { findMariadb, type Mariadb, startMariadb } from '../../../support/servers/mariadb.ts';
import { startSilentServer } from '../../../support/servers/silent-server.ts';
import {
  type Reach,
  reachOf,
  sqlSettings,
  sqlUsers,
  type SqlUsersSketch,
} from '../../../support/servers/sql-resolver.ts';
import {
  connectionsLeft,
  createTestDatabase,
  type TestDatabase,
} from '../../../support/database/test-database.ts';

const mariadbPrograms = findMariadb();

const CRYPTED =
  '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';
const PEOPLE: readonly (readonly (string | number | null)[])[] = [
  [1, 'anna', CRYPTED, null, 'Anna', 'Muster', 'anna@example.com', '+49 30 1', '+49 170 1'],
  [2, 'Änne Ødegård ☃', null, null, 'Änne', 'Ødegård', null, null, '+47 2'],
  [3, "o'neil", 'x', null, null, null, null, null, null],
  [4, 'bert', 'geheim', null, 'Bert', null, null, null, null],
  [5, 'gone', null, null, null, null, null, null, null],
  [6, 'x" OR 1=1 --', null, null, null, null, null, null, null],
  [7, 'back\\slash', null, null, null, null, null, null, null],
];
const MANY = 100_000;

/** A database with the tables of the tests. */
interface Place {
  readonly reach: Reach;
  readonly password: string;
  /** Statements as somebody who may do everything. */
  run(...statements: readonly string[]): Promise<unknown>;
  /** Sleeps that long, in a condition. */
  readonly delay: string;
  close(): Promise<void>;
}

async function postgresPlace(): Promise<Place> {
  const database: TestDatabase = await createTestDatabase({ schema: 'empty' });
  const run = async (...statements: readonly string[]): Promise<void> => {
    await database.database.knex.raw(statements.join(';'));
  };
  await run(
    `CREATE TABLE people (id integer PRIMARY KEY, "user" text, password text, salt text, "givenName" text, sn text,
      mail text, "telephoneNumber" text, mobile text)`,
    `INSERT INTO people VALUES ${rows('')}`,
    `CREATE TABLE many AS SELECT n AS id, 'user' || n AS "user" FROM generate_series(1, ${MANY}) AS n`,
    `CREATE TABLE cases (id char(12), "user" char(12))`,
    `INSERT INTO cases VALUES ('1', 'Anna'), ('2', 'anna')`,
    'CREATE TABLE twins AS SELECT id, \'twin\' AS "user" FROM people',
    'CREATE SCHEMA staff',
    'CREATE TABLE staff.people AS SELECT * FROM people WHERE id < 3',
  );
  const { reach, password } = reachOf(database.url);
  return { reach, password, run, delay: '(SELECT true FROM pg_sleep(60))', close: () => database.drop() };
}

async function mariadbPlace(mariadb: Mariadb): Promise<Place> {
  await mariadb.query(
    'CREATE DATABASE IF NOT EXISTS directory CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci',
    'CREATE DATABASE IF NOT EXISTS staff CHARACTER SET utf8mb4',
    "CREATE USER IF NOT EXISTS reader@'%' IDENTIFIED BY 'Lese-Recht; ä'",
    "GRANT SELECT ON directory.* TO reader@'%'",
    "GRANT SELECT ON staff.* TO reader@'%'",
  );
  const run = (...statements: readonly string[]): Promise<unknown> =>
    mariadb.query('USE directory', ...statements);
  await run(
    `CREATE TABLE people (id integer PRIMARY KEY, user varchar(64), password text, salt text, givenName text, sn text,
      mail text, telephoneNumber text, mobile text)`,
    `INSERT INTO people VALUES ${rows('\\')}`,
    `CREATE TABLE many AS SELECT seq AS id, concat('user', seq) AS user FROM seq_1_to_${MANY}`,
    'CREATE TABLE cases (id char(12), user char(12))',
    "INSERT INTO cases VALUES ('1', 'Anna'), ('2', 'anna')",
    "CREATE TABLE twins AS SELECT id, 'twin' AS user FROM people",
    'CREATE TABLE staff.people AS SELECT * FROM people WHERE id < 3',
  );
  const reach = {
    Driver: 'mysql+mysqldb',
    Server: '127.0.0.1',
    Port: String(mariadb.port),
    User: 'reader',
    Database: 'directory',
  };
  return {
    reach,
    password: 'Lese-Recht; ä',
    run,
    delay: '(SELECT sleep(60)) = 0',
    close: () => mariadb.remove(),
  };
}

/** @param escape the character that a backslash in a text needs in front */
function rows(escape: string): string {
  const cell = (value: string | number | null): string =>
    typeof value === 'string'
      ? `'${value.replaceAll("'", "''").replaceAll('\\', `${escape}\\`)}'`
      : String(value);
  return PEOPLE.map((row) => `(${row.map(cell).join(', ')})`).join(', ');
}

const KINDS = [
  ['PostgreSQL', postgresPlace],
  ['MariaDB', async () => mariadbPlace(await startMariadb(mariadbPrograms ?? { server: '', installer: '' }))],
] as const;

describe.each(KINDS.filter(([name]) => name !== 'MariaDB' || mariadbPrograms !== undefined))(
  'the users of a table in %s',
  (kind, open) => {
    let place: Place;
    const opened: SqlUsers[] = [];
    const users = (changes: Reach = {}, sketch: Partial<SqlUsersSketch> = {}): SqlUsers => {
      const settings = sqlSettings(place.reach, changes);
      const source = sqlUsers({ password: place.password, ...sketch, settings });
      opened.push(source);
      return source;
    };
    const fault = async (changes: Reach, sketch: Partial<SqlUsersSketch> = {}): Promise<string> => {
      const refusal = await eventualRefusal(users(changes, sketch).count());
      expect(refusal.code).toBe('resolver.unavailable');
      return refusal.message.replace("The resolver 'staff' is unavailable: ", '');
    };

    beforeAll(async () => {
      place = await open();
    });

    // The server that all tests share has connections for a hundred, and each source keeps some of its own.
    afterEach(() => Promise.all(opened.splice(0).map((source) => source.close())));

    afterAll(() => place.close());

    it('are told with names, address and phone, the mobile one where there is no other', async () => {
      const anna = {
        userId: '1',
        login: 'anna',
        givenName: 'Anna',
        surname: 'Muster',
        email: 'anna@example.com',
        phone: '+49 30 1',
      };
      expect(await users().findByLogin('anna')).toEqual(anna);
      expect(await users().findById('1')).toEqual(anna);
      expect(await users().findById('2')).toMatchObject({
        login: 'Änne Ødegård ☃',
        phone: '+47 2',
        email: '',
      });
    });

    it('are searched by the database, with every text taken as it is', async () => {
      const found = async (condition: UserCondition, limit = 10): Promise<readonly string[]> => {
        const listed = await users().list({ conditions: [condition], limit });
        return listed.map(({ login }) => login);
      };
      for (const [, login] of PEOPLE) {
        expect(await found(fieldCondition('login', String(login)))).toEqual([login]);
      }
      expect(await found(freeCondition('MUST'))).toEqual(['anna']);
      expect(await found(freeCondition('+47'))).toEqual(['Änne Ødegård ☃']);
      expect(await found(fieldCondition('userId', '3'))).toEqual(["o'neil"]);
      for (const text of ['a%', 'a_na', 'ann', "x' OR '1'='1", '!', 'a!nna']) {
        expect(await found(fieldCondition('login', text))).toEqual([]);
      }
      expect(await found(fieldCondition('login', '*'), 2)).toHaveLength(2);
      expect(await users({ Limit: '1' }).list({ conditions: [], limit: 5 })).toHaveLength(1);
    });

    it('are counted and listed up to the limit, and found beyond it', async () => {
      const limited = users({ Limit: '3' });
      expect(await limited.count()).toBe(3);
      expect((await limited.list()).length).toBe(3);
      for (const [, login] of PEOPLE) {
        expect((await limited.findByLogin(String(login)))?.login).toBe(login);
      }
      expect(await users({ Limit: '100' }).count()).toBe(PEOPLE.length);
    });

    it('are those for whom the condition holds', async () => {
      const some = users({ Where: `(id < 3 OR sn = 'a) OR (1=1') AND id <> 2` });
      expect([await some.count(), (await some.list()).length]).toEqual([1, 1]);
      expect(await some.findByLogin('bert')).toBeUndefined();
      expect(await some.findById('2')).toBeUndefined();
      expect((await some.findById('1'))?.login).toBe('anna');
    });

    it('may be in another schema', async () => {
      expect(await users({ Table: 'staff.people' }).count()).toBe(2);
    });

    it.each([
      ['Anna', 'anna'],
      ['ANNA', 'anna'],
      ['anna ', 'anna'],
      ['änne ødegård ☃', 'Änne Ødegård ☃'],
    ])('are found by %j where the database compares so, under their own login', async (typed, login) => {
      const found = await users().findByLogin(typed);
      expect(found).toEqual(kind === 'MariaDB' ? await users().findByLogin(login) : undefined);
    });

    it.each([' anna', 'ännä', 'änna', 'a%', "' OR ''='", '\\', '1', 'anna\\'])(
      'are found by their login, so not by %j',
      async (login) => {
        expect(await users().findByLogin(login)).toBeUndefined();
      },
    );

    it('are told apart where their logins differ in case only', async () => {
      const cases = users({ Table: 'cases', Map: '{"userid": "id", "username": "user"}' });
      expect((await cases.findByLogin('Anna'))?.userId).toBe('1');
      expect((await cases.findByLogin('anna'))?.userId).toBe('2');
      const other = await cases.findByLogin('ANNA').catch((error: unknown) => (error as ServiceError).code);
      expect(other).toBe(kind === 'MariaDB' ? 'user.ambiguous' : undefined);
      expect((await cases.findById('2'))?.login).toBe('anna');
    });

    it('of one and the same login are nobody: the first is never taken for the one who is meant', async () => {
      const twins = users({ Table: 'twins', Map: '{"userid": "id", "username": "user"}' });
      const refusal = await eventualRefusal(twins.findByLogin('twin'));
      expect([refusal.code, refusal.message]).toEqual([
        'resolver.unavailable',
        "The resolver 'staff' is unavailable: several rows have the same login",
      ]);
    });

    it.each(['0', '01', '1 ', '1.0', '1abc', 'abc', '', '99999999999999999999', "1' OR '1'='1"])(
      'are found by exactly their id, so not by %j',
      async (id) => {
        expect(await users().findById(id)).toBeUndefined();
      },
    );

    it('are known by their password where the table holds one that can be verified', async () => {
      const logged: string[] = [];
      const people = users({}, { logged });
      expect(await people.checkPassword('1', 'Hello world!')).toBe(true);
      expect(await people.checkPassword('1', 'Hello world')).toBe(false);
      expect(await people.checkPassword('2', '')).toBe(false);
      expect(await people.checkPassword('3', 'x')).toBe(false);
      expect(await people.checkPassword('99', 'Hello world!')).toBe(false);
      expect(logged).toEqual([]);
      expect(await people.checkPassword('4', 'geheim')).toBe(false);
      expect(logged.join()).toContain('"resolver":"staff"');
      expect(logged.join()).not.toContain('geheim');
      const without = users({ Map: '{"userid": "id", "username": "user"}' });
      expect(await without.checkPassword('1', 'Hello world!')).toBe(false);
    });

    it.each([
      [{ Table: 'nosuch' }, 'there is no such table'],
      [{ Table: 'nosuch.people' }, /no such table|may not (?:use|read)/],
      [{ Map: '{"userid": "nosuch", "username": "nosuch"}' }, 'does not exist'],
      [{ Where: 'nosuch = 1' }, 'does not exist'],
      [{ Where: 'id = = 1' }, 'does not understand its Where'],
      [{ Database: 'nosuch' }, /no such database|may not use the database/],
      [{ User: 'nosuch' }, 'refuses the user or the password'],
      [{ Server: 'nosuch.invalid', Port: '1' }, 'the host name is unknown'],
      [{ Server: '127.0.0.1', Port: '1' }, 'no server listens there'],
      [{ conParams: 'sslmode=verify-ca' }, 'does not speak TLS'],
    ])('cannot be read with %j, which is said', async (changes, reason) => {
      const said = await fault(changes);
      expect(said).toMatch(reason);
      expect(said).not.toContain(place.reach.Database);
      const good = users(changes);
      expect((await eventualRefusal(good.findByLogin('anna'))).code).toBe('resolver.unavailable');
      expect((await eventualRefusal(good.list())).code).toBe('resolver.unavailable');
      expect((await eventualRefusal(good.checkPassword('1', 'x'))).code).toBe('resolver.unavailable');
    });

    it('are read only: a condition that would change something is refused by the database', async () => {
      const change = kind === 'PostgreSQL' ? "nextval('counter') > 0" : 'nextval(counter) > 0';
      await place.run('CREATE SEQUENCE counter');
      expect(await fault({ Where: change })).toBe('its Where would change something');
    });

    it('that take too long to count are given up by the database itself, which answers on', async () => {
      const slow = users({ Where: place.delay }, { timeoutMs: 700 });
      const begun = performance.now();
      expect((await eventualRefusal(slow.count())).message).toContain('does not answer in time');
      // The count itself would take a minute.
      expect(performance.now() - begun).toBeLessThan(40_000);
      expect(await users().count()).toBe(PEOPLE.length);
    });

    it('of a server that takes connections and never answers are given up in time, again and again', async () => {
      const silent = await startSilentServer();
      try {
        const hanging = users({ Server: '127.0.0.1', Port: String(silent.port) }, { timeoutMs: 300 });
        const begun = performance.now();
        const refusals = await Promise.all(
          [1, 2, 3, 4, 5, 6, 7, 8].map(() => eventualRefusal(hanging.count())),
        );
        expect(refusals.map(({ message }) => message)).toEqual(
          Array.from(
            { length: 8 },
            () => "The resolver 'staff' is unavailable: its database does not answer in time",
          ),
        );
        expect((await eventualRefusal(hanging.findByLogin('anna'))).code).toBe('resolver.unavailable');
        expect(performance.now() - begun).toBeLessThan(20_000);
        expect(await users().count()).toBe(PEOPLE.length);
      } finally {
        await silent.stop();
      }
    });
  },
);

(mariadbPrograms === undefined ? describe.skip : describe)('a database that comes and goes', () => {
  let mariadb: Mariadb;
  let place: Place;
  let people: SqlUsers;

  beforeAll(async () => {
    mariadb = await startMariadb(mariadbPrograms ?? { server: '', installer: '' });
    place = await mariadbPlace(mariadb);
    people = sqlUsers({ settings: sqlSettings(place.reach), password: place.password });
  });

  afterAll(async () => {
    await people.close();
    await mariadb.remove();
  });

  it('is refused with a wrong password, which nobody is told', async () => {
    const wrong = sqlUsers({ settings: sqlSettings(place.reach), password: 'Falsch-1' });
    const refusal = await eventualRefusal(wrong.count());
    expect(refusal.message).toBe(
      "The resolver 'staff' is unavailable: its database refuses the user or the password",
    );
    expect(`${refusal.detail} ${String(refusal.cause)}`).not.toContain('Falsch-1');
    await wrong.close();
  });

  it('names a kind of login that its user cannot take', async () => {
    await mariadb.query(
      "INSTALL SONAME 'auth_ed25519'",
      "CREATE USER signer@'%' IDENTIFIED VIA ed25519 USING PASSWORD('Lese-Recht; ä')",
    );
    const signer = sqlUsers({
      settings: sqlSettings({ ...place.reach, User: 'signer' }),
      password: place.password,
    });
    expect((await eventualRefusal(signer.count())).message).toContain(
      'a kind of login that is not known here: its user may log in by mysql_native_password',
    );
    await signer.close();
  });

  it('is away while it is killed, and asked again when it is back', async () => {
    expect(await people.count()).toBe(PEOPLE.length);
    await mariadb.kill();
    expect((await eventualRefusal(people.count())).code).toBe('resolver.unavailable');
    expect((await eventualRefusal(people.findByLogin('anna'))).code).toBe('resolver.unavailable');
    await mariadb.start();
    expect(await people.count()).toBe(PEOPLE.length);
  });

  it('reads backslashes in texts as its administrator set it, and our logins as they are all the same', async () => {
    await mariadb.query("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES'");
    const fresh = sqlUsers({ settings: sqlSettings(place.reach), password: place.password });
    expect(await fresh.findByLogin("\\' OR 1=1 -- ")).toBeUndefined();
    expect((await fresh.findByLogin('back\\slash'))?.userId).toBe('7');
    expect((await fresh.findByLogin("o'neil"))?.userId).toBe('3');
    await fresh.close();
  });

  it('holds as many connections as are allowed, and none after a while', async () => {
    await Promise.all(Array.from({ length: 20 }, () => people.count()));
    const held = async (): Promise<number> =>
      (
        (await mariadb.query(
          "SELECT id FROM information_schema.processlist WHERE user = 'reader'",
        )) as unknown[]
      ).length;
    expect(await held()).toBeLessThanOrEqual(4);
    await people.close();
    await until(async () => (await held()) === 0);
  });
});

it('leaves no connection to PostgreSQL once it is closed', async () => {
  const database = await createTestDatabase({ schema: 'empty' });
  await database.database.knex.raw('CREATE TABLE people AS SELECT 1 AS id, \'anna\' AS "user"');
  const { reach, password } = reachOf(database.url);
  const settings = sqlSettings(reach, { Map: '{"userid": "id", "username": "user"}' });
  const people = sqlUsers({ settings, password });
  expect(await people.count()).toBe(1);
  await people.close();
  await database.database.close();
  expect(await connectionsLeft(database.url)).toEqual([]);
  await database.drop().catch(() => undefined);
});
