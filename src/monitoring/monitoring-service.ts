import type { AccessControl, Grant } from '../policy/access-control.ts';
import { actOf, assertOperator, type Caller } from '../policy/caller.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import {
  type ActiveUserReport,
  compareConfiguration,
  type ConfigurationReport,
  type ConfigurationState,
  type LicenceReport,
  type RealmTally,
  reportActiveUsers,
  reportLicence,
  reportTokens,
  reportUsers,
  tallyTokens,
  type TokenReport,
  type UserReport,
} from './reports.ts';
import { chooseRealms, parseStatuses, visibleRealms } from './monitoring-query.ts';
import type { StorageProbe } from './storage-probe-store.ts';
import type { TokenCountStore } from './token-count-store.ts';
import type { TokenCountsSnapshot, CountCheck } from './token-counts.ts';
import type { UserCounts } from './user-counts.ts';

type MonitoringAction =
  'tokens' | 'userinfo' | 'activeUsers' | 'config' | 'license' | 'storageEncryption' | 'metrics';

/** The realms of a report: a comma list, see `chooseRealms`. */
interface RealmQuery {
  readonly realms?: string | undefined;
}

/** A realm query with the statuses by which tokens are counted: a comma list, see `parseStatuses`. */
interface TokenQuery extends RealmQuery {
  readonly status?: string | undefined;
}

/**
 * Reports of /monitoring, and the rights to others. What counts tokens or users and is of no realm takes a right that no
 * realm bounds. Each method throws ServiceError 'right.missing' when no policy of the scope `monitoring`
 * permits it, and shows no realm beyond those that the policies name.
 */
export class MonitoringService {
  readonly #deps;
  /** The last sum: probes request the same realms repeatedly, mostly without a change in between. */
  #tallied:
    | { readonly snapshot: TokenCountsSnapshot; readonly realms: string; readonly tally: RealmTally }
    | undefined;

  constructor(dependencies: {
    readonly configurations: Pick<ConfigurationStore, 'current'>;
    readonly access: Pick<AccessControl, 'authorize'>;
    readonly counts: Pick<TokenCountStore, 'snapshot'>;
    readonly configurationState: ConfigurationState;
    readonly probe: Pick<StorageProbe, 'encrypts'>;
    readonly userCounts: Pick<UserCounts, 'of'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Counts tokens and their users by realm and status.
   * @throws ServiceError 'token-status.unknown', 'parameter.invalid' for too many of them, 'right.missing' when no realm
   *   is left to show
   */
  async tokens(caller: Caller, { realms, status }: TokenQuery): Promise<TokenReport> {
    const { configuration, grant } = await this.#authorize(caller, 'tokens');
    const chosen = chooseRealms(visibleRealms(configuration, grant), realms);
    const statuses = parseStatuses(status);
    const counts = await this.#deps.counts.snapshot();
    return reportTokens(this.#tallyOf(counts, chosen), chosen, statuses);
  }

  /**
   * Counts users by realm and resolver; for an unavailable resolver, gives the last known number. Every user is in a
   * realm, so `NO_REALM` is allowed to every caller and shows nothing.
   * @throws ServiceError 'resolver.unavailable' when there is no known number, 'right.missing' when no realm is left to
   *   show
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
   * Counts users who own at least one active token, by realm and resolver.
   * @throws ServiceError 'right.missing' when no realm is left to show
   */
  async activeUsers(caller: Caller, { realms }: RealmQuery): Promise<ActiveUserReport> {
    const { configuration, grant } = await this.#authorize(caller, 'activeUsers');
    const chosen = chooseRealms(visibleRealms(configuration, grant), realms);
    const { activeUsers } = await this.#deps.counts.snapshot();
    return reportActiveUsers(activeUsers, chosen, configuration.realms);
  }

  /** Compares this server's configuration with that of the database, and counts its parts. */
  async config(caller: Caller): Promise<ConfigurationReport> {
    const { configurationState, clock } = this.#deps;
    const { report } = await compareConfiguration(
      configurationState,
      clock,
      async () => (await this.#authorize(caller, 'config')).configuration,
    );
    return report;
  }

  /**
   * The state of the licence, whose numbers are those of all realms.
   * @throws ServiceError 'right.missing' also for a caller who is bound to realms
   */
  async licence(caller: Caller): Promise<LicenceReport> {
    const { grant } = await this.#authorize(caller, 'license');
    if (grant.realms !== 'all') {
      throw new ServiceError(
        'right.missing',
        'The right monitoring:license is bound to realms, and the licence counts all of them',
      );
    }
    return this.support();
  }

  /** @returns the state of the licence, for callers who may read the settings */
  async support(): Promise<LicenceReport> {
    const { configurations, counts, clock } = this.#deps;
    const { settings } = await configurations.current();
    return reportLicence(settings, await counts.snapshot(), clock.now());
  }

  /** @returns true if a new secret is encrypted before it is stored, tested by storing one */
  async storageEncryption(caller: Caller): Promise<boolean> {
    await this.#authorize(caller, 'storageEncryption');
    return this.#deps.probe.encrypts();
  }

  /** @returns the realms whose metrics the caller may read; `all`: every metric of the service */
  async metricRealms(caller: Caller): Promise<Grant['realms']> {
    return (await this.#authorize(caller, 'metrics')).grant.realms;
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

/** Compares the counts in the database with the tokens and users themselves. For operators at the machine. */
export class CountService {
  readonly #counts: Pick<TokenCountStore, 'verify' | 'repair'>;

  constructor({ counts }: { readonly counts: Pick<TokenCountStore, 'verify' | 'repair'> }) {
    this.#counts = counts;
  }

  /**
   * Counts anew and changes nothing.
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async verify(caller: Caller): Promise<CountCheck> {
    assertOperator(caller, 'Counts are verified');
    return this.#counts.verify();
  }

  /**
   * Counts anew and corrects the counts that have drifted.
   * @returns the counts that were wrong
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async repair(caller: Caller): Promise<CountCheck> {
    assertOperator(caller, 'Counts are repaired');
    return this.#counts.repair(actOf(caller, 'count/repair'));
  }
}
