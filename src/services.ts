import { randomUUID } from 'node:crypto';
import { AdministratorService } from './administrators/administrator-service.ts';
import { AdministratorStore } from './administrators/administrator-store.ts';
import { ConfirmationService } from './administrators/confirmation-service.ts';
import { RememberedCredentials } from './administrators/remembered-credentials.ts';
import { LoginTokens, SealedSignOns } from './administrators/json-web-tokens.ts';
import { LoginService } from './administrators/login-service.ts';
import { OpenidProvider } from './administrators/openid-provider.ts';
import { PasskeyService } from './administrators/passkey-service.ts';
import { PasskeyStore } from './administrators/passkey-store.ts';
import { passkeysOff } from './administrators/passkey.ts';
import { SecondStep } from './administrators/second-step.ts';
import { SessionService } from './administrators/session-service.ts';
import { SessionStore } from './administrators/session-store.ts';
import { SignInService } from './administrators/sign-in-service.ts';
import { SignInStore } from './administrators/sign-in-store.ts';
import { type SingleSignOnSettings, SingleSignOnService } from './administrators/single-sign-on-service.ts';
import { AuditRetention, AuditService } from './audit/audit-service.ts';
import { AuditStore } from './audit/audit-store.ts';
import { AuditVerification } from './audit/audit-verification.ts';
import { AuditReading } from './audit/audit-reading.ts';
import { RefusalTrail } from './audit/refusal-trail.ts';
import { VerificationStore } from './audit/verification-store.ts';
import { BackupService } from './backup/backup-service.ts';
import { BackupStore } from './backup/backup-store.ts';
import { ChallengeFactory, ChallengeTrigger, type TransactionIds } from './challenges/challenge-factory.ts';
import { CalculationService } from './challenges/calculation-service.ts';
import { ChallengeService } from './challenges/challenge-service.ts';
import { ChallengeIssueStore } from './challenges/challenge-issue-store.ts';
import { ChallengeStore } from './challenges/challenge-store.ts';
import { IssuedChallenges } from './challenges/issued-challenges.ts';
import { EnrolmentService } from './challenges/enrolment/enrolment-service.ts';
import { RolloutPhase2 } from './challenges/enrolment/rollout-phase2.ts';
import { TokenImportService } from './challenges/enrolment/token-import-service.ts';
import { computingTurns, nodeResponder, ResponseChecker } from './challenges/response-check.ts';
import { ResynchronisationService } from './challenges/resynchronisation-service.ts';
import { StatusWaitService, WaitingRequests } from './challenges/status-wait-service.ts';
import { TokenChoice } from './challenges/token-choice.ts';
import { TransactionService } from './challenges/transaction-service.ts';
import { OtpSearchService } from './validation/otp-search-service.ts';
import { OpenChallenges } from './validation/open-challenges.ts';
import { PassChecker } from './validation/pass-checker.ts';
import { PassStore } from './validation/pass-store.ts';
import { SignInResponseService } from './validation/sign-in-response-service.ts';
import { ValidationService } from './validation/validation-service.ts';
import { type Config, unknownVariables } from './config/config.ts';
import { ConfigurationStore } from './configuration/configuration-store.ts';
import { SettingService } from './configuration/setting-service.ts';
import { ConsequenceService } from './consequences/consequence-service.ts';
import type { Database } from './database/database.ts';
import { HealthService } from './doctor/health-service.ts';
import type { ExaminedSettings } from './doctor/installation-findings.ts';
import { InstallationStore } from './doctor/installation-store.ts';
import { LatestTransactionStore, TokenPageStore } from './helpdesk/helpdesk-store.ts';
import { PeopleSearch, SearchService } from './helpdesk/search-service.ts';
import { PersonService } from './helpdesk/person-service.ts';
import { TokenListService } from './helpdesk/token-list-service.ts';
import { HousekeepingService } from './housekeeping/housekeeping-service.ts';
import { HousekeepingStore } from './housekeeping/housekeeping-store.ts';
import { PruningClock } from './housekeeping/pruning-clock-store.ts';
import { type Clock, type Random, systemClock } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import { packageVersion } from './kernel/package-version.ts';
import { readKeyFileAccess } from './keys/key-file.ts';
import { KeyService } from './keys/key-service.ts';
import { KeyStore } from './keys/key-store.ts';
import type { OpenedKeys } from './keys/opened-keys.ts';
import { AuditAuthority } from './audit/checkpoint.ts';
import { AuditSealer } from './audit/sealing-store.ts';
import { LinotpImportService } from './linotp/import-service.ts';
import { ImportStore } from './linotp/import-store.ts';
import { CountService, MonitoringService } from './monitoring/monitoring-service.ts';
import { TokenCountStore } from './monitoring/token-count-store.ts';
import { InstallationReadings } from './monitoring/installation-state.ts';
import { ObservationStore } from './monitoring/observation-store.ts';
import { Observations } from './monitoring/observations.ts';
import { CountRefresh, UserCounts } from './monitoring/user-counts.ts';
import { OverviewService } from './monitoring/overview-service.ts';
import { StorageProbe } from './monitoring/storage-probe-store.ts';
import { UserCountStore } from './monitoring/user-count-store.ts';
import type { ServiceMetrics } from './observability/metrics.ts';
import type { Responder } from './ocra/verify.ts';
import { AccessControl, RightsService } from './policy/access-control.ts';
import { ExplanationService } from './audit/explanation-service.ts';
import { PolicyService } from './policy/policy-service.ts';
import { RealmService } from './realms/realm-service.ts';
import { ResolverService, ResolverTrialService } from './resolvers/resolver-service.ts';
import { sourcesOf } from './resolvers/sources/user-sources.ts';
import { OwnSessionStore } from './self-service/own-session-store.ts';
import { OwnSignInService } from './self-service/own-sign-in-service.ts';
import { OwnTokenService } from './self-service/own-token-service.ts';
import { TokenService } from './tokens/token-service.ts';
import { boundedHashers, type PasswordHasher } from './users/password-hash.ts';
import { TokenStore } from './tokens/token-store.ts';
import { ManagedUserStore } from './users/managed-user-store.ts';
import { UserDirectory } from './users/user-directory.ts';
import { UserService } from './users/user-service.ts';
import { DeliveryDispatcher } from './webhooks/delivery-dispatcher.ts';
import { DeliveryStore } from './webhooks/delivery-store.ts';
import { WebhookService } from './webhooks/webhook-service.ts';
import { WebhookStore } from './webhooks/webhook-store.ts';

