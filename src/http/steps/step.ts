import type { RefusalNotes } from '../../audit/refusal-trail.ts';
import type { Checks, Identity } from '../authentication/authenticate.ts';
import type { RememberedChecks } from '../authentication/remembered-checks.ts';
import type { Endpoint } from '../endpoint-spec.ts';
import type { Guards } from '../limits/guards.ts';
import type { Reply } from '../reply.ts';
import type { Exchange, ExchangeRequest, ExchangeResponse } from '../request/exchange.ts';
import type { RequestValues } from '../request/parameters.ts';
import type { QueryEntry } from '../request/query-string.ts';
import type { BodyLimits } from '../request/request-body.ts';
import { announcesBody } from '../request/unread-body.ts';

/** The services and limits that endpoints are served with. */
export interface ServerContext extends Checks {
  readonly limits: BodyLimits;
  readonly guards: Guards;
  readonly refusals?: RefusalNotes | undefined;
  /** The origins elsewhere that serve the app, as browsers write them; default: none. */
  readonly appOrigins?: readonly string[] | undefined;
}

/** One request to an endpoint, and the results of its steps. */
export interface EndpointRequest {
  readonly endpoint: Endpoint;
  readonly request: ExchangeRequest;
  readonly response: ExchangeResponse;
  readonly exchange: Exchange;
  readonly server: ServerContext;
  readonly checks: RememberedChecks;
  /** The parameters of the query string as given. */
  query: readonly QueryEntry[];
  /** All parameters that were read, secrets included. The context of the exchange has them without secrets. */
  values: RequestValues;
  /** Names the transaction to the guard of responses. @throws ServiceError 'too-many-requests' */
  countTransaction: (transaction: string) => void;
  /** The administrator, once authenticated. */
  identity: Identity | undefined;
}

/**
 * One step of serving a request: it refuses by throwing a ServiceError, at once or by its promise, answers by itself, or
 * goes on with `next`.
 * @param next the steps after this one
 */
export type Step = (state: EndpointRequest, next: () => Promise<Reply>) => Promise<Reply>;

/** @returns true if the request has a body to be read: one of GET and HEAD has no meaning (RFC 9110 §9.3.1) */
export function hasBody({ request }: Pick<EndpointRequest, 'request'>): boolean {
  return request.method === 'POST' && announcesBody(request);
}
