import { z } from 'zod';
import { TRANSACTION_STATES, type TransactionService } from '../challenges/transaction-service.ts';
import type { Configuration, Resolver } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { KeyedCounts } from '../kernel/bounded-work.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { composed } from '../kernel/text.ts';
import { type AccessControl, boundsOf, type Grant, holdsIn } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import { findInOrder } from '../resolvers/resolver-lookup.ts';
import {
  type DirectoryUser,
  ResolverUnavailable,
  type UserSource,
  type UserSources,
  beginningCondition,
  answerWithin,
  endsLike,
  isSearchable,
  phoneCondition,
} from '../resolvers/user-source.ts';
import { isVisible } from '../tokens/token.ts';
import { realmsWith, TOKEN, viewOf } from '../tokens/token-view.ts';
import type { TokenPageStore } from './helpdesk-store.ts';
import { locate } from '../users/user-directory.ts';

const hasMore = z.boolean().describe('true: there are more');

/** The hits of each kind; null: nothing was looked for. */
export const SEARCH_RESULT = z.object({
  tokens: z
    .object({ hits: z.array(TOKEN).meta({ column: 'Tokens' }), hasMore })
    .nullable()
    .describe('null: the caller lacks the right `admin:show`'),
  people: z
    .object({
      // Exact logins first.
      hits: z
        .array(
          z.object({
            login: z.string().meta({ column: 'USER', description: 'the login' }),
            givenName: z.string(),
            surname: z.string(),
            email: z.string(),
            phone: z.string(),
            resolver: z.string().meta({ column: 'RESOLVER' }),
            realms: z.array(z.string()).meta({
              column: 'REALMS',
              description: 'the visible realms that have the resolver, the default one first',
            }),
            hasLockedToken: z.boolean().describe('true: a visible token of the user is locked'),
          }),
        )
        .meta({ column: 'People' }),
      hasMore,
      incomplete: z
        .array(z.object({ resolver: z.string(), reason: z.string() }))
        .describe('the resolvers whose users may be missing'),
    })
    .nullable()
    .describe('null: the caller lacks the right `admin:userlist`'),
  // One at most.
  transactions: z
    .array(
      z.object({
        transactionId: z.string().meta({ column: 'TRANSACTION' }),
        serial: z.string().meta({ column: 'SERIAL' }),
        realms: z.array(z.string()),
        state: z.enum(TRANSACTION_STATES).meta({ column: 'STATE' }),
      }),
    )
    .nullable()
    .meta({ column: 'Transactions' })
    .describe('null: the caller lacks the right `admin:transaction`'),
});

type SearchResult = ReadonlyDeep<z.output<typeof SEARCH_RESULT>>;
/** The hits of a kind, for those who have the right to it. */
type Found<Kind extends keyof SearchResult> = NonNullable<SearchResult[Kind]>;

/** The most tokens, and the most people of a resolver. */
const MAX_HITS = 10;
const MAX_LENGTH = 255;

/**
 * The one search field of the helpdesk: tokens whose serial begins with the text in any case, people whose login, given
 * name, surname or e-mail address begins with it, or whose telephone number ends with its last digits, and the
 * transaction of exactly that id. Every statement of its own reads the beginning of an index; resolvers are asked as
 * `PeopleSearch` says. Writes nothing.
 */
