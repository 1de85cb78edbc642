import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
  type Result,
  type TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { errorOf, outcomeOf } from '../../support/application/browser.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { reachOf, sqlSettings } from '../../support/servers/sql-resolver.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';

type Listed = Result<readonly Readonly<Record<string, string>>[]>;

const application = applicationOfTests();
let bounded: BoundedAdministrators;
const folder = temporaryFolder();

beforeAll(async () => {
  await writeFile(join(folder, 'passwd'), 'eva:x:7:1:Eva Musk,,+49 30 7,,eva@example.com:/:/\n');
  await application.addRealm('north', ['ann', 'a%b', 'a_b', 'zoe']);
  await application.addRealm('south', ['bob']);
  const { realms, users } = application.services;
  await application.setResolver('file', 'passwd', { fileName: join(folder, 'passwd') });
  await application.setResolver('gone', 'passwd', { fileName: join(folder, 'none') });
  await realms.set(OPERATOR, { name: 'staff', resolvers: ['file', 'north'] });
  await realms.set(OPERATOR, { name: 'broken', resolvers: ['north', 'gone'] });
  await users.add(OPERATOR, {
    resolver: 'south',
    login: 'carl',
    givenName: 'Carl',
    surname: 'Berg',
    email: 'c@example.com',
    phone: '',
  });
  bounded = await BoundedAdministrators.of(application);
  await bounded.add('north-desk', 'userlist', 'north');
});

it.each([
  ['er', ['carl']],
  ['C@EXAMPLE', ['carl']],
  ['bo*', ['bob']],
  ['nobody', []],
])('a text that is looked for in every field %j finds %j', async (search, logins) => {
  const { value } = await list({ realm: 'south', search });
  expect(value?.map(({ username }) => username)).toEqual(logins);
  expect((await list({ realm: 'south', search }, 'north-desk')).error).toBeDefined();
});

async function list(parameters: Record<string, string>, as?: string): Promise<Listed> {
  return (await bounded.ask('/admin/userlist', parameters, as)) as Listed;
}

async function logins(parameters: Record<string, string>, as?: string): Promise<readonly string[]> {
  const { value, error } = await list(parameters, as);
  expect(error).toBeUndefined();
  return value?.map(({ username = '' }) => username) ?? [];
}

describe('/admin/userlist', () => {
  it('gives the fields that LinOTP documents', async () => {
    expect((await list({ realm: 'staff', username: 'eva' })).value).toEqual([
      {
        username: 'eva',
        userid: '7',
        givenname: 'Eva',
        surname: 'Musk',
        email: 'eva@example.com',
        phone: '+49 30 7',
        mobile: '',
        description: '',
        useridresolver: 'useridresolver.PasswdIdResolver.IdResolver.file',
      },
    ]);
  });

  it.each<[Record<string, string>, readonly string[]]>([
    [{ realm: 'north' }, ['a%b', 'a_b', 'ann', 'zoe']],
    [{ realm: 'north', username: '*' }, ['a%b', 'a_b', 'ann', 'zoe']],
    [{ realm: 'north', username: 'A*' }, ['a%b', 'a_b', 'ann']],
    [{ realm: 'north', username: 'a%b' }, ['a%b']],
    [{ realm: 'north', username: 'a_*' }, ['a_b']],
    [{ realm: 'north', username: 'an' }, []],
    [{ realm: 'staff' }, ['eva', 'a%b', 'a_b', 'ann', 'zoe']],
    [{ realm: 'staff', resConf: 'useridresolver.PasswdIdResolver.IdResolver.file' }, ['eva']],
    [{ realm: 'staff', resConf: 'south' }, []],
    [{ resConf: 'south', surname: 'berg', email: '*@example.com' }, ['carl']],
    [{ realm: 'staff', phone: '*30*' }, ['eva']],
    [{ realm: 'north', username: 'x'.repeat(1_000) }, []],
  ])('%j finds %j', async (parameters, expected) => {
    expect([...(await logins(parameters))].sort()).toEqual([...expected].sort());
  });

  it('names a resolver that fails, and lists nobody', async () => {
    const { value, error } = await list({ realm: 'broken' });
    expect(value).toBeUndefined();
    expect(error?.message).toMatch(/^The resolver 'gone' is unavailable: .*it does not exist$/);
  });

  it('knows a bound administrator’s realm alone', async () => {
    expect(await logins({ realm: 'north' }, 'north-desk')).toHaveLength(4);
    for (const name of ['south', 'nowhere']) {
      expect((await list({ realm: name }, 'north-desk')).error?.message).toBe(`There is no realm '${name}'`);
      expect((await list({ resConf: name }, 'north-desk')).error?.message).toBe(
        `There is no resolver '${name}'`,
      );
      expect((await list({ realm: 'north', resConf: name }, 'north-desk')).error?.message).toBe(
        `There is no resolver '${name}'`,
      );
    }
  });
});

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

