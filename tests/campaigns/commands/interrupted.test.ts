import { chmod } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startServerProcess } from '../../support/servers/server-process.ts';
import { startSilentServer } from '../../support/servers/silent-server.ts';
import { untilWaiting } from '../../support/database/held-statement.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';
import { runCli, startCli } from '../../cli/cli-process.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

const folder = temporaryFolder();

beforeAll(async () => {
  // Under root PostgreSQL runs as another user, who has to get through.
  await chmod(folder, 0o711);
});

describe('a command that is interrupted', () => {
  it('stops the embedded database that it has started', async () => {
    const directory = await startSilentServer();
    const dataDir = join(folder, 'data');
    const environment = { DATA_DIR: dataDir, RESOLVER_TIMEOUT: '1H' };
    expect(await runCli(['migrate'], environment)).toMatchObject({ code: 0 });
    const settings = [
      `ldapuri=ldap://127.0.0.1:${directory.port}`,
      'ldapbase=dc=test',
      'loginnameattribute=uid',
      'ldapfilter=(uid=%s)',
      'ldapsearchfilter=(uid=*)',
      'uidtype=dn',
      'enforcetls=False',
    ].flatMap((setting) => ['--set', setting]);
    const added = await runCli(
      ['resolver', 'add', 'staff', '--kind', 'ldap', '--yes', ...settings],
      environment,
    );
    expect(added).toMatchObject({ code: 0, err: '' });

    const asking = startCli(['resolver', 'test', 'staff'], environment);
    await directory.connected(1);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(true);
    asking.signal('SIGINT');
    expect(await asking.ended).toEqual({ code: 130, out: '', err: 'tankeeper: interrupted\n' });
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    await directory.stop();
  });

  it('does not wait for a statement that hangs in the database', async () => {
    const test = await createTestDatabase();
    const { database } = test;
    const environment = { DATABASE_URL: test.url, DATA_DIR: join(folder, 'key') };
    await (await startServerProcess(environment)).stop();
    const ended = await database.transact(async ({ sql }) => {
      await sql.raw('LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE');
      const listing = startCli(['token', 'list'], environment);
      await untilWaiting(database);
      listing.signal('SIGTERM');
      return listing.ended;
    });
    expect(ended).toEqual({ code: 130, out: '', err: 'tankeeper: interrupted\n' });
    await test.drop();
  });
});
