import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundedAdministrators } from '../../support/application/bounded-administrators.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

interface Listed {
  readonly value?: readonly Readonly<Record<string, string>>[];
  readonly error?: { readonly message: string };
}

let application: TestApplication;
let bounded: BoundedAdministrators;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-userlist-'));
  await writeFile(join(folder, 'passwd'), 'eva:x:7:1:Eva Musk,,+49 30 7,,eva@example.com:/:/\n');
  application = await TestApplication.open();
  await application.addRealm('north', ['ann', 'a%b', 'a_b', 'zoe']);
  await application.addRealm('south', ['bob']);
  const { resolvers, realms, users } = application.services;
  await resolvers.set(OPERATOR, {
    name: 'file',
    kind: 'passwd',
    settings: { fileName: join(folder, 'passwd') },
  });
  await resolvers.set(OPERATOR, {
    name: 'gone',
    kind: 'passwd',
    settings: { fileName: join(folder, 'none') },
  });
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
  await bounded.add('clerk', 'show', 'north');
});
afterAll(async () => {
  await application.close();
  await rm(folder, { recursive: true });
});

describe('a text that is looked for in every field', () => {
  it.each([
    ['er', ['carl']],
    ['C@EXAMPLE', ['carl']],
    ['bo*', ['bob']],
    ['nobody', []],
  ])('%j finds %j', async (search, logins) => {
    const { value } = await list({ realm: 'south', search });
    expect(value?.map(({ username }) => username)).toEqual(logins);
    expect((await list({ realm: 'south', search }, 'north-desk')).error).toBeDefined();
  });
});

async function list(parameters: Record<string, string>, as?: string): Promise<Listed> {
  const answer =
    as === undefined
      ? await application.asAdmin('/admin/userlist', parameters, 'get')
      : await bounded.get(as, '/admin/userlist', parameters);
  return (answer.body as { result: Listed }).result;
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

  it('takes the right userlist', async () => {
    expect((await list({ realm: 'north' }, 'clerk')).error?.message).toMatch(/action=userlist$/);
  });
});
