import { accountServices, type AccountServices } from './account-services.ts';
import { challengeServices, type ChallengeServices } from './challenge-services.ts';
import { consequenceServices, type ConsequenceServices } from './consequence-services.ts';
import { helpdeskServices, type HelpdeskServices } from './helpdesk-services.ts';
import { explanationServices, type ExplanationServices } from './explanation-services.ts';
import { housekeepingServices, type HousekeepingServices } from './housekeeping-services.ts';
import { importServices, type ImportServices } from './import-services.ts';
import { loginServices, type LoginServices } from './login-services.ts';
import { monitoringServices, type MonitoringServices } from './monitoring-services.ts';
import { type DirectServices, directServices, type ServiceParts, sharedParts } from '../shared-parts.ts';
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
    HelpdeskServices,
    MonitoringServices,
    HousekeepingServices,
    WebhookServices,
    DirectServices {}

/** @returns every service, over the given database */
export function buildServices(parts: ServiceParts): Services {
  const shared = sharedParts(parts);
  const accounts = accountServices(shared);
  const logins = loginServices(shared, accounts);
  const challenges = challengeServices(shared);
  const housekeeping = housekeepingServices(shared);
  return {
    ...directServices(shared),
    ...accounts,
    ...logins,
    ...signInServices(shared, { ...accounts, ...logins, ...challenges }),
    ...importServices(shared),
    ...consequenceServices(shared),
    ...challenges,
    ...monitoringServices(shared),
    ...helpdeskServices(shared, challenges),
    ...housekeeping,
    ...explanationServices(shared, housekeeping),
    ...webhookServices(shared),
  };
}
