import type { AuditService } from '../accounts/audit/audit-service.ts';
import type { AdministratorService } from '../accounts/administrator-service.ts';
import type { ConfigurationService } from '../accounts/configuration-service.ts';
import type { KeyService } from '../accounts/key-service.ts';
import type { PolicyService } from '../accounts/policy/policy-service.ts';
import type { RealmService } from '../accounts/realm-service.ts';
import type { TokenService } from '../accounts/token-service.ts';
import type { CountService } from '../monitoring/count-service.ts';
import type { LicenceService } from '../monitoring/licence-service.ts';
import type { MonitoringService } from '../monitoring/monitoring-service.ts';
import type { EnrolmentService } from '../ocra/enrolment-service.ts';
import type { HousekeepingService } from '../ocra/housekeeping-service.ts';
import type { ResynchronisationService } from '../ocra/resynchronisation-service.ts';
import type { TokenImportService } from '../ocra/token-import-service.ts';

/** All methods of a service, without its private parts: what stands in for it in a test will do, too. */
type MethodsOf<Service> = Pick<Service, keyof Service>;

/** The services that commands speak to. */
export interface CliServices {
  readonly administrators: MethodsOf<AdministratorService>;
  readonly realms: MethodsOf<RealmService>;
  readonly policies: MethodsOf<PolicyService>;
  readonly configuration: MethodsOf<ConfigurationService>;
  readonly tokens: MethodsOf<TokenService>;
  readonly enrolment: MethodsOf<EnrolmentService>;
  readonly resynchronisation: MethodsOf<ResynchronisationService>;
  readonly tokenImport: MethodsOf<TokenImportService>;
  readonly licences: MethodsOf<LicenceService>;
  readonly monitoring: Pick<MonitoringService, 'tokens'>;
  readonly counts: MethodsOf<CountService>;
  readonly audit: MethodsOf<AuditService>;
  readonly keys: MethodsOf<KeyService>;
  readonly housekeeping: Pick<HousekeepingService, 'due' | 'run'>;
}
