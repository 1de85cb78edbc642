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

  it.each(['sqlite:////var/lib/linotp/token.db', 'dump.sql'])('%s has no password', async (place) => {
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
  });
});
