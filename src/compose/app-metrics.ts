import type { AppMetrics } from '../http/app.ts';
import type { MonitoringService } from '../monitoring/monitoring-service.ts';
import type { ServiceMetrics } from '../observability/service-metrics.ts';

/** @returns what the HTTP interface measures by, and shows to those whom the policies allow to see it */
export function appMetrics(
  metrics: ServiceMetrics,
  monitoring: Pick<MonitoringService, 'authorizeMetrics'>,
): AppMetrics {
  return {
    contentType: metrics.contentType,
    text: () => metrics.text(),
    requestBegun: () => metrics.requestBegun(),
    deprecatedPost: (endpoint) => {
      metrics.deprecatedPost(endpoint);
    },
    authorize: (caller) => monitoring.authorizeMetrics(caller),
  };
}
