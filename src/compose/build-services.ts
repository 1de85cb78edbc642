import { AuditRetention } from '../audit/audit-retention.ts';
import { AuditService } from '../audit/audit-service.ts';
import { RefusalTrail } from '../audit/refusal-trail.ts';
import { AccessControl } from '../policy/access-control.ts';
import { AdministratorService } from '../administrators/administrator-service.ts';
import { SettingService } from '../configuration/setting-service.ts';
import type { PasswordHasher } from '../users/ports.ts';
import { LoginService } from '../administrators/login-service.ts';
import { PolicyService } from '../policy/policy-service.ts';
import { RealmService } from '../realms/realm-service.ts';
import { TokenGroupService } from '../tokens/token-group-service.ts';
import { TokenService } from '../tokens/token-service.ts';
import { UserDirectory } from '../users/user-directory.ts';
import type { KeyDerivation, SecurityModule, Vault } from '../keys/vault.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { ComputingTurns } from '../kernel/computing-turns.ts';
import type { Log } from '../kernel/log.ts';
import { LicenceInspection } from '../monitoring/licence-inspection.ts';
import { LicenceService } from '../monitoring/licence-service.ts';
import { CountService } from '../monitoring/count-service.ts';
import { MonitoringService } from '../monitoring/monitoring-service.ts';
import type { ResolverMetrics } from '../monitoring/ports.ts';
import { UserCounts } from '../monitoring/user-counts.ts';
import type { LicenceSignature } from '../monitoring/ports.ts';
import { ChallengeFactory, hexTransactionIds, type TransactionIds } from '../challenges/challenge-factory.ts';
import { EnrolmentService } from '../challenges/enrolment/enrolment-service.ts';
import { HousekeepingService } from '../housekeeping/housekeeping-service.ts';
import { ChallengeService } from '../challenges/challenge-service.ts';
import { checkOcraSettings, OCRA_DEFAULTS } from '../challenges/ocra-settings.ts';
import { OpenAnswers } from '../challenges/open-answers.ts';
import type { HousekeepingMetrics } from '../housekeeping/ports.ts';
import { ResponseChecker } from '../challenges/response-check.ts';
import { ResynchronisationService } from '../challenges/resynchronisation-service.ts';
import { RolloutPhase2 } from '../challenges/enrolment/rollout-phase2.ts';
import { TokenChoice } from '../challenges/token-choice.ts';
import { TokenImportService } from '../challenges/enrolment/token-import-service.ts';
import { TokenRegistration } from '../challenges/enrolment/token-registration.ts';
import { ValidationService } from '../challenges/validation-service.ts';
import type { Responder } from '../ocra/verify.ts';
import { FileBounds } from '../resolvers/sources/file-bounds.ts';
import { openUserSources } from '../resolvers/sources/user-sources.ts';
import { BoundedPasswordHasher } from '../security/passwords/bounded-password-hasher.ts';
import { HashedDirectoryPasswords } from '../security/passwords/directory-password.ts';
import { JwtLoginTokens } from '../security/jwt-login-tokens.ts';
import { pskcFileReader } from '../security/pskc/pskc-file.ts';
import { VaultAuditAuthority } from '../security/vault/vault-audit-authority.ts';
import { SqlAdministratorStore } from '../storage/administrators/administrator-store.ts';
import { SqlAuditStore } from '../storage/audit/audit-store.ts';
import { SqlChallengeStore } from '../storage/challenges/challenge-store.ts';
import { SqlCountVerification } from '../storage/counts/count-verification.ts';
import type { Database } from '../storage/database/database.ts';
import { SqlHousekeeping } from '../storage/housekeeping/housekeeping.ts';
import { SqlLicenceStore } from '../storage/monitoring/licence-store.ts';
import { SqlLockedTokens } from '../storage/tokens/locked-tokens.ts';
import { SqlManagedUserStore } from '../storage/users/managed-user-store.ts';
import { SqlRefusalStore } from '../storage/audit/refusal-store.ts';
import { SqlResolverSecrets } from '../storage/configuration/resolver-secrets.ts';
import { SqlConfigurationStore } from '../storage/configuration/configuration-store.ts';
import { ConfigurationProbe } from '../storage/monitoring/storage-probe.ts';
import { SqlTokenCounts } from '../storage/counts/token-counts.ts';
import { SqlTokenLoading } from '../storage/tokens/token-loading.ts';
import { SqlTokenStore } from '../storage/tokens/token-store.ts';
import { SqlUserCountStore } from '../storage/counts/user-count-store.ts';

