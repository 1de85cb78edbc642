import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/kernel/clock.ts';
import { MetricsSum } from '../../src/observability/metrics-sum.ts';
import { type MetricsSnapshot, ServiceMetrics } from '../../src/observability/service-metrics.ts';

let sum: MetricsSum;
let one: ServiceMetrics;
let other: ServiceMetrics;

beforeEach(() => {
  sum = new MetricsSum();
  one = new ServiceMetrics({ clock: systemClock });
  other = new ServiceMetrics({ clock: systemClock });
  [one, other].forEach((metrics) => {
    metrics.measureProcess();
    metrics.measureDatabase(() => ({ used: 1, free: 2, waiting: 0, auditLanes: 1 }));
  });
});

function requests(metrics: ServiceMetrics, times: number): void {
  for (let index = 0; index < times; index += 1) {
    metrics.requestBegun()({ endpoint: '/ocra/check_t', status: '2xx' });
  }
}

/** Reports the metrics as they come from another process. */
async function report(pid: number, metrics: ServiceMetrics): Promise<void> {
  sum.report(pid, JSON.parse(JSON.stringify(await metrics.snapshot())) as MetricsSnapshot);
}

describe('the metrics of several processes', () => {
  it('are summed: counts, histograms and connections', async () => {
    requests(one, 3);
    requests(other, 4);
    await report(1, one);
    await report(2, other);
    const text = await sum.text();
    expect(text).toMatch(/^tankeeper_http_requests_total\{endpoint="\/ocra\/check_t",status="2xx"\} 7$/m);
    expect(text).toMatch(/^tankeeper_http_request_duration_seconds_count\{endpoint="\/ocra\/check_t"\} 7$/m);
    expect(text).toMatch(
      /^tankeeper_http_request_duration_seconds_bucket\{le="\+Inf",endpoint="\/ocra\/check_t"\} 7$/m,
    );
    expect(text).toMatch(/^tankeeper_database_connections\{state="free"\} 4$/m);
  });

  it('show the greatest of ages and times, of which a sum means nothing', async () => {
    one.resolvers.lastCounted('r', new Date(Date.now() - 100_000));
    other.resolvers.lastCounted('r', new Date(Date.now() - 50_000));
    one.housekeeping.roundDone('done');
    await report(1, one);
    await report(2, other);
    const text = await sum.text();
    expect(text).toMatch(/^tankeeper_resolver_count_age_seconds\{resolver="r"\} 10[0-9](\.\d+)?$/m);
    const last = /^tankeeper_housekeeping_last_round_timestamp_seconds (\S+)$/m.exec(text)?.[1];
    expect(Number(last)).toBeLessThanOrEqual(Date.now() / 1000);
    expect(Number(last)).toBeGreaterThan(Date.now() / 1000 - 60);
  });

  it('show a resolver as up where the last use by any process succeeded', async () => {
    let seconds = 1_000;
    const clock = { now: () => new Date(seconds * 1000) };
    [one, other] = [new ServiceMetrics({ clock }), new ServiceMetrics({ clock })];
    const shown = async (): Promise<readonly (string | undefined)[]> => {
      await report(1, one);
      await report(2, other);
      const text = await sum.text();
      return ['r', 's'].map(
        (resolver) =>
          new RegExp(`^tankeeper_resolver_up\\{resolver="${resolver}"\\} (\\d+)$`, 'm').exec(text)?.[1],
      );
    };
    one.resolvers.resolverUnavailable('r');
    expect(await shown()).toEqual(['0', undefined]);
    seconds += 1;
    other.resolvers.resolverAnswered('r');
    one.resolvers.resolverAnswered('s');
    expect(await shown()).toEqual(['1', '1']);
    seconds += 1;
    one.resolvers.resolverUnavailable('r');
    expect(await shown()).toEqual(['0', '1']);
    // Of resolvers that are configured no longer, nothing is said.
    one.resolvers.follow(() => ['r']);
    expect(await shown()).toEqual(['0', undefined]);
  });

  it('keep what an ended process had counted, and nothing of its present', async () => {
    requests(one, 3);
    await report(1, one);
    sum.forget(1);
    requests(other, 4);
    await report(2, other);
    await report(2, other);
    sum.forget(3);
    let text = await sum.text();
    expect(text).toMatch(/^tankeeper_http_requests_total\{endpoint="\/ocra\/check_t",status="2xx"\} 7$/m);
    expect(text).toMatch(/^tankeeper_http_request_duration_seconds_count\{endpoint="\/ocra\/check_t"\} 7$/m);
    expect(text).toMatch(/^tankeeper_database_connections\{state="free"\} 2$/m);
    sum.forget(2);
    text = await sum.text();
    expect(text).toMatch(/^tankeeper_http_requests_total\{endpoint="\/ocra\/check_t",status="2xx"\} 7$/m);
  });
});
