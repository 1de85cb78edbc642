import { ServiceError } from '../../kernel/errors.ts';
import type { LinotpSource, SourceTable } from '../ports.ts';
import type { SourceRow } from '../source-row.ts';
import { DumpReader, type DumpContent } from './dump-reader.ts';
import { UnreadableDump } from './dump-text.ts';

const AT_ONCE = 500;

/** A plain SQL dump. */
export class DumpSource implements LinotpSource {
  readonly #path: string;
  readonly #content: DumpContent;

  private constructor(path: string, content: DumpContent) {
    this.#path = path;
    this.#content = content;
  }

  /** @throws ServiceError 'import.refused' */
  static async open(path: string): Promise<DumpSource> {
    return new DumpSource(path, await translated(() => DumpReader.survey(path)));
  }

  get dialect(): LinotpSource['dialect'] {
    return this.#content.dialect;
  }

  has(table: SourceTable): boolean {
    return this.#content.columns.has(table.toLowerCase());
  }

  count(table: SourceTable): Promise<number> {
    return Promise.resolve(this.#content.counts.get(table.toLowerCase()) ?? 0);
  }

  async *rows(table: SourceTable): AsyncIterable<readonly SourceRow[]> {
    let batch: SourceRow[] = [];
    for await (const row of DumpReader.rows(this.#path, this.#content, table.toLowerCase())) {
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
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableDump) {
      throw new ServiceError('import.refused', `The dump cannot be read: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
