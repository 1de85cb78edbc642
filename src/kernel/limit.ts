/** Limits of the server's load. */
export interface LimitSettings {
  /** Addresses and networks whose clients are not counted, or `loopback`, `linklocal`, `uniquelocal`. */
  readonly exempt: readonly string[];
  /** Requests of one client in a second, on each server. */
  readonly clientRequests: number;
  /** Responses of one client that were not accepted, in a minute. */
  readonly clientFailures: number;
  /** Responses to one transaction that were not accepted, in a minute. */
  readonly transactionFailures: number;
  /** Wrong passwords for one account from one client in a minute; the longer limits follow from it. */
  readonly loginFailures: number;
  /** Maximum number of concurrent password checks, on each server. */
  readonly loginsAtOnce: number;
  /** Maximum number of concurrent requests, on each server. */
  readonly requestsAtOnce: number;
  /** Requests that wait for the state of a transaction, on each server. */
  readonly statusWaits: number;
  /** Maximum number of concurrent connections, on each server. */
  readonly connections: number;
  /** Seconds within which a client must send a request, and receive the answer. */
  readonly requestTimeout: number;
}
