import type { Clock, Random } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Services } from '../services.ts';
import { configurationEndpoints } from './controllers/system/configuration-controller.ts';
import { consequenceEndpoints } from './controllers/system/consequence-controller.ts';
import { explanationEndpoints } from './controllers/system/explanation-controller.ts';
import { keyEndpoint } from './controllers/system/key-controller.ts';
import { licenceEndpoints } from './controllers/system/licence-controller.ts';
import { policyEndpoints } from './controllers/system/policy-controller.ts';
import { realmEndpoints } from './controllers/system/realm-controller.ts';
import { resolverTrialEndpoints } from './controllers/system/resolver-trial-controller.ts';
import { webhookEndpoints } from './controllers/system/webhook-controller.ts';
import { tokenEndpoints } from './controllers/tokens/token-controller.ts';
import { managedUserEndpoints } from './controllers/tokens/user-controller.ts';
import { userListEndpoint } from './controllers/tokens/userlist-controller.ts';
import { adminEndpoints } from './controllers/tokens/admin-controller.ts';
import { auditEndpoints } from './controllers/audit/audit-controller.ts';
import { auditVerificationEndpoints } from './controllers/audit/audit-verification-controller.ts';
import { monitoringEndpoints, monitoringPostPage } from './controllers/monitoring-controller.ts';
import { overviewEndpoint } from './controllers/helpdesk/overview-controller.ts';
import { helpdeskEndpoints } from './controllers/helpdesk/helpdesk-controller.ts';
import { documentationEndpoints } from './controllers/documentation-controller.ts';
import { loginEndpoints } from './controllers/sign-in/login-controller.ts';
import { passkeyEndpoints } from './controllers/sign-in/passkey-controller.ts';
import { sessionEndpoints } from './controllers/sign-in/session-controller.ts';
import { singleSignOnEndpoints } from './controllers/sign-in/single-sign-on-controller.ts';
import { administratorEndpoints } from './controllers/administration/administrator-controller.ts';
import { apiTokenEndpoints } from './controllers/administration/api-token-controller.ts';
import { confirmationEndpoints } from './controllers/sign-in/confirmation-controller.ts';
import { signInEndpoints } from './controllers/sign-in/sign-in-controller.ts';
import { ocraEndpoints } from './controllers/ocra-controller.ts';
import { rightsEndpoint } from './controllers/administration/rights-controller.ts';
import { metricsEndpoint, operationsEndpoints } from './controllers/operations-controller.ts';
import { loadTokensEndpoint } from './controllers/tokens/loadtokens-controller.ts';
import { resyncEndpoint } from './controllers/tokens/resync-controller.ts';
import { transactionEndpoint } from './controllers/transaction-controller.ts';
import { validateEndpoints } from './controllers/validate-controller.ts';
import type { Dialect } from './dialects/dialect.ts';
import { createDialect, type DialectName } from './dialects/dialects.ts';
import type { Endpoint } from './endpoint-spec.ts';
import type { Guards } from './limits/guards.ts';
import type { MetricsForCallers, RequestMetrics } from './request-metrics.ts';
import type { SiteFiles } from './sites/site-files.ts';

export interface AppConfig {
  /** Addresses and networks of the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
  readonly trustProxy: readonly string[];
  readonly dialect: DialectName;
  /** The version in answers; undefined: that of the dialect. */
  readonly serviceVersion: string | undefined;
  readonly monitoringPost: 'on' | 'off';
  readonly monitoringPostSunset?: Date | undefined;
  /** The version of tankeeper that the documentation names; undefined: no documentation is served. */
  readonly documentedVersion?: string | undefined;
  /** The files of the QR-TAN app at /app; undefined: it is not served. */
  readonly appFiles?: SiteFiles | undefined;
  /** The files of the console at /console; undefined: it is not served. */
  readonly consoleFiles?: SiteFiles | undefined;
  /** The origins elsewhere that serve the app, as browsers write them; default: none. */
  readonly appOrigins?: readonly string[];
}

/** The measurements of requests, and all of them for those who may read them. */
export interface AppMetrics extends RequestMetrics, MetricsForCallers {}

export interface AppDependencies {
  readonly services: Services;
  /** @returns true if the server can do its work */
  readonly ready: () => Promise<boolean>;
  readonly config: AppConfig;
  readonly metrics: AppMetrics;
  readonly guards: Guards;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
}

/** @returns every endpoint that the app serves; every other path is answered with 404 */
export function servedEndpoints(dependencies: AppDependencies, dialect: Dialect): Endpoint[] {
  const { services, ready, config, metrics, clock, guards } = dependencies;
  const { administrators, settings, singleSignOn } = services;
  const { administration } = dialect;
  return [
    ...monitoringEndpoints(services.monitoring, dialect.monitoring, config.monitoringPost),
    ...ocraEndpoints(services.ocra, services.statusWaits, dialect),
    ...adminEndpoints(services.enrolment, administrators, dialect),
    ...loginEndpoints(services.logins, dialect.login, guards.logins),
    ...signInEndpoints(services.signIn, services.signInMethods, administration, guards.logins),
    ...confirmationEndpoints(services.confirmation, administration, guards.logins),
    ...passkeyEndpoints(services.passkeys, administration),
    ...(singleSignOn === undefined
      ? []
      : singleSignOnEndpoints(singleSignOn, administration, config.consoleFiles !== undefined)),
    ...administratorEndpoints(services, administration, guards.logins),
    ...apiTokenEndpoints(administrators, administration, clock),
    ...sessionEndpoints(services.sessions, administration),
    overviewEndpoint(services.overview, administration),
    rightsEndpoint(services.rights, administration),
    resyncEndpoint(services.resynchronisation, administration),
    loadTokensEndpoint(services.tokenImport, administration),
    ...auditEndpoints(services.auditSearch, services.auditExport, administration, clock),
    ...auditVerificationEndpoints(services.auditVerification, administration),
    transactionEndpoint(services.transactions, administration),
    ...helpdeskEndpoints(services.helpdesk, administration),
    ...validateEndpoints(services.validation, dialect.validate),
    ...tokenEndpoints(services, administration),
    userListEndpoint(services, administration),
    ...policyEndpoints(services.policies, administration),
    ...explanationEndpoints(services.explanations, administration, clock),
    ...consequenceEndpoints(services, administration),
    ...realmEndpoints(services, administration),
    ...resolverTrialEndpoints(services, administration),
    ...managedUserEndpoints(services, administration),
    keyEndpoint(services, administration),
    ...licenceEndpoints(services, administration),
    ...webhookEndpoints(services, administration),
    ...configurationEndpoints(settings, administration),
    ...operationsEndpoints(ready),
    metricsEndpoint(metrics),
    monitoringPostPage(),
    ...documentation(dependencies),
  ];
}

function documentation(dependencies: AppDependencies): Endpoint[] {
  const { dialect, documentedVersion: version, serviceVersion } = dependencies.config;
  return version === undefined
    ? []
    : documentationEndpoints({
        dialect,
        version,
        endpointsIn: (name) => servedEndpoints(dependencies, createDialect(name, serviceVersion)),
      });
}
