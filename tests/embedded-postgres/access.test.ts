import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accountForNewCluster } from '../../src/embedded-postgres/cluster.ts';
import type { SystemAccount } from '../../src/embedded-postgres/programs.ts';
import type { EmbeddedConnection } from '../../src/embedded-postgres/postmaster.ts';
import { accountNamed, describeAsRoot, NOBODY } from './support/as-root.ts';
import { ask, embeddedFolders } from './support/embedded-folders.ts';
import { visitSocket } from './support/socket-visitor.ts';

const INVALID_AUTHORIZATION = '28000';
const folders = embeddedFolders();
afterEach(() => folders.clear());

describe('the embedded database', () => {
  it('trusts nobody: it admits whom the kernel names, over its socket alone', async () => {
    const { connection } = await folders.open({ dataDir: join(await folders.make(), 'data') });
    const rules =
      "SELECT string_agg(concat_ws(' ', type, user_name, auth_method), ', ') FROM pg_hba_file_rules";
    expect(await ask(connection, rules)).toBe('local {tankeeper} peer');
    expect(await ask(connection, 'SHOW listen_addresses')).toBe('');
  });

  it('admits them by the same rules after somebody has changed its files', async () => {
    const dataDir = join(await folders.make(), 'data');
    await (await folders.open({ dataDir })).close();
    await writeFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n');
    await writeFile(join(dataDir, 'postgres', 'postgresql.auto.conf'), "hba_file = '/dev/null'\n");
    const { connection } = await folders.open({ dataDir });
    expect(await ask(connection, 'SELECT array_agg(auth_method)::text FROM pg_hba_file_rules')).toBe(
      '{peer}',
    );
  });
});

/** Lets everybody get to the socket, so that nothing but PostgreSQL itself stands in the way. */
async function openDoors({ host }: EmbeddedConnection): Promise<void> {
  await chmod(dirname(host), 0o711);
  await chmod(host, 0o711);
  await chmod(join(host, '.s.PGSQL.5432'), 0o777);
}

await describeAsRoot('the embedded database of root', () => {
  let connection: EmbeddedConnection;
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
  ])('lets %s neither reach its socket nor, were that possible, in', async (_name, account) => {
    expect(await visitSocket(connection.host, 'tankeeper', account)).toBe('EACCES');
    await openDoors(connection);
    for (const role of ['tankeeper', 'postgres', 'nobody', 'root']) {
      expect(await visitSocket(connection.host, role, account)).toBe(INVALID_AUTHORIZATION);
    }
  });

  it('lets root in as its own role, and as no other one', async () => {
    const root = { uid: 0, gid: 0 };
    expect(await visitSocket(connection.host, 'tankeeper', root)).toBe('admitted');
    expect(await visitSocket(connection.host, 'postgres', root)).toBe(INVALID_AUTHORIZATION);
  });
});

await describeAsRoot(
  'another PostgreSQL of the machine',
  () => {
    it('has no way into the embedded database of root: its account reaches neither socket nor files', async () => {
      const postgres = accountNamed('postgres') ?? NOBODY;
      const dataDir = join(await folders.make(), 'data');
      const { connection } = await folders.open({ dataDir });
      expect(await visitSocket(connection.host, 'tankeeper', postgres)).toBe('EACCES');
      const { uid, mode } = await stat(join(dataDir, 'postgres'));
      expect({ isTheirs: uid === postgres.uid, mode: mode & 0o777 }).toEqual({
        isTheirs: false,
        mode: 0o700,
      });
      await openDoors(connection);
      for (const role of ['tankeeper', 'postgres']) {
        expect(await visitSocket(connection.host, role, postgres)).toBe(INVALID_AUTHORIZATION);
      }
    });
  },
  'postgres',
);

await describeAsRoot('the account of the embedded database', () => {
  it('has no stand-in where it is missing and cannot be created: the start says what to do', async () => {
    const folder = await folders.make();
    await expect(accountForNewCluster(folder)).rejects.toMatchObject({
      code: 'database.unavailable',
      message: expect.stringMatching(/tankeeper is missing and cannot be created .*or set DATABASE_URL/),
    });
  });
});
