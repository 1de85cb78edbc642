import { mkdir, mkdtemp, open, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type PasswdContent,
  PasswdFault,
  PasswdFile,
  readPasswd,
} from '../../../../src/resolvers/sources/passwd/passwd-file.ts';
import { Semaphore } from '../../../../src/kernel/bounded-work.ts';
import { describeTrial, isUsual } from '../../../../src/resolvers/user-source.ts';
import { examination } from '../../../support/application/user-sources.ts';
import { eventualRefusal } from '../../../support/values/refusal.ts';
import { deferred } from '../../../support/values/until.ts';
import { ReadableHasher } from '../../../support/application/readable-hasher.ts';
import { makeNamedPipe } from '../../../support/servers/named-pipe.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const ANNA =
  'anna:$6$salt$hash:1001:1001:Anna Ahlers,Raum 1,+49 30 1001,+49 170 1001,anna@example.com:/home/1001:/bin/false';
const EVA =
  'eva.maria:x:1006:1006:Eva Maria von der Heide,R6,,+49 170 1006,eva@example.com:/home/1006:/bin/false';
const GAST = 'gast:x:1008:1008:Gast Ohne Kennwort,,,,:/home/1008:/bin/false';

const root = temporaryFolder();
let folder: string;
let fileName: string;
let source: PasswdFile;
let warnings: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  fileName = join(folder, 'passwd');
  warnings = [];
  source = opened();
});

function opened({ fileReads = new Semaphore(1), timeoutMs = 30_000 } = {}): PasswdFile {
  const warn = (message: string, fields?: object) => warnings.push(JSON.stringify({ message, ...fields }));
  return new PasswdFile({
    resolver: 'file',
    fileName,
    hasher: new ReadableHasher(),
    log: { error: warn, warn, info: warn, debug: warn },
    timeoutMs,
    fileReads,
  });
}

async function logins(): Promise<string[]> {
  return (await source.list()).map(({ login }) => login);
}

