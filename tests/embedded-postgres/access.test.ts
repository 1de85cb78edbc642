import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accountForNewCluster } from '../../src/embedded-postgres/cluster.ts';
import type { SystemAccount } from '../../src/embedded-postgres/programs.ts';
import type { SocketConnection } from '../../src/database/pool.ts';
import { accountNamed, describeAsRoot, NOBODY } from './support/as-root.ts';
import { ask, embeddedFolders } from './support/embedded-folders.ts';
import { visitSocket } from './support/socket-visitor.ts';

const folders = embeddedFolders();
afterEach(() => folders.clear());

describe('the embedded database', () => {
  it('is reached over its socket alone, by the same rules after somebody has changed its files', async () => {
    const dataDir = join(await folders.make(), 'data');
    await (await folders.open({ dataDir })).close();
    await writeFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'host all all all trust\n');
    await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), "hba_file = '/dev/null'\n");
    const { connection } = await folders.open({ dataDir });
    const rules =
      "SELECT string_agg(concat_ws(' ', type, user_name, auth_method), ', ') FROM pg_hba_file_rules";
    expect(await ask(connection, rules)).toBe('local {tankeeper} trust');
    expect(await ask(connection, 'SHOW listen_addresses')).toBe('');
  });
});

await describeAsRoot('the embedded database of root', () => {
  let connection: SocketConnection;
  let cluster: string;

  beforeEach(async () => {
    const dataDir = join(await folders.make(), 'data');
    ({ connection } = await folders.open({ dataDir }));
    cluster = join(dataDir, 'postgres');
  });

  it('runs as an account that is its own', async () => {
    const { uid } = await stat(cluster);
    expect(uid).toBe(accountNamed('tankeeper')?.uid);
    const pid = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0] ?? '';
    expect((await stat(`/proc/${pid}`)).uid).toBe(uid);
  });

  it.each<[string, SystemAccount]>([
    ['nobody', NOBODY],
    ['somebody without a name', { uid: 4711, gid: 4711 }],
    ['another PostgreSQL of the machine', accountNamed('postgres') ?? NOBODY],
  ])('does not let %s reach its socket', async (_name, account) => {
    expect(await visitSocket(connection.host, 'tankeeper', account)).toBe('EACCES');
    expect((await stat(cluster)).mode & 0o777).toBe(0o700);
  });
});

await describeAsRoot('the account of the embedded database', () => {
  it('has no stand-in where it is missing and cannot be created: the start says what to do', async () => {
    const folder = await folders.make();
    await expect(accountForNewCluster(folder)).rejects.toMatchObject({
      code: 'database.unavailable',
      message: expect.stringMatching(/tankeeper is missing and cannot be created .*or set DATABASE_URL/),
    });
  });
});
