import type { RefusalTrail } from '../audit/refusal-trail.ts';
import type { ConfirmedCredentials } from '../storage/administrators/confirmed-credentials.ts';
import type { SqlConfigurationStore } from '../storage/configuration/configuration-store.ts';
import { accountServices, type AccountServices } from './account-services.ts';
import { challengeServices, type ChallengeServices } from './challenge-services.ts';
import { consequenceServices, type ConsequenceServices } from './consequence-services.ts';
import { explanationServices, type ExplanationServices } from './explanation-services.ts';
import { housekeepingServices, type HousekeepingServices } from './housekeeping-services.ts';
import { importServices, type ImportServices } from './import-services.ts';
import { loginServices, type LoginServices } from './login-services.ts';
import { monitoringServices, type MonitoringServices } from './monitoring-services.ts';
import { type ServiceParts, sharedParts } from './shared-parts.ts';
import { signInServices, type SignInServices } from './sign-in-services.ts';
import { webhookServices, type WebhookServices } from './webhook-services.ts';

export interface Services
  extends
    AccountServices,
    LoginServices,
    SignInServices,
    ImportServices,
    ConsequenceServices,
    ExplanationServices,
    ChallengeServices,
    MonitoringServices,
    HousekeepingServices,
    WebhookServices {
  readonly configuration: SqlConfigurationStore;
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
  const accounts = accountServices(shared);
  const logins = loginServices(shared, accounts);
  const challenges = challengeServices(shared);
  const housekeeping = housekeepingServices(shared);
  return {
    configuration,
    credentials,
    refusals,
    closeSources: () => sources.close(),
    ...accounts,
    ...logins,
    ...signInServices(shared, { ...accounts, ...logins, ...challenges }),
    ...importServices(shared),
    ...consequenceServices(shared),
    ...challenges,
    ...monitoringServices(shared),
    ...housekeeping,
    ...explanationServices(shared, housekeeping),
    ...webhookServices(shared),
  };
}
