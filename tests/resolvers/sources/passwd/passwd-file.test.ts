import { mkdir, mkdtemp, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Resolver } from '../../../../src/configuration/configuration.ts';
import { DirectoryPasswords } from '../../../../src/resolvers/sources/directory-password.ts';
import { PasswdFile } from '../../../../src/resolvers/sources/passwd/passwd-file.ts';
import { Semaphore } from '../../../../src/kernel/bounded-work.ts';
import { eventualRefusal } from '../../../support/application/eventual-refusal.ts';
import { ReadableHasher } from '../../../support/application/readable-hasher.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/test-database.ts';
import { ManagedUserStore } from '../../../../src/users/managed-user-store.ts';
import { makeNamedPipe } from '../../../support/servers/named-pipe.ts';
import { sourcesOver } from '../../../support/application/user-sources.ts';

const ANNA =
  'anna:$6$salt$hash:1001:1001:Anna Ahlers,Raum 1,+49 30 1001,+49 170 1001,anna@example.com:/home/1001:/bin/false';
const EVA =
  'eva.maria:x:1006:1006:Eva Maria von der Heide,R6,,+49 170 1006,eva@example.com:/home/1006:/bin/false';
const GAST = 'gast:x:1008:1008:Gast Ohne Kennwort,,,,:/home/1008:/bin/false';

let folder: string;
let fileName: string;
let source: PasswdFile;
let warnings: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-passwd-'));
  fileName = join(folder, 'passwd');
  warnings = [];
  const warn = (message: string, fields?: object) => warnings.push(JSON.stringify({ message, ...fields }));
  source = new PasswdFile({
    resolver: 'file',
    fileName,
    passwords: new DirectoryPasswords({ hasher: new ReadableHasher() }),
    log: { error: warn, warn, info: warn, debug: warn },
    timeoutMs: 30_000,
    fileReads: new Semaphore(1),
  });
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function logins(): Promise<string[]> {
  return (await source.list()).map(({ login }) => login);
}

async function fault(): Promise<string> {
  const refusal = await eventualRefusal(source.count());
  expect(refusal.code).toBe('resolver.unavailable');
  expect(refusal.message).not.toContain(folder);
  expect(refusal.detail).toBe(`passwd file ${fileName}`);
  return refusal.message.replace("The resolver 'file' is unavailable: its file cannot be used, ", '');
}

describe('a passwd file', () => {
  it('tells of its users as LinOTP writes them', async () => {
    await writeFile(fileName, `# users\n${ANNA}\n\n${EVA}\r\njörg:x:1005::Jörg:/:\n${GAST}`);
    expect(await source.findByLogin('anna')).toEqual({
      userId: '1001',
      login: 'anna',
      givenName: 'Anna',
      surname: 'Ahlers',
      phone: '+49 30 1001',
      email: 'anna@example.com',
    });
    expect(await source.findById('1006')).toEqual({
      userId: '1006',
      login: 'eva.maria',
      givenName: 'Eva',
      surname: 'Maria von der Heide',
      phone: '+49 170 1006',
      email: 'eva@example.com',
    });
    expect(await source.findById('1005')).toMatchObject({
      givenName: 'Jörg',
      surname: '',
      phone: '',
      email: '',
    });
    expect(await logins()).toEqual(['anna', 'eva.maria', 'jörg', 'gast']);
    expect(await source.count()).toBe(4);
  });

  it('tells how many users share an id, as Unix allows', async () => {
    const line = (login: string, id: string): string => `${login}:x:${id}:1::/:/bin/sh`;
    const accounts = [
      line('a', '1'),
      line('b', '1'),
      line('c', '1'),
      line('d', '01'),
      line('e', '2'),
      line('f', '2'),
    ];
    await writeFile(fileName, `${accounts.join('\n')}\n`);
    expect(await source.examine()).toEqual({
      entries: 6,
      users: 6,
      withoutId: 0,
      withoutLogin: 0,
      sharingId: 5,
    });
  });

  it('knows no user by another login, id, or with signs', async () => {
    await writeFile(fileName, `${ANNA}\n`);
    for (const text of ['', '*', 'ANNA', 'anna ', 'ann', '__proto__', 'constructor']) {
      expect(await source.findByLogin(text)).toBeUndefined();
      expect(await source.findById(text)).toBeUndefined();
    }
  });

  it('may be empty', async () => {
    await writeFile(fileName, '');
    expect(await source.count()).toBe(0);
  });

  it('verifies passwords whose hashes stand in it, and none where it has them elsewhere or locks the account', async () => {
    const hash =
      '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';
    const fields = { one: hash, two: `!${hash}`, three: 'x', four: '', five: '$y$j9T$abc$def' };
    const lines = Object.entries(fields).map(([login, field], id) => `${login}:${field}:${id}:0:::`);
    await writeFile(fileName, lines.join('\n'));
    const right = await Promise.all(
      lines.map((_line, id) => source.checkPassword(String(id), 'Hello world!')),
    );
    expect(right).toEqual([true, false, false, false, false]);
    expect(await source.checkPassword('0', 'Hello world')).toBe(false);
    expect(await source.checkPassword('9', 'Hello world!')).toBe(false);
    expect(await source.checkPassword('3', '')).toBe(false);
    expect(warnings).toEqual([
      '{"message":"A resolver keeps a password in a form that is not verified","resolver":"file"}',
    ]);
  });

  it('lets several accounts share an id, as Unix does; the first counts', async () => {
    await writeFile(fileName, 'root:x:0:0:::\ntoor:x:0:0:::\n');
    expect((await source.findById('0'))?.login).toBe('root');
    expect((await source.findByLogin('toor'))?.userId).toBe('0');
  });

  it('is read again when it changes: in place, by replacement, or in its times alone', async () => {
    await writeFile(fileName, `${ANNA}\n`);
    expect(await logins()).toEqual(['anna']);
    await writeFile(fileName, `${ANNA}\n${GAST}\n`);
    expect(await logins()).toEqual(['anna', 'gast']);
    await writeFile(`${fileName}.new`, `${EVA}\n`);
    await rename(`${fileName}.new`, fileName);
    expect(await logins()).toEqual(['eva.maria']);
    await writeFile(fileName, `${EVA.replace('eva.', 'ada.')}\n`);
    await utimes(fileName, new Date(0), new Date(0));
    expect(await logins()).toEqual(['ada.maria']);
    await truncate(fileName, 0);
    expect(await logins()).toEqual([]);
  });

  it('of many lines is read whole', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `user${index}:x:${index}:0:Nö Name,,,,:/:/bin/false\n`,
    );
    await writeFile(fileName, lines.join(''));
    expect(await source.count()).toBe(20_000);
    expect(await source.findById('19999')).toMatchObject({ login: 'user19999', givenName: 'Nö' });
  });

  it('is read once by many who ask at once', async () => {
    await writeFile(fileName, `${ANNA}\n`);
    const found = await Promise.all(Array.from({ length: 50 }, () => source.findByLogin('anna')));
    expect(found.every((user) => user === found[0])).toBe(true);
  });
});

