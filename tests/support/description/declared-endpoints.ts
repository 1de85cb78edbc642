import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { type Endpoint, endpointIn } from '../../../src/http/endpoint-spec.ts';
import { type AppConfig, type AppDependencies, servedEndpoints } from '../../../src/http/served-endpoints.ts';

/** @returns the endpoints of a server without single sign-on, as they are declared */
export function declaredEndpoints(
  dialect: DialectName = 'documented',
  config: Partial<AppConfig> = {},
): readonly Endpoint[] {
  // Declarations use none of what they are given.
  const dependencies = {
    services: {},
    config: { monitoringPost: 'on', ...config },
    metrics: {},
    guards: {},
  } as unknown as AppDependencies;
  return servedEndpoints(dependencies).map((endpoint) => endpointIn(dialect, endpoint));
}
