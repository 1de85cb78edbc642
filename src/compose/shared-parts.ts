import { RefusalTrail } from '../audit/refusal-trail.ts';
import type { TransactionIds } from '../challenges/challenge-factory.ts';
import type { ChallengeMetrics } from '../challenges/challenge-metrics.ts';
import type { StatusWaitMetrics } from '../challenges/status-watch.ts';
import type { HousekeepingDependencies } from '../housekeeping/housekeeping-service.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { KeyDerivation, SecurityModule, Vault } from '../keys/vault.ts';
import { Observations } from '../monitoring/observations.ts';
import type { LicenceSignature, ResolverMetrics } from '../monitoring/ports.ts';
import type { Responder } from '../ocra/verify.ts';
import { AccessControl } from '../policy/access-control.ts';
import { measuredSources, type ResolverUseMetrics } from '../resolvers/measured-sources.ts';
import type { ResolverSecrets } from '../resolvers/user-source.ts';
import { FileBounds } from '../resolvers/sources/file-bounds.ts';
import { openUserSources, type OpenUserSources } from '../resolvers/sources/user-sources.ts';
import { BoundedPasswordHasher } from '../security/passwords/bounded-password-hasher.ts';
import type { OpenidSettings } from '../security/openid-provider.ts';
import { HashedDirectoryPasswords } from '../security/passwords/directory-password.ts';
import { ConfirmedCredentials } from '../administrators/confirmed-credentials-store.ts';
import { AdministratorStore } from '../administrators/administrator-store.ts';
import { ConfirmationStore } from '../administrators/confirmation-store.ts';
import { ConfigurationStore } from '../configuration/configuration-store.ts';
import { ResolverSecretStore } from '../resolvers/resolver-store.ts';
import { AuditStore } from '../audit/audit-store.ts';
import type { Database } from '../database/database.ts';
import { PruningClock } from '../housekeeping/pruning-clock-store.ts';
import { SqlObservationStore } from '../storage/monitoring/observation-store.ts';
import { ManagedUserStore } from '../users/managed-user-store.ts';
import type { PasswordHasher } from '../users/password-hasher.ts';
import { UserDirectory } from '../users/user-directory.ts';
import type { DispatcherDependencies } from '../webhooks/delivery-dispatcher.ts';
import { observedMeasures } from './observed-measures.ts';

/** The meters of the services. */
export interface ServiceMeasures {
  readonly challenges: ChallengeMetrics;
  readonly statusWaits: StatusWaitMetrics;
  readonly resolvers: ResolverMetrics & ResolverUseMetrics;
  readonly housekeeping: HousekeepingDependencies['metrics'];
  readonly webhooks: DispatcherDependencies['metrics'];
}

/** A provider of single sign-on. */
export interface SingleSignOnParts extends OpenidSettings {
  /** Groups of policies by the provider's. */
  readonly groups: ReadonlyMap<string, string>;
  /** The name of the provider for people. */
  readonly provider?: string | undefined;
  /** Seconds. */
  readonly lifetime: number;
}

/** The parts that services are constructed from. */
export interface ServiceParts {
  readonly database: Database;
  readonly vault: Vault & KeyDerivation;
  /** The source of the vault's keys; by default the vault itself. */
  readonly securityModule?: SecurityModule;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Prepares the computation of responses; by default `nodeResponder`. */
  readonly responder?: Responder | undefined;
  /** The form of transaction ids; by default hexadecimal. */
  readonly transactionIds?: TransactionIds;
  /** Seconds. */
  readonly sessionLifetime: number;
  /** The address of the server in browsers, an origin; undefined: there are no passkeys. */
  readonly publicUrl?: string | undefined;
  /** The provider of single sign-on; undefined: none. */
  readonly singleSignOn?: SingleSignOnParts | undefined;
  /** The most passwords that are verified at once; by default 2. */
  readonly passwordsAtOnce?: number;
  /** Undefined: no licence can be verified. */
  readonly licenceSignature?: LicenceSignature | undefined;
  /** Seconds. */
  readonly resolverTimeout: number;
  /** Folders whose files may be named over HTTP; by default none. */
  readonly resolverFileDirs?: readonly string[];
  /** Undefined: nothing is measured. */
  readonly metrics?: ServiceMeasures | undefined;
  /** Seconds for which expired challenges are kept; by default seven days. */
  readonly challengeRetention?: number;
  /** Seconds for which months of the audit are kept after their end; by default for ever. */
  readonly auditRetention?: number | undefined;
  /** The most requests that wait for the state of a transaction; by default 500. */
  readonly statusWaits?: number;
  /** Milliseconds between two looks for those requests where no notices come; by default a second. */
  readonly statusPoll?: number | undefined;
  /** Milliseconds for which a configuration that was read is valid, see `ConfigurationStore`; by default 0. */
  readonly configurationWindow?: number;
  /** Milliseconds for which remembered credentials are valid, see `ConfirmedCredentials`; by default 0. */
  readonly credentialWindow?: number;
}

