import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLinotpSource } from '../../src/linotp/sources/open-source.ts';
import { makeNamedPipe } from '../support/servers/named-pipe.ts';
import { findSystemProgram } from '../support/servers/program-paths.ts';
import { describeWithProgram } from '../support/servers/system-programs.ts';
import { contentAfterImport, contentOfDump } from './content-after-import.ts';
import { makeSqlite } from './sqlite-fixture.ts';

const FIXTURE = '2.12.6-postgresql';
const TOKENS = 54;

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-linotp-'));
  path = join(folder, 'token.db');
});

afterEach(() => rm(folder, { recursive: true }));

/** @returns the number of tokens in a database */
async function tokensIn(place: string): Promise<number> {
  const source = await openLinotpSource(place);
  try {
    return await source.count('Token');
  } finally {
    await source.close();
  }
}

/** @returns the paths of copies that this process has open, those without a name with ` (deleted)` */
async function openCopies(): Promise<readonly string[]> {
  const files = await readdir('/proc/self/fd');
  const paths = await Promise.all(files.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  return paths.filter((one) => one.includes('/tankeeper-sqlite-'));
}

function refusal(message: RegExp): object {
  return { code: 'import.refused', message: expect.stringMatching(message) };
}

describe('a database file of SQLite', () => {
  it.each([FIXTURE, '3.4.4-postgresql'] as const)('with %s is imported as its dump is', async (fixture) => {
    (await makeSqlite(fixture, path)).close();
    expect(await contentAfterImport(fixture, `sqlite:///${path}`)).toEqual(await contentOfDump(fixture));
  });

  it('may be named as SQLAlchemy does, or as a path', async () => {
    (await makeSqlite(FIXTURE, path)).close();
    const places = [
      path,
      `sqlite:${path}`,
      `sqlite+pysqlite:///${path}?timeout=5`,
      `sqlite:///${relative('', path)}`,
      `sqlite:${relative('', path)}`,
    ];
    for (const place of places) {
      expect([place, await tokensIn(place)]).toEqual([place, TOKENS]);
    }
  });

  it('is never changed, and its copy has no name any more', async () => {
    (await makeSqlite(FIXTURE, path, 'PRAGMA journal_mode = WAL')).close();
    const state = async (): Promise<unknown> => [
      await readdir(folder),
      (await stat(path, { bigint: true })).mtimeNs,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ];
    const before = await state();
    const source = await openLinotpSource(path);
    const copies = await openCopies();
    // Nothing would remain if the process were killed now.
    expect(copies.filter((copy) => copy.endsWith('/linotp.db (deleted)'))).toHaveLength(1);
    expect(copies.filter((copy) => !copy.endsWith(' (deleted)'))).toEqual([]);
    expect(await state()).toEqual(before);
    await source.close();
    expect([await openCopies(), await state()]).toEqual([[], before]);
  });

  it('is read at one moment, while its rows change', async () => {
    const database = await makeSqlite(FIXTURE, path);
    const source = await openLinotpSource(path);
    database.exec('DELETE FROM "Token"');
    let tokens = 0;
    for await (const rows of source.rows('Token')) {
      tokens += rows.length;
    }
    await source.close();
    database.close();
    expect([tokens, await tokensIn(path)]).toEqual([TOKENS, 0]);
  });
});

describe('a database file in use', () => {
  it('is read with its write-ahead log, up to the last commit', async () => {
    const database = await makeSqlite(
      FIXTURE,
      path,
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0',
    );
    expect((await stat(`${path}-wal`)).size).toBeGreaterThan(100_000);
    database.exec('BEGIN; DELETE FROM "Token"');
    expect(await tokensIn(path)).toBe(TOKENS);
    database.exec('COMMIT');
    expect(await tokensIn(path)).toBe(0);
    database.close();
  });

  it('is read while a transaction writes to it, as it was before that', async () => {
    const database = await makeSqlite(FIXTURE, path, 'PRAGMA journal_mode = PERSIST');
    // A small cache is written to the file before the commit.
    database.exec(`PRAGMA cache_size = 5; BEGIN; DELETE FROM "Token"`);
    const [file, journal] = [await readFile(path), await readFile(`${path}-journal`)];
    expect(await tokensIn(path)).toBe(TOKENS);
    expect([await readFile(path), await readFile(`${path}-journal`)]).toEqual([file, journal]);
    database.exec('COMMIT');
    expect(await tokensIn(path)).toBe(0);
    database.close();
  });

  it('is refused where it changes again and again, with the way out', async () => {
    (await makeSqlite(FIXTURE, path)).close();
    const file = await open(path, 'r+');
    // A copy takes its time: a change meanwhile is certain.
    await file.truncate(64 * 1024 ** 2);
    const stop = new AbortController();
    const counter = Buffer.alloc(4);
    const changing = (async () => {
      while (!stop.signal.aborted) {
        counter.writeUInt32BE(counter.readUInt32BE() + 1);
        await file.write(counter, 0, 4, 24);
      }
    })();
    const refused = await openLinotpSource(path).catch((error: unknown) => error);
    stop.abort();
    await changing;
    await file.close();
    expect(refused).toMatchObject(refusal(/in use: it is changed again and again.*sqlite3 FILE \.dump/));
  });
});

describe('a file that is no database', () => {
  it.each([
    [
      'an encrypted database',
      () => randomBytes(8192),
      /neither an SQL dump nor a database.*encrypted.*\.dump/,
    ],
    ['an archive of pg_dump', () => Buffer.from('PGDMP\x01\x0e\0'), /pg_restore -f dump\.sql FILE/],
    ['a compressed dump', () => Buffer.from('1f8b0800', 'hex'), /gunzip/],
    ['a dump in UTF-16', () => Buffer.from('\ufeffCREATE TABLE', 'utf16le'), /UTF-8/],
    ['a header without pages', () => Buffer.from('SQLite format 3\0'), /damaged, encrypted or no database/],
  ])('%s is refused with the way out', async (_, content, message) => {
    await writeFile(path, content());
    await expect(openLinotpSource(path)).rejects.toMatchObject(refusal(message));
  });

  it('is refused where it is missing', async () => {
    await expect(openLinotpSource(`sqlite:${path}`)).rejects.toMatchObject(
      refusal(/token\.db cannot be opened \(ENOENT\)/),
    );
  });

  it('and is named as one is refused', async () => {
    await writeFile(path, 'CREATE TABLE "Token" (id integer);\n');
    await expect(openLinotpSource(`sqlite:${path}`)).rejects.toMatchObject(
      refusal(/no database file of SQLite/),
    );
    await expect(openLinotpSource('sqlite://')).rejects.toMatchObject(refusal(/sqlite:\/\/\/\/absolute/));
    await expect(openLinotpSource('sqlite://host/token.db')).rejects.toMatchObject(refusal(/absolute/));
  });

  it('is refused without waiting: a pipe, a folder', async () => {
    makeNamedPipe(path);
    await expect(openLinotpSource(path)).rejects.toMatchObject(refusal(/token\.db is not a file/));
    await expect(openLinotpSource(folder)).rejects.toMatchObject(refusal(/is not a file/));
  });

  it('is refused where its pages are damaged', async () => {
    (await makeSqlite(FIXTURE, path)).close();
    const bytes = await readFile(path);
    const page = bytes.indexOf('QR07') & ~4095;
    await writeFile(
      path,
      Buffer.concat([bytes.subarray(0, page), randomBytes(4096), bytes.subarray(page + 4096)]),
    );
    await expect(openLinotpSource(path)).rejects.toMatchObject(refusal(/malformed.*damaged/));
  });
});

describeWithProgram('a dump of SQLite', findSystemProgram('sqlite3'), 'sqlite3', (program) => {
  const dumped = async (): Promise<string> =>
    (await promisify(execFile)(program, [path, '.dump'], { maxBuffer: 1 << 26 })).stdout;

  it.each([FIXTURE, '3.4.4-postgresql'] as const)(
    'with %s is imported as the fixture is',
    async (fixture) => {
      (await makeSqlite(fixture, path)).close();
      const dump = join(folder, 'dump.sql');
      await writeFile(dump, await dumped());
      expect(await contentAfterImport(fixture, dump)).toEqual(await contentOfDump(fixture));
    },
  );

  it('is refused where sqlite3 gave up, or where its end is missing', async () => {
    (await makeSqlite(FIXTURE, path)).close();
    const sql = await dumped();
    const dump = join(folder, 'dump.sql');
    await writeFile(dump, sql.replace(/COMMIT;\s*$/, 'ROLLBACK; -- due to errors\n'));
    await expect(openLinotpSource(dump)).rejects.toMatchObject(refusal(/line \d+: .*errors/));
    await writeFile(dump, sql.slice(0, sql.lastIndexOf('INSERT INTO')));
    await expect(openLinotpSource(dump)).rejects.toMatchObject(
      refusal(/incomplete: it ends at line \d+ without the line 'COMMIT;'/),
    );
  });

  it('is read as sqlite3 writes control characters from 3.50 on', async () => {
    const sql = String.raw`PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "Config" ("Key" VARCHAR, "Value" VARCHAR);
INSERT INTO Config VALUES('a',unistr('x\u000ay\\n'' \+01f600'));
INSERT INTO Config VALUES('b',replace(replace('x\r\ny','\r',char(13)),'\n',char(10)));
COMMIT;
`;
    const dump = join(folder, 'dump.sql');
    await writeFile(dump, sql);
    const source = await openLinotpSource(dump);
    const values: unknown[] = [];
    for await (const rows of source.rows('Config')) {
      values.push(...rows.map(({ value }) => value));
    }
    expect([source.dialect, ...values]).toEqual(['sqlite', "x\ny\\n' \u{1f600}", 'x\r\ny']);
  });
});
