import { execFile, spawn } from 'node:child_process';
import { appendFile, chown, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { ask, embeddedFolders, isServed } from '../../embedded-postgres/support/embedded-folders.ts';
import { openElsewhere } from '../../embedded-postgres/support/embedded-process.ts';
import { servingProcess } from '../../embedded-postgres/support/serving-process.ts';
import { until } from '../../support/values/until.ts';

const folders = embeddedFolders();
afterEach(() => folders.clear());

const lasting = embeddedFolders();
let prepared: string;
beforeAll(async () => {
  const dataDir = join(await lasting.make(), 'data');
  await (await lasting.open({ dataDir })).close();
  prepared = join(dataDir, 'postgres');
});
afterAll(() => lasting.clear());

async function newDataDir(): Promise<{ dataDir: string; cluster: string }> {
  const dataDir = join(await folders.make(), 'data');
  return { dataDir, cluster: join(dataDir, 'postgres') };
}

/** @returns a data folder with a database in it, which takes less time than to create one */
async function usedDataDir(): Promise<{ dataDir: string; cluster: string }> {
  const { dataDir, cluster } = await newDataDir();
  await mkdir(dataDir, { mode: 0o711 });
  await promisify(execFile)('cp', ['-a', prepared, cluster]);
  return { dataDir, cluster };
}

describe('the embedded PostgreSQL', () => {
  it('keeps what was written from one run to the next', async () => {
    const { dataDir, cluster } = await newDataDir();
    const first = await folders.open({ dataDir });
    await ask(first.connection, "CREATE TABLE kept AS SELECT 'Ä'::text AS word");
    await first.close();
    expect(await isServed(cluster)).toBe(false);

    const second = await folders.open({ dataDir });
    expect(await ask(second.connection, 'SELECT lower(word) FROM kept')).toBe('ä');
  });

  it('survives a power cut by default, and saves that effort only when told so', async () => {
    const { dataDir } = await usedDataDir();
    const durable = await folders.open({ dataDir, durable: true });
    expect(await ask(durable.connection, 'SHOW fsync')).toBe('on');
    await durable.close();
    const quick = await folders.open({ dataDir });
    expect(await ask(quick.connection, 'SHOW fsync')).toBe('off');
  });

  it('writes neither statements nor rows to its log', async () => {
    const { dataDir } = await usedDataDir();
    const { connection } = await folders.open({ dataDir });
    await ask(connection, 'CREATE TABLE secrets (pin text CHECK (length(pin) > 99))');
    await expect(ask(connection, "INSERT INTO secrets VALUES ('secret-4711')")).rejects.toThrow('violates');
    const log = await readFile(join(dataDir, 'postgres/postgres.log'), 'utf8');
    expect(log).toContain('violates check constraint');
    expect(log).not.toContain('secret-4711');
  });

  it.each(['a "quoted", one', "it's $HOME `id` \\ here", 'ünï çode'])(
    'works in a data folder called %s',
    async (name) => {
      const dataDir = join(await folders.make(), name);
      const { connection } = await folders.open({ dataDir });
      expect(await ask(connection, 'SELECT 1')).toBe(1);
    },
  );

  it('is refused in a data folder whose path is too long for a socket', async () => {
    const dataDir = join(await folders.make(), 'x'.repeat(120));
    await expect(folders.open({ dataDir })).rejects.toThrow(/set DATA_DIR to a shorter path/);
  });
});

describe('several processes on one data folder', () => {
  it('lets a command in while the server runs, and out again without harm', async () => {
    const { dataDir } = await usedDataDir();
    const server = await folders.open({ dataDir, role: 'server' });
    const command = await openElsewhere({ dataDir, role: 'command', durable: false });
    expect(command.report).toEqual({ host: server.connection.host });
    await command.close();
    expect(await ask(server.connection, 'SELECT 1')).toBe(1);
  });

  it('is stopped by whoever leaves last', async () => {
    const { dataDir, cluster } = await usedDataDir();
    const server = await folders.open({ dataDir, role: 'server' });
    const command = await folders.open({ dataDir });
    await server.close();
    expect(await ask(command.connection, 'SELECT 1')).toBe(1);
    await command.close();
    expect(await isServed(cluster)).toBe(false);
  });

  it('refuses a second server, names the first, and lets a new one in when that is gone', async () => {
    const { dataDir } = await usedDataDir();
    const first = await openElsewhere({ dataDir, role: 'server', durable: false });
    await expect(folders.open({ dataDir, role: 'server' })).rejects.toMatchObject({
      code: 'data-folder.in-use',
      message: `the data folder ${dataDir} is in use by another tankeeper server (process ${first.pid})`,
    });
    await first.close();
    const next = await folders.open({ dataDir, role: 'server' });
    expect(await ask(next.connection, 'SELECT 1')).toBe(1);
  });

  it('is created and started once when many come at the same time', async () => {
    const { dataDir, cluster } = await newDataDir();
    const [first, second, other] = await Promise.all([
      folders.open({ dataDir }),
      folders.open({ dataDir }),
      openElsewhere({ dataDir, role: 'command', durable: false }),
    ]);
    expect(other.report).toEqual({ host: first.connection.host });
    await Promise.all([first.close(), second.close(), other.close()]);
    expect(await isServed(cluster)).toBe(false);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres']);
  });

  it('lets one in while another one stops it', async () => {
    const { dataDir } = await usedDataDir();
    let present = await folders.open({ dataDir });
    for (let round = 0; round < 8; round += 1) {
      const [, next] = await Promise.all([
        present.close(),
        sleep(round * 4).then(() => folders.open({ dataDir })),
      ]);
      expect(await ask(next.connection, 'SELECT 1')).toBe(1);
      present = next;
    }
  });
});

describe('after a crash', () => {
  it('goes on under the next process when the first was killed, which stops it in the end', async () => {
    const { dataDir, cluster } = await usedDataDir();
    const first = await openElsewhere({ dataDir, role: 'server', durable: false });
    await first.kill();
    const postmaster = await servingProcess(cluster);
    const second = await folders.open({ dataDir, role: 'server' });
    expect(await servingProcess(cluster)).toBe(postmaster);
    await second.close();
    expect(await isServed(cluster)).toBe(false);
  });

  it('comes back when PostgreSQL itself is killed under a running server', async () => {
    const { dataDir, cluster } = await usedDataDir();
    const server = await folders.open({ dataDir, role: 'server' });
    process.kill((await servingProcess(cluster)) ?? 0, 'SIGKILL');
    await until(() => Promise.resolve(server.messages.includes('The embedded database is back')));
    expect(await ask(server.connection, 'SELECT 1')).toBe(1);
    await expect(folders.open({ dataDir, role: 'server' })).rejects.toMatchObject({
      code: 'data-folder.in-use',
    });
    await server.close();
    expect(await isServed(cluster)).toBe(false);
  });

  it('keeps a passing command from stopping it after the server lost its connection', async () => {
    const { dataDir } = await usedDataDir();
    const server = await folders.open({ dataDir, role: 'server' });
    await ask(
      server.connection,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'tankeeper server%'",
    );
    await until(() => Promise.resolve(server.messages.includes('The embedded database is back')));
    await (await folders.open({ dataDir })).close();
    expect(await ask(server.connection, 'SELECT 1')).toBe(1);
  });

  it('starts when all were killed, while one of several is the first', async () => {
    const { dataDir, cluster } = await usedDataDir();
    const server = await openElsewhere({ dataDir, role: 'server', durable: false });
    process.kill((await servingProcess(cluster)) ?? 0, 'SIGKILL');
    await server.kill();
    const [next, command] = await Promise.all([
      folders.open({ dataDir, role: 'server' }),
      folders.open({ dataDir }),
    ]);
    expect(await ask(next.connection, 'SELECT 1')).toBe(1);
    expect(await ask(command.connection, 'SELECT 1')).toBe(1);
  });

  it('starts although the numbers in its locks now belong to other processes of the same user', async () => {
    const { dataDir, cluster } = await usedDataDir();
    const { uid, gid } = await stat(cluster);
    // They differ after a second crash within a start.
    const strangers = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => ({
      path: join(cluster, name),
      stranger: spawn('sleep', ['600'], { uid, gid }),
    }));
    for (const { path, stranger } of strangers) {
      const lines = [stranger.pid, cluster, 1_700_000_000, 5432, '.', '', '  1  1', 'ready', ''];
      await writeFile(path, lines.join('\n'), { mode: 0o600 });
      await chown(path, uid, gid);
    }

    const next = await folders.open({ dataDir });
    expect(await ask(next.connection, 'SELECT 1')).toBe(1);
    await next.close();
    for (const { stranger } of strangers) {
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
      stranger.kill();
    }
  });

  it('stops what it has started when it gives up, and says so', async () => {
    const { dataDir, cluster } = await usedDataDir();
    await appendFile(join(cluster, 'postgresql.conf'), '\nhot_standby = off\n');
    // It waits for a primary server, and takes no connection.
    await writeFile(join(cluster, 'standby.signal'), '');
    folders.watch(cluster);
    const { report } = await openElsewhere({ dataDir, role: 'server', durable: false, waitMs: 2_000 });
    expect(report.error).toContain('aborted due to timeout');
    expect(await isServed(cluster)).toBe(false);
  });

  it('says what PostgreSQL says when it does not start', async () => {
    const { dataDir, cluster } = await usedDataDir();
    await (await folders.open({ dataDir })).close();
    await appendFile(join(cluster, 'postgresql.conf'), '\nmax_connections = many\n');
    await expect(folders.open({ dataDir })).rejects.toMatchObject({
      code: 'database.unavailable',
      message: expect.stringContaining('invalid value for parameter "max_connections"'),
    });
  });
});
