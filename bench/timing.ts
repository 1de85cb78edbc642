import { join } from 'node:path';
import { parseArgs } from 'node:util';

import pg from 'pg';

import { closingOnce, openBenchCluster } from './bench-cluster.ts';
import { startBenchServer } from './bench-server.ts';
import { FormProbe, type FormRequest } from './form-probe.ts';
import { ProgressBar } from './progress-bar.ts';
import { benchCommand, publishResults, type ResultTable } from './result-page.ts';
import { holm, sampleDifference, type SampleDifference } from './sample-difference.ts';
import { median } from './sample-statistics.ts';
import { checkGroup, loginGroup, type PairGroup, type TimedPair } from './timing-pairs.ts';
import { forgiveResponses, makeTimedTokens } from './timing-tokens.ts';

/** `npm run bench:timing`: see docs/benchmarks.md. */

/** Of each side, before any is timed. */
const WARM_UP = 100;
/** The transaction of the token that is not locked takes a thousand wrong responses. */
const FORGIVE_EVERY = 50;
const ALPHA = 0.01;

/** A pair and the times of its two sides, in milliseconds; what has the same index was measured side by side. */
interface Samples {
  readonly pair: TimedPair;
  readonly one: number[];
  readonly other: number[];
}

/** The results of a pair. */
interface Finding extends SampleDifference {
  readonly samples: Samples;
  /** True if the Mann–Whitney test finds a difference; of judged pairs by Holm, over all of them. */
  readonly isFound: boolean;
  /** True if the whole interval is within the bound. */
  readonly isWithin: boolean;
}

/** `too noisy`: more samples or a quieter machine would tell; `shown` is held to nothing. */
type Verdict = 'PASS' | 'PASS: within the bound' | 'FAIL: found' | 'FAIL: too noisy' | 'shown';

const { values: flags } = parseArgs({
  options: { checks: { type: 'string', default: '3000' }, logins: { type: 'string', default: '1000' } },
});
process.exitCode = (await run({ checks: Number(flags.checks), logins: Number(flags.logins) })) ? 0 : 1;

async function run(sizes: Readonly<Record<PairGroup['name'], number>>): Promise<boolean> {
  const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, false);
  const opened: (() => Promise<void>)[] = [() => cluster.close()];
  const close = closingOnce(async () => {
    for (const one of opened.toReversed()) {
      await one();
    }
  });
  try {
    const url = await cluster.createDatabase('timing');
    const environment = { LIMIT_LOGIN_FAILURES: '10000', HOUSEKEEPING_INTERVAL: 'off' };
    const server = await startBenchServer(url, join(cluster.folder, 'server'), { rights: '*', environment });
    opened.push(() => server.stop());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    opened.push(() => client.end());
    const tokens = await makeTimedTokens(server, client);
    const sections: (ResultTable | string)[] = [];
    let passed = true;
    for (const group of [checkGroup(tokens), loginGroup({ known: 'known', unknown: 'noone' })]) {
      const probe = new FormProbe(server.baseUrl);
      const samples = await measure(group, sizes[group.name], probe, () => forgiveResponses(client));
      probe.close();
      const findings = findingsOf(group, samples);
      sections.push(
        `${sizes[group.name]} samples for each side. Differences within ± ${group.bound} ms do not matter:`,
        findingsTable(findings),
      );
      passed &&= !findings.some((finding) => verdictOn(finding).startsWith('FAIL'));
    }
    await publishResults({
      name: 'timing',
      title: 'Timing',
      command: benchCommand('bench:timing'),
      measures: 'Response times that must not tell two cases apart: [Benchmarks](../benchmarks.md#timing).',
      software: `PostgreSQL ${cluster.version}`,
      sections: [...sections, passed ? 'PASS' : 'FAIL'],
    });
    return passed;
  } finally {
    await close();
  }
}

/** Pairs take turns in a random order, and so do the two sides of each: noise of the machine hits all alike. */
async function measure(
  { name, pairs }: PairGroup,
  size: number,
  probe: FormProbe,
  forgive: () => Promise<void>,
): Promise<readonly Samples[]> {
  const samples = pairs.map((pair): Samples => ({ pair, one: [], other: [] }));
  const bar = new ProgressBar(name, size);
  const warmUp = Math.min(WARM_UP, size);
  for (let round = -warmUp; round < size; round += 1) {
    if (round % FORGIVE_EVERY === 0) {
      await forgive();
    }
    for (const { pair, one, other } of shuffle(samples)) {
      const first = Math.random() < 0.5 ? 'one' : 'other';
      const second = first === 'one' ? 'other' : 'one';
      const times = { [first]: await time(probe, pair[first], pair.answer) };
      times[second] = await time(probe, pair[second], pair.answer);
      if (round >= 0) {
        one.push(times.one ?? Number.NaN);
        other.push(times.other ?? Number.NaN);
      }
    }
    bar.show(Math.max(0, round + 1));
  }
  return samples;
}

/** A quick answer that is wrong is worth nothing. */
async function time(probe: FormProbe, request: FormRequest, answer: RegExp): Promise<number> {
  const { body, milliseconds, status } = await probe.post(request);
  if (!answer.test(body) || status >= 429) {
    throw new Error(`POST ${request.path} was answered ${status}: ${body}`);
  }
  return milliseconds;
}

function shuffle<Value>(values: readonly Value[]): readonly Value[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ value }) => value);
}

function findingsTable(findings: readonly Finding[]): ResultTable {
  return {
    head: ['request', 'medians, ms', 'difference, ms', '95 % interval', 'p', 'verdict'],
    rows: findings.map((finding) => {
      const { pair, one, other } = finding.samples;
      return [
        pair.name,
        `${median(one).toFixed(3)} ${median(other).toFixed(3)}`,
        finding.shift.toFixed(3),
        finding.interval.map((edge) => edge.toFixed(3)).join(' to '),
        finding.p < 0.0001 ? '< 0.0001' : finding.p.toFixed(4),
        verdictOn(finding),
      ];
    }),
  };
}

function findingsOf({ bound }: PairGroup, samples: readonly Samples[]): readonly Finding[] {
  const differences = samples.map((one) => ({ samples: one, ...sampleDifference(one.one, one.other) }));
  const judged = differences.filter(({ samples: { pair } }) => pair.role === 'judged');
  const found = holm(
    judged.map(({ p }) => p),
    ALPHA,
  );
  return differences.map((difference) => {
    const { interval, p } = difference;
    const index = judged.indexOf(difference);
    return {
      ...difference,
      isFound: index === -1 ? p <= ALPHA : found[index] === true,
      isWithin: interval[0] > -bound && interval[1] < bound,
    };
  });
}

function verdictOn({ samples: { pair }, isFound, isWithin }: Finding): Verdict {
  if (pair.role === 'shown') {
    return 'shown';
  }
  if (pair.role === 'planted') {
    return isFound ? 'PASS' : 'FAIL: too noisy';
  }
  if (pair.role === 'bounded' && isFound && isWithin) {
    return 'PASS: within the bound';
  }
  if (isFound) {
    return 'FAIL: found';
  }
  return isWithin ? 'PASS' : 'FAIL: too noisy';
}
