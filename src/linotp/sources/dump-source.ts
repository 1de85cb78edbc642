import { stat } from 'node:fs/promises';
import type { ServiceError } from '../../kernel/errors.ts';
import {
  importRefused,
  type LinotpSource,
  SOURCE_TABLES,
  type SourceRow,
  type SourceTable,
} from '../linotp-source.ts';
import { DumpReader, type DumpContent } from './dump-reader.ts';
import { UnreadableDump } from './dump-text.ts';

const AT_ONCE = 500;
const TABLES: ReadonlySet<string> = new Set(Object.keys(SOURCE_TABLES).map((name) => name.toLowerCase()));

export class DumpSource implements LinotpSource {
  readonly #path: string;
  readonly #content: DumpContent;
  /** The identity of the file, which tells it from a later one. */
  readonly #version: string;

  private constructor(path: string, content: DumpContent, version: string) {
    this.#path = path;
    this.#content = content;
    this.#version = version;
  }

  /**
   * Reads the dump once, so that a damaged one is refused before anything is imported.
   * @throws ServiceError 'import.refused'
   */
  static async open(path: string): Promise<DumpSource> {
    try {
      const version = await versionOf(path);
      return new DumpSource(path, await DumpReader.survey(path, TABLES), version);
    } catch (error) {
      throw translateFault(error);
    }
  }

  get dialect(): LinotpSource['dialect'] {
    return this.#content.origin.dialect;
  }

  get notes(): readonly string[] {
    return this.#content.origin.notes;
  }

  get unread(): readonly string[] {
    const others = [...this.#content.names].filter(([table]) => !TABLES.has(table));
    // Tables of SQLite's own are in its dumps.
    return others.flatMap(([, name]) => (/^sqlite_/i.test(name) ? [] : [name])).sort();
  }

  has(table: SourceTable): boolean {
    return this.#content.columns.has(table.toLowerCase());
  }

  count(table: SourceTable): Promise<number> {
    return Promise.resolve(this.#content.counts.get(table.toLowerCase()) ?? 0);
  }

  /** @throws ServiceError 'import.refused' if the file has changed since */
  async *rows(table: SourceTable): AsyncIterable<readonly SourceRow[]> {
    if ((await versionOf(this.#path)) !== this.#version) {
      throw refused('it has changed while it was read');
    }
    let batch: SourceRow[] = [];
    for await (const row of this.#translatedRows(table)) {
      batch.push(row);
      if (batch.length >= AT_ONCE) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) {
      yield batch;
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async *#translatedRows(table: SourceTable): AsyncIterable<SourceRow> {
    try {
      yield* DumpReader.rows(this.#path, this.#content, table.toLowerCase());
    } catch (error) {
      throw translateFault(error);
    }
  }
}

async function versionOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs].join();
}

function translateFault(error: unknown): unknown {
  return error instanceof UnreadableDump ? refused(error.message, error) : error;
}

function refused(reason: string, cause?: Error): ServiceError {
  return importRefused(`The dump cannot be read: ${reason}`, cause);
}
