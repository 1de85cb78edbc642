import { ConsequenceService } from '../../consequences/consequence-service.ts';
import { SqlTokenCounts } from '../../storage/counts/token-counts.ts';
import { TokenStore } from '../../tokens/token-store.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The services that compute the consequences of a change. */
export interface ConsequenceServices {
  readonly consequences: ConsequenceService;
}

export function consequenceServices(shared: SharedParts): ConsequenceServices {
  const { database, managedUsers, administratorStore } = shared;
  return {
    consequences: new ConsequenceService({
      ...shared,
      counts: new SqlTokenCounts({ database }),
      tokens: new TokenStore({ database }),
      users: managedUsers,
      administrators: administratorStore,
    }),
  };
}
