import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { SETTINGS, person, unit } from '../../support/servers/ldap-resolver.ts';
import { findSlapd, READER_PASSWORD, type Slapd, startSlapd } from '../../support/servers/slapd.ts';
import { reachOf, sqlSettings } from '../../support/servers/sql-resolver.ts';
import {
  applicationOfTests,
  OPERATOR,
  type Result,
  type TestApplication,
} from '../../support/application/test-application.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';
const SECRET = 'Daten-Bank; ä "1"';
const PASSWORD = 'Hello world!';
const HASH =
  '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';

const slapdProgram = findSlapd();
const folder = temporaryFolder();
let proxy: DatabaseProxy;
let slapd: Slapd | undefined;
const application = applicationOfTests({ resolverTimeout: 8, resolverFileDirs: [folder] });

const ask = (...given: Parameters<TestApplication['ask']>) => application.ask(...given);

afterAll(() => Promise.all([proxy.stop(), slapd?.remove()]));
const people = databaseOfTests({ schema: 'empty' });

beforeAll(async () => {
  await people.database.knex.raw(`
    CREATE TABLE people (id integer, "user" text, password text, salt text, "givenName" text, sn text, mail text,
      "telephoneNumber" text, mobile text);
    INSERT INTO people (id, "user", password) VALUES (1, 'anna', '${HASH}'), (2, 'bert', NULL), (3, 'carl', NULL)`);
  await writeFile(join(folder, 'passwd'), `anna:${HASH}:1:1:::\n`);
  // A port, as no socket is taken over HTTP.
  proxy = await DatabaseProxy.start(people.url);
  slapd =
    slapdProgram === undefined
      ? undefined
      : await startSlapd(slapdProgram, {
          entries: [unit('people'), person('anna', { userPassword: PASSWORD })],
        });
});

/** As old scripts write them: names in any case, values as texts. */
const sql = (): Record<string, string> => ({
  ...sqlSettings(reachOf(proxy.url).reach),
  Driver: 'postgresql+psycopg2',
  Encoding: '',
  Limit: '',
  Password: SECRET,
});
const ldap = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...SETTINGS, LDAPURI: slapd?.url ?? '', BINDPW: READER_PASSWORD }).map(
      ([name, value]) => [name.toLowerCase(), value],
    ),
  );
const KINDS: readonly (readonly [string, () => Record<string, string>])[] = [
  ['sqlresolver', sql],
  ['passwdresolver', () => ({ fileName: join(folder, 'passwd') })],
  ...(slapdProgram === undefined ? [] : ([['ldapresolver', ldap]] as const)),
];

describe.each(KINDS)('a realm of users in a %s', (type, settings) => {
  afterAll(() => ask('/system/delPolicy', { name: 'pin' }));

  it('gives its users tokens, and takes the password of the source where otppin=1 asks for it', async () => {
    const set = await ask('/system/setResolver', { name: type, type, ...settings() });
    expect(set).toMatchObject({ status: true });
    expect(await ask('/system/setRealm', { realm: type, resolvers: type })).toMatchObject({ status: true });
    await application.setPolicy('pin', 'authentication', 'otppin=1', { realm: type });
    await application.enrolPlain(type, SUITE, { user: `anna@${type}` });
    for (const [password, isRight] of [
      ['', false],
      ['hello world!', false],
      [PASSWORD, true],
    ] as const) {
      const { transactionid, question } = await application.challenge(type);
      const response = application.respond(SUITE, question);
      expect(await application.check(transactionid, `${password}${response}`)).toMatchObject({
        result: isRight,
      });
    }
  });
});

describe('a realm of users in an SQL database', () => {
  const set = (changes: Record<string, string> = {}, name = 'crm'): Promise<Result> =>
    ask('/system/setResolver', { name, type: 'sqlresolver', ...sql(), ...changes });
  const storedSecret = async (name = 'crm'): Promise<Buffer | null | undefined> => {
    const [row] = await application.rows<{ secret: Buffer | null }>(
      `SELECT secret FROM resolvers WHERE name = '${name}'`,
    );
    return row?.secret;
  };

  const sqlResolvers = async (): Promise<number> => {
    const { value } = await ask('/monitoring/config');
    return (value as { sqlresolver: number }).sqlresolver;
  };
  let others: number;

  beforeAll(async () => {
    others = await sqlResolvers();
    expect(await set()).toMatchObject({ status: true });
    const realm = await ask('/system/setRealm', { realm: 'customers', resolvers: 'crm' });
    expect(realm).toMatchObject({ status: true });
  });

  it('is counted by userinfo, and in config as an SQL resolver', async () => {
    const userinfo = await ask('/monitoring/userinfo', { realms: 'customers' });
    expect(userinfo.value).toEqual({ Realms: { customers: { crm: 3 } } });
    expect((await ask('/monitoring/config')).value).toMatchObject({
      sqlresolver: others + 1,
      managedresolver: 0,
    });
  });

  it('is not to be read through a socket of the machine, where the database of the service itself may be', async () => {
    const { reach } = reachOf(application.databaseUrl);
    const own = { ...sql(), ...reach, Server: '/tmp', Table: 'administrators' };
    const { status, error } = await ask('/system/setResolver', { name: 'own', type: 'sqlresolver', ...own });
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
    expect(shown).toMatchObject({ type: 'sql', Table: 'people', Password: '' });
    expect(await ask('/system/setResolver', { ...shown, Where: 'id < 3' })).toMatchObject({ status: true });
    expect(await storedSecret()).toEqual(before);
    expect((await ask('/monitoring/userinfo', { realms: 'customers' })).value).toEqual({
      Realms: { customers: { crm: 2 } },
    });
    expect(await set({ Password: 'another' })).toMatchObject({ status: true });
    expect(await storedSecret()).not.toEqual(before);
    await set();
  });

  it('loses the password of a resolver with the resolver', async () => {
    await set({}, 'leaving');
    await ask('/system/delResolver', { resolver: 'leaving' });
    expect(await storedSecret('leaving')).toBeUndefined();
    await set({ Password: '', Server: '192.0.2.7' }, 'leaving');
    expect(await storedSecret('leaving')).toBeNull();
  });
});
