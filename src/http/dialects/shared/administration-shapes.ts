import type { SettingOverview } from '../../../configuration/setting-service.ts';
import type { Policy } from '../../../policy/stored-policy.ts';
import type { Realm, Resolver } from '../../../configuration/configuration.ts';
import type { TokenPage } from '../../../tokens/token-selection.ts';

/** The `value` in answers of administration, in the shapes of a dialect. */
export interface AdministrationShapes {
  tokenPage(page: TokenPage): unknown;
  /** @param names the parameters that were set, by their names in the interface */
  setTokens(names: readonly string[], count: number): unknown;

  policies(policies: readonly Policy[]): unknown;
  storedPolicy(policy: Policy): unknown;
  removedPolicy(name: string): unknown;

  resolvers(resolvers: readonly Resolver[]): unknown;
  resolver(resolver: Resolver): unknown;

  /** @param resolvers all resolvers; realms contain the names of theirs only */
  realms(realms: readonly Realm[], resolvers: readonly Resolver[]): unknown;
  removedRealm(name: string): unknown;

  configuration(overview: SettingOverview): unknown;
  /** @returns one value; null where there is none */
  configurationValue(overview: SettingOverview, key: string): unknown;
  storedConfiguration(entries: ReadonlyMap<string, string>): unknown;
  removedConfiguration(key: string): unknown;
}
