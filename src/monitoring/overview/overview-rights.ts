import type { Configuration } from '../../configuration/configuration.ts';
import type { AccessControl, Grant } from '../../policy/access-control.ts';
import type { Caller } from '../../policy/caller.ts';
import { visibleRealms, NO_REALM } from '../realm-choice.ts';

/** The parts of the overview that a caller may see. JSON of it tells two callers with other rights apart. */
export interface OverviewRights {
  /** Names of the realms, and perhaps `NO_REALM`; null: none. */
  readonly tokens: readonly string[] | null;
  readonly activeUsers: readonly string[] | null;
  readonly users: readonly string[] | null;
  readonly licence: boolean;
  readonly configuration: boolean;
  readonly storageEncryption: boolean;
  readonly resolvers: boolean;
  readonly responses: boolean;
}

/** @returns the rights that the caller has now */
export function overviewRights(
  access: Pick<AccessControl, 'grantOf'>,
  configuration: Configuration,
  caller: Caller,
): OverviewRights {
  const monitors = (action: string): Grant | undefined =>
    access.grantOf(configuration, caller, { scope: 'monitoring', action });
  const realmsOf = (action: string): readonly string[] | null => {
    const grant = monitors(action);
    if (grant === undefined) {
      return null;
    }
    const { realms, noRealm } = visibleRealms(configuration, grant);
    return noRealm ? [...realms, NO_REALM] : realms;
  };
  /** Of the whole installation: takes a right that no realm bounds. */
  const monitorsAll = (action: string): boolean => monitors(action)?.realms === 'all';
  return {
    tokens: realmsOf('tokens'),
    activeUsers: realmsOf('activeUsers'),
    users: realmsOf('userinfo'),
    licence: monitorsAll('license'),
    configuration: monitorsAll('config'),
    storageEncryption: monitorsAll('storageEncryption'),
    resolvers: access.grantOf(configuration, caller, { scope: 'system', action: 'read' }) !== undefined,
    responses: monitorsAll('metrics'),
  };
}
