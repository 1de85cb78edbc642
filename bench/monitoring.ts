import { parseArgs } from 'node:util';
import { join } from 'node:path';

import pg from 'pg';

import { openBenchCluster } from './bench-cluster.ts';
import { startBenchServer } from './bench-server.ts';
import { ClosingStack } from './closing-stack.ts';
import { HttpProbe } from './http-probe.ts';
import { ProgressBar } from './progress-bar.ts';
import { benchCommand, publishResults, type ResultTable } from './result-page.ts';
import { fillTokens } from './token-fill.ts';
import { median, quantile, range, ratiosByRound, rotate, type Rounds } from './sample-statistics.ts';

/** `npm run bench:monitoring -- --tokens 10000000`: see docs/benchmarks.md. */

const MIN_TOKENS = 10_000;
const MIDDLE = 1_000_000;
const USERS = 300_000;
const REALMS = 20;
/** Requests of each kind before any is timed. */
const WARM_UP = 150;
const READY = '/readyz';

/** A kind of request. */
interface Kind {
  readonly name: string;
  readonly path: string;
  /** True if a token is switched before each request, so that nothing that the server keeps is up to date. */
  readonly afterChange?: boolean;
}

const BASE: Kind = { name: 'SELECT 1 (readyz)', path: READY };
/** Held to the limits. */
const MEASURED: readonly Kind[] = [
  { name: 'tokens', path: '/monitoring/tokens?realms=*' },
  {
    name: 'tokens, four statuses',
    path: '/monitoring/tokens?realms=*&status=active,inactive,assigned,unassigned',
  },
  {
    name: 'tokens, statuses with &',
    path: '/monitoring/tokens?realms=*&status=active%26assigned,inactive%26assigned,active%26unassigned,inactive%26unassigned',
  },
  { name: 'activeUsers', path: '/monitoring/activeUsers?realms=*' },
  { name: 'license', path: '/monitoring/license' },
  { name: 'userinfo', path: '/monitoring/userinfo' },
];
/** Shown, held to nothing: the limits are for questions, this is a question and a change. */
const AFTER_CHANGE: Kind = {
  name: 'tokens, one just switched',
  path: '/monitoring/tokens?realms=*',
  afterChange: true,
};
const KINDS: readonly Kind[] = [BASE, ...MEASURED, AFTER_CHANGE];

const LIMIT_BY_SIZE = 1.2;
const LIMIT_BY_BASE = 2.5;

/** A database of one size with a server on it, and what was measured there. */
interface Subject {
  readonly tokens: number;
  readonly probe: HttpProbe;
  readonly client: pg.Client;
  readonly rounds: ReadonlyMap<Kind, number[][]>;
}

const { values: flags } = parseArgs({
  options: {
    tokens: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '100' },
    requests: { type: 'string', default: '10' },
  },
});
process.exitCode = (await run(Number(flags.tokens), Number(flags.rounds), Number(flags.requests))) ? 0 : 1;

async function run(largest: number, rounds: number, requests: number): Promise<boolean> {
  const sizes = [MIN_TOKENS, MIDDLE].filter((size) => size < largest);
  await using closing = new ClosingStack();
  const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, false);
  closing.add(() => cluster.close());
  const subjects: Subject[] = [];
  for (const tokens of [...sizes, largest]) {
    const url = await cluster.createDatabase(`tokens_${tokens}`);
    subjects.push(await openSubject(closing, url, tokens, join(cluster.folder, `server-${tokens}`)));
  }
  await measure(subjects, rounds, requests);
  const verdicts = MEASURED.flatMap((kind) => judge(kind, subjects));
  const isKept = verdicts.every(({ kept }) => kept);
  await publishResults({
    name: 'monitoring',
    title: 'Monitoring',
    command: benchCommand('bench:monitoring'),
    measures:
      'Response times of `/monitoring` by the number of tokens: [Benchmarks](../benchmarks.md#monitoring).',
    software: `PostgreSQL ${cluster.version}`,
    sections: [
      `${REALMS} realms, ${USERS} users, ${rounds} rounds of ${requests} requests, one at a time.`,
      timesTable(subjects),
      isKept
        ? `- PASS: each median at ${largest} tokens is at most ${LIMIT_BY_SIZE} × that at ${sizes[0] ?? largest}, and ${LIMIT_BY_BASE} × SELECT 1 through the same server`
        : verdicts.flatMap(({ text, kept }) => (kept ? [] : [`- FAIL: ${text}`])).join('\n'),
    ],
  });
  return isKept;
}

