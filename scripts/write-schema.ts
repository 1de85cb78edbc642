import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openBenchCluster } from '../bench/bench-cluster.ts';
import { openDatabase } from '../src/database/database.ts';
import { checksumFile, computeChecksums } from './migration-checksums.ts';
import { dumpSchema } from './schema-dump.ts';

/**
 * `npm run schema`: migrates a new database of an embedded PostgreSQL and writes its schema to docs/schema.sql, and the
 * checksums of the migrations.
 */

const ROOT = join(import.meta.dirname, '..');

const cluster = await openBenchCluster(undefined, false);
try {
  const database = openDatabase({ connection: await cluster.createDatabase('schema') });
  const schema = await dumpSchema(database.knex);
  const checksums = await computeChecksums(database.knex);
  await database.close();
  writeFileSync(join(ROOT, 'docs', 'schema.sql'), schema);
  writeFileSync(join(ROOT, 'src/database/migration-checksums.ts'), checksumFile(checksums));
} finally {
  await cluster.close();
}
