import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { publishResults } from './result-page.ts';

/** `npm run mutation:scores`: the scores of the last runs of Stryker. See docs/mutation.md. */

const FOLDER = join(import.meta.dirname, '../reports/mutation');

/** The part of Stryker's JSON report that is read. */
interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

const names = (await readdir(FOLDER)).filter((name) => /^[\w-]+\.json$/.test(name)).sort();
await publishResults({
  name: 'mutation',
  title: 'Mutation scores',
  command: 'npm run mutation:scores',
  measures: 'The share of small changes to the code that a test finds: [Mutation](../mutation.md).',
  sections: [
    {
      head: ['part', 'mutants', 'killed', 'timed out', 'survived', 'without a test', 'score'],
      rows: await Promise.all(names.map(scoreOf)),
    },
  ],
});

async function scoreOf(name: string): Promise<readonly (string | number)[]> {
  const report = JSON.parse(await readFile(join(FOLDER, name), 'utf8')) as MutationReport;
  const statuses = Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const count = (status: string): number => statuses.filter((one) => one === status).length;
  const found = ['Killed', 'Timeout'].map(count);
  const missed = ['Survived', 'NoCoverage'].map(count);
  const valid = [...found, ...missed].reduce((sum, one) => sum + one, 0);
  const score = (100 * found.reduce((sum, one) => sum + one, 0)) / valid;
  return [name.replace('.json', ''), valid, ...found, ...missed, `${score.toFixed(1)} %`];
}
