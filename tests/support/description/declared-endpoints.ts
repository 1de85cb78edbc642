import type { z } from 'zod';
import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { type Endpoint, endpointIn } from '../../../src/http/endpoint-spec.ts';
import { metaOf } from '../../../src/operations/input.ts';
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

/** @returns the value that a schema gives as its example, undefined: none */
export function exampleOf(schema: z.ZodType): string | undefined {
  return (metaOf(schema).examples as readonly string[] | undefined)?.[0];
}