/** Who is told what there is to measure. */
export interface ServiceMeasures extends ResolverMetrics {
  readonly housekeeping: HousekeepingMetrics;
}

/** What services are built from. */
export interface ServiceParts {
  readonly database: Database;
  readonly vault: Vault & KeyDerivation;
  /** Where the keys of the vault come from; unless told, the vault stands for it. */
  readonly securityModule?: SecurityModule;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Computes responses to verify others by; `respond` unless told. */
  readonly responder?: Responder | undefined;
  /** How transaction ids look; hexadecimal by default. */
  readonly transactionIds?: TransactionIds;
  /** Seconds. */
  readonly sessionLifetime: number;
  /** How many passwords are verified at once; two unless told. */
  readonly passwordsAtOnce?: number;
  /** Undefined: no licence can be verified. */
  readonly licenceSignature?: LicenceSignature | undefined;
  /** Seconds. */
  readonly resolverTimeout: number;
  /** Folders below which files may be named over HTTP; none unless told. */
  readonly resolverFileDirs?: readonly string[];
  /** Undefined: nobody measures. */
  readonly metrics?: ServiceMeasures | undefined;
  /** Seconds for which expired challenges are kept; seven days unless told. */
  readonly challengeRetention?: number;
  /** Seconds for which months of the audit are kept after their end; for ever unless told. */
  readonly auditRetention?: number | undefined;
  /** For how many milliseconds a configuration that was read stands; 0 unless told, see `SqlSetupStore`. */
  readonly configurationWindow?: number;
}

/** How many passwords may wait to be verified, for each that is: a second or so. */
const WAITING_PASSWORDS = 16;

const UNMEASURED: ServiceMeasures = {
  resolverFailed: () => undefined,
  staleAnswered: () => undefined,
  lastCounted: () => undefined,
  resolverForgotten: () => undefined,
  housekeeping: { backlogIs: () => undefined, removed: () => undefined, roundDone: () => undefined },
};

/** Seconds. */
const SEVEN_DAYS = 604_800;

export interface Services {
  readonly configuration: SqlConfigurationStore;
  readonly administrators: AdministratorService;
  readonly logins: LoginService;
  readonly realms: RealmService;
  readonly policies: PolicyService;
  readonly settings: SettingService;
  readonly tokens: TokenService;
  readonly tokenGroups: TokenGroupService;
  readonly ocra: ChallengeService;
  readonly enrolment: EnrolmentService;
  readonly resynchronisation: ResynchronisationService;
  readonly tokenImport: TokenImportService;
  readonly validation: ValidationService;
  readonly monitoring: MonitoringService;
  readonly counts: CountService;
  readonly housekeeping: HousekeepingService;
  /** Ends the connections to where users live. */
  readonly closeSources: () => Promise<void>;
  readonly licences: LicenceService;
  readonly audit: AuditService;
  /** Writes to the audit what was refused. To be flushed from time to time, and at the end. */
  readonly refusals: RefusalTrail;
}

/** @returns every service, over the given database */
export function buildServices(parts: ServiceParts): Services {
  const { database, vault, clock, random } = parts;
  const { administratorHasher: hasher, userHasher } = boundHashers(parts);
  const module = parts.securityModule ?? { freshVault: () => Promise.resolve(vault) };
  const window = parts.configurationWindow ?? 0;
  const configuration = new SqlConfigurationStore({ database, clock, window });
  const access = new AccessControl({ clock });
  const managedUsers = new SqlManagedUserStore({ database });
  const timeLimit = parts.resolverTimeout * 1000;
  const files = new FileBounds({ folders: parts.resolverFileDirs ?? [], timeLimit });
  const sources = openUserSources({
    ...{ users: managedUsers, hasher: userHasher, fileBounds: files, timeLimit, log: parts.log },
    secrets: new SqlResolverSecrets({ database, vault }),
    passwords: new HashedDirectoryPasswords({ hasher: userHasher }),
  });
  const users = new UserDirectory({ sources });
  const tokens = new SqlTokenStore({ database });
  const counts = new SqlTokenCounts({ database });
  const licenceStore = new SqlLicenceStore({ database });
  const signature = parts.licenceSignature;
  const licence = new LicenceInspection({ store: licenceStore, signature, counts, clock });
  const administratorStore = new SqlAdministratorStore({ database });
  const refusals = buildRefusals(parts, administratorStore);
  const common = { configuration, access, users, sources, hasher, vault, clock, random, refusals };
  const administrators = new AdministratorService({
    ...common,
    administrators: administratorStore,
    sessionLifetime: parts.sessionLifetime,
  });
  return {
    configuration,
    refusals,
    closeSources: () => sources.close(),
    administrators,
    logins: new LoginService({ ...common, administrators, tokens: new JwtLoginTokens({ keys: vault }) }),
    realms: new RealmService({ ...common, users: managedUsers, files }),
    policies: new PolicyService(common),
    settings: new SettingService({ ...common, check: checkOcraSettings, defaults: OCRA_DEFAULTS }),
    tokens: new TokenService({ ...common, tokens }),
    tokenGroups: new TokenGroupService({ ...common, tokens }),
    ...buildOcraServices(parts, common),
    ...buildOperatorServices(parts, configuration),
    licences: new LicenceService({ ...common, inspection: licence, store: licenceStore }),
    monitoring: new MonitoringService({
      ...common,
      configurations: configuration,
      configurationState: configuration,
      counts,
      licence,
      probe: new ConfigurationProbe({ database, vault, random, module }),
      userCounts: new UserCounts({
        ...{ sources, clock, log: parts.log, metrics: parts.metrics ?? UNMEASURED },
        store: new SqlUserCountStore({ database }),
        timeLimit,
      }),
    }),
  };
}

