import { type AppDependencies, servedEndpoints } from '../src/http/served-endpoints.ts';
import { type OpenApiDocument, describeInterface } from '../src/http/description/openapi-document.ts';
import type { Endpoint } from '../src/http/endpoint-spec.ts';

/** @returns every endpoint */
export function declaredEndpoints(): readonly Endpoint[] {
  // Declarations use none of the services.
  const dependencies = {
    services: { singleSignOn: {} },
    config: { monitoringPost: 'on', documentedVersion: '0.0.0' },
    metrics: {},
    guards: {},
  };
  return servedEndpoints(dependencies as unknown as AppDependencies);
}

/** @returns the description that a server gives */
export function describedInterface(): OpenApiDocument {
  return describeInterface({ version: '0.0.0', endpoints: declaredEndpoints() });
}
