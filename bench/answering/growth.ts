import { randomBytes } from 'node:crypto';
import type pg from 'pg';

import { fillClosedChallenges } from '../challenge-fill.ts';
import { FormProbe } from '../form-probe.ts';
import { ProgressBar } from '../progress-bar.ts';
import type { ResultTable } from '../result-page.ts';
import { median, range, ratiosByRound, summarise } from '../sample-statistics.ts';
import { fillTokens } from '../token-fill.ts';
import { issueStatement, readStatement, settleStatement } from './bare-statements.ts';
import { type MeasuredInstallation, openInstallation, type Workplace } from './installation.ts';
import { describeMachine, machineLine } from './machine.ts';
import { prepareAnswers, prepareRequests, spreadMeasuredTokens } from './measured-tokens.ts';
import { publish } from './publication.ts';

const USERS = 300_000;
const REALMS = 20;
const REQUESTS = 40;
const WARM_UP = 80;
const LIMIT = 1.15;
const CHECK = 'check_t';

/** Does one thing once. @returns its time in milliseconds */
type Sample = () => Promise<number>;

/** A database of one size with a server on it, and what was measured there. */
interface Subject {
  readonly tokens: number;
  readonly client: pg.Client;
  readonly samples: Readonly<Record<string, Sample>>;
  readonly rounds: Readonly<Record<string, number[][]>>;
}

/** Measures check_t and request, and their statements, by the number of tokens and of closed challenges. */
export async function measureGrowth(workplace: Workplace, sizes: readonly number[]): Promise<void> {
  const { options } = workplace;
  const subjects: Subject[] = [];
  for (const tokens of sizes) {
    subjects.push(await openSubject(workplace, tokens, WARM_UP + options.rounds * REQUESTS));
  }
  for (const { samples } of subjects) {
    for (const sample of Object.values(samples)) {
      await repeat(sample, WARM_UP);
    }
  }
  const bar = new ProgressBar('rounds', options.rounds);
  for (let round = 0; round < options.rounds; round += 1) {
    await measureOnce(round % 2 === 0 ? subjects : subjects.toReversed());
    bar.show(round + 1);
  }
  await publishGrowth(workplace, subjects);
}

/** Measures one kind after the other, each at all sizes in turn. */
async function measureOnce(subjects: readonly Subject[]): Promise<void> {
  for (const kind of Object.keys(subjects[0]?.samples ?? {})) {
    for (const { samples, rounds } of subjects) {
      const sample = samples[kind];
      if (sample !== undefined) {
        rounds[kind]?.push(await repeat(sample, REQUESTS));
      }
    }
  }
}

async function openSubject(workplace: Workplace, tokens: number, requests: number): Promise<Subject> {
  const installation = await openInstallation(workplace, {
    name: `tokens_${tokens}`,
    fill: async (client) => {
      // The wait for the disk does not depend on the size, and would hide what does.
      const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
      await client.query(`ALTER DATABASE ${rows[0]?.name ?? ''} SET synchronous_commit = off`);
      await fillTokens(client, { tokens, users: Math.min(USERS, tokens), realms: REALMS });
      await fillClosedChallenges(client, tokens, tokens);
    },
  });
  const { client } = installation;
  await spreadMeasuredTokens(client, tokens);
  await client.query('VACUUM (ANALYZE) tokens');
  await loadIntoMemory(client);
  const forms = await prepareAnswers(client, 2 * requests);
  const samples = {
    ...(await httpSamples(workplace, installation, forms.slice(0, requests))),
    ...(await statementSamples(client, forms.slice(requests))),
  };
  const rounds = Object.fromEntries(Object.keys(samples).map((kind) => [kind, []]));
  return { tokens, client, samples, rounds };
}

/** Reads tables and indexes into the shared buffers, as far as they fit: a measured row is asked for only once. */
async function loadIntoMemory(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT FROM pg_available_extensions WHERE name = 'pg_prewarm'");
  if (rows.length > 0) {
    await client.query('CREATE EXTENSION pg_prewarm');
    await client.query(`
      SELECT pg_prewarm(oid) FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'i')`);
  }
}

/** One client, one request at a time over one connection. */
async function httpSamples(
  { closing }: Workplace,
  { servers: [server], client }: MeasuredInstallation,
  answers: readonly string[],
): Promise<Readonly<Record<string, Sample>>> {
  const probe = new FormProbe(server.baseUrl);
  closing.add(() => {
    probe.close();
    return Promise.resolve();
  });
  const headers = { Authorization: `Bearer ${server.apiToken}` };
  const posting = (path: string, forms: readonly string[], expected: string): Sample => {
    let next = 0;
    return async () => {
      const parameters = Object.fromEntries(new URLSearchParams(forms[next % forms.length]));
      next += 1;
      const { milliseconds, body } = await probe.post({ path, parameters, headers });
      if (!body.includes(expected)) {
        throw new Error(`${path} was answered ${body}`);
      }
      return milliseconds;
    };
  };
  return {
    [CHECK]: posting('/ocra/check_t', answers, '"result": true'),
    request: posting('/ocra/request', await prepareRequests(client), '"transactionid"'),
  };
}

