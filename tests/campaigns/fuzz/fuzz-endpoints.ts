import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';

/** The public facts of an endpoint. */
export interface FuzzedEndpoint {
  readonly path: string;
  readonly methods: readonly string[];
  readonly requires: string;
  readonly parameters: readonly string[];
  /** Parameters whose values only the endpoint may see. */
  readonly secrets: readonly string[];
  /** HTTP Basic is the only authentication. */
  readonly byPassword: boolean;
  readonly open: boolean;
}

/** @returns every endpoint of the server, from the code, so that new ones are included */
export function fuzzedEndpoints(dialect: DialectName): readonly FuzzedEndpoint[] {
  return declaredEndpoints(dialect).map((endpoint) => ({
    path: endpoint.path,
    methods: endpoint.methods,
    requires: endpoint.requires,
    parameters: Object.keys(endpoint.parameters.shape),
    secrets: [...endpoint.secrets],
    byPassword: endpoint.access === 'password',
    open: endpoint.access === 'open',
  }));
}
