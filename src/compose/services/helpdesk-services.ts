import { PeopleSearch } from '../../helpdesk/people-search.ts';
import { PersonService } from '../../helpdesk/person-service.ts';
import { SearchService } from '../../helpdesk/search-service.ts';
import { TokenListService } from '../../helpdesk/token-list-service.ts';
import { LatestTransactionStore } from '../../helpdesk/latest-transaction-store.ts';
import { SqlTokenCounts } from '../../storage/counts/token-counts.ts';
import { TokenPageStore } from '../../helpdesk/token-page-store.ts';
import { TokenStore } from '../../tokens/token-store.ts';
import type { ChallengeServices } from './challenge-services.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The views of the helpdesk. */
export interface HelpdeskServices {
  readonly helpdesk: {
    readonly search: SearchService;
    readonly people: PersonService;
    readonly tokenList: TokenListService;
  };
}

export function helpdeskServices(
  shared: SharedParts,
  { transactions }: Pick<ChallengeServices, 'transactions'>,
): HelpdeskServices {
  const { database } = shared;
  const pages = new TokenPageStore({ database });
  return {
    helpdesk: {
      search: new SearchService({ ...shared, pages, people: new PeopleSearch(shared), transactions }),
      people: new PersonService({
        ...shared,
        tokens: new TokenStore({ database }),
        transactions: new LatestTransactionStore({ database }),
      }),
      tokenList: new TokenListService({ ...shared, pages, counts: new SqlTokenCounts({ database }) }),
    },
  };
}
