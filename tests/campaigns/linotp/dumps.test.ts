import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mysql from 'mysql2/promise';
import { contentAfterImport } from '../../linotp/content-after-import.ts';
import { type FixtureName, fixtureFile } from '../../linotp/linotp-fixture.ts';
import { queryOnce, withDatabase } from '../../support/database/test-server.ts';
import { findMariadb, type Mariadb, startMariadb } from '../../support/servers/mariadb.ts';
import { initialise, type PostgresNode, postgresNode } from '../../support/servers/system-postgres.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram, findPostgres } from '../../support/servers/system-programs.ts';

/** A text that needs every kind of escape. */
const TEXT = 'O\'Hara "x" \\ \\n `y` \n\r\n\t;-- /* $$ (1), ü € \\u00fc \\. \u{1f600}';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-dumps-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a program. @returns the file to which its standard output was written */
async function dumped(
  program: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, parameters, {
    encoding: 'buffer',
    maxBuffer: 1 << 26,
    env: { PATH: process.env.PATH, ...environment },
  });
  const path = join(folder, 'dump.sql');
  await writeFile(path, stdout);
  return path;
}

const readDump = (fixture: FixtureName): Promise<string> =>
  readFile(fixtureFile(fixture, 'dump.sql'), 'utf8');

describeWithProgram('a dump of pg_dump', findPostgres(), 'postgresql', (programs) => {
  let server: PostgresNode;

  const load = async (fixture: FixtureName, name: string): Promise<string> => {
    await queryOnce(server.superUrl, `CREATE DATABASE ${name}`);
    const url = withDatabase(server.superUrl, name);
    await queryOnce(url, await readDump(fixture));
    return url;
  };
  const dump = (url: string, options: readonly string[], settings = ''): Promise<string> =>
    dumped(join(programs, 'pg_dump'), [...options, url], { PGOPTIONS: settings });

  beforeAll(async () => {
    server = await postgresNode(programs, folder, 'postgres');
    await initialise(programs, server);
  });
  afterAll(() => server.stop());

  it('of 3.4.4 with COPY is imported as the fixture is', async () => {
    const fixture = '3.4.4-postgresql';
    const path = await dump(await load(fixture, 'linotp3'), []);
    expect(await readFile(path, 'utf8')).toMatch(/^COPY public\."Token"/m);
    expect(await contentAfterImport(fixture, path)).toEqual(await contentAfterImport(fixture));
  });

  describe('of 2.12.6', () => {
    const fixture = '2.12.6-postgresql';
    let url: string;
    let expected: object;

    beforeAll(async () => {
      url = await load(fixture, 'linotp2');
      expected = await contentAfterImport(fixture);
    });

    it.each([
      ['COPY', [], ''],
      ['INSERT', ['--inserts'], ''],
      ['INSERT of several rows', ['--rows-per-insert=20', '--on-conflict-do-nothing'], ''],
      ['INSERT with columns', ['--column-inserts', '--quote-all-identifiers', '--create', '--clean'], ''],
      ['data only', ['--data-only'], ''],
      ['Windows-1252', ['--encoding=WIN1252'], ''],
      ['bytes escaped', [], '-c bytea_output=escape'],
      ['bytes escaped in INSERT', ['--inserts'], '-c bytea_output=escape'],
      ['backslashes escaped', ['--inserts'], '-c standard_conforming_strings=off'],
    ])('with %s is imported as the fixture is', async (_, options, settings) => {
      expect(await contentAfterImport(fixture, await dump(url, options, settings))).toEqual(expected);
    });
  });

  it('has every character of a text', async () => {
    const fixture = '2.12.6-postgresql';
    const url = await load(fixture, 'texts');
    await queryOnce(url, `UPDATE "Token" SET "LinOtpTokenDesc" = $1`, [TEXT]);
    const live = await contentAfterImport(fixture, url);
    expect(live).toMatchObject({ tokens: [{ description: TEXT }, ...Array<object>(53).fill({})] });
    for (const options of [[], ['--inserts']]) {
      for (const settings of ['', '-c standard_conforming_strings=off']) {
        const path = await dump(url, options, settings);
        expect([options, settings, await contentAfterImport(fixture, path)]).toEqual([
          options,
          settings,
          live,
        ]);
      }
    }
  });
});

const mariadb = await findMariadb();

