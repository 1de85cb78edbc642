import { parseArgs } from 'node:util';
import pg from 'pg';

import { openDatabase } from '../src/database/database.ts';
import { HousekeepingStore } from '../src/housekeeping/housekeeping-store.ts';
import { momentsAt } from '../src/housekeeping/housekeeping.ts';
import { closingOnce, openBenchCluster } from './bench-cluster.ts';
import { fillClosedChallenges } from './challenge-fill.ts';
import { ProgressBar } from './progress-bar.ts';
import { benchCommand, publishResults } from './result-page.ts';
import { fillTokens } from './token-fill.ts';

/** `npm run bench:housekeeping -- --challenges 5000000`: see docs/benchmarks.md. */

const TOKENS = 10_000;
const PARTS = 5;
/** The last part may remove so much slower than the first. */
const LIMIT = 0.5;

const { challenges } = ((values) => ({ challenges: Number(values.challenges) }))(
  parseArgs({ options: { challenges: { type: 'string', default: '5000000' } } }).values,
);

/** A part of the backlog that was removed. */
interface Part {
  readonly rows: number;
  readonly seconds: number;
  /** Dead rows that a vacuum at its end removed, and could not remove. */
  readonly vacuumed: string;
  readonly kept: number;
}

const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, false);
const close = closingOnce(() => cluster.close());
try {
  const url = await cluster.createDatabase('housekeeping');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await fillTokens(client, { tokens: TOKENS, users: 1_000, realms: 20 });
    await fillClosedChallenges(client, challenges, TOKENS);
    await publish(await removeAll(url, client));
  } finally {
    await client.end();
  }
} finally {
  await close();
}

/** Removes the whole backlog in one round, with a vacuum after each part, as autovacuum does. */
async function removeAll(url: string, client: pg.Client): Promise<readonly Part[]> {
  const database = openDatabase({ connection: url });
  const bar = new ProgressBar('removal', challenges);
  const vacuums: Promise<Part>[] = [];
  let [done, begun] = [0, performance.now()];
  await new HousekeepingStore({ database }).clear(momentsAt(new Date(Date.now() + 60_000), 0), {
    signal: new AbortController().signal,
    removed: ({ chore, rows }) => {
      const before = done;
      done += chore === 'challenges' ? rows : 0;
      bar.show(done);
      if (Math.floor((done * PARTS) / challenges) > Math.floor((before * PARTS) / challenges)) {
        const seconds = (performance.now() - begun) / 1000;
        begun = performance.now();
        vacuums.push(vacuum(client).then((dead) => ({ rows: challenges / PARTS, seconds, ...dead })));
      }
    },
  });
  const parts = await Promise.all(vacuums);
  await database.close();
  return parts;
}

async function vacuum(client: pg.Client): Promise<Pick<Part, 'vacuumed' | 'kept'>> {
  let found: readonly string[] = [];
  const listen = ({ message = '' }): void => {
    found = /tuples: (\d+) removed.*?(\d+) are dead but not yet removable/s.exec(message) ?? found;
  };
  client.on('notice', listen);
  await client.query('VACUUM (VERBOSE, PROCESS_TOAST false) challenges');
  client.off('notice', listen);
  const [, vacuumed = '', kept = ''] = found;
  return { vacuumed, kept: Number(kept) };
}

async function publish(parts: readonly Part[]): Promise<void> {
  const rates = parts.map(({ rows, seconds }) => rows / seconds);
  const isSteady = (rates.at(-1) ?? 0) >= (rates[0] ?? 0) * LIMIT;
  await publishResults({
    name: 'housekeeping',
    title: 'Housekeeping',
    command: benchCommand('bench:housekeeping'),
    measures:
      'Removal of old closed challenges in one round, with a vacuum after each part: [Benchmarks](../benchmarks.md#housekeeping).',
    software: `PostgreSQL ${cluster.version}`,
    sections: [
      `${challenges} closed challenges of ${TOKENS} tokens.`,
      {
        head: ['Part', 'Rows a second', 'Dead rows vacuumed', 'Not removable'],
        rows: parts.map(({ vacuumed, kept }, index) => [
          `${index + 1} of ${PARTS}`,
          (rates[index] ?? 0).toFixed(0),
          vacuumed,
          kept,
        ]),
      },
      `- ${isSteady ? 'PASS' : 'FAIL'}: the last part is removed at least ${LIMIT} as fast as the first`,
    ],
  });
  process.exitCode = isSteady ? 0 : 1;
}
