import { z } from 'zod';
import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import type { TokenCountStore } from '../monitoring/token-count-store.ts';
import type { TokenCountRow } from '../monitoring/token-counts.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import { answerWithin, type UserSources } from '../resolvers/user-source.ts';
import { readTokenListing, type TokenFilter, type TokenListing } from '../tokens/token-selection.ts';
import { isVisible } from '../tokens/token.ts';
import { realmsWith, TOKEN, type TokenView, viewOf } from '../tokens/token-view.ts';
import type { OwnerId } from '../users/user.ts';
import type { UserDirectory } from '../users/user-directory.ts';
import type { LatestTransactionStore, TokenPageFilter, TokenPageStore } from './helpdesk-store.ts';

/** Conditions on the tokens to list; an absent one does not restrict. */
interface TokenSheetRequest extends Pick<
  TokenListing,
  'serialPrefix' | 'user' | 'userRealm' | 'userResolver' | 'realm' | 'active' | 'assigned'
> {
  /** True: locked tokens only. */
  readonly isLocked?: boolean | undefined;
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined;
  /** `next` of the page before; absent: the first page. */
  readonly cursor?: string | undefined;
  /** True: the last serials first. */
  readonly isDescending?: boolean;
  /** True: with the names of the owners. */
  readonly hasNames?: boolean;
}

const count = z.int().nonnegative();

/** One page of tokens, by serial without regard to case. */
export const TOKEN_SHEET = z.object({
  tokens: z
    .array(
      TOKEN.extend({
        ownerName: z
          .string()
          .nullable()
          .describe('given name and surname; null without `names`, `admin:userlist` or a timely answer'),
        openChallenges: count
          .nullable()
          .describe('the number of challenges that take responses; null without `admin:transaction`'),
      }),
    )
    .meta({ column: 'Tokens' }),
  next: z.string().nullable().describe('`cursor` of the next page; null: there is none'),
  total: count
    .nullable()
    .describe('the number of tokens on all pages; null: no count is kept for this filter'),
});

type TokenSheet = ReadonlyDeep<z.output<typeof TOKEN_SHEET>>;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_SERIAL_LENGTH = 64;
/** Milliseconds that a page waits for a resolver. */
const NAMES_TIMEOUT_MS = 1_000;
/** Owners that a page asks a resolver for at once. */
const NAMES_AT_ONCE = 4;

/**
 * Lists tokens page by page. No page passes over tokens that it leaves out, and nothing is counted one by one, so that a
 * page of a million tokens takes as long as one of a thousand.
 */
