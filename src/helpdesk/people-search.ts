import type { Configuration, Resolver } from '../configuration/configuration.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { KeyedCounts } from '../kernel/keyed-counts.ts';
import { composed } from '../kernel/plain-text.ts';
import { withTimeLimit } from '../kernel/time-limit.ts';
import type { Grant } from '../policy/access-control.ts';
import type { DirectoryUser, UserSource, UserSources } from '../resolvers/user-source.ts';
import { findInForms } from '../resolvers/resolver-lookup.ts';
import { ResolverUnavailable } from '../resolvers/resolver-unavailable.ts';
import { beginningCondition, isSearchable } from '../resolvers/user-search.ts';
import { realmsWith } from './owned-token.ts';

/** A user that was found. */
interface PersonFound extends DirectoryUser {
  readonly resolver: string;
  /** The visible realms that have the resolver, the default one first. */
  readonly realms: readonly string[];
}

/** Users that were found. */
export interface PeopleFound {
  /** Exact logins first. */
  readonly hits: readonly PersonFound[];
  /** True if there are more. */
  readonly hasMore: boolean;
  /** The resolvers whose users may be missing, each with the reason in words. */
  readonly incomplete: readonly { readonly resolver: string; readonly reason: string }[];
}

/** The result of one resolver. */
interface SearchedResolver {
  readonly users: readonly DirectoryUser[];
  /** Undefined: the answer is complete. */
  readonly reason?: string;
}

/** The longest wait for a resolver. */
const TIMEOUT_MS = 700;
/** The most questions that one resolver works at, two for a search, also those that nobody waits for any more. */
const QUESTIONS_AT_ONCE = 8;
const MAX_WORDS = 4;

/**
 * Looks for people in all resolvers at once, each for a limited time; one that is away or slow is named, not waited
 * for.
 *
 * Managed resolvers find beginnings by an index, passwd files in memory. A directory is asked with a filter such as
 * `(|(uid=ann*)(sn=ann*)…)`, which is quick where it indexes these attributes. A foreign SQL table is read as a whole,
 * as no index of it can be relied on: where that takes too long, exact logins are still found.
 */
export class PeopleSearch {
  readonly #sources: UserSources;
  /** Questions by resolver, each until it ends, not until nobody waits for it. */
  readonly #running = new KeyedCounts();

  constructor({ sources }: { readonly sources: UserSources }) {
    this.#sources = sources;
  }

  /**
   * @param text words, each of which begins the login, a name or the e-mail address
   * @param max hits of each resolver, and in all
   */
  async find(configuration: Configuration, grant: Grant, text: string, max: number): Promise<PeopleFound> {
    const resolvers = configuration.resolvers
      .map((resolver) => ({ resolver, realms: realmsWith(configuration, grant, resolver.name) }))
      .filter(({ realms }) => realms.length > 0);
    const searched = await Promise.all(resolvers.map(({ resolver }) => this.#ask(resolver, text, max)));
    const hits = searched.flatMap(({ users }, place) => {
      const { resolver, realms } = resolvers[place] ?? { resolver: { name: '' }, realms: [] };
      return users.map((user) => ({ ...user, resolver: resolver.name, realms }));
    });
    const sought = composed(text).toLowerCase();
    const isExact = ({ login }: DirectoryUser): boolean => composed(login).toLowerCase() === sought;
    const inOrder = [...hits.filter(isExact), ...hits.filter((user) => !isExact(user))];
    return {
      hits: inOrder.slice(0, max),
      hasMore: hits.length > max,
      incomplete: searched.flatMap(({ reason }, place) => {
        const name = resolvers[place]?.resolver.name;
        return reason === undefined || name === undefined ? [] : [{ resolver: name, reason }];
      }),
    };
  }

  async #ask(resolver: Resolver, text: string, max: number): Promise<SearchedResolver> {
    const conditions = wordsOf(text).map(beginningCondition);
    if (!conditions.every(isSearchable)) {
      return { users: [] };
    }
    if (this.#running.of(resolver.id) >= QUESTIONS_AT_ONCE) {
      return { users: [], reason: unavailable(resolver, 'it works at other searches').message };
    }
    const source = this.#sources(resolver);
    const search = { conditions, limit: max + 1, isInAnyOrder: true };
    const [exact, beginning] = await Promise.all([
      searchResolver(
        resolver,
        this.#running.during(resolver.id, () => findExact(source, text)),
      ),
      searchResolver(
        resolver,
        this.#running.during(resolver.id, () => source.list(search)),
      ),
    ]);
    const users = new Map([...exact.users, ...beginning.users].map((user) => [user.userId, user]));
    const reason = beginning.reason ?? exact.reason;
    return { users: [...users.values()], ...(reason !== undefined && { reason }) };
  }
}

async function findExact(source: UserSource, login: string): Promise<readonly DirectoryUser[]> {
  try {
    const user = await findInForms([login.trim()], (form) => source.findByLogin(form));
    return user === undefined ? [] : [user];
  } catch (error) {
    if (isServiceError(error, 'user.ambiguous')) {
      // Several whom the search for beginnings finds as well.
      return [];
    }
    throw error;
  }
}

async function searchResolver(
  resolver: Resolver,
  work: Promise<readonly DirectoryUser[]>,
): Promise<SearchedResolver> {
  try {
    const users = await withTimeLimit(TIMEOUT_MS, work, () =>
      unavailable(resolver, 'it does not answer in time'),
    );
    return { users };
  } catch (error) {
    if (error instanceof ServiceError) {
      return { users: [], reason: error.message };
    }
    throw error;
  }
}

function unavailable({ name }: Resolver, reason: string): ResolverUnavailable {
  return new ResolverUnavailable({ resolver: name, reason });
}

/** Other searches mark a beginning by a trailing asterisk. */
function wordsOf(text: string): readonly string[] {
  return text
    .replace(/\*+$/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}
