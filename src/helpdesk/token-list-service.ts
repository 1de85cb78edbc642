import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { TokenCountStore } from '../monitoring/token-count-store.ts';
import type { TokenCountRow } from '../monitoring/token-counts.ts';
import type { AccessControl } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import { readTokenListing, type TokenFilter, type TokenListing } from '../tokens/token-selection.ts';
import { isVisible } from '../tokens/token-view.ts';
import type { UserDirectory } from '../users/user-directory.ts';
import { type OwnedToken, ownedToken } from './owned-token.ts';
import type { TokenPageFilter, TokenPageStore } from './helpdesk-store.ts';

interface TokenListDependencies {
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly access: AccessControl;
  readonly users: UserDirectory;
  readonly pages: TokenPageStore;
  readonly counts: Pick<TokenCountStore, 'snapshot'>;
}

/** Conditions on the tokens to list; an absent one does not restrict. */
export interface TokenSheetRequest extends Pick<
  TokenListing,
  'serialPrefix' | 'user' | 'userRealm' | 'userResolver' | 'realm' | 'active' | 'assigned'
> {
  /** True: locked tokens only. */
  readonly isLocked?: boolean | undefined;
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined;
  /** `next` of the page before; absent: the first page. */
  readonly cursor?: string | undefined;
}

/** One page of tokens. */
export interface TokenSheet {
  /** By serial, without regard to case. */
  readonly tokens: readonly OwnedToken[];
  /** The cursor of the next page; null: this is the last one. */
  readonly next: string | null;
  /** The number of tokens on all pages; null: no count is kept for this filter. */
  readonly total: number | null;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_SERIAL_LENGTH = 64;

/**
 * Lists tokens page by page. No page passes over tokens that it leaves out, and nothing is counted one by one, so that a
 * page of a million tokens takes as long as one of a thousand.
 */
export class TokenListService {
  readonly #deps: TokenListDependencies;

  constructor(dependencies: TokenListDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Takes the right `admin/show`. A caller bound to realms finds tokens in one of them, and no others.
   * @throws ServiceError 'right.missing', 'realm.unknown', 'user.unknown', 'resolver.unavailable', 'parameter.invalid'
   *   for a limit or cursor
   */
  async page(
    caller: Caller,
    { isLocked, limit = DEFAULT_LIMIT, cursor, ...listing }: TokenSheetRequest,
  ): Promise<TokenSheet> {
    const { access, configuration: store, users, pages } = this.#deps;
    const { configuration, grant } = await access.authorizeAdmin(store, caller, 'show');
    assertPlace(limit, cursor);
    const filter = await readTokenListing(configuration, grant, listingOf(listing), users);
    if (filter === undefined) {
      return { tokens: [], next: null, total: null };
    }
    const found = await pages.page(pageFilter(filter, isLocked === true, cursor, limit + 1));
    const tokens = found.slice(0, limit);
    const isCounted = filter.serialPrefix === undefined && filter.owner === undefined && isLocked !== true;
    return {
      tokens: tokens
        .filter((token) => isVisible(token, grant))
        .map((token) => ownedToken(configuration, grant, token)),
      next: found.length > limit ? (tokens.at(-1)?.serial ?? null) : null,
      total: isCounted ? await this.#total(filter) : null,
    };
  }

  /** Adds up the counts that the database keeps. */
  async #total(filter: TokenFilter): Promise<number> {
    const { tokens } = await this.#deps.counts.snapshot();
    return tokens.filter((row) => isCountedBy(filter, row)).reduce((sum, row) => sum + row.tokens, 0);
  }
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
  after: string | undefined,
  limit: number,
): TokenPageFilter {
  return {
    serialPrefix,
    owner,
    inRealms,
    active,
    assigned,
    after,
    limit,
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
