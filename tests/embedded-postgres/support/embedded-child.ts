import { once } from 'node:events';

import { openEmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres.ts';
import type { ElsewhereOptions, EmbeddedReport } from './embedded-process.ts';

/**
 * A process that opens the embedded PostgreSQL, says how that went, and closes it when its standard input ends. Run by
 * embedded-process.ts.
 */
const silent = (): void => undefined;
const { waitMs, ...given } = JSON.parse(process.argv[2] ?? '{}') as ElsewhereOptions;

function report(text: EmbeddedReport): void {
  process.stdout.write(`${JSON.stringify(text)}\n`);
}

try {
  const giveUp = waitMs === undefined ? undefined : AbortSignal.timeout(waitMs);
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const embedded = await openEmbeddedPostgres({ ...given, log, giveUp });
  report({ host: embedded.connection.host });
  process.stdin.resume();
  await once(process.stdin, 'end');
  await embedded.close();
} catch (error) {
  report({ error: error instanceof Error ? error.message : String(error) });
}