/** The statements of the yardstick on the tables of the service, each rolled back. @param answers to challenges that stay open */
async function statementSamples(
  client: pg.Client,
  answers: readonly string[],
): Promise<Readonly<Record<string, Sample>>> {
  const { rows } = await client.query<{ id: string; transaction_id: string; token_id: string }>(
    'SELECT id, transaction_id, token_id FROM challenges WHERE transaction_id = ANY ($1)',
    [answers.map((form) => new URLSearchParams(form).get('transactionid'))],
  );
  const timed = (
    name: string,
    text: string,
    valuesOf: (row: (typeof rows)[number]) => readonly string[],
  ): Sample => {
    let next = 0;
    return async () => {
      const row = rows[next % rows.length] ?? { id: '', transaction_id: '', token_id: '' };
      next += 1;
      await client.query('BEGIN');
      const begun = performance.now();
      const { rowCount } = await client.query({ name, text, values: [...valuesOf(row)] });
      const milliseconds = performance.now() - begun;
      await client.query('ROLLBACK');
      if (rowCount !== 1) {
        throw new Error(`The statement ${name} found ${rowCount ?? 0} rows`);
      }
      return milliseconds;
    };
  };
  return {
    'statement: look': timed('look', readStatement('$1', 'public'), (row) => [row.transaction_id]),
    'statement: settle': timed('settle', settleStatement('$1::bigint', 'public'), (row) => [row.id]),
    'statement: issue': timed('issue', issueStatement('$1::bigint', '$2', 'public'), (row) => [
      row.token_id,
      randomBytes(10).toString('hex'),
    ]),
  };
}

async function repeat(sample: Sample, times: number): Promise<number[]> {
  const taken: number[] = [];
  while (taken.length < times) {
    taken.push(await sample());
  }
  return taken;
}

async function publishGrowth({ options }: Workplace, subjects: readonly Subject[]): Promise<void> {
  const [smallest] = subjects;
  const largest = subjects.at(-1);
  if (smallest === undefined || largest === undefined) {
    return;
  }
  const machine = await describeMachine(smallest.client);
  const ratio = median(ratiosByRound(largest.rounds[CHECK] ?? [], smallest.rounds[CHECK] ?? []));
  const isKept = ratio <= LIMIT;
  process.exitCode = isKept ? 0 : 1;
  await publish(
    {
      name: 'answering-growth',
      title: 'Answering by the number of tokens',
      measures: 'Response times of one client: [Benchmarks](../benchmarks.md#answering).',
      software: `PostgreSQL ${machine.postgres}`,
      sections: [
        `As many closed challenges as tokens. ${options.rounds} rounds of ${REQUESTS} of each kind, one at a time.`,
        growthTable(subjects, smallest),
        `- ${isKept ? 'PASS' : 'FAIL'}: ${CHECK} at ${largest.tokens} tokens takes ${ratio.toFixed(2)} × its time at ${smallest.tokens} (limit ${LIMIT})`,
        machineLine(machine),
      ],
      data: { machine, sizes: subjects.map(({ tokens, rounds }) => ({ tokens, rounds })) },
      chart: {
        title: 'Response times by the number of tokens',
        unit: 'ms',
        bars: Object.keys(smallest.rounds).flatMap((kind) =>
          subjects.map(({ tokens, rounds }) => {
            const { median: value, spread } = summarise(rounds[kind] ?? []);
            const label = `${kind}, ${tokens.toLocaleString('en')} tokens`;
            return { label, value, least: spread[0], most: spread[1], kind: tokens.toLocaleString('en') };
          }),
        ),
      },
    },
    options.out,
  );
}

function growthTable(subjects: readonly Subject[], smallest: Subject): ResultTable {
  return {
    head: ['what', 'tokens', 'median, ms', 'p99, ms', 'ratio to the smallest size'],
    rows: Object.keys(smallest.rounds).flatMap((kind) =>
      subjects.map(({ tokens, rounds }) => {
        const { median: middle, p99 } = summarise(rounds[kind] ?? []);
        const ratios = ratiosByRound(rounds[kind] ?? [], smallest.rounds[kind] ?? []);
        return [
          kind,
          tokens,
          middle.toFixed(3),
          p99.toFixed(3),
          `${median(ratios).toFixed(2)} (${range(ratios)
            .map((value) => value.toFixed(2))
            .join('–')})`,
        ];
      }),
    ),
  };
}