/** What services are made of. The settings have the names of the configuration. */
export interface ServiceDependencies
  extends
    Pick<Config, 'sessionLifetime' | 'resolverTimeout' | 'challengeRetention'>,
    Partial<Pick<Config, 'publicUrl' | 'resolverFileDirs'>> {
  readonly database: Database;
  readonly keys: OpenedKeys;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Prepares the computation of responses; by default `nodeResponder`. */
  readonly responder?: Responder | undefined;
  /** The form of transaction ids. */
  readonly transactionIds: TransactionIds;
  /** The provider of single sign-on; undefined: none. */
  readonly singleSignOn?: SingleSignOnSettings | undefined;
  /** The most passwords that are verified at once. */
  readonly passwordsAtOnce: number;
  /** Undefined: nothing is measured. */
  readonly metrics?: ServiceMetrics | undefined;
  /** Seconds for which months of the audit are kept after their end; by default for ever. */
  readonly auditRetention?: number | undefined;
  /** The most requests that wait for the state of a transaction. */
  readonly statusWaits: number;
  /** Milliseconds between two readings of the states for those requests; by default a second. */
  readonly statusPoll?: number | undefined;
  /** Milliseconds for which a configuration that was read is valid, see `ConfigurationStore`. */
  readonly configurationWindow: number;
  /** The part of the configuration that the health page examines; undefined: nothing is examined. */
  readonly examined?: ExaminedConfig | undefined;
}

