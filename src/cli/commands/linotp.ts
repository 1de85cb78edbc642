import { basename, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import { addKeyFileImportCommands } from './import-keys.ts';
import { readFileBytes, NewFile } from '../files.ts';
import { withProgress, type ShowProgress } from '../output.ts';
import { mayHoldPassword, safeText } from '../../kernel/text.ts';
import type { EncryptionKey } from '../../linotp/secrets.ts';
import {
  IMPORT_GROUPS,
  type ImportEntry,
  type ImportGroup,
  type ImportSummary,
  type ReportSink,
} from '../../linotp/import-report.ts';
import { LocalTime } from '../../linotp/linotp-source.ts';
import type { TextEncoding } from '../../linotp/installation-reading.ts';

interface ImportOptions {
  readonly database: string;
  readonly databasePasswordFile?: string;
  readonly enckey: string;
  readonly encoding: TextEncoding;
  readonly timeZone: LocalTime;
  readonly dryRun?: true;
  readonly only?: readonly ImportGroup[];
  readonly report?: string;
  readonly passwdDir?: string;
}

/** Differences that are printed; a report file has all of them. */
const MAX_SHOWN_DIFFERENCES = 50;
const MAX_KEY_FILE_BYTES = 65_536;

/** Adds `import`. */
export function addImportCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('import')
    .description('take over another installation, or load keys from a file');
  addKeyFileImportCommands(group, context);
  addCommand(group, 'linotp', 'take over LinOTP 2.x or 3.x; repeated: what has changed there since', [
    'import linotp --database postgresql://linotp@db.example.com/linotp --enckey encKey --dry-run',
    'import linotp --database token.db --enckey encKey --report report.txt',
  ])
    .option('--dry-run', 'report everything and store nothing')
    .option('--only <groups>', `a comma list of ${IMPORT_GROUPS.join(', ')}`, readGroups)
    .option('--report <file>', 'write what was taken, changed or left to this file, and as JSON to FILE.json')
    .option('--passwd-dir <folder>', 'where the passwd files of the old server are now')
    .requiredOption(
      '--database <place>',
      'the LinOTP database: postgresql://…, mysql://…, or the path of an SQLite file',
    )
    .option('--database-password-file <file>', 'a file that holds the password for the URL, - for stdin')
    .requiredOption('--enckey <file>', "LinOTP's key file (encKey)")
    .addOption(
      new Option('--encoding <kind>', 'how texts are encoded')
        .choices(['auto', 'utf8', 'double-utf8'])
        .default('auto'),
    )
    .addOption(
      new Option('--time-zone <zone>', "the zone of the old server's clock, such as Europe/Berlin")
        .argParser(readZone)
        .default(new LocalTime(Intl.DateTimeFormat().resolvedOptions().timeZone), 'that of this machine'),
    )
    .action((options: ImportOptions) => importLinotp(context, options));
}

async function importLinotp(context: CommandContext, options: ImportOptions): Promise<void> {
  const { io } = context.dependencies;
  const file = options.report === undefined ? undefined : await ImportReportFile.create(options.report);
  const shown = new ShownDifferences(file);
  const notes: string[] = [];
  const summary = await withProgress(io, 'reading the source', (progress) =>
    runImport(context, options, progress, notes, shown),
  )
    .finally(() => {
      notes.forEach((note) => io.stderr.write(`${note}\n`));
    })
    .catch(async (error: unknown) => {
      await file?.discard();
      throw error;
    });
  const fault = await file?.finish(summary).catch(async (error: unknown) => {
    await file.discard();
    return error instanceof Error ? error : new Error(String(error));
  });
  const lines = [...shown.lines(options.report), ...summaryLines(summary)];
  const { entries, more } = shown;
  context.output.done(lines.join('\n'), { summary: { ...summary }, entries, more });
  if (fault !== undefined) {
    throw new CliFailure(`all is done but the report: ${fault.message}`);
  }
}

/** Opens the source and the key file, and closes the source in any case. */
async function runImport(
  context: CommandContext,
  options: ImportOptions,
  progress: ShowProgress,
  notes: string[],
  sink: ReportSink,
): Promise<ImportSummary> {
  const { passwdDir } = options;
  assertNoPassword(options.database);
  const encryptionKey = await readEncryptionKey(options.enckey);
  const { openLinotpSource } = await import('../../linotp/sources/open-source.ts');
  const source = await openLinotpSource(await sourcePlace(context, options));
  try {
    return await context.withServices(({ linotpImport }, caller) =>
      linotpImport.run(caller, {
        source,
        encryptionKey,
        only: options.only,
        dryRun: options.dryRun === true,
        encoding: options.encoding,
        localTime: options.timeZone,
        // Absolute, as resolvers need it.
        places: (name) => (passwdDir === undefined ? name : resolve(passwdDir, basename(name))),
        sink,
        progress: ({ group, done, total }) => {
          progress(done, total, `importing ${group}`);
        },
        note: (text) => {
          notes.push(text);
        },
      }),
    );
  } finally {
    await source.close();
  }
}

