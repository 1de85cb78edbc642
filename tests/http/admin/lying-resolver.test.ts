import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reachOf, sqlSettings } from '../../support/servers/sql-resolver.ts';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
/** Whatever is asked, the table says that this is the password. */
const CLAIMED = 'Hello world!';
const HASH =
  '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';

interface Answer {
  readonly result: { readonly status: boolean };
  readonly detail?: object;
}

describe('a directory that lies', () => {
  let people: TestDatabase;
  let application: TestApplication;

  const say = (rows: string): Promise<unknown> =>
    people.database.knex.raw(`DELETE FROM people; INSERT INTO people (id, "user", password) VALUES ${rows}`);
  const ask = async (path: string, parameters: Record<string, string>): Promise<Answer> =>
    (await application.asAdmin(path, parameters)).body as Answer;

  beforeAll(async () => {
    people = await createTestDatabase({ schema: 'empty' });
    await people.database.knex.raw(`
      CREATE TABLE people (id text, "user" text, password text, salt text, "givenName" text, sn text, mail text,
        "telephoneNumber" text, mobile text)`);
    application = await TestApplication.open();
    await application.addRealm('staff', ['anna']);
    await application.services.resolvers.set(OPERATOR, {
      name: 'crm',
      kind: 'sql',
      settings: sqlSettings(reachOf(people.url).reach),
    });
    await application.services.realms.set(OPERATOR, { name: 'customers', resolvers: ['crm'] });
    await application.services.policies.set(OPERATOR, {
      name: 'pin',
      scope: 'authentication',
      action: 'otppin=1',
      realm: 'customers',
      user: '*',
    });
  });

  afterAll(async () => {
    await application.close();
    await people.drop();
  });

  it('makes no user an administrator by a name and a password of its own', async () => {
    await say(`('1', 'admin', '${HASH}'), ('2', 'root', '${HASH}')`);
    for (const username of ['admin', 'root', 'admin@customers']) {
      const login = await application.send('/admin/login', { username, password: CLAIMED });
      expect([username, login.status]).toEqual([username, 401]);
      expect(login.get('Set-Cookie')).toBeUndefined();
      const basic = Buffer.from(`${username}:${CLAIMED}`).toString('base64');
      const context = await application
        .send('/monitoring/config', {}, 'get')
        .set('Authorization', `Basic ${basic}`);
      expect([username, context.status]).toEqual([username, 401]);
    }
  });

  it("gives no user the tokens of another directory's user whose id or name it claims", async () => {
    await application.enrolPlain('ANNA1', SUITE, { user: 'anna', realm: 'staff' });
    const [anna] = await application.services.users.list(OPERATOR, { resolver: 'staff' });
    await say(`('${anna?.userId ?? ''}', 'anna', '${HASH}'), ('${anna?.userId ?? ''}', 'eve', '${HASH}')`);
    for (const user of ['anna', 'eve']) {
      const { result, detail } = await ask('/ocra/request', { user, realm: 'customers', data: '' });
      expect([user, result.status, detail]).toEqual([user, false, undefined]);
    }
    expect(await ask('/ocra/request', { user: 'anna', realm: 'staff', data: '' })).toMatchObject({
      result: { status: true },
      detail: { transactionid: expect.any(String) },
    });
  });

  // As an attacker or a careless schema has them: bytes that are no text, a microsecond, blanks.
  it.each([
    ['bytea', "'\\xF1F2F3F4F5F6F7F8'", "'\\xF0F1F2F3F4F5F6F7'"],
    ['timestamptz', "'2026-01-01 00:00:00.000001'", "'2026-01-01 00:00:00.000002'"],
    ['text', "'K1'", "'K1 '"],
    ['bigint', '9007199254740993', '9007199254740992'],
  ])('gives nobody the token of one whose id of the type %s is close to theirs', async (type, anna, bert) => {
    const serial = `ID${type}`;
    await people.database.knex.raw(`CREATE TABLE ${serial} (id ${type} PRIMARY KEY, "user" text)`);
    await people.database.knex.raw(`INSERT INTO ${serial} VALUES (${anna}, 'anna'), (${bert}, 'bert')`);
    const name = type;
    const settings = sqlSettings(reachOf(people.url).reach, {
      Table: serial.toLowerCase(),
      Map: '{"userid": "id", "username": "user"}',
    });
    await application.services.resolvers.set(OPERATOR, { name, kind: 'sql', settings });
    await application.services.realms.set(OPERATOR, { name, resolvers: [name] });
    await application.enrolPlain(serial, SUITE, { user: 'anna', realm: name });
    const { transactionid, question } = await application.challenge(serial);
    expect(await ask('/ocra/request', { user: 'bert', realm: name, data: '' })).toMatchObject({
      result: { status: false },
    });
    const right = application.respond(SUITE, question);
    const asBert = await application.send('/validate/check', { user: 'bert', realm: name, pass: right });
    expect(asBert.body).toMatchObject({ result: { value: false } });
    expect(await application.check(transactionid, right)).toMatchObject({ result: true });
  });

  it('makes no response right by calling each password right', async () => {
    await say(`('7', 'carl', '${HASH}')`);
    await application.enrolPlain('CARL1', SUITE, { user: 'carl', realm: 'customers' });
    const { transactionid, question } = await application.challenge('CARL1');
    const right = application.respond(SUITE, question);
    for (const pass of [CLAIMED, `${CLAIMED}${wrongResponse(right)}`]) {
      expect(await application.check(transactionid, pass)).toMatchObject({ result: false });
    }
    expect(await application.check(transactionid, `${CLAIMED}${right}`)).toMatchObject({ result: true });
  });

  it('that gives two people one name makes an error, and a token for neither', async () => {
    await say(`('8', 'dora', '${HASH}'), ('9', 'dora', '${HASH}')`);
    await expect(
      application.enrolPlain('DORA1', SUITE, { user: 'dora', realm: 'customers' }),
    ).rejects.toThrow();
    await expect(application.services.tokens.show(OPERATOR, 'DORA1')).rejects.toMatchObject({
      code: 'token.unknown',
    });
  });
});
