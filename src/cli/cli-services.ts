import type { AuditService } from '../audit/audit-service.ts';
import type { BackupService } from '../backup/backup-service.ts';
import type { AdministratorService } from '../administrators/administrator-service.ts';
import type { SecondFactorService } from '../administrators/second-factor-service.ts';
import type { SessionService } from '../administrators/session-service.ts';
import type { SettingService } from '../configuration/setting-service.ts';
import type { KeyService } from '../keys/key-service.ts';
import type { ConsequenceService } from '../consequences/consequence-service.ts';
import type { ExplanationService } from '../policy/explanation-service.ts';
import type { PolicyService } from '../policy/policy-service.ts';
import type { RealmService } from '../realms/realm-service.ts';
import type { ResolverService } from '../resolvers/resolver-service.ts';
import type { TokenService } from '../tokens/token-service.ts';
import type { UserService } from '../users/user-service.ts';
import type { InstallationReadings } from '../monitoring/installation-state.ts';
import type { CountService } from '../monitoring/count-service.ts';
import type { LicenceService } from '../monitoring/licence-service.ts';
import type { MonitoringService } from '../monitoring/monitoring-service.ts';
import type { ChallengeService } from '../challenges/challenge-service.ts';
import type { EnrolmentService } from '../challenges/enrolment/enrolment-service.ts';
import type { HousekeepingService } from '../housekeeping/housekeeping-service.ts';
import type { ResynchronisationService } from '../challenges/resynchronisation-service.ts';
import type { TransactionService } from '../challenges/transaction-service.ts';
import type { LinotpImportService } from '../linotp/import-service.ts';
import type { LinotpVerificationService } from '../linotp/verification-service.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { TokenImportService } from '../challenges/enrolment/token-import-service.ts';

/** All methods of a service, without its private parts: a substitute in a test has only these. */
type MethodsOf<Service> = Pick<Service, keyof Service>;

/** The services that commands call. */
export interface CliServices {
  readonly administrators: MethodsOf<AdministratorService>;
  readonly secondFactors: MethodsOf<SecondFactorService>;
  readonly sessions: MethodsOf<SessionService>;
  readonly realms: MethodsOf<RealmService>;
  readonly resolvers: MethodsOf<ResolverService>;
  readonly users: MethodsOf<UserService>;
  readonly policies: MethodsOf<PolicyService>;
  readonly explanations: MethodsOf<ExplanationService>;
  readonly settings: MethodsOf<SettingService>;
  readonly tokens: MethodsOf<TokenService>;
  readonly ocra: Pick<
    ChallengeService,
    'requestChallenge' | 'checkTransaction' | 'status' | 'activationCode'
  >;
  readonly enrolment: MethodsOf<EnrolmentService>;
  readonly resynchronisation: MethodsOf<ResynchronisationService>;
  readonly transactions: MethodsOf<TransactionService>;
  readonly tokenImport: MethodsOf<TokenImportService>;
  readonly linotpImport: MethodsOf<LinotpImportService>;
  readonly linotpVerification: MethodsOf<LinotpVerificationService>;
  readonly licences: MethodsOf<LicenceService>;
  readonly monitoring: Pick<MonitoringService, 'tokens' | 'storageEncryption'>;
  readonly installation: Pick<InstallationReadings, 'read'>;
  readonly consequences: MethodsOf<ConsequenceService>;
  readonly counts: MethodsOf<CountService>;
  readonly audit: MethodsOf<AuditService>;
  readonly backups: MethodsOf<BackupService>;
  readonly keys: MethodsOf<KeyService>;
  readonly webhooks: MethodsOf<WebhookService>;
  readonly housekeeping: Pick<HousekeepingService, 'due' | 'run'>;
}