/** Keeps the first differences for the terminal, and passes all entries on. */
class ShownDifferences implements ReportSink {
  readonly entries: { readonly [Field in keyof ImportEntry]: ImportEntry[Field] }[] = [];
  readonly #file: ReportSink | undefined;
  /** The number of further differences. */
  more = 0;

  constructor(file: ReportSink | undefined) {
    this.#file = file;
  }

  async write(entry: ImportEntry): Promise<void> {
    const { group, outcome, reasons } = entry;
    // A policy is stored as it was also where some of its actions are without effect here.
    const isRemarkable = outcome === 'updated' || (group === 'policies' && outcome === 'taken');
    const isDifference =
      ['changed', 'left', 'removed'].includes(outcome) || (isRemarkable && reasons.length > 0);
    if (isDifference && this.entries.length < MAX_SHOWN_DIFFERENCES) {
      this.entries.push(entry);
    } else if (isDifference) {
      this.more += 1;
    }
    await this.#file?.write(entry);
  }

  lines(report: string | undefined): readonly string[] {
    const where = report === undefined ? '--report FILE writes all' : `all are in ${report}`;
    const more = this.more === 0 ? [] : [`… and ${this.more} more: ${where}`];
    return [...this.entries.map(reportLine), ...more];
  }
}

async function readEncryptionKey(path: string): Promise<EncryptionKey> {
  const bytes = await readFileBytes(path, MAX_KEY_FILE_BYTES);
  const { EncryptionKey } = await import('../../linotp/secrets.ts');
  const key = bytes.length > MAX_KEY_FILE_BYTES ? undefined : EncryptionKey.fromFile(bytes);
  if (key === undefined) {
    throw new CliFailure(
      `${path} is not a key file of LinOTP: it has at least 96 bytes, a whole number of 32-byte keys`,
    );
  }
  return key;
}

/** @returns the URL with its password, or the path */
export async function sourcePlace(
  context: CommandContext,
  { database, databasePasswordFile }: Pick<ImportOptions, 'database' | 'databasePasswordFile'>,
): Promise<string> {
  if (databasePasswordFile === undefined) {
    return database;
  }
  if (!URL.canParse(database) || /^sqlite/i.test(database)) {
    throw new CliFailure('--database-password-file goes with the URL of a database server');
  }
  const password = await context.knownSecret('Password', '--database-password-file', databasePasswordFile);
  const url = new URL(database);
  url.password = encodeURIComponent(password);
  if (url.password === '') {
    // A URL without a host, as for a socket, has no place for it.
    url.searchParams.set('password', password);
  }
  return url.href;
}

/** Every user of the machine can read the command line. */
function assertNoPassword(database: string): void {
  if (!/^sqlite/i.test(database) && mayHoldPassword(database)) {
    throw new CliFailure(
      '--database holds a password: leave it out, and give it with --database-password-file FILE (- for stdin)',
      EXIT_CODES.usage,
    );
  }
}

function readGroups(text: string): readonly ImportGroup[] {
  return text.split(',').map((part) => {
    const group = IMPORT_GROUPS.find((known) => known === part.trim());
    if (group === undefined) {
      throw new InvalidArgumentError(`Known: ${IMPORT_GROUPS.join(', ')}.`);
    }
    return group;
  });
}

function readZone(text: string): LocalTime {
  try {
    return new LocalTime(text);
  } catch {
    throw new InvalidArgumentError('It is not the name of a time zone.');
  }
}

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
class ImportReportFile implements ReportSink {
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
function reportLine({ group, outcome, name, row, reasons }: ImportEntry): string {
  const place = row === '' ? '' : ` (${row})`;
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return safeText(`${outcome} ${group} ${name}${place}${why}`);
}

/** @returns the sums, a line for each group and each type of token */
function summaryLines({ dryRun, groups, tokenTypes, keptTypes, unread }: ImportSummary): readonly string[] {
  const sums = Object.entries(groups).map(([group, counts]) => {
    const numbers = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
    return `${group}: ${numbers.join(', ')}`;
  });
  const types = Object.entries(tokenTypes).map(([type, count]) => {
    const kept = keptTypes[type];
    return `${count} ${type}${kept === undefined ? '' : ` (${kept} only kept)`}`;
  });
  return [
    ...(dryRun ? ['Dry run: nothing is stored'] : []),
    ...sums,
    ...(types.length === 0 ? [] : [safeText(`tokens by type: ${types.join(', ')}`)]),
    ...(unread.length === 0 ? [] : [safeText(`tables of LinOTP that are not read: ${unread.join(', ')}`)]),
  ];
}
