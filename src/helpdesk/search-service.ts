import type { TransactionHistory, TransactionService } from '../challenges/transaction-service.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import { isVisible } from '../tokens/token-view.ts';
import { locate } from '../users/user-directory.ts';
import { type OwnedToken, ownedToken } from './owned-token.ts';
import type { PeopleSearch, PeopleFound } from './people-search.ts';
import type { TokenPageStore } from './token-page-store.ts';

interface SearchDependencies {
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly access: AccessControl;
  readonly pages: TokenPageStore;
  readonly people: Pick<PeopleSearch, 'find'>;
  readonly transactions: Pick<TransactionService, 'history'>;
}

/** Tokens that were found. */
export interface TokensFound {
  readonly hits: readonly OwnedToken[];
  /** True if there are more. */
  readonly hasMore: boolean;
}

/** The transaction that was found. */
export type TransactionFound = Pick<TransactionHistory, 'transactionId' | 'serial' | 'realms' | 'state'>;

/** The hits of each kind; null: the caller has no right to this kind, and nothing was looked for. */
export interface SearchResult {
  readonly tokens: TokensFound | null;
  readonly people: PeopleFound | null;
  /** One at most. */
  readonly transactions: readonly TransactionFound[] | null;
}

/** The most tokens, and the most people of a resolver. */
const MAX_HITS = 10;
const MAX_LENGTH = 255;

/**
 * The one search field of the helpdesk: tokens whose serial begins with the text in any case, people whose login, given
 * name, surname or e-mail address begins with it, and the transaction of exactly that id. Every statement of its own
 * reads the beginning of an index; resolvers are asked as `PeopleSearch` says. Writes nothing.
 */
export class SearchService {
  readonly #deps: SearchDependencies;

  constructor(dependencies: SearchDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Takes one of the rights `admin/show` for tokens, `admin/userlist` for people and `admin/transaction` for
   * transactions, and looks for what the caller has the right to, in the realms of this right.
   * @throws ServiceError 'right.missing' for a caller with none of them, 'parameter.missing' for a blank text, 'parameter.invalid' for one that is too long
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
    if (show === undefined && userlist === undefined && transaction === undefined) {
      this.#deps.access.authorize(configuration, caller, { scope: 'admin', action: 'show' });
    }
    const [tokens, people, transactions] = await Promise.all([
      show === undefined ? null : this.#tokens(configuration, show, text),
      userlist === undefined ? null : this.#people(configuration, userlist, text),
      transaction === undefined ? null : this.#transactions(caller, text),
    ]);
    return { tokens, people, transactions };
  }

  async #tokens(configuration: Configuration, grant: Grant, text: string): Promise<TokensFound> {
    const found = await this.#deps.pages.page({
      serialPrefix: text,
      inRealms: grant.realms === 'all' ? undefined : grant.realms,
      limit: MAX_HITS + 1,
    });
    const hits = found.slice(0, MAX_HITS).filter((token) => isVisible(token, grant));
    return {
      hits: hits.map((token) => ownedToken(configuration, grant, token)),
      hasMore: found.length > MAX_HITS,
    };
  }

  /** Reads `login@realm` and `realm\\login` as requests do, where there is such a visible realm. */
  #people(configuration: Configuration, grant: Grant, text: string): Promise<PeopleFound> {
    const { login, realm } = locate(configuration, { user: text });
    const isMeant = realm !== undefined && (grant.realms === 'all' || grant.realms.includes(realm.name));
    return isMeant && login !== text && login.trim() !== ''
      ? this.#deps.people.find(configuration, { realms: [realm.name] }, login, MAX_HITS)
      : this.#deps.people.find(configuration, grant, text, MAX_HITS);
  }

  async #transactions(caller: Caller, text: string): Promise<readonly TransactionFound[]> {
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
