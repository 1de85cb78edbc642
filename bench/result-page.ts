import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';

/** The results that are kept with the sources. */
const RESULTS_FOLDER = join(import.meta.dirname, '../docs/results');
const GIBIBYTE = 2 ** 30;
const NUMBER = /^(?:–$|(?:[<−-] ?)?\d)/;

/** A table of a result page. Columns of numbers are aligned right. */
export interface ResultTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** The results of one benchmark or of one campaign of tests. */
export interface ResultPage {
  /** The page is `docs/results/<name>.md`. */
  readonly name: string;
  readonly title: string;
  /** The command that was run, as it is typed. */
  readonly command: string;
  /** Markdown: what was measured, in one or two sentences, with a link to the page that describes the method. */
  readonly measures: string;
  /** Versions of what was measured besides Node.js: `PostgreSQL 18.4`. */
  readonly software?: string;
  /** Tables, and paragraphs of markdown. */
  readonly sections: readonly (ResultTable | string)[];
}

/** @returns the command of a benchmark with the options that it was given */
export function benchCommand(script: string): string {
  const options = process.argv.slice(2);
  return `npm run ${script}${options.length === 0 ? '' : ` -- ${options.join(' ')}`}`;
}

/** Prints the sections of a page. With WRITE_RESULTS=1 also writes the page to docs/results. */
export async function publishResults(page: ResultPage): Promise<void> {
  const sections = page.sections.map((section) =>
    typeof section === 'string' ? section : markdown(section),
  );
  process.stdout.write(`\n${await formatMarkdown(sections)}\n`);
  if (process.env.WRITE_RESULTS === '1') {
    const file = join(RESULTS_FOLDER, `${page.name}.md`);
    await mkdir(RESULTS_FOLDER, { recursive: true });
    await writeFile(file, await formatMarkdown([...heading(page), ...sections]));
    process.stderr.write(`Written: ${file}\n`);
  }
}

function heading({ title, command, measures, software }: ResultPage): readonly string[] {
  const machine = [`${cpus().length} cores`, `${Math.round(totalmem() / GIBIBYTE)} GiB`];
  const programs = [`Node.js ${process.versions.node}`, ...(software === undefined ? [] : [software])];
  return [
    `# ${title}`,
    measures,
    [
      `- Written by: \`WRITE_RESULTS=1 ${command}\``,
      `- ${[new Date().toISOString().slice(0, 10), ...machine, ...programs].join(', ')}`,
    ].join('\n'),
  ];
}

function markdown({ head, rows }: ResultTable): string {
  const alignments = head.map((_title, column) =>
    rows.every((row) => NUMBER.test(String(row[column]))) ? '---:' : '---',
  );
  return [head, alignments, ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** @returns the paragraphs as Prettier writes them */
function formatMarkdown(paragraphs: readonly string[]): Promise<string> {
  return format(paragraphs.join('\n\n'), { parser: 'markdown' });
}