type ExaminedConfig = ExaminedSettings & Pick<Config, 'encryptionKeyFile' | 'pkcs11'>;

/** Every service of an installation. What edges need of it, they take by name: `Pick<Services, 'realms'>`. */
export type Services = ReturnType<typeof buildServices>;

/**
 * Makes every service over a database. Libraries that take long to load
 * are loaded where they are used: a command starts with all services and uses one or two of them.
 */
export function buildServices(dependencies: ServiceDependencies) {
  const shared = sharedBySeveral(dependencies);
  const { configuration, credentials, refusals, observations, sources } = shared;
  const challenges = challengeServices(shared);
  const audit = auditServices(shared);
  const directories = directoryServices(shared);
  return {
    configuration,
    credentials,
    refusals,
    observations,
    closeSources: () => sources.close(),
    ...challenges,
    ...audit,
    ...signInServices(shared, challenges, directories),
    ...directories,
    ...monitoringServices(shared),
    ...policyServices(shared, audit.auditReading),
    ...helpdeskViews(shared, challenges.transactions),
    ...operationServices(shared),
    health: healthService(shared, audit.auditReading),
  };
}

type Shared = ReturnType<typeof sharedBySeveral>;

/** @returns what several services share */
function sharedBySeveral(dependencies: ServiceDependencies) {
  const { database, keys, clock, random, log, passwordsAtOnce, configurationWindow } = dependencies;
  const { vault } = keys;
  const observations = new Observations({ store: new ObservationStore({ database }), clock });
  const { metrics } = dependencies;
  const hashers = boundedHashers(dependencies.hasher, passwordsAtOnce);
  const managedUsers = new ManagedUserStore({ database });
  const resolverUsed = (resolver: string, isAnswered: boolean): void => {
    metrics?.resolvers.resolverUsed(resolver, isAnswered);
    observations.resolverUsed(resolver, isAnswered);
  };
  const directories = { vault, users: managedUsers, hasher: hashers.users, resolverUsed };
  const { sources, ...trials } = sourcesOf({ ...dependencies, ...directories });
  const credentials = new RememberedCredentials({ random });
  const administratorStore = new AdministratorStore({ database, credentials });
  const auditStore = new AuditStore({ database });
  const authority = new AuditAuthority({ vault });
  return {
    ...dependencies,
    ...trials,
    vault,
    freshVault: () => keys.freshVault(),
    metrics,
    observations,
    managedUsers,
    sources,
    credentials,
    administratorStore,
    auditStore,
    authority,
    hasher: hashers.administrators,
    userHasher: hashers.users,
    users: new UserDirectory({ sources }),
    access: new AccessControl({ clock }),
    configuration: new ConfigurationStore({ database, clock, log, window: configurationWindow }),
    signIns: new SignInStore({ database }),
    tokenStore: new TokenStore({ database }),
    counts: new TokenCountStore({ database }),
    pruningClock: new PruningClock({ database, clock }),
    refusals: new RefusalTrail({ administrators: administratorStore, clock, log, store: auditStore }),
  };
}

/** Users, the sources they are in, and their tokens. */
function directoryServices(shared: Shared) {
  const { database, configuration, access, vault, hasher, clock, random, signIns } = shared;
  const { sources, files, trial, users, managedUsers, tokenStore } = shared;
  const { autocommit } = database.audit;
  return {
    realms: new RealmService({ configuration }),
    resolvers: new ResolverService({ configuration, sources, vault, files }),
    resolverTrials: new ResolverTrialService({
      configuration,
      access,
      files,
      trial,
      noteTrial: (resolver, outcome, act) => autocommit.write(act, resolver, outcome),
    }),
    users: new UserService({ configuration, sources, hasher, access, users: managedUsers }),
    tokens: new TokenService({
      configuration,
      users,
      access,
      vault,
      clock,
      random,
      confirmations: signIns,
      tokens: tokenStore,
    }),
    linotpImport: new LinotpImportService({ vault, sources, target: new ImportStore({ database }) }),
  };
}

