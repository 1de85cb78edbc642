import { AggregatorRegistry, type PrometheusContentType } from 'prom-client';
import { isUp, RESOLVER_HEALTH } from './resolver-metrics.ts';
import type { MetricsSnapshot } from './service-metrics.ts';

/** Types of metrics that only grow, and whose fall would look like a restart of the whole server. */
const GROWING: readonly string[] = ['counter', 'histogram', 'summary'];

/**
 * The metrics of the processes of a server together: sums, and for some gauges the mean, the least or the greatest, as
 * each metric says. What a process has counted stays in the sum after its end, as far as it was reported.
 */
export class MetricsSum {
  readonly #reported = new Map<number, MetricsSnapshot>();
  #ended: MetricsSnapshot = [];

  /** Takes the present metrics of a process. */
  report(pid: number, metrics: MetricsSnapshot): void {
    this.#reported.set(pid, metrics);
  }

  /** Keeps the counts of a process that has ended. */
  forget(pid: number): void {
    const last = this.#reported.get(pid);
    this.#reported.delete(pid);
    if (last !== undefined) {
      const counts = last.filter(({ type }) => GROWING.includes(String(type)));
      // The metrics of a sum have their values at once, which their type does not say.
      this.#ended = sum([this.#ended, counts]).getMetricsAsArray() as unknown as MetricsSnapshot;
    }
  }

  /** @returns the last reports in Prometheus' text format */
  text(): Promise<string> {
    const present = [...this.#reported.values()];
    return sum([...withJointHealth(present), this.#ended]).metrics();
  }
}

/**
 * @returns the snapshots, with the health of resolvers in one of them only: of the last use by any process, which no
 *   sum, mean or extreme of 0 and 1 would be
 */
function withJointHealth(snapshots: readonly MetricsSnapshot[]): readonly MetricsSnapshot[] {
  const success = latest(snapshots, RESOLVER_HEALTH.success);
  const failure = latest(snapshots, RESOLVER_HEALTH.failure);
  const values = [...new Set([...success.keys(), ...failure.keys()])].map((resolver) => {
    const uses = { success: success.get(resolver) ?? 0, failure: failure.get(resolver) ?? 0 };
    return { labels: { resolver }, value: isUp(uses) ? 1 : 0 };
  });
  return snapshots.map((snapshot, place) =>
    snapshot.map((metric) =>
      metric.name === RESOLVER_HEALTH.up ? { ...metric, values: place === 0 ? values : [] } : metric,
    ),
  );
}

/** @returns the greatest value by resolver */
function latest(snapshots: readonly MetricsSnapshot[], name: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { values } of snapshots.flat().filter((metric) => metric.name === name)) {
    for (const { labels, value } of values) {
      const resolver = String(labels.resolver);
      found.set(resolver, Math.max(found.get(resolver) ?? 0, value));
    }
  }
  return found;
}

function sum(
  metrics: readonly MetricsSnapshot[],
): ReturnType<typeof AggregatorRegistry.aggregate<PrometheusContentType>> {
  return AggregatorRegistry.aggregate<PrometheusContentType>([...metrics]);
}
