import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdministratorService } from './administrators/administrator-service.ts';
import { ConfirmationService } from './administrators/confirmation-service.ts';
import { LoginService } from './administrators/login-service.ts';
import { PasskeyService } from './administrators/passkey-service.ts';
import { SecondFactorService } from './administrators/second-factor-service.ts';
import { SecondFactorTokens } from './administrators/second-factor-tokens.ts';
import { SecondStep } from './administrators/second-step.ts';
import { SessionService } from './administrators/session-service.ts';
import { SignInService } from './administrators/sign-in-service.ts';
import { SingleSignOnService } from './administrators/single-sign-on-service.ts';
import { AuditExport } from './audit/audit-export.ts';
import { AuditRetention } from './audit/audit-retention.ts';
import { AuditSearch } from './audit/audit-search.ts';
import { AuditService } from './audit/audit-service.ts';
import { RefusalTrail } from './audit/refusal-trail.ts';
import { RefusedRightSearch } from './audit/refused-right-search.ts';
import { AuditVerification } from './audit/audit-verification.ts';
import { BackupService } from './backup/backup-service.ts';
import { ChallengeFactory, hexTransactionIds, type TransactionIds } from './challenges/challenge-factory.ts';
import { ChallengeService } from './challenges/challenge-service.ts';
import { EnrolmentService } from './challenges/enrolment/enrolment-service.ts';
import { RolloutPhase2 } from './challenges/enrolment/rollout-phase2.ts';
import { type ImportDependencies, TokenImportService } from './challenges/enrolment/token-import-service.ts';
import { TokenRegistration } from './challenges/enrolment/token-registration.ts';
import { computingTurns, nodeResponder } from './challenges/search-means.ts';
import { checkOcraSettings, OCRA_DEFAULTS, OCRA_SETTINGS } from './challenges/ocra-settings.ts';
import { ResponseChecker } from './challenges/response-check.ts';
import { ResynchronisationService } from './challenges/resynchronisation-service.ts';
import { StatusWaitService } from './challenges/status-wait-service.ts';
import { StatusWatch } from './challenges/status-watch.ts';
import { TokenChoice } from './challenges/token-choice.ts';
import { TransactionService } from './challenges/transaction-service.ts';
import { ValidationService } from './challenges/validation-service.ts';
import { SettingService } from './configuration/setting-service.ts';
import { ConsequenceService } from './consequences/consequence-service.ts';
import { PeopleSearch } from './helpdesk/people-search.ts';
import { PersonService } from './helpdesk/person-service.ts';
import { SearchService } from './helpdesk/search-service.ts';
import { TokenListService } from './helpdesk/token-list-service.ts';
import { HousekeepingService } from './housekeeping/housekeeping-service.ts';
import type { Clock, Random } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import { packageVersion } from './kernel/package-version.ts';
import type { KeyMaterial, RotatingVault } from './keys/sealing-keys.ts';
import { KeyOverview } from './keys/key-overview.ts';
import { KeyService } from './keys/key-service.ts';
import type { KeyDerivation, SecurityModule } from './keys/vault.ts';
import { LinotpImportService } from './linotp/import-service.ts';
import { LinotpVerificationService } from './linotp/verification-service.ts';
import { CountService } from './monitoring/count-service.ts';
import { InstallationReadings } from './monitoring/installation-state.ts';
import { LicenceInspection } from './monitoring/licence-inspection.ts';
import { LicenceService } from './monitoring/licence-service.ts';
import { MonitoringService } from './monitoring/monitoring-service.ts';
import { Observations } from './monitoring/observations.ts';
import { CountRefresh } from './monitoring/overview/count-refresh.ts';
import { OverviewService } from './monitoring/overview/overview-service.ts';
import type { LicenceSignature } from './monitoring/licence-signature.ts';
import { UserCounts } from './monitoring/user-counts.ts';
import { observedMeasures, type ServiceMeasures } from './observability/service-measures.ts';
import type { Responder } from './ocra/verify.ts';
import { AccessControl } from './policy/access-control.ts';
import { ExplanationService } from './policy/explanation-service.ts';
import { PolicyService } from './policy/policy-service.ts';
import { RightsService } from './policy/rights-service.ts';
import { RealmService } from './realms/realm-service.ts';
import { measuredSources } from './resolvers/measured-sources.ts';
import type { ResolverSecrets } from './resolvers/user-source.ts';
import { ResolverService } from './resolvers/resolver-service.ts';
import { ResolverTrialService } from './resolvers/resolver-trial-service.ts';
import { FileBounds } from './resolvers/sources/file-bounds.ts';
import { openUserSources, type OpenUserSources } from './resolvers/sources/user-sources.ts';
import { JwtLoginTokens } from './security/jwt-login-tokens.ts';
import { OpenidProvider, type OpenidSettings } from './security/openid-provider.ts';
import { BoundedPasswordHasher } from './security/passwords/bounded-password-hasher.ts';
import { HashedDirectoryPasswords } from './security/passwords/directory-password.ts';
import { SealedSignOns } from './security/sealed-sign-ons.ts';
import { SimpleWebAuthn } from './security/simple-web-authn.ts';
import { VaultAuditAuthority } from './security/vault/vault-audit-authority.ts';
import { AdministratorStore } from './administrators/administrator-store.ts';
import { ConfirmationStore } from './administrators/confirmation-store.ts';
import { ConfirmedCredentials } from './administrators/confirmed-credentials-store.ts';
import { PasskeyStore } from './administrators/passkey-store.ts';
import { SecondFactorStore } from './administrators/second-factor-store.ts';
import { SessionStore } from './administrators/session-store.ts';
import { SignInStore } from './administrators/sign-in-store.ts';
import { AuditStore } from './audit/audit-store.ts';
import { VerificationStore as AuditVerificationStore } from './audit/verification-store.ts';
import { BackupStore } from './backup/backup-store.ts';
import { ChallengeStore } from './challenges/challenge-store.ts';
import { LatestTransactionStore } from './helpdesk/latest-transaction-store.ts';
import { ConfigurationStore } from './configuration/configuration-store.ts';
import { ResolverSecretStore } from './resolvers/resolver-store.ts';
import { CountVerificationStore } from './monitoring/count-verification-store.ts';
import { TokenCountStore } from './monitoring/token-count-store.ts';
import { UserCountStore } from './monitoring/user-count-store.ts';
import type { Database } from './database/database.ts';
import { HousekeepingStore } from './housekeeping/housekeeping-store.ts';
import { PruningClock } from './housekeeping/pruning-clock-store.ts';
import { KeyRotationStore } from './keys/key-rotation-store.ts';
import { ImportStore } from './linotp/import-store.ts';
import { VerificationStore } from './linotp/verification-store.ts';
import { LicenceStore } from './monitoring/licence-store.ts';
import { ObservationStore } from './monitoring/observation-store.ts';
import { StorageProbe } from './monitoring/storage-probe-store.ts';
import { lockedTokensOf, storedStateOf } from './monitoring/state-store.ts';
import { TokenPageStore } from './helpdesk/token-page-store.ts';
import { TokenStore } from './tokens/token-store.ts';
import { ManagedUserStore } from './users/managed-user-store.ts';
import { DeliveryStore } from './webhooks/delivery-store.ts';
import { WebhookStore } from './webhooks/webhook-store.ts';
import { TokenService } from './tokens/token-service.ts';
import type { PasswordHasher } from './users/password-hasher.ts';
import { UserDirectory } from './users/user-directory.ts';
import { UserService } from './users/user-service.ts';
import { DeliveryDispatcher } from './webhooks/delivery-dispatcher.ts';
import type { HttpWebhookSender } from './webhooks/sending/http-sender.ts';
import { WebhookService } from './webhooks/webhook-service.ts';

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
  /** The vault, the module that holds its keys, and the source of new ones. */
  readonly keys: {
    readonly vault: RotatingVault & KeyDerivation;
    readonly securityModule: SecurityModule;
    readonly material: KeyMaterial;
  };
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
  readonly licenceSignature?: Pick<LicenceSignature, 'read'> | undefined;
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