export class TokenListService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly users: UserDirectory;
    readonly sources: UserSources;
    readonly pages: TokenPageStore;
    readonly transactions: LatestTransactionStore;
    readonly clock: Clock;
    readonly counts: Pick<TokenCountStore, 'snapshot'>;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Takes the right `admin:show`; names also take `admin:userlist`, open challenges `admin:transaction`. A caller bound
   * to realms finds tokens in one of them, and no others.
   * @throws ServiceError 'right.missing', 'realm.unknown', 'user.unknown', 'resolver.unavailable', 'parameter.invalid'
   *   for a limit or cursor
   */
  async page(
    caller: Caller,
    { isLocked, limit = DEFAULT_LIMIT, cursor, isDescending, hasNames, ...listing }: TokenSheetRequest,
  ): Promise<TokenSheet> {
    const { access, configuration: store, users, pages } = this.#deps;
    const { configuration, grant } = await access.authorizeAdmin(store, caller, 'show');
    assertPlace(limit, cursor);
    const filter = await readTokenListing(configuration, grant, listingOf(listing), users);
    if (filter === undefined) {
      return { tokens: [], next: null, total: null };
    }
    const place = { after: cursor, limit: limit + 1, isDescending: isDescending === true };
    const found = await pages.page(pageFilter(filter, isLocked === true, place));
    const tokens = found.slice(0, limit);
    const viewing = { configuration, grant, now: this.#deps.clock.now() };
    const owned = tokens.filter((token) => isVisible(token, grant)).map((token) => viewOf(token, viewing));
    const isCounted = filter.serialPrefix === undefined && filter.owner === undefined && isLocked !== true;
    return {
      tokens: await this.#listed(configuration, caller, owned, hasNames === true),
      next: found.length > limit ? (tokens.at(-1)?.serial ?? null) : null,
      total: isCounted ? await this.#total(filter) : null,
    };
  }

  async #listed(
    configuration: Configuration,
    caller: Caller,
    tokens: readonly TokenView[],
    hasNames: boolean,
  ): Promise<TokenSheet['tokens']> {
    const grantOf = (action: string): Grant | undefined =>
      this.#deps.access.grantOf(configuration, caller, { scope: 'admin', action });
    const [open, names] = await Promise.all([
      this.#open(grantOf('transaction'), tokens),
      hasNames ? this.#names(configuration, grantOf('userlist'), tokens) : new Map<string, string>(),
    ]);
    return tokens.map((token) => ({
      ...token,
      ownerName: (token.owner && names.get(keyOf(token.owner))) ?? null,
      openChallenges: open(token),
    }));
  }

  /** @returns the number of open challenges of a token; null: the grant does not cover it */
  async #open(
    grant: Grant | undefined,
    tokens: readonly TokenView[],
  ): Promise<(token: TokenView) => number | null> {
    const covered = tokens.filter((token) => grant !== undefined && isVisible(token, grant));
    if (covered.length === 0) {
      return () => null;
    }
    const ids = new Set(covered.map(({ id }) => id));
    const open = await this.#deps.transactions.openOfTokens([...ids], this.#deps.clock.now());
    return ({ id }) => (ids.has(id) ? (open.get(id) ?? 0) : null);
  }

  /** @returns the names of the owners whom the grant covers, as far as their resolvers tell them in time */
  async #names(
    configuration: Configuration,
    grant: Grant | undefined,
    tokens: readonly TokenView[],
  ): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    const owners = new Map(tokens.flatMap(({ owner }) => (owner === null ? [] : [[keyOf(owner), owner]])));
    const asked = configuration.resolvers
      .filter(({ name }) => grant !== undefined && realmsWith(configuration, grant, name).length > 0)
      .map(async (resolver) => {
        const own = [...owners.values()].filter(({ resolverId }) => resolverId === resolver.id);
        let isLate = false;
        const source = this.#deps.sources(resolver);
        const ask = async (): Promise<void> => {
          for (let owner = own.pop(); owner !== undefined && !isLate; owner = own.pop()) {
            const user = await source.findById(owner.userId);
            names.set(keyOf(owner), `${user?.givenName ?? ''} ${user?.surname ?? ''}`.trim());
          }
        };
        const all = Promise.all(Array.from({ length: NAMES_AT_ONCE }, ask));
        try {
          await answerWithin(NAMES_TIMEOUT_MS, resolver, all);
        } catch (error) {
          // The list is worth more than the names on it.
          if (!isServiceError(error)) {
            throw error;
          }
        } finally {
          isLate = true;
        }
      });
    await Promise.all(asked);
    return names;
  }

  /** Adds up the counts that the database keeps. */
  async #total(filter: TokenFilter): Promise<number> {
    const { tokens } = await this.#deps.counts.snapshot();
    return tokens.filter((row) => isCountedBy(filter, row)).reduce((sum, row) => sum + row.tokens, 0);
  }
}

function keyOf({ resolverId, userId }: OwnerId): string {
  return `${resolverId} ${userId}`;
}

/** Selects by realms: the token is in at least one of them. */
function listingOf({ realm, ...others }: Pick<TokenListing, 'realm'>): TokenListing {
  if (realm === undefined) {
    return others;
  }
  return realm === null ? { ...others, realm } : { ...others, realms: [realm] };
}

function pageFilter(
  { serialPrefix, owner, inRealms, active, assigned, realm }: TokenFilter,
  isLocked: boolean,
  place: Pick<TokenPageFilter, 'after' | 'limit' | 'isDescending'>,
): TokenPageFilter {
  return {
    serialPrefix,
    owner,
    inRealms,
    active,
    assigned,
    ...place,
    ...(realm === null && { inNoRealm: true }),
    ...(isLocked && { isLocked }),
  };
}

function isCountedBy({ inRealms, realm, active, assigned }: TokenFilter, row: TokenCountRow): boolean {
  return (
    (realm !== null || row.realms.length === 0) &&
    (inRealms === undefined || row.realms.some((name) => inRealms.includes(name))) &&
    (active === undefined || row.active === active) &&
    (assigned === undefined || row.assigned === assigned)
  );
}

function assertPlace(limit: number, cursor = ''): void {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    const message = `The limit must be a whole number from 1 to ${MAX_LIMIT}`;
    throw new ServiceError('parameter.invalid', message, { parameter: 'limit' });
  }
  if (cursor.length > MAX_SERIAL_LENGTH * 4) {
    throw new ServiceError('parameter.invalid', 'The cursor is none of this list', { parameter: 'cursor' });
  }
}
