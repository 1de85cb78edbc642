import { open, rename, type FileHandle } from 'node:fs/promises';
import type { ImportEntry, ImportSummary, ReportSink } from '../linotp/import-report.ts';
import { safeText } from '../kernel/terminal-text.ts';
import { CliFailure } from './cli-failure.ts';

/** Characters that are collected before they are written. */
const AT_ONCE = 1 << 16;
/** Ending of a report that is not complete. */
const UNFINISHED = '.part';

/** A file that is written piece by piece, and appears under its name when it is complete. */
class GrowingFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #pending = '';

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** @throws CliFailure if it cannot be created */
  static async create(path: string): Promise<GrowingFile> {
    // It names serials and users: only its owner may read it.
    const handle = await open(path + UNFINISHED, 'w', 0o600).catch((error: unknown) => {
      throw new CliFailure(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code ?? ''}`);
    });
    return new GrowingFile(path, handle);
  }

  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= AT_ONCE) {
      await this.#flush();
    }
  }

  async finish(): Promise<void> {
    await this.close();
    await rename(this.#path + UNFINISHED, this.#path);
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#handle.close();
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    await this.#handle.write(text);
  }
}

/** The report of an import: a text for people, and the same as JSON in a file beside it. */
export class ImportReportFile implements ReportSink {
  readonly #text: GrowingFile;
  readonly #json: GrowingFile;
  #isFirst = true;

  private constructor(text: GrowingFile, json: GrowingFile) {
    this.#text = text;
    this.#json = json;
  }

  /** @param path of the text; `.json` is appended for the other. @throws CliFailure */
  static async create(path: string): Promise<ImportReportFile> {
    const report = new ImportReportFile(
      await GrowingFile.create(path),
      await GrowingFile.create(`${path}.json`),
    );
    await report.#json.write('{"entries":[');
    return report;
  }

  async write(entry: ImportEntry): Promise<void> {
    await this.#json.write(`${this.#isFirst ? '' : ','}\n${JSON.stringify(entry)}`);
    await this.#text.write(`${reportLine(entry)}\n`);
    this.#isFirst = false;
  }

  async finish(summary: ImportSummary): Promise<void> {
    await this.#json.write(`\n],"summary":${JSON.stringify(summary)}}\n`);
    await this.#text.write(`${summaryLines(summary).join('\n')}\n`);
    await this.#json.finish();
    await this.#text.finish();
  }

  /** Ends a report that is not complete: what it says of the last group was not stored. */
  async abandon(): Promise<void> {
    await this.#json.close();
    await this.#text.close();
  }
}

/** @returns the entry in a line */
export function reportLine({ group, outcome, name, row, reasons }: ImportEntry): string {
  const place = row === '' ? '' : ` (${row})`;
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return safeText(`${outcome} ${group} ${name}${place}${why}`);
}

/** @returns the sums, a line for each group and each type of token */
export function summaryLines({ dryRun, groups, tokenTypes }: ImportSummary): readonly string[] {
  const sums = Object.entries(groups).map(([group, counts]) => {
    const numbers = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
    return `${group}: ${numbers.join(', ')}`;
  });
  const types = Object.entries(tokenTypes).map(([type, count]) => `${count} ${type}`);
  return [
    ...(dryRun ? ['Dry run: nothing is stored'] : []),
    ...sums,
    ...(types.length === 0 ? [] : [safeText(`tokens by type: ${types.join(', ')}`)]),
  ];
}
