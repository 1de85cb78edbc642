import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runProgram } from '../../../src/cli/program.ts';
import { fixtureFile } from '../../linotp/linotp-fixture.ts';
import { fakeCli } from '../fake-dependencies.ts';

const KEY = fixtureFile('3.4.4-postgresql', 'encKey');

let folder: string;
let passwordFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-linotp-'));
  passwordFile = join(folder, 'password');
  await writeFile(passwordFile, 'a:b@c/d\n', { mode: 0o600 });
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command as far as it opens the source. @returns the place that it opens, and what it prints */
async function run(...parameters: readonly string[]): Promise<{ places: readonly string[]; err: string }> {
  const places: string[] = [];
  const { dependencies, io } = fakeCli(
    {},
    {
      openLinotpSource: (place) => {
        places.push(place);
        return Promise.reject(new Error('as far as this'));
      },
    },
  );
  await runProgram([...parameters, '--enckey', KEY], dependencies).catch(() => 1);
  return { places, err: io.err() };
}

describe.each(['import', 'verify'])('%s linotp --database', (command) => {
  it('takes the password of a server from a file', async () => {
    const url = 'mysql+mysqldb://linotp@db.example.com/linotp';
    const { places } = await run(
      command,
      'linotp',
      '--database',
      url,
      '--database-password-file',
      passwordFile,
    );
    expect(places).toEqual(['mysql+mysqldb://linotp:a%3Ab%40c%2Fd@db.example.com/linotp']);
  });

  // Every user of the machine sees the command line.
  it.each([
    'postgresql://linotp:geheim@db.example.com/linotp',
    'mysql+mysqldb://linotp:ge:h/eim@db.example.com/linotp',
    'postgresql://linotp:12/geheim@db.example.com/linotp',
    'mariadb://:geheim@db.example.com/linotp',
    'postgresql://linotp@db.example.com/linotp?password=geheim',
    'POSTGRES://linotp@/linotp?host=/run/postgresql&p%61ssword=geheim',
    'oracle://linotp:geheim@db.example.com/linotp',
  ])('refuses a URL with a password, does not show it, and says the way that works: %s', async (url) => {
    const { places, err } = await run(command, 'linotp', '--database', url);
    expect([places, err]).toEqual([
      [],
      'tankeeper: --database holds a password: leave it out, and give it with --database-password-file FILE (- for stdin)\n',
    ]);
  });

  it.each([
    ['postgresql://linotp@[::1]:5432/linotp', 'postgresql://linotp:a%3Ab%40c%2Fd@[::1]:5432/linotp'],
    [
      'postgresql:///linotp?host=/run/postgresql&user=linotp',
      'postgresql:///linotp?host=%2Frun%2Fpostgresql&user=linotp&password=a%3Ab%40c%2Fd',
    ],
  ])('takes the URL %s with a password from a file', async (url, opened) => {
    expect((await run(command, 'linotp', '--database', url)).places).toEqual([url]);
    const file = ['--database-password-file', passwordFile];
    expect((await run(command, 'linotp', '--database', url, ...file)).places).toEqual([opened]);
  });

  it.each(['sqlite:////var/lib/linotp/token.db', 'sqlite:////srv/a:b@c.db', 'dump.sql', './a:b@c.sql'])(
    '%s has no password',
    async (place) => {
      expect((await run(command, 'linotp', '--database', place)).places).toEqual([place]);
      const { places, err } = await run(
        command,
        'linotp',
        '--database',
        place,
        '--database-password-file',
        passwordFile,
      );
      expect([places, err]).toEqual([[], expect.stringMatching(/goes with the URL of a database server/)]);
    },
  );
});