/** Every service of an installation. What edges need of it, they take by name: `Pick<Services, 'realms'>`. */
export type Services = ReturnType<typeof buildServices>;

/** Seconds. */
const SEVEN_DAYS = 604_800;
/** The most requests that wait for the state of a transaction. */
const STATUS_WAITS = 500;
/** Waiting passwords for each one that is verified: about a second of work. */
const MAX_WAITING_PASSWORDS = 16;

/**
 * Makes every service over a database, whose audit rows the keys certify from now on. Libraries that take long to load
 * are loaded where they are used: a command starts with all services and uses one or two of them.
 */
export function buildServices(parts: ServiceParts) {
  const shared = sharedParts(parts);
  const accounts = accountServices(shared);
  const challenges = challengeServices(shared);
  const audit = auditServices(shared);
  return {
    configuration: shared.configuration,
    credentials: shared.credentials,
    refusals: shared.refusals,
    observations: shared.observations,
    closeSources: () => shared.sources.close(),
    ...accounts,
    ...challenges,
    ...audit,
    ...directoryServices(shared),
    ...signInServices(shared, { ...accounts, ...challenges }),
    ...monitoringServices(shared),
    ...policyServices(shared, audit),
    helpdesk: helpdeskViews(shared, challenges),
    ...operationServices(shared),
  };
}

