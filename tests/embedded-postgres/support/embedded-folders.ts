import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import type { SocketConnection } from '../../../src/database/pool.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  openEmbeddedPostgres,
} from '../../../src/embedded-postgres/embedded-postgres.ts';
import { servingProcess } from './serving-process.ts';

/** A log that keeps its messages. */
interface KeptLog {
  readonly messages: string[];
}

/** Temporary folders with embedded databases of a test file; all gone after `clear`, whatever the test did. */
export interface EmbeddedFolders {
  /** A new folder that every account may pass through; 'closed': only its owner may. */
  make(passage?: 'open' | 'closed', owner?: { uid: number; gid: number }): Promise<string>;
  /** Opens an embedded PostgreSQL, not durable, closed at the latest by `clear`. */
  open(options: Partial<EmbeddedPostgresOptions> & { dataDir: string }): Promise<EmbeddedPostgres & KeptLog>;
  /** Has a cluster's postmaster killed by `clear`, should it still run. */
  watch(cluster: string): void;
  clear(): Promise<void>;
}

/** @returns folders for one test file; call `clear` in afterEach */
export function embeddedFolders(): EmbeddedFolders {
  const folders: string[] = [];
  const clusters = new Set<string>();
  const opened: EmbeddedPostgres[] = [];
  return {
    make: async (passage = 'open', owner) => {
      const folder = await mkdtemp(join(tmpdir(), 'tankeeper-embedded-'));
      folders.push(folder);
      await chmod(folder, passage === 'open' ? 0o711 : 0o700);
      if (owner !== undefined) {
        await chown(folder, owner.uid, owner.gid);
      }
      return folder;
    },
    open: async (options) => {
      clusters.add(join(options.dataDir, 'postgres'));
      const messages: string[] = [];
      const note = (message: string): void => {
        messages.push(message);
      };
      const log = { debug: note, info: note, warn: note, error: note };
      const embedded = await openEmbeddedPostgres({ role: 'command', durable: false, log, ...options });
      opened.push(embedded);
      return { ...embedded, messages };
    },
    watch: (cluster) => {
      clusters.add(cluster);
    },
    clear: async () => {
      await Promise.all(opened.splice(0).map((embedded) => embedded.close()));
      for (const cluster of clusters) {
        const pid = await servingProcess(cluster);
        if (pid !== undefined) {
          process.kill(pid, 'SIGQUIT');
        }
      }
      clusters.clear();
      await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

/** @returns true if a postmaster serves the cluster */
export async function isServed(cluster: string): Promise<boolean> {
  return (await servingProcess(cluster)) !== undefined;
}

/** Runs one statement on the embedded database. @returns the first column of the first row */
export async function ask(connection: SocketConnection, sql: string): Promise<unknown> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}
