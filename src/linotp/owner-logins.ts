import type { Resolver } from '../configuration/configuration.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { UserSources } from '../resolvers/user-source.ts';

/** An owner as the target knows them; without a login where the resolver did not tell it. */
type FoundOwner = { readonly userId: string; readonly login: string } | { readonly fault: string };

/** Users that are listed at once; more are asked for one by one. */
const LISTED_USERS = 100_000;

/** Finds the logins of owners: LinOTP's tokens have only the ids of their users. */
export class OwnerLogins {
  readonly #sources: UserSources;
  readonly #listed = new Map<string, Promise<ReadonlyMap<string, string>>>();
  /** Why a resolver cannot be asked, by its name: it is not asked again. */
  readonly #faults = new Map<string, string>();

  constructor(sources: UserSources) {
    this.#sources = sources;
  }

  async find(resolver: Resolver, userId: string): Promise<FoundOwner> {
    const { name } = resolver;
    try {
      if (!this.#faults.has(name)) {
        const listed = this.#listed.get(name) ?? this.#list(resolver);
        this.#listed.set(name, listed);
        const login = (await listed).get(userId) ?? (await this.#sources(resolver).findById(userId))?.login;
        return login === undefined
          ? { fault: `the resolver ${name} has no user with the id ${userId}` }
          : { userId, login };
      }
    } catch (error) {
      if (!isServiceError(error)) {
        throw error;
      }
      this.#faults.set(name, error.message);
    }
    return { fault: this.#faults.get(name) ?? '' };
  }

  async #list(resolver: Resolver): Promise<ReadonlyMap<string, string>> {
    const source = this.#sources(resolver);
    const isSmall = (await source.count()) <= LISTED_USERS;
    const users = isSmall ? await source.list() : [];
    return new Map(users.map(({ userId, login }) => [userId, login]));
  }
}
