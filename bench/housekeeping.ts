import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';

import { openDatabase } from '../src/database/database.ts';
import { HousekeepingStore } from '../src/housekeeping/housekeeping-store.ts';
import { momentsAt } from '../src/housekeeping/housekeeping.ts';
import { type LoadProcess, startLoadProcess } from './answering/load-process.ts';
import { loadMeasuredTokens } from './answering/measured-tokens.ts';
import { checking, type Figures, type Prepared, runJob } from './answering/measures.ts';
import { openBenchCluster } from './bench-cluster.ts';
import { startBenchServer } from './bench-server.ts';
import { fillClosedChallenges } from './challenge-fill.ts';
import { ClosingStack } from './closing-stack.ts';
import { ProgressBar } from './progress-bar.ts';
import { benchCommand, publishResults } from './result-page.ts';
import { median, range } from './sample-statistics.ts';
import { fillTokens } from './token-fill.ts';

/** `npm run bench:housekeeping -- --challenges 5000000`: see docs/benchmarks.md. */

const TOKENS = 10_000;
const PARTS = 5;
/** The last part may remove so much slower than the first. */
const LIMIT = 0.5;
/** check_t a second that arrive meanwhile; the seconds of a round of them, and the rounds before and afterwards. */
const RATE = 100;
const ROUND = { seconds: 20, warmUp: 1 };
const ALONE = 5;
/** The most seconds of these in all: their challenges are open from the beginning. */
const LONGEST = 1_800;

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

/** Processes that wanted to run before it began. */
const busy = (loadavg()[0] ?? 0).toFixed(1);
const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, false);
const closing = new ClosingStack();
closing.add(() => cluster.close());
try {
  const url = await cluster.createDatabase('housekeeping');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  closing.add(() => client.end());
  await fillTokens(client, { tokens: TOKENS, users: 1_000, realms: 20 });
  await fillClosedChallenges(client, challenges, TOKENS);
  const filled = new Date();
  const check = await openCheck(url, client);
  const before = await rounds(check, (done) => done === ALONE);
  let isRemoved = false;
  const removal = removeAll(url, client, filled).finally(() => (isRemoved = true));
  const beside = await rounds(check, () => isRemoved);
  const parts = await removal;
  // The last one has also seen the time after the end.
  await publish(parts, {
    before,
    beside: beside.slice(0, -1),
    after: await rounds(check, (done) => done === ALONE),
  });
} finally {
  await closing.close();
}

/** @returns a function that has check_t with right responses arrive at a server, evenly, for one round */
async function openCheck(url: string, client: pg.Client): Promise<() => Promise<Figures>> {
  const server = await startBenchServer(url, join(cluster.folder, 'server'), {
    rights: '*',
    environment: { HOUSEKEEPING_INTERVAL: 'off' },
  });
  closing.add(() => server.stop());
  await server.run(['setting', 'set', 'OcraChallengeTimeout', '2H']);
  await loadMeasuredTokens(server, client, cluster.folder);
  const load = startLoadProcess();
  closing.add(() => load.stop());
  const prepared = await checking({ servers: [server], client }, RATE * LONGEST);
  let next = 0;
  return () => {
    const first = next;
    next += RATE * (ROUND.seconds + ROUND.warmUp) + RATE;
    return checked(load, prepared, first, next);
  };
}

function checked(load: LoadProcess, { job, pids }: Prepared, first: number, end: number): Promise<Figures> {
  const bodies = job.bodies.slice(first, end);
  return runJob(load, { ...job, bodies, connections: 8, rate: RATE, ...ROUND }, pids);
}

async function rounds(
  check: () => Promise<Figures>,
  isOver: (done: number) => boolean,
): Promise<readonly Figures[]> {
  const all: Figures[] = [];
  while (!isOver(all.length)) {
    all.push(await check());
  }
  return all;
}

/** Removes the whole backlog in one round, with a vacuum after each part, as autovacuum does. */
async function removeAll(url: string, client: pg.Client, before: Date): Promise<readonly Part[]> {
  const database = openDatabase({ connection: url });
  const bar = new ProgressBar('removal', challenges);
  const vacuums: Promise<Part>[] = [];
  let [done, begun] = [0, performance.now()];
  await new HousekeepingStore({ database }).clear(momentsAt(before, 0), {
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

async function publish(
  parts: readonly Part[],
  { before, beside, after }: Readonly<Record<'before' | 'beside' | 'after', readonly Figures[]>>,
): Promise<void> {
  const rates = parts.map(({ rows, seconds }) => rows / seconds);
  const isSteady = (rates.at(-1) ?? 0) >= (rates[0] ?? 0) * LIMIT;
  const p99 = (runs: readonly Figures[]): number => median(runs.map((one) => one.p99));
  const ratio = p99(beside) / p99([...before, ...after]);
  await publishResults({
    name: 'housekeeping',
    title: 'Housekeeping',
    command: benchCommand('bench:housekeeping'),
    measures:
      'Removal of old closed challenges in one round, with a vacuum after each part, and check_t beside it: [Benchmarks](../benchmarks.md#housekeeping).',
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
      `check_t with right responses, ${RATE} a second, arrived meanwhile at a server; rounds of ${ROUND.seconds} s.`,
      {
        head: ['check_t', 'Rounds', 'Median, ms', 'p99, ms', 'p99 of the rounds, ms'],
        rows: Object.entries({ before, 'beside the removal': beside, after }).map(([name, runs]) => [
          name,
          runs.length,
          median(runs.map((one) => one.median)).toFixed(1),
          p99(runs).toFixed(1),
          range(runs.map((one) => one.p99))
            .map((time) => time.toFixed(1))
            .join('–'),
        ]),
      },
      `Beside the removal, the p99 is ${ratio.toFixed(1)} times that of the rounds without it (medians of the rounds). The load average of the machine was ${busy} before it began.`,
      `- ${isSteady ? 'PASS' : 'FAIL'}: the last part is removed at least ${LIMIT} as fast as the first`,
    ],
  });
  process.exitCode = isSteady ? 0 : 1;
}