type SharedParts = ReturnType<typeof sharedParts>;

/** @returns what several services share, under the names by which most of them take it */
function sharedParts(parts: ServiceParts) {
  const { database, keys, clock, random, log } = parts;
  const { vault, securityModule, material } = keys;
  const observations = new Observations({ store: new ObservationStore({ database }), clock });
  const metrics = observedMeasures(parts.metrics, observations);
  const { administratorHasher, userHasher } = boundHashers(parts);
  const managedUsers = new ManagedUserStore({ database });
  const timeoutMs = parts.resolverTimeout * 1000;
  const files = new FileBounds({ folders: parts.resolverFileDirs ?? [], timeoutMs });
  const secrets = new ResolverSecretStore({ database, vault });
  const passwords = new HashedDirectoryPasswords({ hasher: userHasher });
  const bounds = { fileBounds: files, timeoutMs, log };
  const openSources = (used: ResolverSecrets): OpenUserSources =>
    openUserSources({ ...bounds, users: managedUsers, hasher: userHasher, passwords, secrets: used });
  const opened = openSources(secrets);
  const sources = Object.assign(measuredSources(opened, metrics.resolvers), { close: () => opened.close() });
  const credentials = new ConfirmedCredentials({ database, random, window: parts.credentialWindow ?? 0 });
  const administratorStore = new AdministratorStore({ database, credentials });
  const authority = new VaultAuditAuthority({ vault });
  database.audit.certifyBy(authority);
  return {
    ...parts,
    vault,
    module: securityModule,
    material,
    metrics,
    observations,
    managedUsers,
    files,
    sources,
    /** For trials of resolvers that are not stored. */
    trial: { secrets, open: openSources },
    credentials,
    administratorStore,
    authority,
    timeoutMs,
    hasher: administratorHasher,
    users: new UserDirectory({ sources }),
    access: new AccessControl({ clock }),
    configuration: new ConfigurationStore({ database, clock, window: parts.configurationWindow ?? 0 }),
    confirmations: new ConfirmationStore({ database }),
    auditStore: new AuditStore({ database }),
    tokenStore: new TokenStore({ database }),
    counts: new TokenCountStore({ database }),
    pruningClock: new PruningClock({ database, clock }),
    refusals: new RefusalTrail({
      administrators: administratorStore,
      clock,
      log,
      store: new AuditStore({ database }),
    }),
  };
}

/** @returns hashers for the passwords of administrators, and of users: a flood of one kind does not delay the other */
function boundHashers({ hasher, passwordsAtOnce: atOnce = 2 }: ServiceParts) {
  const waiting = atOnce * MAX_WAITING_PASSWORDS;
  return {
    administratorHasher: new BoundedPasswordHasher({ hasher, atOnce, waiting }),
    userHasher: new BoundedPasswordHasher({ hasher, atOnce, waiting: waiting * 8 }),
  };
}

/** Administrators, and their logins. */
function accountServices(shared: SharedParts) {
  const administrators = new AdministratorService({ ...shared, administrators: shared.administratorStore });
  const tokens = new JwtLoginTokens({ keys: shared.vault });
  return {
    administrators,
    logins: new LoginService({ ...shared, administrators, tokens }),
    sessions: new SessionService({ ...shared, sessions: new SessionStore(shared) }),
  };
}

/** Users, the sources they are in, and their tokens. */
function directoryServices(shared: SharedParts) {
  const { database } = shared;
  return {
    realms: new RealmService(shared),
    resolvers: new ResolverService(shared),
    resolverTrials: new ResolverTrialService({
      ...shared,
      noteTrial: (resolver, outcome, act) => database.autocommit.audit.write(act, resolver, outcome),
    }),
    users: new UserService({ ...shared, users: shared.managedUsers }),
    tokens: new TokenService({ ...shared, tokens: shared.tokenStore }),
    linotpImport: new LinotpImportService({ ...shared, target: new ImportStore(shared) }),
    linotpVerification: new LinotpVerificationService({
      ...shared,
      target: new VerificationStore(shared),
    }),
  };
}

