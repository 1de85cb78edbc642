import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLinotpSource } from '../../../src/linotp/sources/open-source.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';
import { findMariadb, type Mariadb, startMariadb } from '../../support/servers/mariadb.ts';
import { contentAfterImport } from '../../linotp/content-after-import.ts';
import { expectedOf, fixtureFile, importFixture, loadIntoMariadb } from '../../linotp/linotp-fixture.ts';
import { TestApplication } from '../../support/application/test-application.ts';

const mariadb = findMariadb();

// The schema of LinOTP 2.7 to 2.9, from a collection of inputs that failed.
const MODEL_OF_2_7 = `
  INSERT INTO ocra (id,transid,data,challenge,session,tokenserial,\`timestamp\`,received_count,received_tan,valid_tan)
    SELECT c.id,c.transid,CONVERT(c.bdata USING utf8mb4),CONVERT(c.bchallenge USING utf8mb4),c.session,c.tokenserial,c.\`timestamp\`,c.received_count,c.received_tan,c.valid_tan
    FROM challenges c JOIN Token t ON t.LinOtpTokenSerialnumber=c.tokenserial WHERE t.LinOtpTokenType='ocra';
  DELETE c FROM challenges c JOIN Token t ON t.LinOtpTokenSerialnumber=c.tokenserial WHERE t.LinOtpTokenType='ocra';
  UPDATE challenges SET data=CONVERT(bdata USING utf8mb4), challenge=CONVERT(bchallenge USING utf8mb4) WHERE LENGTH(bchallenge)<500 AND LENGTH(bdata)<500;
  ALTER TABLE challenges DROP COLUMN ptransid, DROP COLUMN bdata, DROP COLUMN lchallenge, DROP COLUMN bchallenge;
  ALTER TABLE Token DROP COLUMN LinOtpCreationDate, DROP COLUMN LinOtpLastAuthSuccess, DROP COLUMN LinOtpLastAuthMatch;
  DELETE FROM Config WHERE \`Key\`='linotp.sql_data_model_version';`;

(mariadb === undefined ? describe.skip : describe)('a live MariaDB', () => {
  let server: Mariadb;

  beforeAll(async () => {
    if (mariadb !== undefined) {
      server = await startMariadb(mariadb);
    }
  });

  afterAll(() => server.remove());

  it('whose user logs in by ed25519 is refused, and the ways that work are named', async () => {
    await loadIntoMariadb(server, 'only_signers', 'CREATE TABLE Token (LinOtpTokenId integer PRIMARY KEY)');
    await server.query(
      "INSTALL SONAME 'auth_ed25519'",
      "CREATE USER signing@'127.0.0.1' IDENTIFIED VIA ed25519 USING PASSWORD('g')",
      "GRANT SELECT ON only_signers.* TO signing@'127.0.0.1'",
    );
    await expect(openLinotpSource(`mysql://signing:g@127.0.0.1:${server.port}/only_signers`)).rejects.toThrow(
      'The LinOTP database cannot be read: its database asks for a kind of login that is not known here: its user may log in by mysql_native_password',
    );
  });

  it('of LinOTP 2.7, with challenges in two tables, is imported with all of them', async () => {
    const fixture = '2.12.6-mariadb-latin1';
    const dump = await readFile(fixtureFile(fixture, 'dump.sql'), 'utf8');
    const url = await loadIntoMariadb(server, 'model_2_7', `${dump}\n${MODEL_OF_2_7}`);
    const app = await TestApplication.open();
    app.clock.set(new Date('2026-11-20T11:42:40Z'));
    const { summary } = await importFixture(app.services, fixture, { place: url });
    const { taken = 0, changed = 0, left } = summary.groups.challenges ?? {};
    expect([taken + changed, left]).toEqual([expectedOf(fixture).challenges.length, 0]);
    const again = await importFixture(app.services, fixture, { place: url, dryRun: true });
    expect(again.summary.groups.challenges).toMatchObject({ unchanged: 76 });
    await app.close();
  });
});

it('a live PostgreSQL whose table of challenges its user may not read is refused', async () => {
  const linotp = await createTestDatabase({ schema: 'empty' });
  const role = `reader_${process.pid}`;
  await queryOnce(linotp.url, await readFile(fixtureFile('2.12.6-postgresql', 'dump.sql'), 'utf8'));
  await queryOnce(
    linotp.url,
    `SET search_path = public; CREATE ROLE ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}; REVOKE SELECT ON ocra FROM ${role}`,
  );
  const url = new URL(linotp.url);
  url.searchParams.set('options', `-c role=${role}`);
  await expect(contentAfterImport('2.12.6-postgresql', url.href)).rejects.toThrow(
    'permission denied for table ocra',
  );
  await queryOnce(linotp.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await linotp.drop();
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
