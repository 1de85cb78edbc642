import type { Configuration } from '../configuration/configuration.ts';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { CredentialCheck } from './authentication/authenticate.ts';
import {
  administrationEndpoints,
  type AdministrationOperations,
} from './controllers/administration/administration-endpoints.ts';
import {
  adminEndpoints,
  type EnrolmentOperations,
  type SessionOperations,
} from './controllers/tokens/admin-controller.ts';
import {
  auditEndpoints,
  type AuditExportOperations,
  type AuditOperations,
} from './controllers/audit/audit-controller.ts';
import {
  auditVerificationEndpoints,
  type AuditVerificationOperations,
} from './controllers/audit/audit-verification-controller.ts';
import {
  monitoringEndpoints,
  type MonitoringOperations,
  monitoringPostPage,
} from './controllers/monitoring-controller.ts';
import { overviewEndpoint, type OverviewOperations } from './controllers/helpdesk/overview-controller.ts';
import { helpdeskEndpoints, type HelpdeskOperations } from './controllers/helpdesk/helpdesk-controller.ts';
import { documentationEndpoints } from './controllers/documentation-controller.ts';
import { type LoginOperations, loginEndpoints } from './controllers/sign-in/login-controller.ts';
import { type PasskeyOperations, passkeyEndpoints } from './controllers/sign-in/passkey-controller.ts';
import { type OpenSessionOperations, sessionEndpoints } from './controllers/sign-in/session-controller.ts';
import {
  singleSignOnEndpoints,
  type SingleSignOnOperations,
} from './controllers/sign-in/single-sign-on-controller.ts';
import {
  type AdministratorOperations,
  administratorEndpoints,
  type SecondFactorOperations,
} from './controllers/administration/administrator-controller.ts';
import {
  apiTokenEndpoints,
  type ApiTokenOperations,
} from './controllers/administration/api-token-controller.ts';
import {
  type ConfirmationOperations,
  confirmationEndpoints,
} from './controllers/sign-in/confirmation-controller.ts';
import {
  signInEndpoints,
  type SignInMethods,
  type SignInOperations,
} from './controllers/sign-in/sign-in-controller.ts';
import {
  type OcraOperations,
  ocraEndpoints,
  type StatusWaitOperations,
} from './controllers/ocra-controller.ts';
import { rightsEndpoint, type RightsOperations } from './controllers/administration/rights-controller.ts';
import { metricsEndpoint, operationsEndpoints } from './controllers/operations-controller.ts';
import { type ImportOperations, loadTokensEndpoint } from './controllers/tokens/loadtokens-controller.ts';
import { type ResynchronisationOperations, resyncEndpoint } from './controllers/tokens/resync-controller.ts';
import { type TransactionOperations, transactionEndpoint } from './controllers/transaction-controller.ts';
import { validateEndpoints, type ValidationOperations } from './controllers/validate-controller.ts';
import type { Dialect } from './dialects/dialect.ts';
import { createDialect, type DialectName } from './dialects/dialects.ts';
import type { Endpoint } from './endpoint-spec.ts';
import { type Guards, UNGUARDED } from './limits/guards.ts';
import type { BodyLimits } from './request/request-body.ts';
import type { MetricsForCallers, RequestMetrics } from './request-metrics.ts';
import type { SiteFiles } from './sites/site-files.ts';

/** The operations of the domain that the interface calls. */
export interface AppServices extends AdministrationOperations {
  readonly ocra: OcraOperations;
  readonly statusWaits: StatusWaitOperations;
  readonly enrolment: EnrolmentOperations;
  readonly resynchronisation: ResynchronisationOperations;
  readonly tokenImport: ImportOperations;
  readonly validation: ValidationOperations;
  readonly transactions: TransactionOperations;
  readonly helpdesk: HelpdeskOperations;
  readonly auditSearch: AuditOperations;
  readonly auditExport: AuditExportOperations;
  readonly auditVerification: AuditVerificationOperations;
  readonly monitoring: MonitoringOperations;
  readonly overview: OverviewOperations;
  readonly administrators: CredentialCheck & SessionOperations & AdministratorOperations & ApiTokenOperations;
  readonly secondFactors: SecondFactorOperations;
  readonly logins: LoginOperations;
  readonly signIn: SignInOperations;
  readonly signInMethods: SignInMethods;
  readonly confirmation: ConfirmationOperations;
  readonly passkeys: PasskeyOperations;
  /** Undefined: there is no single sign-on. */
  readonly singleSignOn?: SingleSignOnOperations | undefined;
  readonly sessions: OpenSessionOperations;
  readonly rights: RightsOperations;
  readonly configuration: { current(): Promise<Configuration> };
  /** Undefined: refusals are not recorded. */
  readonly refusals?: RefusalNotes;
  /** @returns true if the server can do its work */
  ready(): Promise<boolean>;
}

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
  readonly bodyLimits?: BodyLimits;
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
  readonly services: AppServices;
  readonly config: AppConfig;
  /** Undefined: nothing is measured, and there is no /metrics. */
  readonly metrics?: AppMetrics | undefined;
  /** Undefined: requests are not limited. */
  readonly guards?: Guards | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
}

/** @returns every endpoint that the app serves; every other path is answered with 404 */
export function servedEndpoints(dependencies: AppDependencies, dialect: Dialect): Endpoint[] {
  const { services, config, metrics, clock, guards = UNGUARDED } = dependencies;
  return [
    ...monitoringEndpoints(services.monitoring, dialect.monitoring, config.monitoringPost),
    ...ocraEndpoints(services.ocra, services.statusWaits, dialect.ocra),
    ...adminEndpoints(services.enrolment, services.administrators, dialect),
    ...loginEndpoints(services.logins, dialect.login, guards.logins),
    ...signInEndpoints(services.signIn, services.signInMethods, dialect.administration, guards.logins),
    ...confirmationEndpoints(services.confirmation, dialect.administration, guards.logins),
    ...passkeyEndpoints(services.passkeys, dialect.administration),
    ...(services.singleSignOn === undefined
      ? []
      : singleSignOnEndpoints(
          services.singleSignOn,
          dialect.administration,
          config.consoleFiles !== undefined,
        )),
    ...administratorEndpoints(services, dialect.administration, guards.logins),
    ...apiTokenEndpoints(services.administrators, dialect.administration, clock),
    ...sessionEndpoints(services.sessions, dialect.administration),
    overviewEndpoint(services.overview, dialect.administration),
    rightsEndpoint(services.rights, dialect.administration),
    resyncEndpoint(services.resynchronisation, dialect.administration),
    loadTokensEndpoint(services.tokenImport, dialect.enrolment),
    ...auditEndpoints(services.auditSearch, services.auditExport, dialect.administration, clock),
    ...auditVerificationEndpoints(services.auditVerification, dialect.administration),
    transactionEndpoint(services.transactions, dialect.administration),
    ...helpdeskEndpoints(services.helpdesk, dialect.administration),
    ...validateEndpoints(services.validation, dialect.validate),
    ...administrationEndpoints(services, dialect.administration, clock),
    ...operationsEndpoints(() => services.ready()),
    ...(metrics === undefined ? [] : [metricsEndpoint(metrics)]),
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
