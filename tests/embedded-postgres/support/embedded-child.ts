import { once } from 'node:events';

import type { EmbeddedPostgresOptions } from '../../../src/embedded-postgres/cluster.ts';
import { openEmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres.ts';
import type { EmbeddedReport } from './embedded-process.ts';

/**
 * A process that opens the embedded PostgreSQL, says how that went, and closes it when its standard input ends. Run by
 * embedded-process.ts.
 */
const silent = (): void => undefined;
const given = JSON.parse(process.argv[2] ?? '{}') as Omit<EmbeddedPostgresOptions, 'log'>;

function report(text: EmbeddedReport): void {
  process.stdout.write(`${JSON.stringify(text)}\n`);
}

try {
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const embedded = await openEmbeddedPostgres({ ...given, log });
  report({ host: embedded.connection.host });
  process.stdin.resume();
  await once(process.stdin, 'end');
  await embedded.close();
} catch (error) {
  report({ error: error instanceof Error ? error.message : String(error) });
}
