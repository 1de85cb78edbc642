import { safeText } from '../../kernel/text.ts';
import type { ImportEntry, ImportSummary, ReportSink } from '../../linotp/import-report.ts';
import { NewFile } from '../files.ts';

/** Characters that are collected before they are written. */
const AT_ONCE = 1 << 16;

/** Text that is written to a file in large pieces. */
class TextFile {
  readonly #file: NewFile;
  #pending = '';

  constructor(file: NewFile) {
    this.#file = file;
  }

  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= AT_ONCE) {
      await this.#flush();
    }
  }

  async finish(): Promise<void> {
    await this.#flush();
    await this.#file.finish();
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    await this.#file.write(Buffer.from(text, 'utf8'));
  }
}

/**
 * The report of an import: a text for people, and the same as JSON in a file beside it. It names serials and users: only
 * the owner of the files may read them. They replace those of an earlier report when they are complete.
 */
export class ImportReportFile implements ReportSink {
  readonly #files: readonly NewFile[];
  readonly #text: TextFile;
  readonly #json: TextFile;
  #isFirst = true;

  private constructor(text: NewFile, json: NewFile) {
    this.#files = [text, json];
    this.#text = new TextFile(text);
    this.#json = new TextFile(json);
  }

  /**
   * @param path of the text; `.json` is appended for the other
   * @throws CliFailure
   */
  static async create(path: string): Promise<ImportReportFile> {
    const text = await NewFile.begin(path, true);
    const json = await NewFile.begin(`${path}.json`, true).catch(async (error: unknown) => {
      await text.discard();
      throw error;
    });
    const report = new ImportReportFile(text, json);
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

  /** Removes a report that is not complete. */
  async discard(): Promise<void> {
    for (const file of this.#files) {
      await file.discard();
    }
  }
}

/** @returns the entry in a line */
export function reportLine({ group, outcome, name, row, reasons }: ImportEntry): string {
  const place = row === '' ? '' : ` (${row})`;
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return safeText(`${outcome} ${group} ${name}${place}${why}`);
}

/** @returns the sums, a line for each group and each type of token */
export function summaryLines({ dryRun, groups, tokenTypes, unread }: ImportSummary): readonly string[] {
  const sums = Object.entries(groups).map(([group, counts]) => {
    const numbers = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
    return `${group}: ${numbers.join(', ')}`;
  });
  const types = Object.entries(tokenTypes).map(([type, count]) => `${count} ${type}`);
  return [
    ...(dryRun ? ['Dry run: nothing is stored'] : []),
    ...sums,
    ...(types.length === 0 ? [] : [safeText(`tokens by type: ${types.join(', ')}`)]),
    ...unreadLines(unread),
  ];
}

/** @returns the line that names the tables of LinOTP that are not read */
export function unreadLines(tables: readonly string[]): readonly string[] {
  return tables.length === 0 ? [] : [safeText(`tables of LinOTP that are not read: ${tables.join(', ')}`)];
}
