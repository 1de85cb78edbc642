import type { Resolver } from '../configuration/configuration.ts';
import { ServiceError } from '../kernel/errors.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'resolver.unknown': { readonly name?: string };
    'resolver.invalid': NoPayload;
    'resolver.changed': NoPayload;
    'resolver.in-use': NoPayload;
    'resolver.unavailable': NoPayload;
  }
}

/** A user of a resolver of any kind. */
export interface DirectoryUser {
  readonly userId: string;
  readonly login: string;
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
}

/** The fields by which users are searched. */
export type UserField = keyof DirectoryUser;

/**
 * A pattern as its literal pieces between the asterisks, each of which stands for any text: `['ann', '']` for `ann*`.
 * One piece matches the whole value. Case is ignored.
 */
export type UserPattern = readonly [string, ...string[]];

/** A condition: one of the fields matches. */
export interface UserCondition {
  readonly fields: readonly UserField[];
  readonly pattern: UserPattern;
}

/** The selection of users that a source returns. */
export interface UserSearch {
  /** All must hold. */
  readonly conditions: readonly UserCondition[];
  /** The most users. */
  readonly limit: number;
  /** True if any users that match will do, not only the first ones: managed resolvers then find beginnings by an index. */
  readonly isInAnyOrder?: boolean;
}

/** All entries of a resolver, and which of them are users: the others can own no token. */
export interface Examination {
  readonly entries: number;
  readonly users: number;
  readonly withoutId: number;
  /** Those with an id. */
  readonly withoutLogin: number;
  /** The users whose id another one has as well: they own the same tokens. */
  readonly sharingId: number;
  /** Lines of a file that are no accounts; absent: there are none. */
  readonly passedOver?: {
    readonly lines: number;
    /** The first of them, each with the reason. */
    readonly first: readonly string[];
  };
}

/** The users of one resolver. Every method may throw 'resolver.unavailable', with a message that names the resolver. */
export interface UserSource {
  /**
   * @returns the user whom the source finds by that login, under their own login, which may differ in case; the one of
   *   exactly that login comes first
   * @throws ServiceError 'user.ambiguous' for several others
   */
  findByLogin(login: string): Promise<DirectoryUser | undefined>;
  /** Compares exactly: tokens are bound to ids. */
  findById(userId: string): Promise<DirectoryUser | undefined>;
  /**
   * @param search selects users; undefined: all
   * @param onCut receives the limit of the settings of the resolver where the list ends at it, and more match
   */
  list(search?: UserSearch, onCut?: (limit: number) => void): Promise<readonly DirectoryUser[]>;
  count(): Promise<number>;
  /** Looks at all entries, for a test of the resolver. Refuses ids that are neither texts nor of a known form. */
  examine(): Promise<Examination>;
  /** @returns true if it is the user's password; false if the resolver keeps none */
  checkPassword(userId: string, password: string): Promise<boolean>;
  /** Ends its connections, if it holds any, after running work. A closed source opens new ones. */
  close?(): Promise<void>;
}

/** The secrets with which resolvers log in: the stored ones, or that of a trial. */
export interface ResolverSecrets {
  /**
   * @param stamp the `secretStamp` of the secret; undefined: the present one
   * @returns the secret, undefined if the resolver has none
   * @throws 'resolver.unavailable' if it has another stamp; 'key.unavailable', 'secret.unreadable',
   *   'database.unavailable'
   */
  open(resolver: Pick<Resolver, 'id' | 'name'>, stamp?: string | null): Promise<string | undefined>;
}

/** Opens the users of a resolver by its kind. */
export type UserSources = (resolver: Resolver) => UserSource;

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