/** The life of challenges, and the enrolment of the tokens that answer them. */
function challengeServices(parts: SharedParts) {
  const { database, random, metrics, tokenStore: store } = parts;
  const { responder = nodeResponder, transactionIds = hexTransactionIds } = parts;
  const tokens = new TokenChoice({ ...parts, tokens: store });
  const factory = new ChallengeFactory({ ...parts, transactionIds });
  const challenges = new ChallengeStore({ database, metrics: metrics.challenges });
  const check = new ResponseChecker({ ...parts, means: { turn: computingTurns(), responder } });
  const shared = { ...parts, tokens, challenges, factory, check };
  const ocra = new ChallengeService(shared);
  const statusWatch = new StatusWatch({
    watched: challenges,
    metrics: metrics.statusWaits,
    max: parts.statusWaits ?? STATUS_WAITS,
    poll: parts.statusPoll,
  });
  return {
    ocra,
    /** Receives changes; the server ends it before it waits for its requests. */
    statusWatch,
    statusWaits: new StatusWaitService({ ...parts, ocra, watch: statusWatch, metrics: metrics.statusWaits }),
    validation: new ValidationService({ ...shared, ocra }),
    transactions: new TransactionService({ ...shared, trail: parts.auditStore }),
    resynchronisation: new ResynchronisationService(shared),
    enrolment: new EnrolmentService({
      ...shared,
      registration: new TokenRegistration({ tokens: store, random }),
      phase2: new RolloutPhase2(shared),
    }),
    tokenImport: new TokenImportService({ ...shared, tokens: store, readers: KEY_FILES }),
  };
}

/** The readers of files of keys. */
const KEY_FILES: ImportDependencies['readers'] = {
  pskc: {
    read: async (...file) => (await import('./security/pskc/pskc-file.ts')).pskcFileReader.read(...file),
  },
  csv: {
    read: async (...file) => (await import('./security/csv-key-file.ts')).csvKeyFileReader.read(...file),
  },
};

interface SignInParts {
  readonly administrators: AdministratorService;
  readonly logins: LoginService;
  readonly ocra: ChallengeService;
}

/** The sign-ins of people beside the password, and what they leave open. */
function signInServices(shared: SharedParts, { administrators, logins, ocra }: SignInParts) {
  const { publicUrl, singleSignOn, clock, log, vault } = shared;
  const parts = { ...shared, administrators, logins, attempts: new SignInStore(shared) };
  const tokens = new SecondFactorTokens({ ocra, tokens: shared.tokenStore, clock });
  const passkeys = new PasskeyService({
    ...parts,
    passkeys: new PasskeyStore(shared),
    webAuthn: publicUrl === undefined ? undefined : new SimpleWebAuthn({ publicUrl }),
  });
  const secondStep = new SecondStep({ tokens, passkeys });
  const host = publicUrl === undefined ? 'tankeeper' : new URL(publicUrl).host;
  return {
    passkeys,
    signIn: new SignInService({ ...parts, secondStep, host }),
    confirmation: new ConfirmationService({ ...parts, secondStep, host }),
    secondFactors: new SecondFactorService({
      ...parts,
      tokens,
      secondFactors: new SecondFactorStore(shared),
    }),
    /** Undefined: it is not configured. */
    singleSignOn:
      singleSignOn &&
      new SingleSignOnService({
        ...parts,
        ...singleSignOn,
        seal: new SealedSignOns({ keys: vault }),
        provider: new OpenidProvider({ ...singleSignOn, log, clock }),
      }),
    /** The ways to sign in beside the password, for the page. */
    signInMethods: {
      passkeys: publicUrl !== undefined,
      singleSignOn: singleSignOn && { provider: singleSignOn.provider },
    },
  };
}

/** The audit, and the removal of what has expired. */
function auditServices(shared: SharedParts) {
  const { database, clock, authority, pruningClock, auditStore: store } = shared;
  const audit = new AuditService({ store, authority, clock, pruningTime: () => pruningClock.time('audit') });
  return {
    audit,
    auditSearch: new AuditSearch({ ...shared, store }),
    auditExport: new AuditExport({ ...shared, store }),
    auditVerification: new AuditVerification({
      ...shared,
      store,
      verifications: new AuditVerificationStore({ database }),
    }),
    housekeeping: new HousekeepingService({
      ...shared,
      store: new HousekeepingStore({ database }),
      challengeRetention: shared.challengeRetention ?? SEVEN_DAYS,
      metrics: shared.metrics.housekeeping,
      auditRetention: new AuditRetention({ store, audit, retention: shared.auditRetention }),
    }),
  };
}