/** The life of challenges, and the enrolment of the tokens that answer them. */
function challengeServices(shared: Shared) {
  const { database, configuration, access, vault, users, tokenStore, auditStore: trail, refusals } = shared;
  const { clock, random, log, metrics, observations, signIns, publicUrl, userHasher } = shared;
  const { responder = nodeResponder, transactionIds } = shared;
  const means = { turn: computingTurns(), responder };
  const issued = new IssuedChallenges();
  const issues = new ChallengeIssueStore({ database, metrics: metrics?.challenges, issued });
  const tokens = new TokenChoice({ users, tokens: tokenStore });
  const responseEnded: Observations['responseEnded'] = (reason, milliseconds) => {
    observations.responseEnded(reason, milliseconds);
  };
  const challenges = new ChallengeStore({
    database,
    metrics: metrics?.challenges,
    responseEnded,
    issued,
  });
  const factory = new ChallengeFactory({ vault, clock, random, log, issues, transactionIds });
  const check = new ResponseChecker({ vault, users, clock, means });
  const trigger = new ChallengeTrigger({ issues, factory, check, tokenStore, clock });
  const passCheck = new PassChecker({ vault, check, passwords: userHasher, log });
  const passes = new PassStore({ database, metrics: metrics?.challenges, responseEnded });
  const phase2 = new RolloutPhase2({ tokens, issues, factory, vault, random });
  const ocra = new ChallengeService({
    configuration,
    access,
    users,
    tokens,
    challenges,
    factory,
    check,
    clock,
    refusals,
  });
  const waitingRequests = new WaitingRequests({
    challenges,
    metrics: metrics?.statusWaits,
    max: shared.statusWaits,
    poll: shared.statusPoll,
  });
  return {
    ocra,
    /** What a server remembers of them, until its database was away. */
    issued,
    calculations: new CalculationService({ clock, random }),
    /** The server ends these before it waits for its other requests. */
    waitingRequests,
    statusWaits: new StatusWaitService({
      clock,
      ocra,
      waiting: waitingRequests,
      metrics: metrics?.statusWaits,
    }),
    validation: new ValidationService({
      configuration,
      users,
      challenges,
      check,
      open: new OpenChallenges({ check, clock, log }),
      passes,
      passCheck,
      tokenStore,
      clock,
      refusals,
      ocra,
      trigger,
    }),
    signInResponses: new SignInResponseService({
      vault,
      configuration,
      tokenStore,
      check,
      passCheck,
      passes,
      clock,
    }),
    otpSearch: new OtpSearchService({ configuration, access, tokens: tokenStore, check }),
    transactions: new TransactionService({ configuration, access, challenges, factory, clock, trail }),
    resynchronisation: new ResynchronisationService({
      configuration,
      access,
      tokens,
      challenges,
      vault,
      clock,
    }),
    enrolment: new EnrolmentService({
      configuration,
      access,
      users,
      tokenStore,
      vault,
      random,
      publicUrl,
      confirmations: signIns,
      clock,
      phase2,
    }),
    tokenImport: new TokenImportService({ configuration, access, users, vault, random, tokens: tokenStore }),
  };
}

