import { ServiceError } from '../kernel/errors.ts';

/** The server that a resolver got no connection to, or no answer from. */
export interface SilentServer {
  readonly lacks: 'connection' | 'answer';
  /** `host:port`, several separated by commas, or the path of a socket. */
  readonly address: string;
  readonly reason: string;
}

interface Unavailability {
  readonly resolver: string;
  /** The reason in words for clients: no host, no path. */
  readonly reason: string;
  /** The server, if one is at fault. Only operators and the log may know it. */
  readonly server?: SilentServer | undefined;
  readonly realm?: string | undefined;
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ENOENT: 'no server listens there',
  EACCES: 'access to the socket is denied',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name is unknown',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'it does not answer in time',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
};

/** @returns the reason for a system code of a failed connection; undefined for any other code */
export function connectionReason(code: string | undefined): string | undefined {
  return REASONS[code ?? ''];
}

/** The failure 'resolver.unavailable', with the server at fault for operators and the log. */
export class ResolverUnavailable extends ServiceError<'resolver.unavailable'> {
  readonly #facts: Unavailability;

  constructor(facts: Unavailability) {
    const { resolver, reason, server, realm, detail, cause } = facts;
    const place = server === undefined ? detail : describeServer(server, resolver, realm);
    super('resolver.unavailable', `The resolver '${resolver}' is unavailable: ${reason}`, {
      cause,
      ...(place !== undefined && { detail: place }),
    });
    this.#facts = facts;
  }

  get resolver(): string {
    return this.#facts.resolver;
  }

  /** The reason in words for clients, the end of the message. */
  get reason(): string {
    return this.#facts.reason;
  }

  /** @param realm the realm that was searched, or the realms of the resolver separated by commas */
  inRealm(realm: string): ResolverUnavailable {
    return new ResolverUnavailable({ ...this.#facts, realm, cause: this.cause });
  }

  /** @returns the failure for operators: `no connection to 127.0.0.1:389 (resolver corp, realm office): reason` */
  describe(): string {
    const { resolver, server, realm, detail, reason } = this.#facts;
    if (server !== undefined) {
      return describeServer(server, resolver, realm);
    }
    const where = realm === undefined ? '' : ` (realm ${realm})`;
    return `The resolver '${resolver}'${where} is unavailable: ${reason}${detail === undefined ? '' : ` (${detail})`}`;
  }
}

/** @returns the unavailable resolvers among an error and its causes; each once */
export function unavailableResolvers(error: unknown): readonly ResolverUnavailable[] {
  if (error instanceof ResolverUnavailable) {
    return [error];
  }
  if (error instanceof AggregateError) {
    return (error.errors as unknown[]).flatMap(unavailableResolvers);
  }
  return error instanceof Error && error.cause !== undefined ? unavailableResolvers(error.cause) : [];
}

function describeServer({ lacks, address, reason }: SilentServer, resolver: string, realm?: string): string {
  const what = lacks === 'connection' ? 'no connection to' : 'no answer from';
  return `${what} ${address} (resolver ${resolver}${realm === undefined ? '' : `, realm ${realm}`}): ${reason}`;
}
