import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from '@jest/globals';
import type { SystemAccount } from '../../../src/embedded-postgres/programs.ts';
import { describeAsRoot, NOBODY } from '../../embedded-postgres/support/as-root.ts';
import { ask, embeddedFolders, isServed } from '../../embedded-postgres/support/embedded-folders.ts';
import { openElsewhere } from '../../embedded-postgres/support/embedded-process.ts';
import { servingProcess } from '../../embedded-postgres/support/serving-process.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { visitSocket } from '../../embedded-postgres/support/socket-visitor.ts';

const folders = embeddedFolders();
const bystanders: ChildProcess[] = [];
afterEach(async () => {
  for (const bystander of bystanders.splice(0)) {
    bystander.kill('SIGKILL');
  }
  await folders.clear();
});

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => (exitCode ?? signalCode) === null;

/** A data folder of root's, and who its cluster belongs to. */
async function rootsFolder(): Promise<{ dataDir: string; cluster: string }> {
  const dataDir = join(await folders.make(), 'data');
  return { dataDir, cluster: join(dataDir, 'postgres') };
}

async function bystander(program: string, parameters: string[], account: SystemAccount, cwd = '/') {
  const child = spawn(program, parameters, { ...account, cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  bystanders.push(child);
  await once(child, 'spawn');
  return child;
}

/**
 * Changes what postmaster.pid says while `work` is done, as the account that owns the cluster can.
 * @param forged the text to put into a line, by the line
 */
async function forging(
  cluster: string,
  forged: Readonly<Record<number, string>>,
  work: () => Promise<void>,
): Promise<void> {
  const path = join(cluster, 'postmaster.pid');
  const truth = await readFile(path, 'utf8');
  const lines = truth.split('\n').map((line, index) => forged[index + 1] ?? line);
  await writeFile(path, lines.join('\n'));
  try {
    await work();
  } finally {
    await writeFile(path, truth);
  }
}

await describeAsRoot('root, stopping the database of a cluster whose postmaster.pid was changed,', () => {
  it.each([
    ["root's", 'sleep', ['300']],
    ['the same account', 'sleep', ['300']],
    // By name, owner and folder it passes for the postmaster.
    ['the same account, in disguise', 'postgres', ['-e', 'sleep 300']],
  ])('signals no other process (one of %s), and stops it', async (whose, program, parameters) => {
    const { dataDir, cluster } = await rootsFolder();
    const { close } = await folders.open({ dataDir });
    const { uid, gid } = await stat(cluster);
    const disguise = join(await folders.make(), 'postgres');
    await symlink('/usr/bin/perl', disguise);
    const account = whose === "root's" ? { uid: 0, gid: 0 } : { uid, gid };
    const other = await bystander(program === 'sleep' ? program : disguise, parameters, account, cluster);
    const pid = await servingProcess(cluster);
    await forging(cluster, { 1: String(other.pid) }, close);
    expect(isRunning(other)).toBe(true);
    // With a forged file nobody can see when it has ended.
    await expectSoon(() => existsSync(`/proc/${pid}`)).toBe(false);
  });

  it("does not stop another cluster's database", async () => {
    const [one, other] = [await rootsFolder(), await rootsFolder()];
    const { close } = await folders.open({ dataDir: one.dataDir });
    const { connection, messages } = await folders.open({ dataDir: other.dataDir });
    const [pid = ''] = (await readFile(join(other.cluster, 'postmaster.pid'), 'utf8')).split('\n');
    await forging(one.cluster, { 1: pid, 2: other.cluster }, close);
    expect(await ask(connection, 'SELECT 1')).toBe(1);
    // Nor was it away and has come back.
    expect(messages).toEqual([]);
    expect(await isServed(one.cluster)).toBe(false);
  });
});

await describeAsRoot('root that may not look into the processes of others, as in a container,', () => {
  const blind = { through: ['setpriv', '--bounding-set=-sys_ptrace'] };

  it('stops its database, and no other process', async () => {
    const { dataDir, cluster } = await rootsFolder();
    const first = await openElsewhere({ dataDir, role: 'command', durable: false }, blind);
    folders.watch(cluster);
    await first.close();
    expect(await isServed(cluster)).toBe(false);
    const second = await openElsewhere({ dataDir, role: 'command', durable: false }, blind);
    const { uid, gid } = await stat(cluster);
    const other = await bystander('sleep', ['300'], { uid, gid });
    await forging(cluster, { 1: String(other.pid) }, () => second.close());
    expect(isRunning(other)).toBe(true);
    expect(await isServed(cluster)).toBe(false);
  });
});

await describeAsRoot('root, starting a database,', () => {
  it('removes nothing in a folder that postmaster.pid names', async () => {
    const [one, other] = [await rootsFolder(), await rootsFolder()];
    await (await folders.open({ dataDir: one.dataDir })).close();
    const { connection, close } = await folders.open({ dataDir: other.dataDir });
    await close();
    const { uid, gid } = await stat(one.cluster);
    const lock = join(connection.host, '.s.PGSQL.5432.lock');
    await writeFile(lock, '1\n', { mode: 0o600 });
    const stranger = await bystander('sleep', ['300'], { uid, gid });
    const lines = [
      stranger.pid,
      one.cluster,
      1_700_000_000,
      5432,
      connection.host,
      '',
      '  1  1',
      'ready',
      '',
    ];
    await writeFile(join(one.cluster, 'postmaster.pid'), lines.join('\n'));
    const next = await folders.open({ dataDir: one.dataDir });
    expect(await ask(next.connection, 'SELECT 1')).toBe(1);
    expect(existsSync(lock)).toBe(true);
    expect(isRunning(stranger)).toBe(true);
  });

  it('removes what is left of an unfinished cluster, and nothing that links in it lead to', async () => {
    const { dataDir } = await rootsFolder();
    await mkdir(dataDir, { mode: 0o711 });
    const victim = await folders.make();
    await writeFile(join(victim, 'precious'), '');
    const unfinished = join(dataDir, 'postgres.new-abc123');
    await mkdir(join(unfinished, 'base', '1'), { recursive: true });
    await symlink(victim, join(unfinished, 'base', 'link'));
    await symlink(victim, join(unfinished, '.link'));
    await promisify(execFile)('chown', ['-hR', `${NOBODY.uid}:${NOBODY.gid}`, unfinished]);
    await utimes(unfinished, 1_700_000_000, 1_700_000_000);
    await folders.open({ dataDir });
    expect(existsSync(unfinished)).toBe(false);
    expect(existsSync(join(victim, 'precious'))).toBe(true);
  });
});

await describeAsRoot("root, in a data folder that is an ordinary user's,", () => {
  /** A folder with a cluster, all of it that user's. */
  async function usersFolder(): Promise<string> {
    const { dataDir } = await rootsFolder();
    await (await folders.open({ dataDir })).close();
    await promisify(execFile)('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, dataDir]);
    return dataDir;
  }

  it('works as that user, and leaves nothing of its own', async () => {
    const dataDir = await usersFolder();
    await rm(join(dataDir, 'postgres', 'postgres.log'));
    const { connection, close } = await folders.open({ dataDir });
    expect(await ask(connection, 'SELECT 1')).toBe(1);
    expect(await visitSocket(connection.host, 'tankeeper', NOBODY)).toBe('admitted');
    expect(await visitSocket(connection.host, 'tankeeper', { uid: 4711, gid: 4711 })).toBe('EACCES');
    await close();
    const { stdout } = await promisify(execFile)('find', [dataDir, '!', '-uid', String(NOBODY.uid)]);
    expect(stdout).toBe('');
    expect((await stat(join(dataDir, 'postgres', 'postgres.log'))).mode & 0o777).toBe(0o600);
  });

  it('writes no log through a link that the user has put there', async () => {
    const dataDir = await usersFolder();
    const victim = join(await folders.make(), 'victim');
    await writeFile(victim, 'untouched\n', { mode: 0o600 });
    await rm(join(dataDir, 'postgres', 'postgres.log'));
    await symlink(victim, join(dataDir, 'postgres', 'postgres.log'));
    const fault: unknown = await folders.open({ dataDir }).catch((error: unknown) => error);
    expect(await readFile(victim, 'utf8')).toBe('untouched\n');
    expect(fault).toMatchObject({ message: expect.stringContaining('postgres.log does not say why') });
  });

  it('creates no database', async () => {
    const dataDir = await folders.make('open', NOBODY);
    await expect(folders.open({ dataDir })).rejects.toThrow(/belongs to another user \(number 65534\)/);
  });

  it("takes no other user's cluster for that user's", async () => {
    const { dataDir } = await rootsFolder();
    await (await folders.open({ dataDir })).close();
    const theirs = await folders.make('open', NOBODY);
    await rename(join(dataDir, 'postgres'), join(theirs, 'postgres'));
    await expect(folders.open({ dataDir: theirs })).rejects.toThrow(/belongs to another user/);
  });
});

await describeAsRoot('a data folder of root', () => {
  it('is not trusted when a group may write there', async () => {
    const dataDir = await folders.make();
    await chown(dataDir, 0, NOBODY.gid);
    await chmod(dataDir, 0o771);
    await expect(folders.open({ dataDir })).rejects.toThrow(/a group may write in the data folder/);
  });
});
