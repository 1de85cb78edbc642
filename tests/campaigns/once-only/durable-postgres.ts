import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openEmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres.ts';
import { postmasterPid, worksIn } from '../../embedded-postgres/support/serving-process.ts';
import { embeddedUrl } from '../../support/database/embedded-url.ts';
import { queryOnce } from '../../support/database/test-server.ts';

export type PostgresPart = 'backend' | 'postmaster';

/**
 * A PostgreSQL to be killed: durable (fsync, default synchronous_commit), and restarted by this process whenever its
 * postmaster is gone, as the embedded one is.
 */
export class DurablePostgres {
  readonly url: string;
  readonly #folder: string;
  readonly #close: () => Promise<void>;

  private constructor(folder: string, url: string, close: () => Promise<void>) {
    this.#folder = folder;
    this.url = url;
    this.#close = close;
  }

  /** @param folder an existing one, for its data */
  static async start(folder: string): Promise<DurablePostgres> {
    // Under root PostgreSQL runs as another user, who must be able to pass the folder.
    await chmod(folder, 0o711);
    const data = join(folder, 'data');
    await mkdir(data);
    await chmod(data, 0o711);
    const quiet = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    const embedded = await openEmbeddedPostgres({
      dataDir: data,
      sharedFolder: join(folder, 'shared'),
      role: 'command',
      durable: true,
      log: quiet,
    });
    const postgres = new DurablePostgres(data, embeddedUrl(embedded.connection), () => embedded.close());
    if (process.platform === 'linux') {
      // Before recovery it syncs each of its thousand files; one call for all is equivalent, and faster.
      await postgres.ask(`ALTER SYSTEM SET recovery_init_sync_method = 'syncfs'`, []);
      await postgres.ask('SELECT pg_reload_conf()', []);
    }
    return postgres;
  }

  /** Runs one statement, over a connection of its own. */
  readonly ask = <Row extends object>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    queryOnce<Row>(this.url, sql, values);

  /**
   * Kills the postmaster, or one of the backends of tankeeper: a busy one, if there is one.
   * @returns the killed process; undefined if there was none at that moment
   */
  async kill(part: PostgresPart): Promise<number | undefined> {
    const pid = part === 'postmaster' ? await postmasterPid(this.#cluster) : await this.#backend();
    // The process id may have been reused; each process of PostgreSQL works in its data folder.
    const isIts = pid !== undefined && (await worksIn(pid, this.#cluster));
    return isIts && wasKilled(pid) ? pid : undefined;
  }

  /** Counts its recoveries from a crash, by its own log. */
  async recoveries(): Promise<{ readonly started: number; readonly reinitialised: number }> {
    const log = await readFile(join(this.#cluster, 'postgres.log'), 'utf8');
    const count = (pattern: RegExp): number => log.match(pattern)?.length ?? 0;
    return {
      started: count(/database system was interrupted; last known up at/g),
      reinitialised: count(/all server processes terminated; reinitializing/g),
    };
  }

  stop(): Promise<void> {
    return this.#close();
  }

  get #cluster(): string {
    return join(this.#folder, 'postgres');
  }

  async #backend(): Promise<number | undefined> {
    const rows = await this.ask<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'tankeeper server'
       ORDER BY (state <> 'idle') DESC, random() LIMIT 1`,
      [],
    ).catch(() => []);
    return rows[0]?.pid;
  }
}

function wasKilled(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    // It has ended by itself.
    return false;
  }
}

function ignore(): void {
  return undefined;
}
