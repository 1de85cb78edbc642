import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { CommandContext } from '../../../src/cli/command-context.ts';
import { sourcePlace } from '../../../src/cli/commands/linotp.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { fixtureFile } from '../../linotp/linotp-fixture.ts';
import { fakeCli } from '../fake-dependencies.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const KEY = fixtureFile('3.4.4-postgresql', 'encKey');

const root = temporaryFolder();
let folder: string;
let databasePasswordFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  databasePasswordFile = join(folder, 'password');
  await writeFile(databasePasswordFile, 'a:b@c/d\n', { mode: 0o600 });
});

/** @returns the place that the command opens */
function placeOf(options: Parameters<typeof sourcePlace>[1]): Promise<string> {
  return sourcePlace(new CommandContext(fakeCli().dependencies, new Command()), options);
}

describe('the option --database of import linotp', () => {
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
    const { dependencies, io } = fakeCli();
    await runProgram(['import', 'linotp', '--database', url, '--enckey', KEY], dependencies);
    expect(io.err()).toBe(
      'tankeeper: --database holds a password: leave it out, and give it with --database-password-file FILE (- for stdin)\n',
    );
  });

  it.each([
    [
      'mysql+mysqldb://linotp@db.example.com/linotp',
      'mysql+mysqldb://linotp:a%3Ab%40c%2Fd@db.example.com/linotp',
    ],
    ['postgresql://linotp@[::1]:5432/linotp', 'postgresql://linotp:a%3Ab%40c%2Fd@[::1]:5432/linotp'],
    [
      'postgresql:///linotp?host=/run/postgresql&user=linotp',
      'postgresql:///linotp?host=%2Frun%2Fpostgresql&user=linotp&password=a%3Ab%40c%2Fd',
    ],
  ])('takes the URL %s with a password from a file', async (database, opened) => {
    expect(await placeOf({ database })).toBe(database);
    expect(await placeOf({ database, databasePasswordFile })).toBe(opened);
  });

  it.each(['sqlite:////var/lib/linotp/token.db', 'sqlite:////srv/a:b@c.db', 'dump.sql', './a:b@c.sql'])(
    '%s has no password',
    async (database) => {
      expect(await placeOf({ database })).toBe(database);
      await expect(placeOf({ database, databasePasswordFile })).rejects.toThrow(
        'goes with the URL of a database server',
      );
    },
  );
});
