import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { accountOfRoot } from '../../src/embedded-postgres/embedded-postgres.ts';
import { accountNamed, describeAsRoot } from './support/as-root.ts';
import { ask, embeddedFolders } from './support/embedded-folders.ts';
import { servingProcess } from './support/serving-process.ts';

const folders = embeddedFolders();
afterEach(() => folders.clear());

describe('the embedded database', () => {
  it('opens no port, and a socket only in a folder that nobody else may enter', async () => {
    const dataDir = join(await folders.make(), 'data');
    const { connection } = await folders.open({ dataDir });
    expect(await ask(connection, 'SHOW listen_addresses')).toBe('');
    const rules = 'SELECT string_agg(DISTINCT type || auth_method, $$, $$) FROM pg_hba_file_rules';
    expect(await ask(connection, rules)).toBe('hostreject, localtrust');
    const modes = await Promise.all(
      ['.', '.s.PGSQL.5432', 'postgres.log'].map((name) => stat(join(connection.host, name))),
    );
    expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['700', '700', '600']);
  });
});

await describeAsRoot('the embedded database of root', () => {
  it('runs as an account of its own', async () => {
    const dataDir = join(await folders.make(), 'data');
    const { connection } = await folders.open({ dataDir });
    const uid = accountNamed('tankeeper')?.uid;
    expect((await stat(connection.host)).uid).toBe(uid);
    const pid = (await servingProcess(connection.host)) ?? 0;
    expect((await stat(`/proc/${pid}`)).uid).toBe(uid);
  });

  it('has no stand-in where the account cannot be created: the start says what to do', async () => {
    await expect(accountOfRoot('not:possible')).rejects.toMatchObject({
      code: 'database.unavailable',
      message: expect.stringMatching(/create a system account .*or set DATABASE_URL, .* cannot be created/),
    });
  });
});
