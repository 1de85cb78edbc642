import { join } from 'node:path';
import { parseArgs } from 'node:util';

import pg from 'pg';

import { type Database, openDatabase } from '../src/database/database.ts';
import { TokenStore } from '../src/tokens/token-store.ts';
import { ACT, tokenValue } from '../tests/support/values/token-values.ts';
import { closingOnce, openBenchCluster } from './bench-cluster.ts';
import { startBenchServer } from './bench-server.ts';
import { ProgressBar } from './progress-bar.ts';
import { benchCommand, publishResults, type ResultTable } from './result-page.ts';
import { median, range } from './sample-statistics.ts';

/** `npm run bench:enrolment`: see docs/benchmarks.md. */

const WRITERS = 16;
const LIMIT = 0.8;
const OWNERS = 300_000;
const INSERT = `INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login, ocra_suite, seed)
  VALUES ($1, 'ocra2', true, $2, $3, $4, $4, 'OCRA-1:HOTP-SHA256-8:C-QA64', $5)`;
const SEED = Buffer.alloc(64, 0x5a);

/** Enrols one token, active, assigned, in the one realm. @param number of the token, never twice the same */
type Enrol = (writer: number, number: number) => Promise<unknown>;

/** A way to enrol, and the tokens a second of each round, with the triggers and without. */
interface Way {
  readonly name: string;
  readonly enrol: Enrol;
  readonly counted: number[];
  readonly uncounted: number[];
}

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '4' },
    /** Does not wait for the disk at each commit: what is left is the work, of which the triggers are a larger part. */
    'no-sync': { type: 'boolean', default: false },
  },
});
process.exitCode = (await run(Number(flags.rounds), Number(flags.seconds), !flags['no-sync'])) ? 0 : 1;

async function run(rounds: number, seconds: number, durable: boolean): Promise<boolean> {
  const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, durable);
  const opened: (() => Promise<void>)[] = [() => cluster.close()];
  const close = closingOnce(async () => {
    for (const one of opened.toReversed()) {
      await one();
    }
  });
  try {
    const url = await cluster.createDatabase('enrolment');
    const database = openDatabase({ connection: url, poolSize: WRITERS });
    opened.push(() => database.close());
    const clients = Array.from({ length: WRITERS }, () => new pg.Client({ connectionString: url }));
    await Promise.all(clients.map((client) => client.connect()));
    opened.push(async () => {
      await Promise.all(clients.map((client) => client.end()));
    });
    const ways = await prepare(database, clients);
    // Folds as it does in service.
    const server = await startBenchServer(url, join(cluster.folder, 'server'));
    opened.push(() => server.stop());
    await alternate(database, ways, rounds, seconds * 1000);
    await publishResults({
      name: durable ? 'enrolment' : 'enrolment-no-sync',
      title: 'Enrolment',
      command: benchCommand('bench:enrolment'),
      measures: 'Enrolments a second with and without the counts: [Benchmarks](../benchmarks.md#enrolment).',
      software: `PostgreSQL ${cluster.version}`,
      sections: [
        `${WRITERS} writers, ${rounds} rounds of ${seconds} s each way. Commits ${durable ? '' : 'do not '}wait for the disk.`,
        ratesTable(ways),
        ways.map((way) => `- ${isKept(way) ? 'PASS' : 'FAIL'}: ${way.name} (limit ${LIMIT})`).join('\n'),
      ],
    });
    return ways.every(isKept);
  } finally {
    await close();
  }
}

async function prepare(database: Database, clients: readonly pg.Client[]): Promise<readonly Way[]> {
  const { rows } = await database.knex.raw<{ rows: [{ resolver: string; set: string }] }>(`
    WITH resolver AS (INSERT INTO resolvers (name, kind) VALUES ('people', 'passwd') RETURNING id),
      realm AS (INSERT INTO realms (name) VALUES ('everybody') RETURNING id)
    SELECT resolver.id AS resolver, intern_realm_set(ARRAY[realm.id]) AS set FROM resolver, realm`);
  const [{ resolver, set }] = rows;
  const store = new TokenStore({ database });
  const ownerOf = (number: number): string => `user${number % OWNERS}`;
  return [
    {
      name: 'through the store of the service',
      enrol: (_writer, number) =>
        store.insert(
          tokenValue(`S${number}`, {
            realms: ['everybody'],
            owner: {
              resolverId: resolver,
              resolver: 'people',
              userId: ownerOf(number),
              login: ownerOf(number),
            },
          }),
          ACT,
        ),
      counted: [],
      uncounted: [],
    },
    {
      name: 'bare INSERT',
      enrol: async (writer, number) =>
        clients[writer]?.query({
          name: 'enrol',
          text: INSERT,
          values: [`B${number}`, set, resolver, ownerOf(number), SEED],
        }),
      counted: [],
      uncounted: [],
    },
  ];
}

/** With, without, without, with, …: what changes in the course of time then hits both alike. */
async function alternate(
  database: Database,
  ways: readonly Way[],
  rounds: number,
  milliseconds: number,
): Promise<void> {
  const bar = new ProgressBar('rounds', rounds + 1);
  const numbers = { next: 0 };
  for (let round = 0; round <= rounds; round += 1) {
    for (const way of ways) {
      for (const counts of round % 2 === 0 ? [true, false] : [false, true]) {
        await database.knex.raw(`ALTER TABLE tokens ${counts ? 'ENABLE' : 'DISABLE'} TRIGGER USER`);
        const rate = await rateOf(way.enrol, numbers, milliseconds);
        // The first round only warms up.
        if (round > 0) {
          (counts ? way.counted : way.uncounted).push(rate);
        }
      }
    }
    bar.show(round + 1);
  }
}

/** @returns tokens a second of all writers together */
async function rateOf(enrol: Enrol, numbers: { next: number }, milliseconds: number): Promise<number> {
  const first = numbers.next;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_value, writer) => {
      while (performance.now() - begun < milliseconds) {
        numbers.next += 1;
        await enrol(writer, numbers.next);
      }
    }),
  );
  return ((numbers.next - first) * 1000) / (performance.now() - begun);
}

function ratesTable(ways: readonly Way[]): ResultTable {
  return {
    head: ['enrolment', 'with counts, 1/s', 'without counts, 1/s', 'ratio', 'ratios of the rounds'],
    rows: ways.map((way) => [
      way.name,
      describeRates(way.counted),
      describeRates(way.uncounted),
      median(ratiosOf(way)).toFixed(2),
      range(ratiosOf(way))
        .map((ratio) => ratio.toFixed(2))
        .join('–'),
    ]),
  };
}

function isKept(way: Way): boolean {
  return median(ratiosOf(way)) >= LIMIT;
}

/** @returns the rate with counts over the rate without, for each round */
function ratiosOf({ counted, uncounted }: Way): readonly number[] {
  return counted.map((rate, round) => rate / (uncounted[round] ?? Number.NaN));
}

function describeRates(rates: readonly number[]): string {
  return `${median(rates).toFixed(0)} (${range(rates)
    .map((rate) => rate.toFixed(0))
    .join('–')})`;
}
