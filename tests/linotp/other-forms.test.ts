import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { openLinotpSource } from '../../src/linotp/sources/open-source.ts';
import { openDatabase } from '../../src/database/database.ts';
import { TestApplication } from '../support/application/test-application.ts';
import { contentAfterImport, contentOfDump } from './content-after-import.ts';
import { appended, replaced, withEditedDump } from './dump-edit.ts';
import { type FixtureName, fixtureFile, importFixture } from './linotp-fixture.ts';
import { makeSqlite, type SqliteDatabase } from './sqlite-fixture.ts';
import { wholeContent } from './stored-installation.ts';

const FIXTURE = '2.12.6-postgresql';

describe('a database of another form', () => {
  let folder: string;
  let path: string;
  let database: SqliteDatabase;
  let expected: object;

  beforeAll(async () => {
    expected = await contentOfDump(FIXTURE);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-linotp-'));
    path = join(folder, 'token.db');
    database = await makeSqlite(FIXTURE, path);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const content = (): Promise<object> => {
    database.close();
    return contentAfterImport(FIXTURE, path);
  };
  const setModel = (version: string): void => {
    database.run(`UPDATE "Config" SET "Value" = ? WHERE "Key" = 'linotp.sql_data_model_version'`, [version]);
  };

  const storeChallengesAsText = (): void => {
    database.exec('UPDATE challenges SET data = CAST(bdata AS TEXT), challenge = CAST(bchallenge AS TEXT)');
    for (const column of ['bdata', 'bchallenge', 'lchallenge', 'ptransid']) {
      database.exec(`ALTER TABLE challenges DROP COLUMN ${column}`);
    }
  };

  it('whose texts are escaped (uencode_data) is imported as the fixture is', async () => {
    // As json.dumps of Python does, without the quotation marks.
    database.function('uencode', (text) =>
      typeof text === 'string'
        ? JSON.stringify(text)
            .slice(1, -1)
            .replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : null,
    );
    const escape = (table: string, ...columns: readonly string[]): void => {
      const values = columns.map((column) => `"${column}" = uencode("${column}")`);
      database.exec(`UPDATE "${table}" SET ${values.join(', ')}`);
    };
    escape(
      'Token',
      ...['TokenDesc', 'TokenSerialnumber', 'TokenInfo', 'Userid', 'IdResClass', 'IdResolver'].map(
        (name) => `LinOtp${name}`,
      ),
    );
    escape('Config', 'Key', 'Value', 'Description');
    escape('Realm', 'name', 'option');
    escape('challenges', 'tokenserial');
    for (const column of ['bdata', 'bchallenge']) {
      database.exec(`UPDATE challenges SET ${column} = CAST(uencode(CAST(${column} AS TEXT)) AS BLOB)`);
    }
    database.exec(`INSERT INTO "Config" VALUES ('linotp.uencode_data', 'True', NULL, NULL)`);
    const info = database.get(
      `SELECT "LinOtpTokenInfo" AS info FROM "Token" WHERE "LinOtpTokenSerialnumber" = 'QR07'`,
    );
    expect(info).toMatchObject({ info: expect.stringMatching(/^\{\\n\\"/) });
    expect(
      database.get(`SELECT count(*) AS umlauts FROM "Token" WHERE "LinOtpTokenDesc" LIKE '%\\u00%'`),
    ).not.toEqual({
      umlauts: 0,
    });
    expect(await content()).toEqual(expected);
  });

  it('of a data model without the dates of tokens is imported without them', async () => {
    setModel('2.10.1.0');
    for (const column of ['CreationDate', 'LastAuthSuccess', 'LastAuthMatch']) {
      database.exec(`ALTER TABLE "Token" DROP COLUMN "LinOtp${column}"`);
    }
    expect(await content()).toEqual(withoutDates(expected));
  });

  it.each(['2.9.1.0', undefined])(
    'of the data model %s is imported with its challenges as text',
    async (model) => {
      if (model === undefined) {
        database.exec(`DELETE FROM "Config" WHERE "Key" = 'linotp.sql_data_model_version'`);
      } else {
        setModel(model);
      }
      storeChallengesAsText();
      expect(await content()).toEqual(expected);
    },
  );

  const OF_OCRA = `tokenserial IN (SELECT "LinOtpTokenSerialnumber" FROM "Token" WHERE "LinOtpTokenType" = 'ocra')`;

  // The schema of LinOTP 2.7 to 2.9.
  it('whose challenges of the type ocra stand in a table of their own is imported with all of them', async () => {
    database.exec(`INSERT INTO ocra (id, transid, data, challenge, session, tokenserial, timestamp, received_count, received_tan, valid_tan)
      SELECT id, transid, CAST(bdata AS TEXT), CAST(bchallenge AS TEXT), session, tokenserial, timestamp, received_count, received_tan, valid_tan
      FROM challenges WHERE ${OF_OCRA}`);
    database.exec(`DELETE FROM challenges WHERE ${OF_OCRA}`);
    expect(database.get('SELECT count(*) AS rows FROM ocra')).toEqual({ rows: 72 });
    database.exec(`DELETE FROM "Config" WHERE "Key" = 'linotp.sql_data_model_version'`);
    storeChallengesAsText();
    expect(await content()).toEqual(expected);
  });

  it('with a challenge in both places is imported with one of them, and the other is reported', async () => {
    const row = database.get(`SELECT transid FROM challenges WHERE ${OF_OCRA} ORDER BY id`) as {
      transid: string;
    };
    const { transid } = row;
    database.exec(`INSERT INTO ocra (id, transid, data, challenge, tokenserial, timestamp, received_count, received_tan, valid_tan)
      SELECT 9001, transid, 'raw:another', 'raw:87654321', tokenserial, timestamp, 0, 0, 0 FROM challenges WHERE transid = '${transid}'`);
    database.exec('CREATE TABLE "OtherChallenges" (id INTEGER)');
    database.close();
    const app = await TestApplication.open();
    const { entries, summary } = await importFixture(app.services, FIXTURE, { place: path });
    await app.close();
    expect(
      entries.filter(({ name }) => name === transid).map(({ outcome, row: place }) => [outcome, place]),
    ).toEqual([
      ['taken', expect.stringMatching(/^challenges \d+$/)],
      ['left', 'ocra 9001'],
    ]);
    expect(summary.unread).toEqual(['OtherChallenges']);
  });

  it.each(['3.3.0', '4.0', 'unknown'])('of the unknown data model %s is refused', async (model) => {
    setModel(model);
    await expect(content()).rejects.toMatchObject({
      code: 'import.refused',
      message: expect.stringContaining(model),
    });
  });
});

function withoutDates(content: object): object {
  const { tokens, ...others } = content as { tokens: readonly object[] };
  const dates = { created_at: expect.any(Date), last_success_at: null, last_match_at: null };
  return {
    ...others,
    tokens: tokens.map((token) => ({ ...token, ...dates, fingerprint: expect.any(Buffer) })),
  };
}

describe('a dump that is cut off', () => {
  /** Cuts a dump at many places, and within the last row of every table. */
  const cuts = (sql: string): readonly number[] => {
    const even = Array.from({ length: 40 }, (_, index) => Math.floor(((index + 0.5) * sql.length) / 41));
    const lines = [...sql.matchAll(/\n(?:\);|\\\.|INSERT|\n)/g)].map(({ index }) => index + 1);
    return [...even, ...lines.filter((_, index) => index % 25 === 0)];
  };

  it.each(['2.12.6-postgresql', '3.4.4-mariadb'] as const)(
    'from %s is refused with its last line, wherever it ends',
    async (fixture: FixtureName) => {
      const sql = await readFile(fixtureFile(fixture, 'dump.sql'), 'utf8');
      const folder = await mkdtemp(join(tmpdir(), 'tankeeper-cut-'));
      const path = join(folder, 'dump.sql');
      for (const cut of cuts(sql).filter((one) => one > 100)) {
        const text = sql.slice(0, cut);
        await writeFile(path, text);
        const line = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
        const reason = await openLinotpSource(path).then(
          () => 'none',
          (error: unknown) => (error instanceof Error ? error.message : ''),
        );
        expect([cut, reason]).toEqual([
          cut,
          expect.stringMatching(
            new RegExp(`(?:within a statement, at|incomplete: it ends at) line ${line}\\b|: line ${line}: `),
          ),
        ]);
      }
      await rm(folder, { recursive: true });
    },
  );

  it('is refused before anything is written', async () => {
    const app = await TestApplication.open();
    const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
    const before = await wholeContent(database.knex);
    await withEditedDump(
      FIXTURE,
      (sql) => sql.slice(0, sql.lastIndexOf('INSERT INTO')),
      (place) =>
        expect(importFixture(app.services, FIXTURE, { place })).rejects.toMatchObject({
          code: 'import.refused',
          message: expect.stringMatching(
            /incomplete: it ends at line \d+ without the line '-- PostgreSQL database dump complete'/,
          ),
        }),
    );
    expect(await wholeContent(database.knex)).toEqual(before);
    await database.close();
    await app.close();
  });
});

describe('a dump', () => {
  const expectRefusal = (edit: (sql: string) => string, message: RegExp): Promise<void> =>
    withEditedDump(FIXTURE, edit, async (path) => {
      await expect(openLinotpSource(path)).rejects.toMatchObject({
        code: 'import.refused',
        message: expect.stringMatching(message),
      });
    });

  it('that is damaged is refused with the line', async () => {
    const sql = await readFile(fixtureFile(FIXTURE, 'dump.sql'), 'utf8');
    const line = sql.slice(0, sql.indexOf('INSERT INTO public."Realm"')).split('\n').length;
    await expectRefusal(
      (text) =>
        replaced(text, /INSERT INTO public\."Realm" VALUES \(/, 'INSERT INTO public."Realm" VALUES (7, '),
      new RegExp(`line ${line}: a row of the table realm has 5 values for 4 columns`),
    );
    await expectRefusal(
      (text) =>
        replaced(text, /INSERT INTO public\."Realm" VALUES \(/, 'INSERT INTO public."Realm" VALUES (now(), '),
      new RegExp(`line ${line}: a word is not expected`),
    );
  });

  it('of several databases is refused', () =>
    expectRefusal(
      (text) => appended(text, 'CREATE TABLE other."Token" (id integer);'),
      /line \d+: .*second table token/,
    ));

  it('in an encoding that is not read is refused', () =>
    expectRefusal(
      (text) => replaced(text, "client_encoding = 'UTF8'", "client_encoding = 'LATIN9'"),
      /line \d+: .*latin9/,
    ));

  it('of rows without columns is refused', () =>
    expectRefusal(
      () => `INSERT INTO "Token" VALUES (1);\n`,
      /line 1: the columns of the table token are not known/,
    ));

  it('with a byte order mark and line ends of Windows is imported as the fixture is', () =>
    withEditedDump(
      FIXTURE,
      (sql) => `\ufeff${sql.replace(/(;|^|--.*)\n/gm, '$1\r\n')}`,
      async (path) => {
        expect(await contentAfterImport(FIXTURE, path)).toEqual(await contentOfDump(FIXTURE));
      },
    ));

  it('whose rows of a table stand far apart, among others, is imported as the fixture is', () => {
    // More than what is read at once.
    const others = `CREATE TABLE public.others (text text);\nINSERT INTO public.others VALUES ('${'a'.repeat(3 << 20)}');\n`;
    const token = 'INSERT INTO public."Token" VALUES (5,';
    return withEditedDump(
      FIXTURE,
      (sql) => replaced(sql, token, others + token),
      async (path) => {
        expect(await contentAfterImport(FIXTURE, path)).toEqual(await contentOfDump(FIXTURE));
      },
    );
  });

  const nested = (times: number, text: string): string =>
    `${'replace('.repeat(times)}'${text}'${`,'\\n',char(10))`.repeat(times)}`;
  const realm = (name: string) => (sql: string) =>
    replaced(
      sql,
      /INSERT INTO public\."Realm" VALUES \(/,
      `INSERT INTO public."Realm" VALUES (900, ${name}, false, '');\n$&`,
    ).replace('$&', 'INSERT INTO public."Realm" VALUES (');

  it('whose texts are replaced again and again is read', () =>
    withEditedDump(FIXTURE, realm(nested(900, 'a\\nb')), async (path) => {
      const source = await openLinotpSource(path);
      for await (const rows of source.rows('Realm')) {
        expect(rows.find(({ id }) => id === '900')?.name).toBe('a\nb');
      }
    }));

  it.each([
    [
      'texts that are replaced without end',
      realm(nested(200_000, 'a')),
      /line \d+: a text is replaced too often/,
    ],
    [
      'a name in many schemas',
      (sql: string) => `${sql}\nINSERT INTO ${'a.'.repeat(30_000)}b VALUES (1);\n`,
      /^$/,
    ],
    [
      'a comment without end in a table',
      (sql: string) => appended(sql, `CREATE TABLE t (id integer COMMENT '${'a'.repeat(12_000_000)}');`),
      /line \d+: the description of a table is too long/,
    ],
  ])('with %s is refused or read, and ends nothing', (_, edit, message) =>
    withEditedDump(FIXTURE, edit, async (path) => {
      const reason = await openLinotpSource(path).then(
        () => '',
        (error: unknown) =>
          error instanceof ServiceError
            ? error.message.replace('The dump cannot be read: ', '')
            : String(error),
      );
      expect(reason).toMatch(message);
    }),
  );

  it('whose tables take turns is read table by table', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-linotp-'));
    try {
      const path = join(folder, 'dump.sql');
      const lines = [
        'CREATE TABLE "Realm" (id integer, name text);',
        'CREATE TABLE "TokenRealm" (token_id integer, realm_id integer);',
        `INSERT INTO "Realm" VALUES (1, 'one; (2)');`,
        'INSERT INTO "TokenRealm" VALUES (7, 1);',
        `INSERT INTO "Realm" (name, id) VALUES ('two', 2);`,
        'COPY "TokenRealm" (realm_id, token_id) FROM stdin;\n2\t7\n\\.',
        `INSERT INTO "Realm" VALUES (3, 'three');`,
      ];
      await writeFile(path, `${lines.join('\n')}\n`);
      const source = await openLinotpSource(path);
      const read = async (table: 'Realm' | 'TokenRealm'): Promise<object[]> => {
        const all: object[] = [];
        for await (const rows of source.rows(table)) {
          all.push(...rows);
        }
        return all;
      };
      expect(await read('Realm')).toEqual([
        { id: '1', name: 'one; (2)' },
        { id: '2', name: 'two' },
        { id: '3', name: 'three' },
      ]);
      expect(await read('TokenRealm')).toEqual([
        { token_id: '7', realm_id: '1' },
        { token_id: '7', realm_id: '2' },
      ]);
      expect(await source.count('Realm')).toBe(3);
      await source.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('that changes while it is read is refused', () =>
    withEditedDump(
      FIXTURE,
      (sql) => sql,
      async (path) => {
        const source = await openLinotpSource(path);
        await writeFile(path, appended(await readFile(path, 'utf8'), '-- more'));
        const rows = source.rows('Token')[Symbol.asyncIterator]();
        await expect(rows.next()).rejects.toMatchObject({
          code: 'import.refused',
          message: expect.stringMatching(/has changed/),
        });
      },
    ));

  it('in latin1 of MySQL says that characters may be lost', async () => {
    const fixture = '3.4.4-mariadb';
    const app = await TestApplication.open();
    const { notes } = await withEditedDump(
      fixture,
      (sql) => replaced(sql, 'SET NAMES utf8mb4', 'SET NAMES latin1'),
      (place) => importFixture(app.services, fixture, { place, dryRun: true }),
    );
    expect(notes).toContainEqual(expect.stringMatching(/latin1: other characters were lost/));
    await app.close();
  });
});
