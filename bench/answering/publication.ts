import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';

import { barChart, type Bar } from '../bar-chart.ts';
import { benchCommand, publishResults, RESULTS_FOLDER, type ResultPage, resultText } from '../result-page.ts';

/** The results of one mode of the bench. */
export interface Publication extends Pick<
  ResultPage,
  'name' | 'title' | 'measures' | 'software' | 'sections'
> {
  /** The content of the JSON file. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly chart: { readonly title: string; readonly unit: string; readonly bars: readonly Bar[] };
}

/**
 * Prints the tables, and writes the page, its data and its chart: to docs/results with WRITE_RESULTS=1, else to a
 * folder.
 * @param out that folder; a new one in the temporary folder unless given
 */
export async function publish(results: Publication, out: string | undefined): Promise<void> {
  const { name, data, chart, sections } = results;
  const command = benchCommand('bench');
  const page: ResultPage = {
    name,
    title: results.title,
    measures: results.measures,
    command,
    ...(results.software !== undefined && { software: results.software }),
    sections: [...sections, `![${chart.title}](${name}.svg)`],
  };
  await publishResults(page);
  const isKept = process.env.WRITE_RESULTS === '1';
  const folder = isKept ? RESULTS_FOLDER : (out ?? (await mkdtemp(join(tmpdir(), 'tankeeper-results-'))));
  await mkdir(folder, { recursive: true });
  const files = {
    ...(!isKept && { md: await resultText(page) }),
    json: await formattedJson({ command, date: new Date().toISOString(), ...data }),
    svg: barChart(chart.title, chart.unit, chart.bars),
  };
  for (const [ending, text] of Object.entries(files)) {
    const file = join(folder, `${name}.${ending}`);
    await writeFile(file, text);
    process.stderr.write(`Written: ${file}\n`);
  }
}

/** @returns the text as `npm run format` wants it */
async function formattedJson(value: unknown): Promise<string> {
  const options = await resolveConfig(join(RESULTS_FOLDER, 'any.json'));
  return format(JSON.stringify(value), { ...options, parser: 'json' });
}