async function openSubject(
  closing: ClosingStack,
  url: string,
  tokens: number,
  folder: string,
): Promise<Subject> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  closing.add(() => client.end());
  await fillTokens(client, { tokens, users: USERS, realms: REALMS });
  const server = await startBenchServer(url, folder);
  closing.add(() => server.stop());
  const probe = new HttpProbe(server.baseUrl, server.apiToken);
  await assertTotal(probe, tokens);
  return { tokens, probe, client, rounds: new Map(KINDS.map((kind) => [kind, []])) };
}

/** A quick answer that is wrong is worth nothing. */
async function assertTotal(probe: HttpProbe, tokens: number): Promise<void> {
  const { body } = await probe.ask('/monitoring/tokens?realms=*');
  const { result } = JSON.parse(body) as { result: { value: { Summary: { total: number } } } };
  if (result.value.Summary.total !== tokens) {
    throw new Error(`Of ${tokens} tokens ${result.value.Summary.total} were counted`);
  }
}

/** Kinds and sizes take turns within each round, in another order each time: noise of the machine hits all alike. */
async function measure(subjects: readonly Subject[], rounds: number, requests: number): Promise<void> {
  const bar = new ProgressBar('requests', rounds + 1);
  for (const subject of subjects) {
    for (const kind of KINDS) {
      await times(subject, kind, WARM_UP);
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    bar.show(round + 1);
    for (const kind of rotate(KINDS, round)) {
      for (const subject of rotate(subjects, round)) {
        subject.rounds.get(kind)?.push(await times(subject, kind, requests));
      }
    }
  }
  bar.show(rounds + 1);
}

async function times({ probe, client, tokens }: Subject, kind: Kind, requests: number): Promise<number[]> {
  const taken: number[] = [];
  for (let request = 0; request < requests; request += 1) {
    if (kind.afterChange === true) {
      await client.query('UPDATE tokens SET active = NOT active WHERE id = $1', [1 + (request % tokens)]);
    }
    taken.push((await probe.ask(kind.path)).milliseconds);
  }
  if (kind.afterChange === true) {
    // The other kinds are measured without a delta that is pending.
    await client.query('SELECT fold_counts($1)', [requests * 2]);
  }
  return taken;
}

function timesTable(subjects: readonly Subject[]): ResultTable {
  const timesOf = (kind: Kind, subject: Subject): readonly (string | number)[] => {
    const rounds = roundsOf(subject, kind);
    return [
      kind.name,
      subject.tokens,
      median(rounds.flat()).toFixed(3),
      quantile(rounds.flat(), 0.99).toFixed(3),
      describeRatio(rounds, roundsOf(subject, BASE)),
      describeRatio(rounds, roundsOf(subjects[0], kind)),
    ];
  };
  return {
    head: ['request', 'tokens', 'median, ms', 'p99, ms', 'ratio to SELECT 1', 'ratio to the smallest size'],
    rows: KINDS.flatMap((kind) => subjects.map((subject) => timesOf(kind, subject))),
  };
}

interface Verdict {
  readonly text: string;
  readonly kept: boolean;
}

function judge(kind: Kind, subjects: readonly Subject[]): readonly Verdict[] {
  const largest = subjects.at(-1);
  const middle = (subject: Subject | undefined, of: Kind): number => median(roundsOf(subject, of).flat());
  const bySize = middle(largest, kind) / middle(subjects[0], kind);
  const byBase = middle(largest, kind) / middle(largest, BASE);
  const verdict = (ratio: number, limit: number, to: string): Verdict => ({
    text: `${kind.name}: median at ${largest?.tokens ?? 0} tokens is ${ratio.toFixed(2)} × ${to} (limit ${limit})`,
    kept: ratio <= limit,
  });
  return [
    verdict(bySize, LIMIT_BY_SIZE, `that at ${subjects[0]?.tokens ?? 0}`),
    verdict(byBase, LIMIT_BY_BASE, 'SELECT 1 through the same server'),
  ];
}

function roundsOf(subject: Subject | undefined, kind: Kind): Rounds {
  return subject?.rounds.get(kind) ?? [];
}

/** Pairs of one round each: their median, and the outermost of them. */
function describeRatio(one: Rounds, other: Rounds): string {
  const ratios = ratiosByRound(one, other);
  return `${median(ratios).toFixed(2)} (${range(ratios)
    .map((ratio) => ratio.toFixed(2))
    .join('–')})`;
}