describeWithProgram(
  'a dump of mariadb-dump',
  mariadb && (findSystemProgram('mariadb-dump') ?? findSystemProgram('mysqldump')),
  'mariadb-server',
  (program) => {
    let server: Mariadb;

    beforeAll(async () => {
      if (mariadb !== undefined) {
        server = await startMariadb(mariadb);
      }
      await server.query(`CREATE USER 'linotp'@'127.0.0.1' IDENTIFIED BY 'linotp'`);
      await server.query(`GRANT ALL ON *.* TO 'linotp'@'127.0.0.1'`);
    });
    afterAll(() => server.remove());

    const urlOf = (name: string): string => `mysql://linotp:linotp@127.0.0.1:${server.port}/${name}`;
    const run = async (name: string, sql: string, values: readonly string[] = []): Promise<void> => {
      const connection = await mysql.createConnection({
        uri: urlOf(name),
        multipleStatements: true,
        charset: 'utf8mb4',
      });
      await connection.query(sql, [...values]);
      await connection.end();
    };
    const load = async (fixture: FixtureName, name: string): Promise<string> => {
      await server.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
      await run(name, await readDump(fixture));
      return name;
    };
    const dump = (name: string, options: readonly string[]): Promise<string> =>
      dumped(program, [
        '--no-defaults',
        '--host=127.0.0.1',
        `--port=${server.port}`,
        '--user=linotp',
        '--password=linotp',
        '--single-transaction',
        ...options,
        name,
      ]);
    const OPTIONS = [
      [[]],
      [['--hex-blob']],
      [['--skip-extended-insert', '--complete-insert', '--hex-blob']],
      [['--compact', '--insert-ignore']],
      [['--replace', '--order-by-primary', '--add-drop-database', '--databases']],
    ];

    it.each(OPTIONS)('of 3.4.4 with %j is imported as the fixture is', async (options) => {
      const fixture = '3.4.4-mariadb';
      const name = await load(fixture, `linotp3_${OPTIONS.findIndex(([one]) => one === options)}`);
      expect(await contentAfterImport(fixture, await dump(name, options))).toEqual(
        await contentAfterImport(fixture),
      );
    });

    describe('of latin1 columns', () => {
      const dumpsOf = async (fixture: FixtureName, name: string): Promise<readonly object[]> => {
        const contents: object[] = [];
        for (const options of [[], ['--default-character-set=latin1'], ['--default-character-set=binary']]) {
          contents.push(await contentAfterImport(fixture, await dump(name, options)));
        }
        return contents;
      };
      const convert = async (fixture: FixtureName, name: string): Promise<string> => {
        await load(fixture, name);
        for (const table of ['Token', 'Config', 'Realm', 'challenges']) {
          await run(name, `SET sql_mode = ''; ALTER TABLE \`${table}\` CONVERT TO CHARACTER SET latin1`);
        }
        return name;
      };

      it('in UTF-8 twice is imported as the fixture is, from the live database, too', async () => {
        const fixture = '2.12.6-mariadb-latin1';
        const name = await convert(fixture, 'latin1_twice');
        const expected = await contentAfterImport(fixture);
        expect(await contentAfterImport(fixture, urlOf(name))).toEqual(expected);
        expect(await dumpsOf(fixture, name)).toEqual([expected, expected, expected]);
      });

      it('is imported as the live database is', async () => {
        const fixture = '3.4.4-mariadb';
        const name = await convert(fixture, 'latin1_once');
        const live = await contentAfterImport(fixture, urlOf(name));
        const { tokens } = live as { tokens: readonly { description: string }[] };
        expect(tokens.map(({ description }) => description)).toContain('Annas Schlüssel – grün ?');
        expect(await dumpsOf(fixture, name)).toEqual([live, live, live]);
      });
    });

    it('has every character of a text', async () => {
      const fixture = '3.4.4-mariadb';
      const name = await load(fixture, 'texts');
      await run(name, 'UPDATE Token SET LinOtpTokenDesc = ?', [TEXT]);
      const live = await contentAfterImport(fixture, urlOf(name));
      expect(live).toMatchObject({ tokens: [{ description: TEXT }, ...Array<object>(64).fill({})] });
      for (const options of [[], ['--hex-blob', '--skip-extended-insert']]) {
        expect([options, await contentAfterImport(fixture, await dump(name, options))]).toEqual([
          options,
          live,
        ]);
      }
    });
  },
);