async function fault(asked = source): Promise<string> {
  const refusal = await eventualRefusal(asked.count());
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

  it('tells how many users share an id, as Unix allows; the first counts', async () => {
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
    expect(await source.examine()).toEqual(examination(6, { sharingId: 5 }));
    expect((await source.findById('2'))?.login).toBe('e');
    expect((await source.findByLogin('f'))?.userId).toBe('2');
  });

  it('may have short lines, and lines in Latin-1 among others in UTF-8', async () => {
    const lines = [
      Buffer.from('\uFEFFroot:x:0:0:root:/root:/bin/bash\n'),
      Buffer.from('anna:x:1000:1000:Anna M\xfcller:/home/anna:/bin/sh\n', 'latin1'),
      Buffer.from('jörg:x:1001:1001:Jörg\n'),
      Buffer.from('j\xf6rn:x:1002:1002:J\xf6rn Gro\xdf,,1,,j@example.com:\r\n', 'latin1'),
      Buffer.from('+49301:x:1004:1004:Telefon:h:s'),
    ];
    await writeFile(fileName, Buffer.concat(lines));
    expect(await logins()).toEqual(['root', 'anna', 'jörg', 'jörn', '+49301']);
    expect(await source.findByLogin('anna')).toMatchObject({ givenName: 'Anna', surname: 'Müller' });
    expect(await source.findById('1002')).toMatchObject({ surname: 'Groß', email: 'j@example.com' });
    expect(await source.findByLogin('jörg')).toMatchObject({ userId: '1001', givenName: 'Jörg' });
    expect(await source.examine()).not.toHaveProperty('passedOver');
  });

  it.each([
    ['ANNA', undefined],
    ['anna', 'anna'],
    ['jo\u0308rg', 'jörg'],
    ['JÖRG', undefined],
    ['İBO', undefined],
    ['Bob', 'Bob'],
    ['bob', 'bob'],
    ['BOB', undefined],
    ['STRASSE', undefined],
    ['strasse', undefined],
    ['STRAßE', undefined],
    ['ibo', undefined],
    ['ıvo', undefined],
    ['İvo', undefined],
    ['IVO', undefined],
  ])('finds by %j %j: case tells logins apart, as Unix does', async (typed, expected) => {
    const users = ['anna', 'jörg', 'straße', 'İbo', 'ivo', 'Bob', 'bob'];
    await writeFile(fileName, users.map((login, id) => `${login}:x:${id}:0:\n`).join(''));
    const found = await source.findByLogin(typed);
    expect(found?.login).toBe(expected);
  });

  it('knows no user by another login, id, or with signs', async () => {
    await writeFile(fileName, `${ANNA}\n`);
    expect(await source.findById('anna')).toBeUndefined();
    for (const text of ['', '*', 'ann', '__proto__', 'constructor']) {
      expect(await source.findByLogin(text)).toBeUndefined();
      expect(await source.findById(text)).toBeUndefined();
    }
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
});

describe('a passwd file with a fault', () => {
  it.each([
    ['too few fields', 'anna:x:1:1'],
    ['no field at all', 'broken'],
    ['those of a shadow file', 'root:$6$a$b:19000:0:99999:7:::'],
    ['those of a shadow file without its last', 'root:$6$a$b:19000:0:99999:7::'],
    ['those of master.passwd', 'root:$6$a$b:0:0::0:0:C &:/root:/bin/sh'],
    ['those of .pgpass', 'localhost:5432:tan:reader:S3cretPw'],
    ['those of .pgpass with an IPv6 address', String.raw`\:\:1:5432:tan:reader:pw`],
    ['a URL of .env', 'DB=postgres://u:topsecret@db:5432/a:b'],
    ['numbers of .env', 'LIST=a:b:1:2:topsecret'],
    ['those of smbpasswd', 'root:0:AAAA:BBBB:[U          ]:LCT-0:'],
    ['a name for an id, and no home', 'ann:x:ann:1:Ann:/'],
    ['no login', ':x:1:1:g:h:s'],
    ['no user id', 'a:x: :1:g:h:s'],
    ['a control character', 'a\0b:x:1:1:g:h:s'],
    ['all of NIS', '+::::::'],
    ['a group of NIS', '+@staff:x:7:7:::'],
    ['a user of NIS', '+otto'],
    ['a user who is not taken from NIS', '-anna:x:7:7:::'],
  ])('(%s) is used but for that line, whose number is told', async (_what, line) => {
    await writeFile(fileName, `${GAST}\n${line}\n${ANNA}\n`);
    expect(await logins()).toEqual(['gast', 'anna']);
    const { passedOver, users } = await source.examine();
    expect([users, passedOver]).toEqual([2, { lines: 1, first: ['line 2'] }]);
    await writeFile(fileName, `${GAST}\n${line}\n${ANNA}`);
    expect(await source.count()).toBe(2);
    const message = 'Lines of a passwd file are no accounts, and are passed over';
    expect(warnings).toEqual([JSON.stringify({ message, resolver: 'file', count: 1, reason: 'line 2' })]);
  });

  it.each(['carl:x:3', 'carl:x:1:1:a\u0007::', 'carl:$6$a$b:19000:0:99999:7:::', 'carl:x:n:1:', 'carl'])(
    'knows not whose login %j has: the search for it fails, and no other does',
    async (line) => {
      await writeFile(fileName, `${GAST}\n${line}\nCaRL:x:7:7:::\n`);
      const refusal = await eventualRefusal(source.findByLogin('carl'));
      expect([refusal.code, refusal.message]).toEqual([
        'resolver.unavailable',
        expect.stringContaining('the line of that login is passed over'),
      ]);
      expect(await source.findByLogin('CARL')).toBeUndefined();
      expect((await source.findByLogin('CaRL'))?.userId).toBe('7');
      expect((await source.findByLogin('gast'))?.userId).toBe('1008');
      expect(await source.findByLogin('nobody')).toBeUndefined();
    },
  );

  it('takes no password from a line without all fields', async () => {
    const hash =
      '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';
    await writeFile(fileName, `a:${hash}:1:1:A\nb:${hash}:2:1:B:/\nc:${hash}:3:1:C:/:\n`);
    const right = await Promise.all(['1', '2', '3'].map((id) => source.checkPassword(id, 'Hello world!')));
    expect(right).toEqual([false, false, true]);
  });

  it('names some of many such lines, and quotes none', async () => {
    await writeFile(fileName, `${'geheim\n'.repeat(7)}${ANNA}\n`);
    const found = await source.examine();
    expect(found.passedOver?.lines).toBe(7);
    expect(describeTrial({ found })).toBe(
      `1 entries, 1 users, lines passed over: 7 (${[1, 2, 3, 4, 5].map((line) => `line ${line}`).join(', ')}, …)`,
    );
    expect(isUsual(found)).toBe(false);
    expect(warnings.join()).not.toContain('geheim');
  });

  it.each(['broken\n', '\x7fELF\0\0\n\0\n', '+::::::\n'])(
    'that holds no account at all (%j) is no file of users',
    async (content) => {
      await writeFile(fileName, content);
      expect(await fault()).toBe('it has no account');
    },
  );

  it('that has an endless line is refused', async () => {
    await writeFile(fileName, `${GAST}\n${'x'.repeat(200_000)}`);
    expect(await fault()).toBe('it has a line of more than 65536 bytes');
  });

  it('that gives one login to two ids tells neither for the other, and all others', async () => {
    await writeFile(fileName, `${GAST}\ngast:x:9:9:::\n${ANNA}\n`);
    expect([await logins(), await source.count()]).toEqual([['gast', 'gast', 'anna'], 3]);
    const refusal = await eventualRefusal(source.findByLogin('gast'));
    expect(refusal.message).toContain('several of its lines have the same login');
    expect((await source.findById('9'))?.login).toBe('gast');
    expect((await source.findByLogin('anna'))?.userId).toBe('1001');
  });

  it('does not go on with what it held before, and recovers when it is mended', async () => {
    await writeFile(fileName, `${ANNA}\n`);
    expect(await logins()).toEqual(['anna']);
    await writeFile(fileName, 'broken\n');
    expect(await fault()).toContain('it has no account');
    await rm(fileName);
    expect(await fault()).toBe('it does not exist');
    await writeFile(fileName, `${GAST}\n`);
    expect(await logins()).toEqual(['gast']);
  });

  it('that is a folder or a pipe is refused, without waiting for anybody', async () => {
    await mkdir(fileName);
    expect(await fault()).toBe('it is not a regular file');
    await rm(fileName, { recursive: true });
    makeNamedPipe(fileName);
    expect(await fault()).toBe('it is not a regular file');
  });
});

/** Some megabytes, so that reading takes a while. */
function usersOf(prefix: string): string {
  return Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}:x:${index}::::\n`).join('');
}

describe('a large passwd file', () => {
  it('of 1 GB is refused for its size before anything of it is read', async () => {
    const handle = await open(fileName, 'w');
    await handle.write('anna:x:1:1:::\n');
    await handle.truncate(1024 ** 3);
    await handle.close();
    const before = process.memoryUsage().rss;
    expect(await fault()).toBe('it has more than 67108864 bytes');
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 ** 2);
  });

  it('leaves the process its turns while it is read', async () => {
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    await writeFile(
      fileName,
      usersOf('b')
        .repeat(20)
        .replaceAll(/:x:.*$/gm, ''),
    );
    expect(await fault()).toBe('it has no account');
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('a passwd file that is replaced while it is read', () => {
  it('is read again: what is answered is one of the two whole, and the new one to whoever asks afterwards', async () => {
    await writeFile(fileName, usersOf('old'));
    await writeFile(`${fileName}.new`, usersOf('new').slice(0, -1));
    const during = source.list();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await rename(`${fileName}.new`, fileName);
    const afterwards = source.list();
    const prefixes = new Set((await during).map(({ login }) => login.slice(0, 3)));
    expect(prefixes.size).toBe(1);
    expect(await during).toHaveLength(20_000);
    expect((await afterwards).every(({ login }) => login.startsWith('new'))).toBe(true);
  });
});

describe('a passwd file that changes right after it was looked at', () => {
  it('is looked at again for whoever asks from then on', async () => {
    await writeFile(fileName, 'anna:x:1:1:::\n');
    const seen = deferred<undefined>();
    const reported = deferred<undefined>();
    class LateSemaphore extends Semaphore {
      override async run<T>(work: () => Promise<T>): Promise<T> {
        const result = await super.run(work);
        seen.resolve(undefined);
        await reported.promise;
        return result;
      }
    }
    const late = opened({ fileReads: new LateSemaphore(1) });
    const before = late.count();
    await seen.promise;
    await writeFile(fileName, '');
    const afterwards = late.count();
    reported.resolve(undefined);
    expect([await before, await afterwards]).toEqual([1, 0]);
  });
});

describe('a passwd file that hangs', () => {
  it('is given up after the time limit, then refused at once, and is back when it answers', async () => {
    await writeFile(fileName, 'anna:x:1:1:::\n');
    const fileReads = new Semaphore(1);
    const hanging = deferred<undefined>();
    const elsewhere = fileReads.run(() => hanging.promise);
    const behind = opened({ fileReads, timeoutMs: 200 });
    expect(await fault(behind)).toBe('it did not answer within 0.2 seconds');
    const order: string[] = [];
    const timer = new Promise((resolve) => setTimeout(resolve, 200)).then(() => order.push('time limit'));
    await Promise.all(Array.from({ length: 100 }, () => fault(behind).then(() => order.push('refused'))));
    await timer;
    expect(order.indexOf('time limit')).toBe(100);
    hanging.resolve(undefined);
    await elsewhere;
    const back = async (): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return behind.count().catch(back);
    };
    expect(await back()).toBe(1);
  });
});

const LIMIT = 10_000;

function inChunks(content: Buffer, size: number): AsyncIterable<Buffer> {
  return (async function* () {
    for (let at = 0; at < content.length; at += size) {
      await Promise.resolve();
      yield content.subarray(at, at + size);
    }
  })();
}

describe('a passwd file', () => {
  it('is the same however it comes in pieces', async () => {
    const login = fc.string({ unit: fc.constantFrom('a', 'b', 'ö', '☃', '.'), minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(login, { maxLength: 10 }),
        fc.integer({ min: 1, max: 40 }),
        async (logins, size) => {
          const text = logins.map((one, index) => `${one}:x:${index}:0:N ${one},,1,,e:/:/s`).join('\n');
          const { accounts } = await readPasswd(inChunks(Buffer.from(text), size), LIMIT);
          expect(accounts.map(({ login: read }) => read)).toEqual(logins);
          expect(accounts.map(({ userId }) => userId)).toEqual(logins.map((_login, index) => String(index)));
        },
      ),
    );
  });

  it('of any bytes is read or refused with a reason', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .string({ unit: fc.constantFrom(':', '\n', 'a', '1', '#', ',', '\r'), maxLength: 300 })
        .map((one) => Buffer.from(one)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 400 }), async (content, size) => {
        const outcome = await readPasswd(inChunks(Buffer.from(content), size), LIMIT).catch(
          (error: unknown) => error,
        );
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(PasswdFault);
        } else {
          const { accounts } = outcome as PasswdContent;
          expect(accounts.every((one) => one.login.trim() !== '' && one.userId.trim() !== '')).toBe(true);
        }
      }),
    );
  });
});
