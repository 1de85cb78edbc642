import type { RefusalTrail } from '../audit/refusal-trail.ts';
import type { ConfirmedCredentials } from '../storage/administrators/confirmed-credentials.ts';
import type { SqlConfigurationStore } from '../storage/configuration/configuration-store.ts';
import { accountServices, type AccountServices } from './account-services.ts';
import { challengeServices, type ChallengeServices } from './challenge-services.ts';
import { housekeepingServices, type HousekeepingServices } from './housekeeping-services.ts';
import { monitoringServices, type MonitoringServices } from './monitoring-services.ts';
import { LinotpImportService } from '../linotp/import-service.ts';
import { LinotpVerificationService } from '../linotp/verification-service.ts';
import { SqlVerificationTarget } from '../storage/linotp/verification-target.ts';
import { SqlImportTarget } from '../storage/linotp/linotp-import-target.ts';
import { type ServiceParts, sharedParts } from './shared-parts.ts';
import { webhookServices, type WebhookServices } from './webhook-services.ts';

export interface Services
  extends AccountServices, ChallengeServices, MonitoringServices, HousekeepingServices, WebhookServices {
  readonly configuration: SqlConfigurationStore;
  readonly linotpImport: LinotpImportService;
  readonly linotpVerification: LinotpVerificationService;
  readonly credentials: ConfirmedCredentials;
  /** Writes refused acts to the audit. Must be flushed periodically, and at the end. */
  readonly refusals: RefusalTrail;
  /** Closes the connections to the sources of users. */
  readonly closeSources: () => Promise<void>;
}

/** @returns every service, over the given database */
export function buildServices(parts: ServiceParts): Services {
  const shared = sharedParts(parts);
  const { configuration, credentials, refusals, sources } = shared;
  return {
    configuration,
    credentials,
    refusals,
    linotpImport: new LinotpImportService({ ...shared, target: new SqlImportTarget(shared) }),
    linotpVerification: new LinotpVerificationService({
      ...shared,
      target: new SqlVerificationTarget(shared),
    }),
    closeSources: () => sources.close(),
    ...accountServices(shared),
    ...challengeServices(shared),
    ...monitoringServices(shared),
    ...housekeepingServices(shared),
    ...webhookServices(shared),
  };
}
