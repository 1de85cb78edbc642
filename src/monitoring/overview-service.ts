import type { z } from 'zod';
import { ownAnswerAddress } from '../challenges/enrolment/enrolment-service.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Configuration, Resolver } from '../configuration/configuration.ts';
import { BACKUP_ELSEWHERE, isNotFalse } from '../configuration/settings.ts';
import type { Clock } from '../kernel/clock.ts';
import { KeptReading } from '../kernel/bounded-work.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import { givesValue } from '../policy/read-policy.ts';
import type { Caller } from '../policy/caller.ts';
import type { ManagedUserStore } from '../users/managed-user-store.ts';
import { NO_REALM, visibleRealms } from './monitoring-query.ts';
import type { ObservationStore, ResolverUse, ResponseMinute } from './observation-store.ts';
import {
  activeUserOverview,
  type FIRST_STEPS,
  firstMinute,
  type KnownUsers,
  licenceOverview,
  type Overview,
  resolverHealth,
  responseOverview,
  tokenOverview,
  userOverview,
} from './overview.ts';
import {
  compareConfiguration,
  type ConfigurationReport,
  type ConfigurationState,
  type LicenceReport,
  reportLicence,
} from './reports.ts';
import type { StorageProbe } from './storage-probe-store.ts';
import type { TokenCountStore } from './token-count-store.ts';
import type { LockedTokenRow, TokenCountsSnapshot } from './token-counts.ts';
import type { UserCountStore } from './user-count-store.ts';

/** The state of the installation at a moment, from which every caller's overview is made. */
interface OverviewFacts {
  readonly configuration: Configuration;
  readonly state: ConfigurationReport;
  readonly counts: TokenCountsSnapshot;
  readonly locked: readonly LockedTokenRow[];
  readonly users: KnownUsers;
  readonly uses: readonly ResolverUse[];
  readonly responses: readonly ResponseMinute[];
  readonly since: Date;
  readonly licence: LicenceReport;
  readonly encrypts: boolean;
}

/** Milliseconds for which a reading serves all who ask. */
const READING_KEPT_MS = 1_000;
/** Milliseconds for which a test of the encryption, which writes to the database, is taken for the present state. */
const PROBE_KEPT_MS = 60_000;

/**
 * The overview for administrators. All numbers are kept by the database: no statement walks over tokens, users or audit
 * rows, and no resolver is waited for.
 */
export class OverviewService {
  readonly #deps;
  readonly #facts: KeptReading<OverviewFacts>;
  readonly #encrypts: KeptReading<boolean>;

