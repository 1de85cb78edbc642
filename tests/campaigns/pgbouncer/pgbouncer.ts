import { waitForPort, freePort } from '../../support/servers/wait-for-port.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeBlocks } from '../../repository/markdown.ts';
import { readRepositoryFile } from '../../repository/repository-file.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { unprivilegedAccount } from '../../support/servers/system-programs.ts';

/** The lines of pgbouncer.ini that docs/guides/operating.md asks for, but for the size, which is the test's. */
export const DOCUMENTED_LINES: readonly string[] = codeBlocks(readRepositoryFile('docs/guides/operating.md'))
  .filter(({ text }) => text.startsWith('[pgbouncer]\n'))
  .flatMap(({ text }) => text.trim().split('\n').slice(1))
  .filter((line) => !line.startsWith('default_pool_size'));

/** A PgBouncer of its own before the database of a test. */
export interface PgBouncer {
  /** The URL of the database through it. */
  readonly url: string;
  /** Between it and the database. */
  readonly proxy: DatabaseProxy;
  /** @returns its log so far */
  output(): string;
  /** Ends it and all its connections. */
  remove(): Promise<void>;
}

/**
 * Starts PgBouncer as an account other than root, which it refuses.
 * @param databaseUrl of a test database
 * @param lines of the section [pgbouncer]
 */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  lines: readonly string[],
): Promise<PgBouncer> {
  // The embedded PostgreSQL of the tests admits their own account only.
  const proxy = await DatabaseProxy.start(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-pgbouncer-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const account = unprivilegedAccount();
  await writeFile(file, configurationOf(new URL(proxy.url), port, lines), { mode: 0o600 });
  if (account !== undefined) {
    chownSync(folder, account.uid, account.gid);
    chownSync(file, account.uid, account.gid);
  }
  const child = spawn(program, [file], { stdio: ['ignore', 'ignore', 'pipe'], ...account });
  const pieces: string[] = [];
  child.stderr.on('data', (piece: Buffer) => {
    pieces.push(piece.toString('utf8'));
  });
  const output = (): string => pieces.join('');
  const remove = async (): Promise<void> => {
    await end(child);
    await proxy.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitForPort(port, child);
  } catch (error) {
    await remove();
    throw new Error(`PgBouncer did not start:\n${output()}`, { cause: error });
  }
  const url = new URL(proxy.url);
  url.port = String(port);
  return { url: url.href, proxy, output, remove };
}

function configurationOf(target: URL, port: number, lines: readonly string[]): string {
  const password = decodeURIComponent(target.password);
  const user = decodeURIComponent(target.username);
  const login = password === '' ? `user=${user}` : `user=${user} password='${password}'`;
  return [
    '[databases]',
    // The embedded PostgreSQL of the tests is not durable, and a server behind PgBouncer refuses that.
    `* = host=127.0.0.1 port=${target.port} ${login} connect_query='SET synchronous_commit = on'`,
    '[pgbouncer]',
    `listen_port = ${port}`,
    'listen_addr = 127.0.0.1',
    'unix_socket_dir =',
    'auth_type = any',
    ...lines,
    '',
  ].join('\n');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  }
}
