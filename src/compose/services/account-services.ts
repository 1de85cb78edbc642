import { AdministratorService } from '../../administrators/administrator-service.ts';
import { checkOcraSettings, OCRA_DEFAULTS, OCRA_SETTINGS } from '../../challenges/ocra-settings.ts';
import { SettingService } from '../../configuration/setting-service.ts';
import { PolicyService } from '../../policy/policy-service.ts';
import { RightsService } from '../../policy/rights-service.ts';
import { RealmService } from '../../realms/realm-service.ts';
import { ResolverTrialService } from '../../resolvers/resolver-trial-service.ts';
import { ResolverService } from '../../resolvers/resolver-service.ts';
import { TokenStore } from '../../tokens/token-store.ts';
import { TokenService } from '../../tokens/token-service.ts';
import { UserService } from '../../users/user-service.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The administration of accounts, tokens and their configuration. */
export interface AccountServices {
  readonly administrators: AdministratorService;
  readonly realms: RealmService;
  readonly resolvers: ResolverService;
  readonly resolverTrials: ResolverTrialService;
  readonly users: UserService;
  readonly policies: PolicyService;
  readonly rights: RightsService;
  readonly settings: SettingService;
  readonly tokens: TokenService;
}

export function accountServices(shared: SharedParts): AccountServices {
  const { database, managedUsers, administratorStore } = shared;
  return {
    administrators: new AdministratorService({ ...shared, administrators: administratorStore }),
    realms: new RealmService(shared),
    resolvers: new ResolverService(shared),
    resolverTrials: new ResolverTrialService({
      ...shared,
      noteTrial: (resolver, outcome, act) => database.autocommit.audit.write(act, resolver, outcome),
    }),
    users: new UserService({ ...shared, users: managedUsers }),
    policies: new PolicyService({ ...shared, administrators: administratorStore }),
    rights: new RightsService(shared),
    settings: new SettingService({
      ...shared,
      check: checkOcraSettings,
      defaults: OCRA_DEFAULTS,
      known: OCRA_SETTINGS,
    }),
    tokens: new TokenService({ ...shared, tokens: new TokenStore({ database }) }),
  };
}
