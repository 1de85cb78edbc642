import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestApplication } from '../support/application/test-application.ts';
import { contentAfterImport, contentOfFixture } from './content-after-import.ts';
import { importFixture } from './linotp-fixture.ts';
import { makeSqlite, type SqliteDatabase } from './sqlite-fixture.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const FIXTURE = '2.12.6-postgresql';

describe('a database of another form', () => {
  const root = temporaryFolder();
  let folder: string;
  let path: string;
  let database: SqliteDatabase;
  let expected: object;

  beforeAll(async () => {
    expected = await contentOfFixture(FIXTURE);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(root, 'each-'));
    path = join(folder, 'token.db');
    database = await makeSqlite(FIXTURE, path);
  });

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
