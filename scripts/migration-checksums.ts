import { createHash } from 'node:crypto';

import type { Knex } from 'knex';

import { MIGRATIONS } from '../src/database/migration-source.ts';

/** @returns the SHA-256 of the statements of each migration, by its name; leaves the database as it is */
export async function computeChecksums(database: Knex): Promise<Readonly<Record<string, string>>> {
  const checksums: Record<string, string> = {};
  const sql = await database.transaction();
  await sql.raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  for (const [name, migration] of MIGRATIONS) {
    const hash = createHash('sha256');
    const add = ({ sql: text, bindings }: { sql: string; bindings?: unknown }): void => {
      hash.update(JSON.stringify([text, bindings]));
    };
    sql.on('query', add);
    await migration.up(sql);
    sql.off('query', add);
    checksums[name] = hash.digest('hex');
  }
  await sql.rollback();
  return checksums;
}

/** @returns the text of src/database/migration-checksums.ts */
export function checksumFile(checksums: Readonly<Record<string, string>>): string {
  const lines = Object.entries(checksums).map(([name, checksum]) => `  '${name}': '${checksum}',\n`);
  return `/** The SHA-256 of the statements of each migration. Written by \`npm run schema\`. */
export const migrationChecksums: Readonly<Record<string, string>> = {
${lines.join('')}};
`;
}
