import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseProxy } from '../../../support/database/database-proxy.ts';
import { reachOf, sqlSettings } from '../../../support/servers/sql-resolver.ts';
import { OPERATOR, type Result, TestApplication } from '../../../support/application/test-application.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/test-database.ts';
import { queryOnce } from '../../../support/database/test-server.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';
const SECRET = 'Daten-Bank; ä "1"';
const HASH =
  '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';

describe('a realm of users in an SQL database', () => {
  let people: TestDatabase;
  let proxy: DatabaseProxy;
  let application: TestApplication;
  let settings: Record<string, string>;

  const ask = (...given: Parameters<TestApplication['ask']>) => application.ask(...given);
  const set = (changes: Record<string, string> = {}, name = 'crm'): Promise<Result> =>
    ask('/system/setResolver', { name, type: 'sqlresolver', ...settings, ...changes });
  const storedSecret = async (): Promise<Buffer | null | undefined> => {
    const [row] = await queryOnce<{ secret: Buffer | null }>(
      application.databaseUrl,
      "SELECT secret FROM resolvers WHERE name = 'crm'",
    );
    return row?.secret;
  };

  beforeAll(async () => {
    people = await createTestDatabase({ schema: 'empty' });
    await people.database.knex.raw(`
      CREATE TABLE people (id integer, "user" text, password text, salt text, "givenName" text, sn text, mail text,
        "telephoneNumber" text, mobile text);
      INSERT INTO people (id, "user", password) VALUES (1, 'anna', '${HASH}'), (2, 'bert', NULL), (3, 'carl', NULL)`);
    application = await TestApplication.open({ resolverTimeout: 5 });
    // A port, as no socket is taken over HTTP.
    proxy = await DatabaseProxy.start(people.url);
    const { reach } = reachOf(proxy.url);
    // As old scripts write them: names in any case, values as texts.
    settings = {
      ...sqlSettings(reach),
      Driver: 'postgresql+psycopg2',
      Encoding: '',
      Limit: '',
      Password: SECRET,
    };
    expect(await set()).toMatchObject({ status: true });
    expect(await ask('/system/setRealm', { realm: 'customers', resolvers: 'crm' })).toMatchObject({
      status: true,
    });
  });

  afterAll(async () => {
    await application.close();
    await proxy.stop();
    await people.drop();
  });

  it('is counted by userinfo, and in config as an SQL resolver', async () => {
    const userinfo = await ask('/monitoring/userinfo', { realms: 'customers' });
    expect(userinfo.value).toEqual({ Realms: { customers: { crm: 3 } } });
    expect((await ask('/monitoring/config')).value).toMatchObject({
      sqlresolver: 1,
      managedresolver: 0,
    });
  });

  it('gives its users tokens, and takes the password of the table where otppin=1 asks for it', async () => {
    const policy = {
      name: 'pin',
      scope: 'authentication',
      action: 'otppin=1',
      realm: 'customers',
      user: '*',
    };
    await ask('/system/setPolicy', policy);
    await application.enrolPlain('SQL1', SUITE, { user: 'anna@customers' });
    for (const [password, isRight] of [
      ['', false],
      ['hello world!', false],
      ['Hello world!', true],
    ] as const) {
      const { transactionid, question } = await application.challenge('SQL1');
      const response = application.respond(SUITE, question);
      expect(await application.check(transactionid, `${password}${response}`)).toMatchObject({
        result: isRight,
      });
    }
    await ask('/system/delPolicy', { name: 'pin' });
  });

  it('keeps the password of the database sealed, and shows it to nobody', async () => {
    const sealed = await storedSecret();
    expect(sealed?.length).toBeGreaterThan(SECRET.length);
    expect(sealed?.includes('Daten-Bank')).toBe(false);
    const [row] = await queryOnce<{ all: string }>(
      application.databaseUrl,
      'SELECT settings::text AS all FROM resolvers',
    );
    expect(row?.all).not.toContain('Daten-Bank');
    const shown = await ask('/system/getResolver', { resolver: 'crm' });
    expect(shown.value).toMatchObject({ type: 'sql', Table: 'people', Password: '' });
    const everything = [shown, await ask('/system/getResolvers'), await ask('/system/getConfig')];
    expect(JSON.stringify(everything)).not.toContain('Daten-Bank');
    expect(application.logged.join()).not.toContain('Daten-Bank');
  });

  it('is not to be read through a socket of the machine, where the database of the service itself may be', async () => {
    const { reach } = reachOf(application.databaseUrl);
    const own = { ...settings, ...reach, Server: '/tmp', Table: 'administrators' };
    const { status, error } = await ask('/system/setResolver', {
      name: 'own',
      type: 'sqlresolver',
      ...own,
    });
    expect([status, error?.message]).toEqual([
      false,
      expect.stringContaining('The setting Server is the path of a socket'),
    ]);
    await application.setResolver('own', 'sql', own);
    await application.services.resolvers.remove(OPERATOR, 'own');
  });

  it('keeps its password where a change leaves it out, or gives back what was shown', async () => {
    const before = await storedSecret();
    const shown = (await ask('/system/getResolver', { resolver: 'crm' })).value as Record<string, string>;
    expect(await ask('/system/setResolver', { ...shown, Where: 'id < 3' })).toMatchObject({
      status: true,
    });
    expect(await storedSecret()).toEqual(before);
    expect((await ask('/monitoring/userinfo', { realms: 'customers' })).value).toEqual({
      Realms: { customers: { crm: 2 } },
    });
    expect(await set({ Password: 'another' })).toMatchObject({ status: true });
    expect(await storedSecret()).not.toEqual(before);
    await set();
  });

  it.each([
    ['Server', '192.0.2.7'],
    ['Port', '5433'],
    ['User', 'somebody'],
    ['Driver', 'mysql'],
    ['conParams', 'sslmode=require'],
  ])('never sends a kept password elsewhere: a change of %s must give it again', async (name, value) => {
    const before = await storedSecret();
    const { error } = await set({ Password: '', [name]: value });
    expect(error?.message).toContain(`must be given again, as ${name} would change`);
    expect(await storedSecret()).toEqual(before);
    expect((await ask('/monitoring/userinfo', { realms: 'customers' })).status).toBe(true);
  });

  it('loses the password of a resolver with the resolver', async () => {
    await set({}, 'leaving');
    await ask('/system/delResolver', { resolver: 'leaving' });
    const rows = await queryOnce(application.databaseUrl, "SELECT 1 FROM resolvers WHERE name = 'leaving'");
    expect(rows).toEqual([]);
    await set({ Password: '', Server: '192.0.2.7' }, 'leaving');
    const [row] = await queryOnce<{ secret: Buffer | null }>(
      application.databaseUrl,
      "SELECT secret FROM resolvers WHERE name = 'leaving'",
    );
    expect(row?.secret).toBeNull();
  });
});