/** Administrators, and the sign-ins of people. */
function signInServices(
  shared: Shared,
  {
    ocra,
    enrolment,
    signInResponses: responses,
  }: Pick<ReturnType<typeof challengeServices>, 'ocra' | 'enrolment' | 'signInResponses'>,
  { tokens }: Pick<ReturnType<typeof directoryServices>, 'tokens'>,
) {
  const { database, configuration, access, vault: keys, hasher, users, tokenStore, credentials } = shared;
  const { clock, random, log, signIns: attempts, administratorStore } = shared;
  const { publicUrl, sessionLifetime, singleSignOn } = shared;
  const administrators = new AdministratorService({
    confirmations: attempts,
    configuration,
    access,
    hasher,
    credentials,
    clock,
    random,
    sessionLifetime,
    administrators: administratorStore,
  });
  const logins = new LoginService({ clock, random, administrators, tokens: new LoginTokens({ keys }) });
  const passkeys = new PasskeyService({
    confirmations: attempts,
    attempts,
    publicUrl,
    clock,
    random,
    passkeys: new PasskeyStore({ database, credentials }),
  });
  const secondStep = new SecondStep({ tokenStore, clock, ocra, responses, passkeys });
  const host = publicUrl === undefined ? 'tankeeper' : new URL(publicUrl).host;
  const ownSessions = new OwnSessionStore({ database });
  const ownSignIn = new OwnSignInService({
    configuration,
    users,
    tokenStore,
    sessions: ownSessions,
    secondStep,
    host,
    clock,
    random,
  });
  return {
    administrators,
    logins,
    ownSignIn,
    ownTokens: new OwnTokenService({
      tokens,
      enrolment,
      sessions: ownSessions,
      host,
      clock,
      random,
      signIn: ownSignIn,
      responses,
    }),
    sessions: new SessionService({
      configuration,
      access,
      clock,
      sessions: new SessionStore({ database, credentials }),
    }),
    passkeys,
    signIn: new SignInService({
      administrators,
      logins,
      attempts,
      sessionLifetime,
      clock,
      random,
      secondStep,
      host,
    }),
    confirmation: new ConfirmationService({
      administrators,
      attempts,
      clock,
      random,
      secondStep,
      host,
    }),
    /** Undefined: it is not configured. */
    singleSignOn:
      singleSignOn &&
      new SingleSignOnService({
        attempts,
        logins,
        log,
        clock,
        random,
        ...singleSignOn,
        seal: new SealedSignOns({ keys }),
        provider: new OpenidProvider({ ...singleSignOn, log, clock }),
      }),
    /** The ways to sign in beside the password, for the page. */
    signInMethods: {
      passkeysOff: passkeysOff(publicUrl),
      singleSignOn: singleSignOn && { provider: singleSignOn.provider },
    },
  };
}

/** The audit, and the removal of what has expired. */
function auditServices(shared: Shared) {
  const { database, configuration, access, clock, log, authority, pruningClock, auditStore: store } = shared;
  const sealer = new AuditSealer({ log, database, authority, clock });
  const pruningTime = (): Promise<Date> => pruningClock.time('audit');
  const audit = new AuditService({ store, sealer, authority, clock, pruningTime });
  const verifications = new VerificationStore({ database });
  return {
    audit,
    auditReading: new AuditReading({ authority, access, configuration, clock, store, sealer }),
    auditSealer: sealer,
    auditVerification: new AuditVerification({
      authority,
      access,
      configuration,
      clock,
      log,
      store,
      verifications,
    }),
    housekeeping: new HousekeepingService({
      clock,
      pruningClock,
      store: new HousekeepingStore({ database }),
      challengeRetention: shared.challengeRetention,
      metrics: shared.metrics?.housekeeping,
      auditRetention: new AuditRetention({ store, audit, retention: shared.auditRetention }),
    }),
  };
}

/** The reports of /monitoring, their counts, and the state of the installation. */
function monitoringServices(shared: Shared) {
  const { database, configuration: configurations, access, vault, freshVault, sources, counts } = shared;
  const { clock, random, log, observations, managedUsers, timeoutMs, publicUrl } = shared;
  const keptUsers = new UserCountStore({ database });
  const userCounts = new UserCounts({
    sources,
    observations,
    log,
    clock,
    timeoutMs,
    metrics: shared.metrics?.resolvers,
    store: keptUsers,
  });
  const elapsed = (): number => performance.now();
  const refresh = new CountRefresh({ userCounts, clock, elapsed });
  const probe = new StorageProbe({ database, vault, freshVault, random });
  return {
    overview: new OverviewService({
      configurations,
      configurationState: configurations,
      access,
      counts,
      managedUsers,
      probe,
      publicUrl,
      clock,
      elapsed,
      userCounts: keptUsers,
      observations: new ObservationStore({ database }),
      countAgain: (...counted) => {
        refresh.refresh(...counted);
      },
    }),
    monitoring: new MonitoringService({
      configurations,
      access,
      counts,
      configurationState: configurations,
      probe,
      clock,
      userCounts,
    }),
    counts: new CountService({ counts }),
    /** The state of the installation for metrics. */
    installation: new InstallationReadings({ configurations, counts, clock, elapsed }),
  };
}