function buildRefusals(
  { database, clock, log }: ServiceParts,
  administrators: SqlAdministratorStore,
): RefusalTrail {
  return new RefusalTrail({ administrators, clock, log, store: new SqlRefusalStore({ database }) });
}

/** @returns what keeps the database in order. From now on the audit rows of its pool are certified by the vault */
function buildOperatorServices(
  { database, vault, clock, challengeRetention, auditRetention, metrics = UNMEASURED }: ServiceParts,
  configuration: SqlConfigurationStore,
): Pick<Services, 'housekeeping' | 'audit' | 'counts'> {
  const authority = new VaultAuditAuthority({ vault });
  database.audit.certifyBy(authority);
  const store = new SqlAuditStore({ database });
  const audit = new AuditService({ store, authority, clock });
  return {
    housekeeping: new HousekeepingService({
      ...{ configuration, clock, store: new SqlHousekeeping({ database }) },
      challengeRetention: challengeRetention ?? SEVEN_DAYS,
      metrics: metrics.housekeeping,
      auditRetention: new AuditRetention({ store, audit, clock, retention: auditRetention }),
    }),
    audit,
    counts: new CountService({ verification: new SqlCountVerification({ database }) }),
  };
}

/** @returns hashers for the passwords of administrators, and of users: a flood of the one kind leaves the other alone */
function boundHashers({ hasher, passwordsAtOnce: atOnce = 2 }: ServiceParts): {
  administratorHasher: PasswordHasher;
  userHasher: PasswordHasher;
} {
  const waiting = atOnce * WAITING_PASSWORDS;
  return {
    administratorHasher: new BoundedPasswordHasher({ hasher, atOnce, waiting }),
    userHasher: new BoundedPasswordHasher({ hasher, atOnce, waiting: waiting * 8 }),
  };
}

function buildOcraServices(
  { database, vault, clock, random, log, transactionIds = hexTransactionIds, responder }: ServiceParts,
  common: {
    configuration: SqlConfigurationStore;
    access: AccessControl;
    users: UserDirectory;
    refusals: RefusalTrail;
  },
): Pick<Services, 'ocra' | 'enrolment' | 'resynchronisation' | 'tokenImport' | 'validation'> {
  const store = new SqlTokenStore({ database });
  const challenges = new SqlChallengeStore({ database });
  const tokens = new TokenChoice({ tokens: store, users: common.users });
  const factory = new ChallengeFactory({ clock, random, log, transactionIds });
  const shared = { ...common, vault, clock, random, challenges, factory };
  const turns = new ComputingTurns();
  const means = { turn: (isUrgent: boolean) => turns.next(isUrgent), responder };
  const check = new ResponseChecker({ vault, users: common.users, clock, means });
  const ocra = new ChallengeService({ ...shared, tokens, check });
  const openAnswers = new OpenAnswers({ ...shared, check, log });
  return {
    ocra,
    validation: new ValidationService({ ...shared, ocra, openAnswers }),
    tokenImport: new TokenImportService({
      ...shared,
      reader: pskcFileReader,
      loading: new SqlTokenLoading({ database }),
    }),
    resynchronisation: new ResynchronisationService({
      ...shared,
      tokens,
      locked: new SqlLockedTokens({ database }),
    }),
    enrolment: new EnrolmentService({
      ...shared,
      registration: new TokenRegistration({ tokens: store, random }),
      phase2: new RolloutPhase2({ ...shared, tokens }),
    }),
  };
}
