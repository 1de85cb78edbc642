import { AggregatorRegistry, type PrometheusContentType } from 'prom-client';
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
  ended(pid: number): void {
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
    return sum([...this.#reported.values(), this.#ended]).metrics();
  }
}

function sum(
  metrics: readonly MetricsSnapshot[],
): ReturnType<typeof AggregatorRegistry.aggregate<PrometheusContentType>> {
  return AggregatorRegistry.aggregate<PrometheusContentType>([...metrics]);
}