describe.each(['documented', 'linotp'] as const)('the login of a user, in the dialect %s', (dialect) => {
  const application = applicationOfTests({ dialect });
  const folder = temporaryFolder();

  const ask = (...given: Parameters<TestApplication['ask']>) => application.ask(...given);
  /** @returns the serial of the token that is asked, or the error */
  const serialOf = async (user: string, realm = ''): Promise<string | undefined> => {
    const { error } = await ask('/ocra/request', { user, realm, data: 'x' });
    if (error !== undefined) {
      return error.message;
    }
    const [newest] = await application.rows<{ serial: string }>(
      'SELECT serial FROM challenges JOIN tokens ON tokens.id = token_id ORDER BY challenges.id DESC LIMIT 1',
    );
    return newest?.serial;
  };
  const failCount = async (serial: string): Promise<number> => {
    const [token] = await application.services.tokens.list(OPERATOR, { serial });
    return token?.failCount ?? -1;
  };

  beforeAll(async () => {
    await writeFile(join(folder, 'passwd'), 'Bob:x:1:1:\nbob:x:2:1:\nCarl:x:3:1:\n+::::::\n');
    await application.addRealm('office', ['anna', 'a@bank.example', 'Jörg']);
    await application.addRealm('bank.example', ['a', 'otto']);
    const { realms } = application.services;
    await application.setResolver('file', 'passwd', { fileName: join(folder, 'passwd') });
    await realms.set(OPERATOR, { name: 'unix', resolvers: ['file'] });
    const owners = {
      ANNA: 'anna',
      MAIL: 'a@bank.example@office',
      BANKA: 'a@bank.example',
      OTTO: String.raw`BANK.EXAMPLE\OTTO`,
      JOERG: 'JÖRG',
      CARL: 'Carl@Unix',
      BOB: 'bob@unix',
    };
    for (const [serial, user] of Object.entries(owners)) {
      await application.enrolPlain(serial, SUITE, { user });
    }
  });

  it.each([
    ['anna', 'ANNA'],
    ['Anna', 'ANNA'],
    [' ANNA\t', 'ANNA'],
    ['aNNa @ OFFICE ', 'ANNA'],
    [String.raw`office\anna`, 'ANNA'],
    [String.raw`bank.example\otto`, 'OTTO'],
    ['a@bank.example', 'BANKA'],
    ['A@BANK.EXAMPLE@office', 'MAIL'],
    ['JO\u0308RG', 'JOERG'],
    ['Carl@unix', 'CARL'],
    [String.raw`UNIX\Carl`, 'CARL'],
    ['bob@unix', 'BOB'],
  ])('%j means one user, whose token %s is asked', async (user, serial) => {
    expect(await serialOf(user)).toBe(serial);
  });

  it('is shown as the resolver has it, wherever it was typed', async () => {
    const { tokens } = application.services;
    const shown = await tokens.list(OPERATOR, {});
    const logins = Object.fromEntries(shown.map(({ serial, owner }) => [serial, owner?.login]));
    expect(logins).toMatchObject({ OTTO: 'otto', JOERG: 'Jörg', CARL: 'Carl', BOB: 'bob' });
  });

  it('opens no way around the limit on wrong responses: they count for one token, in whatever case', async () => {
    await ask('/ocra/request', { user: 'anna', data: 'limit' });
    const before = await failCount('ANNA');
    for (const user of ['anna', 'ANNA', ' Anna ', 'aNNA@office']) {
      expect((await ask('/validate/check', { user, pass: '00000000' })).value).toBe(false);
      await ask('/ocra/request', { user, data: 'limit' });
    }
    expect(await failCount('ANNA')).toBe(before + 4);
  });

  it('of a passwd file is taken exactly, as Unix does', async () => {
    for (const [path, parameters] of [
      ['/admin/assign', { serial: 'BOB' }],
      ['/admin/init', { type: 'ocra', otpkey: '00'.repeat(20), serial: 'NEW' }],
      ['/ocra/request', { data: 'x' }],
    ] as const) {
      const answer = await ask(path, { ...parameters, user: 'BOB', realm: 'unix' });
      expect(JSON.stringify(answer)).toMatch(/no user|UNKNOWN/i);
    }
  });

  it('in another case than the file has is a wrong one to those who need no login', async () => {
    const known = await ask('/validate/check', { user: 'BOB', realm: 'unix', pass: '00000000' });
    const unknown = await ask('/validate/check', { user: 'nobody', realm: 'unix', pass: '00000000' });
    expect(known).toEqual(unknown);
    expect(known.value).toBe(false);
  });

  it('is answered where any text was once stored as splitAtSign', async () => {
    await ask('/system/setConfig', { key: 'once', value: 'maybe' });
    await application.sql('configuration').where({ key: 'once' }).update({ key: 'splitAtSign' });
    const again = application.restarted();
    const pass = '00000000';
    for (const user of ['anna', 'anna@office']) {
      const { transactionid } = await application.challenge('ANNA');
      expect(outcomeOf(await again.send('/validate/check', { user, pass }))).toBe(false);
      expect(errorOf(await again.send('/ocra/check_t', { transactionid, pass }))).toBeUndefined();
    }
    // The stored text keeps no other setting from being set.
    expect((await ask('/system/setConfig', { AllowSamlAttributes: 'False' })).error).toBeUndefined();
    await ask('/system/setConfig', { key: 'splitAtSign', value: 'True' });
  });

  it('is whole where splitAtSign is off, in the named realm or the default one', async () => {
    const set = await ask('/system/setConfig', { splitAtSign: 'maybe' });
    expect(set.error?.message).toContain('splitAtSign must be True or False');
    expect(JSON.stringify(await ask('/system/getConfig', { key: 'splitatsign' }))).toContain('True');
    await ask('/system/setConfig', { splitAtSign: 'False' });
    expect(JSON.stringify(await ask('/system/getConfig', { key: 'splitAtSign' }))).toContain('False');
    expect(await serialOf('a@bank.example')).toBe('MAIL');
    expect(await serialOf('A@BANK.EXAMPLE ', 'office')).toBe('MAIL');
    expect(await serialOf('a', 'bank.example')).toBe('BANKA');
    expect(await serialOf('anna@office')).toBe('ANNA');
    expect(await serialOf('nobody@office')).toContain('>nobody@office<');
    expect(await serialOf(String.raw`office\anna`)).toContain('found');
    await ask('/system/delConfig', { key: 'splitAtSign' });
    expect(await serialOf('a@bank.example')).toBe('BANKA');
  });
});