describe('a passwd file with a fault', () => {
  it.each<[string, string | Buffer, string]>([
    ['too few fields', 'anna:x:1', 'its line 2 is broken: it has 3 fields instead of 7'],
    ['too many fields', 'a:x:1:1:g:h:s:more', 'its line 2 is broken: it has 8 fields instead of 7'],
    ['no login', ':x:1:1:g:h:s', 'its line 2 is broken: it has no login or no user id'],
    ['no user id', 'a:x: :1:g:h:s', 'its line 2 is broken: it has no login or no user id'],
    ['a control character', 'a\0b:x:1:1:g:h:s', 'its line 2 is broken: it holds control characters'],
    ['a login twice', 'gast:x:9:9:::', 'its line 2 is broken: its login stands in an earlier line already'],
    ['another encoding', Buffer.from('j\xf6rg:x:1:1:::', 'latin1'), 'its line 2 is broken: it is not UTF-8'],
    ['an endless line', 'x'.repeat(200_000), 'it has a line of more than 65536 bytes'],
  ])('(%s) is not used at all, and the line is named', async (_what, line, reason) => {
    await writeFile(
      fileName,
      Buffer.concat([Buffer.from(`${GAST}\n`), Buffer.from(line), Buffer.from(`\n${ANNA}`)]),
    );
    expect(await fault()).toBe(reason);
    expect((await eventualRefusal(source.findByLogin('gast'))).code).toBe('resolver.unavailable');
  });

  it('does not go on with what it held before, and recovers when it is mended', async () => {
    await writeFile(fileName, `${ANNA}\n`);
    expect(await logins()).toEqual(['anna']);
    await writeFile(fileName, `${ANNA}\nbroken\n`);
    expect(await fault()).toContain('its line 2 is broken');
    await rm(fileName);
    expect(await fault()).toBe('it does not exist');
    await writeFile(fileName, `${GAST}\n`);
    expect(await logins()).toEqual(['gast']);
  });

  it('that is a folder, a pipe or too large is refused, without waiting for anybody', async () => {
    await mkdir(fileName);
    expect(await fault()).toBe('it is not a regular file');
    await rm(fileName, { recursive: true });
    makeNamedPipe(fileName);
    expect(await fault()).toBe('it is not a regular file');
    await rm(fileName);
    const long = `${'#'.repeat(1023)}\n`.repeat(1024);
    await writeFile(fileName, long);
    for (let megabytes = 1; megabytes <= 64; megabytes += 1) {
      await writeFile(fileName, long, { flag: 'a' });
    }
    expect(await fault()).toBe('it has more than 67108864 bytes');
  });
});

describe('the users of a resolver', () => {
  let test: TestDatabase;
  let users: ManagedUserStore;
  beforeAll(async () => {
    test = await createTestDatabase();
    users = new ManagedUserStore({ database: test.database });
  });
  afterAll(() => test.drop());

  const resolver = (kind: Resolver['kind'], settings: Resolver['settings'] = {}): Resolver => ({
    id: '7',
    name: 'res',
    kind,
    settings,
    isBounded: false,
  });

  it('are opened by its kind', async () => {
    await writeFile(fileName, `${ANNA}\n${GAST}\n`);
    const sources = sourcesOver(users);
    expect(await sources(resolver('managed')).count()).toBe(0);
    expect(await sources(resolver('passwd', { fileName })).count()).toBe(2);
    const refusal = await eventualRefusal(sources(resolver('passwd')).count());
    expect(refusal.message).toBe(
      "The resolver 'res' is unavailable: its file cannot be used, it does not exist",
    );
  });

  it('are opened once as long as the resolver stays as it is', () => {
    const sources = sourcesOver(users);
    const one = resolver('passwd', { fileName });
    expect(sources(one)).toBe(sources(one));
    const first = sources(one);
    expect(sources({ ...one })).toBe(first);
    expect(sources({ ...one, settings: { fileName: '/else' } })).not.toBe(first);
    expect(sources({ ...one, secretStamp: 'other' })).not.toBe(sources(one));
  });
});