/** Policies and settings, and what follows from them. */
function policyServices(shared: Shared, audit: AuditReading) {
  const { configuration, access, counts, clock, log, managedUsers } = shared;
  const { administratorStore: administrators, tokenStore: tokens } = shared;
  return {
    policies: new PolicyService({ configuration, administrators, log }),
    rights: new RightsService({ configuration, access }),
    settings: new SettingService({ configuration, log }),
    consequences: new ConsequenceService({
      configuration,
      counts,
      administrators,
      clock,
      tokens,
      users: managedUsers,
    }),
    explanations: new ExplanationService({
      configuration,
      administrators,
      access,
      audit,
      clock,
    }),
  };
}

/** The views of the helpdesk. */
function helpdeskViews(shared: Shared, transactions: TransactionService) {
  const { database, configuration, access, clock, users, sources, counts, tokenStore: tokens } = shared;
  const pages = new TokenPageStore({ database });
  const latest = new LatestTransactionStore({ database });
  return {
    helpdeskSearch: new SearchService({
      configuration,
      access,
      clock,
      pages,
      people: new PeopleSearch({ sources }),
      transactions,
    }),
    people: new PersonService({
      configuration,
      access,
      users,
      clock,
      tokens,
      transactions: latest,
      sessions: new OwnSessionStore({ database }),
    }),
    tokenPages: new TokenListService({
      configuration,
      access,
      users,
      sources,
      clock,
      counts,
      pages,
      transactions: latest,
    }),
  };
}

/** Keys, backups, and the receivers of events. */
function operationServices(shared: Shared) {
  const { database, configuration, access, vault, clock, random, log, pruningClock } = shared;
  const keys = new KeyStore({ database });
  const hooks = new WebhookStore({ database });
  return {
    keys: new KeyService({ clock, keys, opened: shared.keys }),
    backups: new BackupService({
      clock,
      store: new BackupStore({ database }),
      keys: vault,
      cipher: async () => new (await import('./backup/backup-encryption.ts')).BackupCipher(),
    }),
    webhooks: new WebhookService({
      configuration,
      access,
      vault,
      clock,
      random,
      store: hooks,
      sender: openSender,
      newId: () => randomUUID(),
    }),
    /** Makes the one that delivers events in the background of this process. */
    webhookDispatcher: async () =>
      new DeliveryDispatcher({
        vault,
        clock,
        random,
        log,
        metrics: shared.metrics?.webhooks,
        pruningTime: () => pruningClock.time(),
        store: new DeliveryStore({ database }),
        sender: await openSender(),
      }),
  };
}

function healthService(shared: Shared, audit: AuditReading) {
  const { database, configuration, access, clock, examined, tokenStore: tokens } = shared;
  const installation = new InstallationStore({ database });
  const keys = new KeyStore({ database });
  return new HealthService({
    configuration,
    access,
    clock,
    audit,
    tokens,
    examined: examined && {
      settings: examined,
      installation,
      keyStates: () => keys.entries(),
      vault: shared.vault,
      configuration: () => configuration.current(),
      clock,
      machineClock: systemClock,
      unknownVariables,
      keyFile: async () =>
        examined.pkcs11 === undefined ? readKeyFileAccess(examined.encryptionKeyFile) : undefined,
    },
    backups: () => installation.backups(),
    webhooks: new WebhookStore({ database }),
    observations: new ObservationStore({ database }),
    elapsed: () => performance.now(),
  });
}

/** Loads the HTTP client only where it is used. */
async function openSender() {
  const { HttpWebhookSender } = await import('./webhooks/sending/http-sender.ts');
  return new HttpWebhookSender({ userAgent: `tankeeper/${packageVersion()}` });
}