export class SearchService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly pages: TokenPageStore;
    readonly people: Pick<PeopleSearch, 'find'>;
    readonly transactions: Pick<TransactionService, 'history'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Looks for what the caller has the right to, in the realms of this right: `admin:show` for tokens, `admin:userlist`
   * for people, `admin:transaction` for transactions.
   * @throws ServiceError 'parameter.missing' for a blank text, 'parameter.invalid' for one that is too long
   */
  async search(caller: Caller, query: string): Promise<SearchResult> {
    const text = query.trim();
    if (text === '') {
      throw new ServiceError('parameter.missing', 'No text to search for is given', { parameters: ['text'] });
    }
    if (text.length > MAX_LENGTH) {
      throw new ServiceError('parameter.invalid', `The text must have at most ${MAX_LENGTH} characters`, {
        parameter: 'text',
      });
    }
    const configuration = await this.#deps.configuration.current();
    const grantOf = (action: string): Grant | undefined =>
      this.#deps.access.grantOf(configuration, caller, { scope: 'admin', action });
    const [show, userlist, transaction] = [grantOf('show'), grantOf('userlist'), grantOf('transaction')];
    const [tokens, people, transactions] = await Promise.all([
      show === undefined ? null : this.#tokens(configuration, show, text),
      userlist === undefined ? null : this.#people(configuration, { userlist, show }, text),
      transaction === undefined ? null : this.#transactions(caller, text),
    ]);
    return { tokens, people, transactions };
  }

  async #tokens(configuration: Configuration, grant: Grant, text: string): Promise<Found<'tokens'>> {
    const found = await this.#deps.pages.page({
      serialPrefix: text,
      inRealms: boundsOf(grant),
      limit: MAX_HITS + 1,
    });
    const viewing = { configuration, grant, now: this.#deps.clock.now() };
    const hits = found.slice(0, MAX_HITS).filter((token) => isVisible(token, grant));
    return {
      hits: hits.map((token) => viewOf(token, viewing)),
      hasMore: found.length > MAX_HITS,
    };
  }

  async #people(
    configuration: Configuration,
    { userlist, show }: { readonly userlist: Grant; readonly show: Grant | undefined },
    text: string,
  ): Promise<Found<'people'>> {
    const found = await this.#peopleNamed(configuration, userlist, text);
    const owners = found.hits.map(({ resolver, userId }) => ({
      resolverId: configuration.resolvers.find(({ name }) => name === resolver)?.id ?? '',
      userId,
    }));
    const haveLocked = show === undefined ? [] : await this.#deps.pages.haveLocked(owners, boundsOf(show));
    return {
      ...found,
      hits: found.hits.map((person, place) => ({ ...person, hasLockedToken: haveLocked[place] === true })),
    };
  }

  /** Reads `login@realm` and `realm\\login` as requests do, where there is such a visible realm. */
  #peopleNamed(configuration: Configuration, grant: Grant, text: string): Promise<PeopleFound> {
    const { login, realm } = locate(configuration, { user: text });
    const isMeant = realm !== undefined && holdsIn(grant, realm.name);
    return isMeant && login !== text && login.trim() !== ''
      ? this.#deps.people.find(configuration, { realms: [realm.name] }, login, MAX_HITS)
      : this.#deps.people.find(configuration, grant, text, MAX_HITS);
  }

  async #transactions(caller: Caller, text: string): Promise<Found<'transactions'>> {
    try {
      const { transactionId, serial, realms, state } = await this.#deps.transactions.history(caller, text);
      return [{ transactionId, serial, realms, state }];
    } catch (error) {
      if (isServiceError(error, 'transaction.unknown')) {
        return [];
      }
      throw error;
    }
  }
}

/** Users that were found. */
interface PeopleFound extends Omit<Found<'people'>, 'hits'> {
  readonly hits: readonly (DirectoryUser & {
    readonly resolver: string;
    readonly realms: readonly string[];
  })[];
}

/** The result of one resolver. */
interface SearchedResolver {
  readonly users: readonly DirectoryUser[];
  /** Undefined: the answer is complete. */
  readonly reason?: string;
}

