import type { Clock } from '../../kernel/clock.ts';
import type { RequestCounts } from './request-guard.ts';

/*
 * The limit on a client's requests in a second, over the workers of a server. A part of the limit belongs to each
 * worker, so that a client with few requests costs no message. The rest is leased in small pieces from the process that
 * started the workers. A second is one of the clock, the same for all processes of a machine.
 */

/** The part of the limit that the workers have of their own, all together. */
const OWN_PART = 1 / 8;
const SECOND_MS = 1_000;

/** The division of a limit on requests in a second. */
export interface RequestShares {
  /** Requests that each worker admits by itself. */
  readonly own: number;
  /** Requests that are leased, to all workers together. */
  readonly leased: number;
  /** The most requests of one lease. */
  readonly piece: number;
}

/**
 * @param max the limit
 * @returns shares that never exceed the limit together. Where a client's requests all reach one worker, at least three
 *   quarters of the limit are for them
 */
export function requestShares(max: number, workers: number): RequestShares {
  const own = Math.floor((max * OWN_PART) / workers);
  return { own, leased: max - own * workers, piece: Math.max(1, own) };
}

/** Leases requests to the workers. */
export class RequestLeases {
  readonly #clock: Clock;
  readonly #shares: RequestShares;
  readonly #leased = new Map<string, number>();
  #second = 0;

  constructor({ clock, shares }: { readonly clock: Clock; readonly shares: RequestShares }) {
    this.#clock = clock;
    this.#shares = shares;
  }

  /** @returns the number of further requests of the client that a worker may admit in this second; 0: none is left */
  lease(network: string): number {
    const second = secondOf(this.#clock);
    if (second !== this.#second) {
      this.#second = second;
      this.#leased.clear();
    }
    const leased = this.#leased.get(network) ?? 0;
    const piece = Math.min(this.#shares.piece, this.#shares.leased - leased);
    this.#leased.set(network, leased + piece);
    return piece;
  }
}

/** A client's requests in the present second. */
interface Client {
  left: number;
  isSpent: boolean;
  /** The lease that is under way. */
  leasing: Promise<void> | undefined;
}

interface LeasedRequestCountsDependencies {
  readonly clock: Clock;
  readonly shares: RequestShares;
  /** Asks for a lease. */
  readonly lease: (network: string) => Promise<number>;
}

/** The counts of a worker. */
export class LeasedRequestCounts implements RequestCounts {
  readonly #deps: LeasedRequestCountsDependencies;
  readonly #clients = new Map<string, Client>();
  #second = 0;

  constructor(dependencies: LeasedRequestCountsDependencies) {
    this.#deps = dependencies;
  }

  async count(network: string): Promise<number> {
    const { clock } = this.#deps;
    const second = secondOf(clock);
    if (second !== this.#second) {
      this.#second = second;
      this.#clients.clear();
    }
    const client = this.#clientOf(network);
    while (client.left === 0 && !client.isSpent) {
      await (client.leasing ??= this.#lease(network, client));
    }
    if (client.left === 0) {
      return SECOND_MS - (clock.now().getTime() % SECOND_MS);
    }
    client.left -= 1;
    return 0;
  }

  #clientOf(network: string): Client {
    const known = this.#clients.get(network);
    if (known !== undefined) {
      return known;
    }
    const client = { left: this.#deps.shares.own, isSpent: false, leasing: undefined };
    this.#clients.set(network, client);
    return client;
  }

  async #lease(network: string, client: Client): Promise<void> {
    try {
      const piece = await this.#deps.lease(network);
      client.left += piece;
      client.isSpent = piece === 0;
    } finally {
      client.leasing = undefined;
    }
  }
}

function secondOf(clock: Clock): number {
  return Math.floor(clock.now().getTime() / SECOND_MS);
}