  constructor(dependencies: {
    readonly configurations: Pick<ConfigurationStore, 'current'>;
    readonly configurationState: ConfigurationState;
    readonly access: Pick<AccessControl, 'grantOf'>;
    readonly counts: Pick<TokenCountStore, 'snapshot' | 'lockedTokens' | 'installedSteps'>;
    readonly managedUsers: Pick<ManagedUserStore, 'count'>;
    readonly userCounts: Pick<UserCountStore, 'find'>;
    readonly observations: Pick<ObservationStore, 'responsesSince' | 'resolverUses'>;
    readonly probe: Pick<StorageProbe, 'encrypts'>;
    /** Counts the users of resolvers elsewhere, whose numbers are old or missing, in the background. */
    readonly countAgain: (configuration: Configuration, known: KnownUsers) => void;
    readonly publicUrl?: string | undefined;
    readonly clock: Clock;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed: () => number;
  }) {
    const { probe, elapsed } = dependencies;
    this.#deps = dependencies;
    this.#facts = new KeptReading({
      read: () => this.#readFacts(),
      keptMs: READING_KEPT_MS,
      failureKeptMs: READING_KEPT_MS,
      elapsed,
    });
    this.#encrypts = new KeptReading({
      read: () => probe.encrypts().catch(isWithoutKeys),
      keptMs: PROBE_KEPT_MS,
      elapsed,
    });
  }

  /**
   * Callers share one reading of the state a second.
   * @returns the parts that the caller may see now; never a realm that the caller's policies do not name
   */
  async read(caller: Caller): Promise<Overview> {
    const { access, configurations } = this.#deps;
    const facts = await this.#facts.current();
    return show(facts, overviewRights(access, await configurations.current(), caller));
  }

  async firstSteps(): Promise<z.output<typeof FIRST_STEPS>> {
    const { configurations, counts, publicUrl } = this.#deps;
    const { resolvers, realms, policies, settings } = await configurations.current();
    const [{ tokens }, installed, user] = await Promise.all([
      counts.snapshot(),
      counts.installedSteps(),
      this.#hasUser(resolvers),
    ]);
    return {
      resolver: resolvers.length > 0,
      user,
      emptyResolver: user ? null : (resolvers[0]?.name ?? null),
      realm: realms.length > 0,
      answerAddress: policies.some((policy) => givesValue(policy, 'qrtanurl')),
      token: tokens.some(({ tokens: number }) => number > 0),
      secondFactor: installed.secondFactor,
      backup: installed.backup || isNotFalse(settings.get(BACKUP_ELSEWHERE) ?? ''),
      proposedAddress: ownAnswerAddress(publicUrl),
    };
  }

  async #hasUser(resolvers: readonly Resolver[]): Promise<boolean> {
    const { managedUsers } = this.#deps;
    if (resolvers.some(({ kind }) => kind !== 'managed')) {
      return true;
    }
    const users = await Promise.all(resolvers.map(({ id }) => managedUsers.count(id)));
    return users.some((count) => count > 0);
  }

  /** Reads the state of the installation. @throws ServiceError 'database.unavailable' */
  async #readFacts(): Promise<OverviewFacts> {
    const { configurations, configurationState, clock, counts, observations } = this.#deps;
    const { configuration, report: state } = await compareConfiguration(configurationState, clock, () =>
      configurations.current(),
    );
    const since = firstMinute(clock.now());
    const [snapshot, locked, users, uses, responses, encrypts] = await Promise.all([
      counts.snapshot(),
      counts.lockedTokens(),
      this.#knownUsers(configuration),
      observations.resolverUses(),
      observations.responsesSince(since),
      this.#encrypts.current(),
    ]);
    this.#deps.countAgain(configuration, users);
    return {
      state,
      configuration,
      counts: snapshot,
      locked,
      users,
      uses,
      responses,
      since,
      licence: reportLicence(configuration.settings, snapshot, clock.now()),
      encrypts,
    };
  }

  async #knownUsers({ resolvers }: Configuration): Promise<KnownUsers> {
    const { managedUsers, userCounts } = this.#deps;
    const idsOf = (isManaged: boolean): readonly string[] =>
      resolvers.filter(({ kind }) => (kind === 'managed') === isManaged).map(({ id }) => id);
    const elsewhere = idsOf(false);
    const [managed, kept] = await Promise.all([
      Promise.all(idsOf(true).map(async (id) => [id, await managedUsers.count(id)] as const)),
      elsewhere.length === 0 ? [] : userCounts.find(elsewhere),
    ]);
    return { managed: new Map(managed), kept };
  }
}

/** @returns the part of the facts that these rights show */
function show(facts: OverviewFacts, rights: ReturnType<typeof overviewRights>): Overview {
  const { configuration, counts } = facts;
  return {
    tokens: rights.tokens && tokenOverview(counts.tokens, facts.locked, rights.tokens),
    activeUsers: rights.activeUsers && activeUserOverview(counts.activeUsers, rights.activeUsers),
    users: rights.users && userOverview(configuration, facts.users, rights.users),
    licence: rights.licence ? licenceOverview(facts.licence) : null,
    configuration: rights.configuration ? facts.state : null,
    storageEncryption: rights.storageEncryption ? facts.encrypts : null,
    resolvers: rights.resolvers ? resolverHealth(configuration.resolvers, facts.uses) : null,
    responses: rights.responses ? responseOverview(facts.responses, facts.since) : null,
  };
}

/**
 * Keys that are away must not hide the rest of the overview.
 * @returns false
 * @throws any other error
 */
function isWithoutKeys(error: unknown): false {
  if (isServiceError(error, 'key.unavailable') || isServiceError(error, 'security-module.unavailable')) {
    return false;
  }
  throw error;
}

/**
 * @returns the parts that the caller may see now: of those by realm the names of the realms, and perhaps `NO_REALM`;
 *   null: none
 */
function overviewRights(
  access: Pick<AccessControl, 'grantOf'>,
  configuration: Configuration,
  caller: Caller,
) {
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