/** The longest wait for a resolver, which may have to connect first. */
const TIMEOUT_MS = 1_000;
/** The most questions that one resolver works at, two or three for a search, also those that nobody waits for any more. */
const QUESTIONS_AT_ONCE = 8;
const MAX_WORDS = 4;
/** Of the users whose telephone numbers may be the one that is looked for. */
const MAX_PHONES = 200;

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
   * @param text words, each of which begins the login, a name or the e-mail address, also in the other spelling of its
   *   umlauts, and however they are joined; or a telephone number in any form, at least the five digits at its end
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
    const searches = searchesOf(text)
      .map((words) => words.map(beginningCondition))
      .filter((conditions) => conditions.every(isSearchable));
    if (searches.length === 0) {
      return { users: [] };
    }
    if (this.#running.of(resolver.id) >= QUESTIONS_AT_ONCE) {
      const busy = new ResolverUnavailable({ resolver: resolver.name, reason: 'it works at other searches' });
      return { users: [], reason: busy.message };
    }
    const source = this.#sources(resolver);
    const [exact, beginning, called] = await Promise.all([
      this.#search(resolver, () => findExact(source, text)),
      this.#search(resolver, async () => {
        const asked = searches.map((conditions) =>
          source.list({ conditions, limit: max + 1, isInAnyOrder: true }),
        );
        return (await Promise.all(asked)).flat();
      }),
      this.#called(resolver, source, text),
    ]);
    const found = [...exact.users, ...beginning.users, ...called.users];
    const users = new Map(found.map((user) => [user.userId, user]));
    const reason = beginning.reason ?? exact.reason ?? called.reason;
    return { users: [...users.values()], ...(reason !== undefined && { reason }) };
  }

  async #search(
    resolver: Resolver,
    work: () => Promise<readonly DirectoryUser[]>,
  ): Promise<SearchedResolver> {
    try {
      const running = this.#running.during(resolver.id, work);
      return { users: await answerWithin(TIMEOUT_MS, resolver, running) };
    } catch (error) {
      if (error instanceof ServiceError) {
        return { users: [], reason: error.message };
      }
      throw error;
    }
  }

  /** Those whose telephone number the text may be. */
  async #called(resolver: Resolver, source: UserSource, text: string): Promise<SearchedResolver> {
    const condition = phoneCondition(text);
    if (condition === undefined) {
      return { users: [] };
    }
    const search = { conditions: [condition], limit: MAX_PHONES, isInAnyOrder: true };
    const { users, ...incomplete } = await this.#search(resolver, () => source.list(search));
    const isCut = users.length >= MAX_PHONES;
    return {
      users: users.filter((user) => endsLike(user, condition)),
      ...(isCut && {
        reason: `The resolver '${resolver.name}' has too many numbers alike: type more digits`,
      }),
      ...incomplete,
    };
  }
}

async function findExact(source: UserSource, login: string): Promise<readonly DirectoryUser[]> {
  try {
    const user = await findInOrder([login.trim()], [(form) => source.findByLogin(form)]);
    return user === undefined ? [] : [user];
  } catch (error) {
    if (isServiceError(error, 'user.ambiguous')) {
      // Several whom the search for beginnings finds as well.
      return [];
    }
    throw error;
  }
}

const UMLAUTS = { ae: 'ä', oe: 'ö', ue: 'ü', ss: 'ß' } as const;
/** The most searches by other spellings, with that of what was typed. */
const MAX_SPELLINGS = 4;

/** @returns the words as they were typed, and with umlauts written out and put together: Schroeder is Schröder */
function spellingsOf(words: readonly string[]): readonly (readonly string[])[] {
  let spellings: readonly (readonly string[])[] = [[]];
  for (const word of words) {
    const other = otherSpelling(word);
    spellings = [word, ...(other === word ? [] : [other])].flatMap((one) =>
      spellings.map((before) => [...before, one]),
    );
  }
  return spellings.slice(0, MAX_SPELLINGS);
}

/** Of lower case: searches match any case. */
function otherSpelling(word: string): string {
  const whole = composed(word).toLowerCase();
  const pairs = Object.entries(UMLAUTS);
  const hasUmlaut = pairs.some(([, letter]) => whole.includes(letter));
  return pairs.reduce(
    (text, [pair, letter]) => (hasUmlaut ? text.replaceAll(letter, pair) : text.replaceAll(pair, letter)),
    whole,
  );
}

/** Of what is joined by hyphens, also as words: names are written with and without. */
const HYPHENS = /[-\u2010-\u2013]/;

/** @returns the words of each search for the text */
function searchesOf(text: string): readonly (readonly string[])[] {
  const words = wordsOf(text);
  const parts = wordsOf(words.flatMap((word) => word.split(HYPHENS)).join(' '));
  return parts.length > words.length ? [words, ...spellingsOf(parts)] : spellingsOf(words);
}

/** Other searches mark a beginning by a trailing asterisk. */
function wordsOf(text: string): readonly string[] {
  return text
    .replace(/\*+$/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}
