import type { Resolver } from '../configuration/configuration.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { UserSources } from '../resolvers/user-source.ts';

/** An owner as the target knows them; without a login where the resolver did not tell it. */
export type FoundOwner = { readonly userId: string; readonly login: string } | { readonly fault: string };

/** Users that are listed at once; more are asked for one by one. */
const LISTED_USERS = 100_000;

/** Finds the logins of owners: LinOTP's tokens have only the ids of their users. */
export class OwnerLogins {
  readonly #sources: UserSources;
  readonly #resolvers = new Map<string, ResolverLogins>();

  constructor(sources: UserSources) {
    this.#sources = sources;
  }

  async find(resolver: Resolver, userId: string): Promise<FoundOwner> {
    const known = this.#resolvers.get(resolver.name) ?? new ResolverLogins(this.#sources, resolver);
    this.#resolvers.set(resolver.name, known);
    return known.find(userId);
  }
}

class ResolverLogins {
  readonly #sources: UserSources;
  readonly #resolver: Resolver;
  #listed: Promise<Map<string, string>> | undefined;
  #fault: string | undefined;

  constructor(sources: UserSources, resolver: Resolver) {
    this.#sources = sources;
    this.#resolver = resolver;
  }

  async find(userId: string): Promise<FoundOwner> {
    try {
      if (this.#fault === undefined) {
        this.#listed ??= this.#list();
        const logins = await this.#listed;
        const login = logins.get(userId) ?? (await this.#sources(this.#resolver).findById(userId))?.login;
        if (login === undefined) {
          const fault = `the resolver ${this.#resolver.name} has no user with the id ${userId}`;
          return { fault };
        }
        return { userId, login };
      }
    } catch (error) {
      if (!isServiceError(error)) {
        throw error;
      }
      this.#fault = error.message;
    }
    return { fault: this.#fault };
  }

  async #list(): Promise<Map<string, string>> {
    const source = this.#sources(this.#resolver);
    const isSmall = (await source.count()) <= LISTED_USERS;
    const users = isSmall ? await source.list() : [];
    return new Map(users.map(({ userId, login }) => [userId, login]));
  }
}