/** The reports of /monitoring, their counts, the licence, and the state of the installation. */
function monitoringServices(shared: SharedParts) {
  const { database, clock, configuration } = shared;
  const licences = new LicenceStore({ database });
  const licence = new LicenceInspection({ ...shared, store: licences, signature: shared.licenceSignature });
  const keptUsers = new UserCountStore({ database });
  const userCounts = new UserCounts({ ...shared, metrics: shared.metrics.resolvers, store: keptUsers });
  const elapsed = (): number => performance.now();
  const refresh = new CountRefresh({ userCounts, clock, elapsed });
  const parts = {
    ...shared,
    configurations: configuration,
    configurationState: configuration,
    licence,
    probe: new StorageProbe(shared),
    elapsed,
  };
  const overview = new OverviewService({
    ...parts,
    lockedTokens: lockedTokensOf(database),
    userCounts: keptUsers,
    observations: new ObservationStore({ database }),
    countAgain: (present, known) => {
      refresh.refresh(present, known);
    },
  });
  return {
    overview,
    monitoring: new MonitoringService({ ...parts, userCounts }),
    counts: new CountService({ verification: new CountVerificationStore({ database }) }),
    licences: new LicenceService({ ...shared, inspection: licence, store: licences }),
    /** The state of the installation for metrics. */
    installation: new InstallationReadings({ ...parts, stored: storedStateOf(database) }),
  };
}

/** Policies and settings, and what follows from them. */
function policyServices(shared: SharedParts, { auditSearch }: { readonly auditSearch: AuditSearch }) {
  const parts = { ...shared, administrators: shared.administratorStore };
  return {
    policies: new PolicyService(parts),
    rights: new RightsService(shared),
    settings: new SettingService({
      ...shared,
      check: checkOcraSettings,
      defaults: OCRA_DEFAULTS,
      known: OCRA_SETTINGS,
    }),
    consequences: new ConsequenceService({ ...parts, tokens: shared.tokenStore, users: shared.managedUsers }),
    explanations: new ExplanationService({
      ...parts,
      readRefusals: (caller) => new RefusedRightSearch({ ...shared, audit: auditSearch }, caller),
    }),
  };
}

/** The views of the helpdesk. */
function helpdeskViews(shared: SharedParts, { transactions }: { readonly transactions: TransactionService }) {
  const { database, tokenStore } = shared;
  const pages = new TokenPageStore({ database });
  return {
    search: new SearchService({ ...shared, pages, people: new PeopleSearch(shared), transactions }),
    people: new PersonService({
      ...shared,
      tokens: tokenStore,
      transactions: new LatestTransactionStore({ database }),
    }),
    tokenList: new TokenListService({ ...shared, pages }),
  };
}

/** Keys, backups, and the receivers of events. */
function operationServices(shared: SharedParts) {
  const { database, vault, pruningClock } = shared;
  const keys = new KeyRotationStore({ database });
  return {
    keys: new KeyService({ ...shared, keys, pause: (milliseconds) => sleep(milliseconds) }),
    keyOverview: new KeyOverview({ ...shared, keys }),
    backups: new BackupService({
      ...shared,
      store: new BackupStore({ database }),
      keys: vault,
      cipher: async () => new (await import('./backup/backup-encryption.ts')).BackupCipher(),
    }),
    webhooks: new WebhookService({
      ...shared,
      store: new WebhookStore({ database }),
      sender: openSender,
      newId: () => randomUUID(),
    }),
    /** Makes the one that delivers events in the background of this process. */
    webhookDispatcher: async () =>
      new DeliveryDispatcher({
        ...shared,
        metrics: shared.metrics.webhooks,
        pruningTime: () => pruningClock.time(),
        store: new DeliveryStore({ database }),
        sender: await openSender(),
      }),
  };
}

/** Loads the HTTP client only where it is used. */
async function openSender(): Promise<HttpWebhookSender> {
  const { HttpWebhookSender } = await import('./webhooks/sending/http-sender.ts');
  return new HttpWebhookSender({ userAgent: `tankeeper/${packageVersion()}` });
}
