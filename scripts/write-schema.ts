import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { openBenchCluster } from '../bench/bench-cluster.ts';
import { openDatabase } from '../src/storage/database/database.ts';
import { dumpSchema } from './schema-dump.ts';

/** `npm run schema`: migrates a new database of an embedded PostgreSQL and writes its schema to docs/schema.sql. */

const cluster = await openBenchCluster(undefined, false);
try {
  const database = openDatabase({ connection: await cluster.createDatabase('schema') });
  const schema = await dumpSchema(database.knex).finally(() => database.close());
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'schema.sql'), schema);
} finally {
  await cluster.close();
}
