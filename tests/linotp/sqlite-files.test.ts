import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openLinotpSource } from '../../src/linotp/sources/open-source.ts';
import { makeNamedPipe } from '../support/servers/named-pipe.ts';
import { contentAfterImport, contentOfFixture } from './content-after-import.ts';
import { makeSqlite } from './sqlite-fixture.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const FIXTURE = '2.12.6-postgresql';
const TOKENS = 54;

const root = temporaryFolder();
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  path = join(folder, 'token.db');
});

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
  it.each([FIXTURE, '3.4.4-postgresql'] as const)(
    'with %s is imported as from PostgreSQL',
    async (fixture) => {
      (await makeSqlite(fixture, path)).close();
      expect(await contentAfterImport(fixture, path)).toEqual(await contentOfFixture(fixture));
    },
  );

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

  it('is refused where it changes while it is copied, with the way out', async () => {
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
    expect(refused).toMatchObject(
      refusal(/in use: it was changed while it was read.*sqlite3 FILE "\.backup/),
    );
  });
});

describe('a file that is no database', () => {
  it.each([
    ['an encrypted database', () => randomBytes(8192)],
    ['an empty file', () => Buffer.alloc(0)],
    ['a dump', () => Buffer.from('CREATE TABLE "Token" (id integer);\n')],
    ['an archive of pg_dump', () => Buffer.from('PGDMP\x01\x0e\0')],
  ])('%s is refused with the way out', async (_, content) => {
    await writeFile(path, content());
    await expect(openLinotpSource(path)).rejects.toMatchObject(
      refusal(
        /token\.db is no database file of SQLite, or it is encrypted.*scratch database.*moving-from-linotp/,
      ),
    );
  });

  it('is refused where it has a header without pages', async () => {
    await writeFile(path, 'SQLite format 3\0');
    await expect(openLinotpSource(path)).rejects.toMatchObject(refusal(/damaged or encrypted/));
  });

  it('is refused where it is missing', async () => {
    await expect(openLinotpSource(path)).rejects.toMatchObject(
      refusal(/token\.db cannot be opened \(ENOENT\)/),
    );
  });

  it('is refused as a URL, with the way out', async () => {
    await expect(openLinotpSource(`sqlite://${path}`)).rejects.toMatchObject(
      refusal(/the path of a database file/),
    );
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
    await expect(contentAfterImport(FIXTURE, path)).rejects.toMatchObject(refusal(/malformed.*damaged/));
  });
});