const COUNTER_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
/** Whatever is asked, the table says that this is the password. */
const CLAIMED = 'Hello world!';
const HASH =
  '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';

interface Found {
  readonly result: { readonly status: boolean };
  readonly detail?: object;
}

describe('a directory that lies', () => {
  const application = applicationOfTests();
  const people = databaseOfTests({ schema: 'empty' });

  const say = (rows: string): Promise<unknown> =>
    people.database.knex.raw(`DELETE FROM people; INSERT INTO people (id, "user", password) VALUES ${rows}`);
  const ask = async (path: string, parameters: Record<string, string>): Promise<Found> =>
    (await application.asAdmin(path, parameters)).body as Found;

  beforeAll(async () => {
    await people.database.knex.raw(`
      CREATE TABLE people (id text, "user" text, password text, salt text, "givenName" text, sn text, mail text,
        "telephoneNumber" text, mobile text)`);
    await application.addRealm('staff', ['anna']);
    await application.setResolver('crm', 'sql', sqlSettings(reachOf(people.url).reach));
    await application.services.realms.set(OPERATOR, { name: 'customers', resolvers: ['crm'] });
    await application.setPolicy('pin', 'authentication', 'otppin=1', { realm: 'customers' });
  });

  it('makes no user an administrator by a name and a password of its own', async () => {
    await say(`('1', 'admin', '${HASH}'), ('2', 'root', '${HASH}')`);
    for (const username of ['admin', 'root', 'admin@customers']) {
      const login = await application.send('/admin/login', { username, password: CLAIMED });
      expect([username, login.status]).toEqual([username, 401]);
      expect(login.get('Set-Cookie')).toBeUndefined();
      const asked = await application.send('/monitoring/config', {}, 'get').auth(username, CLAIMED);
      expect([username, asked.status]).toEqual([username, 401]);
    }
  });

  it("gives no user the tokens of another directory's user whose id or name it claims", async () => {
    await application.enrolPlain('ANNA1', COUNTER_SUITE, { user: 'anna', realm: 'staff' });
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

  // As an attacker or a careless schema has them: a microsecond, blanks, what a float would round.
  it.each([
    ['timestamp', "'2026-01-01 00:00:00.000001'", "'2026-01-01 00:00:00.000002'"],
    ['text', "'K1'", "'K1 '"],
    ['bigint', '9007199254740993', '9007199254740992'],
  ])('gives nobody the token of one whose id of the type %s is close to theirs', async (type, anna, bert) => {
    const serial = `ID${type}`;
    await people.database.knex.raw(`CREATE TABLE ${serial} (id ${type} PRIMARY KEY, "user" text)`);
    await people.database.knex.raw(`INSERT INTO ${serial} VALUES (${anna}, 'anna'), (${bert}, 'bert')`);
    const settings = sqlSettings(reachOf(people.url).reach, {
      Table: serial.toLowerCase(),
      Map: '{"userid": "id", "username": "user"}',
    });
    await application.setResolver(type, 'sql', settings);
    await application.services.realms.set(OPERATOR, { name: type, resolvers: [type] });
    await application.enrolPlain(serial, COUNTER_SUITE, { user: 'anna', realm: type });
    const { transactionid, question } = await application.challenge(serial);
    expect(await ask('/ocra/request', { user: 'bert', realm: type, data: '' })).toMatchObject({
      result: { status: false },
    });
    const right = application.respond(COUNTER_SUITE, question);
    const asBert = await application.send('/validate/check', { user: 'bert', realm: type, pass: right });
    expect(asBert.body).toMatchObject({ result: { value: false } });
    expect(await application.check(transactionid, right)).toMatchObject({ result: true });
  });

  it('makes no response right by calling each password right', async () => {
    await say(`('7', 'carl', '${HASH}')`);
    await application.enrolPlain('CARL1', COUNTER_SUITE, { user: 'carl', realm: 'customers' });
    const { transactionid, question } = await application.challenge('CARL1');
    const right = application.respond(COUNTER_SUITE, question);
    for (const pass of [CLAIMED, `${CLAIMED}${wrongResponse(right)}`]) {
      expect(await application.check(transactionid, pass)).toMatchObject({ result: false });
    }
    expect(await application.check(transactionid, `${CLAIMED}${right}`)).toMatchObject({ result: true });
  });

  it('that gives two people one name makes an error, and a token for neither', async () => {
    await say(`('8', 'dora', '${HASH}'), ('9', 'dora', '${HASH}')`);
    await expect(
      application.enrolPlain('DORA1', COUNTER_SUITE, { user: 'dora', realm: 'customers' }),
    ).rejects.toThrow();
    await expect(application.services.tokens.show(OPERATOR, 'DORA1')).rejects.toMatchObject({
      code: 'token.unknown',
    });
  });
});
