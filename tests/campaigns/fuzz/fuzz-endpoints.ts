import { type AppDependencies, servedEndpoints } from '../../../src/http/app.ts';
import { createDialect, type DialectName } from '../../../src/http/dialects/dialects.ts';

/** What a hostile client can know of an endpoint. */
export interface FuzzedEndpoint {
  readonly path: string;
  readonly methods: readonly string[];
  readonly parameters: readonly string[];
  /** Those of them whose values only the endpoint may see. */
  readonly secrets: readonly string[];
  /** Whether only HTTP Basic lets one in. */
  readonly byPassword: boolean;
  readonly open: boolean;
}

/** @returns every endpoint that the server serves, as the code has it: a new one is among them by itself */
export function fuzzedEndpoints(dialect: DialectName): readonly FuzzedEndpoint[] {
  // None of what they need is called: they are asked for what they say of themselves.
  const dependencies = {
    services: {},
    config: { monitoringPost: 'on' },
    metrics: {},
  } as unknown as AppDependencies;
  return servedEndpoints(dependencies, createDialect(dialect, undefined)).map((endpoint) => ({
    path: endpoint.path,
    methods: endpoint.methods,
    parameters: Object.keys(endpoint.parameters.shape),
    secrets: [...endpoint.secrets],
    byPassword: endpoint.access === 'password',
    open: endpoint.access === 'open',
  }));
}
