import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mysql from 'mysql2/promise';
import { openLinotpSource } from '../../../src/linotp/sources/open-source.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { findMariadb, type Mariadb, startMariadb } from '../../support/servers/mariadb.ts';
import { contentAfterImport } from '../../linotp/content-after-import.ts';
import { fixtureFile } from '../../linotp/linotp-fixture.ts';

const mariadb = await findMariadb();

describe('a live PostgreSQL', () => {
  let linotp: TestDatabase;

  afterAll(async () => {
    await linotp.drop();
  });

  it('is imported as its dump is', async () => {
    linotp = await createTestDatabase({ schema: 'empty' });
    await queryOnce(linotp.url, await readFile(fixtureFile('3.4.4-postgresql', 'dump.sql'), 'utf8'));
    expect(await contentAfterImport('3.4.4-postgresql', linotp.url)).toEqual(
      await contentAfterImport('3.4.4-postgresql'),
    );
  });
});

(mariadb === undefined ? describe.skip : describe)('a live MariaDB', () => {
  let server: Mariadb;

  beforeAll(async () => {
    if (mariadb !== undefined) {
      server = await startMariadb(mariadb);
    }
    await server.query(
      `CREATE USER 'linotp'@'127.0.0.1' IDENTIFIED BY 'a:b@c/d'`,
      `GRANT ALL ON *.* TO 'linotp'@'127.0.0.1'`,
    );
  });

  afterAll(async () => {
    await server.remove();
  });

  it.each(['3.4.4-mariadb', '2.12.6-mariadb-latin1'] as const)(
    'with %s is imported as its dump is',
    async (fixture) => {
      const name = fixture.replaceAll(/\W/g, '_');
      await server.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
      const connection = await mysql.createConnection({
        host: '127.0.0.1',
        port: server.port,
        user: 'linotp',
        password: 'a:b@c/d',
        database: name,
        multipleStatements: true,
        charset: 'utf8mb4',
      });
      await connection.query(await readFile(fixtureFile(fixture, 'dump.sql'), 'utf8'));
      await connection.end();
      const password = encodeURIComponent('a:b@c/d');
      // With parameters of SQLAlchemy's driver, as LinOTP's own configuration has them.
      const url = `mysql+mysqldb://linotp:${password}@127.0.0.1:${server.port}/${name}?charset=utf8&use_unicode=0`;
      expect(await contentAfterImport(fixture, url)).toEqual(await contentAfterImport(fixture));
    },
  );
});

it.each([
  ['postgresql://linotp:geheim@127.0.0.1:1/linotp', /ECONNREFUSED/],
  ['mysql://linotp:geheim@127.0.0.1:1/linotp', /ECONNREFUSED/],
  ['mysql://linotp:geheim@localhost/linotp?unix_socket=/nowhere/mysqld.sock', /ENOENT.*mysqld\.sock/],
  ['postgresql://linotp:ge/heim@127.0.0.1:1/linotp', /not valid; encode/],
  ['mysql+mysqldb://linotp:ge/heim@127.0.0.1:1/linotp', /not valid; encode/],
])('says why %s cannot be read, without its password', async (place, message) => {
  const refusal = openLinotpSource(place);
  await expect(refusal).rejects.toMatchObject({
    code: 'import.refused',
    message: expect.stringMatching(message),
  });
  await expect(refusal).rejects.not.toThrow(/geheim|ge\/heim/);
});
