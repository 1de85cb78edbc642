import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';

/** The schema of version 1.0, as SQL beside this file. */
export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { schema: string }[] }>(
    'SELECT quote_ident(current_schema()) AS schema',
  );
  for (const name of ['001-baseline.sql', '001-baseline-counts.sql']) {
    const text = await readFile(new URL(name, import.meta.url), 'utf8');
    await knex.raw(text.replaceAll(':schema', () => rows[0]?.schema ?? 'public'));
  }
}
