/** Counts attempts under keys, and says when there were too many. */
export interface AttemptLimit {
  /** @returns milliseconds until the key may try again, as far as this server knows; 0: now. Asks nobody */
  wait(key: string): number;
  /**
   * Counts one attempt, over all servers.
   * @returns milliseconds until the key may try again where this attempt was one too many, else 0; the last one that is
   *   allowed gives 0, and from then on `wait` tells
   */
  count(key: string): Promise<number>;
}

/** How much the server bears. */
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
  /** Passwords that are verified at the same time, on each server. */
  readonly loginsAtOnce: number;
  /** Requests that are worked on at the same time, on each server. */
  readonly requestsAtOnce: number;
  /** Connections at the same time, on each server. */
  readonly connections: number;
  /** Seconds in which a request must have come, and an answer must have been taken. */
  readonly requestTimeout: number;
}
