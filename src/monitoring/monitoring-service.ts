import type { AccessControl, Grant } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import type { ConfigurationStore } from '../configuration/ports.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Clock } from '../kernel/clock.ts';
import { reportActiveUsers } from './active-users-report.ts';
import { isInStep, reportConfiguration } from './configuration-report.ts';
import type { LicenceInspection } from './licence-inspection.ts';
import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenseReport,
  TokenReport,
  UserReport,
} from './outcomes.ts';
import type { ConfigurationState, StorageProbe, TokenCounts, TokenCountsSnapshot } from './ports.ts';
import { chooseRealms, visibleRealms } from './realm-choice.ts';
import type { RealmTally } from './realm-tally.ts';
import { reportTokens, tallyTokens } from './token-report.ts';
import { parseStatuses } from './token-status.ts';
import type { UserCounts } from './user-counts.ts';
import { reportUsers } from './user-report.ts';

type MonitoringAction =
  'tokens' | 'userinfo' | 'activeUsers' | 'config' | 'license' | 'storageEncryption' | 'metrics';

export interface MonitoringDependencies {
  readonly configurations: Pick<ConfigurationStore, 'current'>;
  readonly access: Pick<AccessControl, 'authorize'>;
  readonly counts: TokenCounts;
  readonly licence: Pick<LicenceInspection, 'report'>;
  readonly configurationState: ConfigurationState;
  readonly probe: StorageProbe;
  readonly userCounts: Pick<UserCounts, 'of'>;
  readonly clock: Clock;
}

/** Which realms to report on: a comma list, see `chooseRealms`. */
export interface RealmQuery {
  readonly realms?: string | undefined;
}

/** Also by which statuses to count tokens: a comma list, see `parseStatuses`. */
export interface TokenQuery extends RealmQuery {
  readonly status?: string | undefined;
}

/**
 * What /monitoring tells. Each method throws ServiceError 'right.missing' when no policy of the scope `monitoring`
 * lets the caller ask, and shows no realm beyond those that the policies name.
 */
export class MonitoringService {
  readonly #deps: MonitoringDependencies;
  /** What was added up last: probes ask for the same realms again and again, mostly before anything has changed. */
  #tallied:
    | { readonly snapshot: TokenCountsSnapshot; readonly realms: string; readonly tally: RealmTally }
    | undefined;

  constructor(dependencies: MonitoringDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Tokens and their users by realm and status.
   * @throws ServiceError 'parameter.invalid' for an unknown status, 'right.missing' when no realm is left to show
   */
  async tokens(caller: Caller, { realms, status }: TokenQuery): Promise<TokenReport> {
    const { configuration, grant } = await this.#authorize(caller, 'tokens');
    const chosen = chooseRealms(visibleRealms(configuration, grant), realms);
    const statuses = parseStatuses(status);
    return reportTokens(this.#tallyOf(await this.#deps.counts.snapshot(), chosen), chosen, statuses);
  }

  /**
   * Users by realm and resolver; of a resolver that does not tell, the last known number. No user is in no realm: asking
   * for that is allowed to everybody and shows nothing.
   * @throws ServiceError 'resolver.unavailable' when there is none, 'right.missing' when no realm is left to show
   */
  async userinfo(caller: Caller, { realms }: RealmQuery): Promise<UserReport> {
    const { configuration, grant } = await this.#authorize(caller, 'userinfo');
    const chosen = chooseRealms({ ...visibleRealms(configuration, grant), noRealm: true }, realms);
    const shown = chosen.flatMap((name) => configuration.realms.filter((realm) => realm.name === name));
    const names = [...new Set(shown.flatMap(({ resolvers }) => resolvers))];
    const counts = await this.#deps.userCounts.of(configuration, names);
    return reportUsers(shown, counts, this.#deps.clock.now());
  }

  /**
   * Users who own at least one active token, by realm and resolver.
   * @throws ServiceError 'right.missing' when no realm is left to show
   */
  async activeUsers(caller: Caller, { realms }: RealmQuery): Promise<ActiveUserReport> {
    const { configuration, grant } = await this.#authorize(caller, 'activeUsers');
    const chosen = chooseRealms(visibleRealms(configuration, grant), realms);
    return reportActiveUsers(await this.#deps.counts.activeUsers(), chosen, configuration.realms);
  }

  /** Whether this server works with the configuration that the database holds, and how much is configured. */
  async config(caller: Caller): Promise<ConfigurationReport> {
    const { configurationState, clock } = this.#deps;
    // All before this request itself has the configuration read, which would hide that the server had missed a change.
    const before = configurationState.assumed;
    const stored = await configurationState.lastChangeInDatabase();
    const after = configurationState.assumed;
    const { configuration } = await this.#authorize(caller, 'config');
    // What changes during this request, and is noticed, is in one of the two.
    const works = before !== undefined && isInStep(before, stored) ? before : (after ?? configuration);
    // A change that this server has read already came after the look at the database.
    const isAhead = works.revision > stored.revision;
    const last = isAhead ? await configurationState.lastChangeInDatabase() : stored;
    return reportConfiguration(works, last, clock.now());
  }

  /** The state of the support subscription: of the whole installation, whatever realms the caller may see. */
  async license(caller: Caller): Promise<LicenseReport> {
    await this.#authorize(caller, 'license');
    return this.#deps.licence.report();
  }

  /** @returns whether a new secret is encrypted before it is stored, found out by storing one */
  async storageEncryption(caller: Caller): Promise<boolean> {
    await this.#authorize(caller, 'storageEncryption');
    return this.#deps.probe.encrypts();
  }

  /** Lets those pass who may see what the service measures of itself. */
  async authorizeMetrics(caller: Caller): Promise<void> {
    await this.#authorize(caller, 'metrics');
  }

  #tallyOf(snapshot: TokenCountsSnapshot, chosen: readonly string[]): RealmTally {
    const realms = JSON.stringify(chosen);
    const last = this.#tallied;
    if (last?.snapshot === snapshot && last.realms === realms) {
      return last.tally;
    }
    const tally = tallyTokens(snapshot, chosen);
    this.#tallied = { snapshot, realms, tally };
    return tally;
  }

  async #authorize(
    caller: Caller,
    action: MonitoringAction,
  ): Promise<{ configuration: Configuration; grant: Grant }> {
    const configuration = await this.#deps.configurations.current();
    const grant = this.#deps.access.authorize(configuration, caller, {
      scope: 'monitoring',
      action,
    });
    return { configuration, grant };
  }
}