/** The parts that the services of several features share. */
export interface SharedParts extends Omit<ServiceParts, 'hasher' | 'metrics'> {
  readonly configuration: ConfigurationStore;
  readonly access: AccessControl;
  readonly managedUsers: ManagedUserStore;
  readonly files: FileBounds;
  readonly sources: OpenUserSources;
  /** For trials of resolvers that are not stored. */
  readonly trial: {
    readonly secrets: ResolverSecrets;
    readonly open: (secrets: ResolverSecrets) => OpenUserSources;
  };
  readonly users: UserDirectory;
  /** Hashes the passwords that administrators have or set, bounded. */
  readonly hasher: PasswordHasher;
  readonly administratorStore: AdministratorStore;
  readonly confirmations: ConfirmationStore;
  readonly credentials: ConfirmedCredentials;
  readonly refusals: RefusalTrail;
  readonly pruningClock: PruningClock;
  /** The observations of this process, to be flushed periodically and at the end. */
  readonly observations: Observations;
  readonly metrics: ServiceMeasures;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

const UNMEASURED: ServiceMeasures = {
  challenges: {
    challengeIssued: () => undefined,
    responseEnded: () => undefined,
    tokenLocked: () => undefined,
  },
  statusWaits: { waitingAre: () => undefined, waitEnded: () => undefined },
  resolvers: {
    resolverAnswered: () => undefined,
    resolverUnavailable: () => undefined,
    resolverFailed: () => undefined,
    staleAnswered: () => undefined,
    lastCounted: () => undefined,
    resolverForgotten: () => undefined,
  },
  housekeeping: { backlogIs: () => undefined, rowsRemoved: () => undefined, roundDone: () => undefined },
  webhooks: {
    deliveryAttempted: () => undefined,
    deliveriesDropped: () => undefined,
    backlogsAre: () => undefined,
  },
};

/** Waiting passwords for each one that is verified: about a second of work. */
const MAX_WAITING_PASSWORDS = 16;

/** @returns the shared parts, over the given database */
export function sharedParts(parts: ServiceParts): SharedParts {
  const { database, vault, clock, random, log } = parts;
  const observations = new Observations({ store: new SqlObservationStore({ database }), clock });
  const metrics = observedMeasures(parts.metrics ?? UNMEASURED, observations);
  const { administratorHasher, userHasher } = boundHashers(parts);
  const managedUsers = new ManagedUserStore({ database });
  const timeoutMs = parts.resolverTimeout * 1000;
  const files = new FileBounds({ folders: parts.resolverFileDirs ?? [], timeoutMs });
  const secrets = new ResolverSecretStore({ database, vault });
  const openSources = (used: ResolverSecrets): OpenUserSources =>
    openUserSources({
      users: managedUsers,
      hasher: userHasher,
      fileBounds: files,
      timeoutMs,
      log,
      secrets: used,
      passwords: new HashedDirectoryPasswords({ hasher: userHasher }),
    });
  const opened = openSources(secrets);
  const sources = Object.assign(measuredSources(opened, metrics.resolvers), { close: () => opened.close() });
  const credentials = new ConfirmedCredentials({ database, random, window: parts.credentialWindow ?? 0 });
  const administratorStore = new AdministratorStore({ database, credentials });
  return {
    ...parts,
    metrics,
    observations,
    managedUsers,
    files,
    sources,
    trial: { secrets, open: openSources },
    credentials,
    administratorStore,
    confirmations: new ConfirmationStore({ database }),
    timeoutMs,
    hasher: administratorHasher,
    configuration: new ConfigurationStore({ database, clock, window: parts.configurationWindow ?? 0 }),
    access: new AccessControl({ clock }),
    users: new UserDirectory({ sources }),
    pruningClock: new PruningClock({ database, clock }),
    refusals: new RefusalTrail({
      administrators: administratorStore,
      clock,
      log,
      store: new AuditStore({ database }),
    }),
  };
}

/** The shared parts that are services by themselves. */
export interface DirectServices extends Pick<SharedParts, 'configuration' | 'credentials'> {
  /** Writes refused acts to the audit. Must be flushed periodically, and at the end. */
  readonly refusals: RefusalTrail;
  /** Responses and uses of resolvers. Must be flushed periodically, and at the end. */
  readonly observations: Observations;
  /** Closes the connections to the sources of users. */
  readonly closeSources: () => Promise<void>;
}

export function directServices(shared: SharedParts): DirectServices {
  const { configuration, credentials, refusals, observations, sources } = shared;
  return { configuration, credentials, refusals, observations, closeSources: () => sources.close() };
}

/** @returns hashers for the passwords of administrators, and of users: a flood of one kind does not delay the other */
function boundHashers({ hasher, passwordsAtOnce: atOnce = 2 }: ServiceParts): {
  administratorHasher: PasswordHasher;
  userHasher: PasswordHasher;
} {
  const waiting = atOnce * MAX_WAITING_PASSWORDS;
  return {
    administratorHasher: new BoundedPasswordHasher({ hasher, atOnce, waiting }),
    userHasher: new BoundedPasswordHasher({ hasher, atOnce, waiting: waiting * 8 }),
  };
}
