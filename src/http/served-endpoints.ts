import type { Clock, Random } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Services } from '../services.ts';
import { configurationEndpoints } from './controllers/system/configuration-controller.ts';
import { policyEndpoints } from './controllers/system/policy-controller.ts';
import { realmEndpoints } from './controllers/system/realm-controller.ts';
import { resyncEndpoint, tokenEndpoints } from './controllers/tokens/token-controller.ts';
import { tokenListEndpoint } from './controllers/tokens/token-list-controller.ts';
import { userListEndpoint } from './controllers/tokens/user-controller.ts';
import { adminEndpoints, loadTokensEndpoint } from './controllers/tokens/enrolment-controller.ts';
import { auditExportEndpoint } from './controllers/audit-controller.ts';
import { monitoringEndpoints, monitoringPostPage } from './controllers/monitoring-controller.ts';
import { linotpEndpoints } from './controllers/linotp-controller.ts';
import { documentationEndpoints } from './controllers/documentation-controller.ts';
import { loginEndpoints } from './controllers/sign-in/login-controller.ts';
import { passkeyEndpoints } from './controllers/sign-in/passkey-controller.ts';
import { selfServiceEndpoints } from './controllers/sign-in/self-service-controller.ts';
import { singleSignOnEndpoints } from './controllers/sign-in/single-sign-on-controller.ts';
import { ownPasswordEndpoint, rightsEndpoint } from './controllers/administrator-controller.ts';
import { signInEndpoints } from './controllers/sign-in/sign-in-controller.ts';
import { ocraEndpoints } from './controllers/ocra-controller.ts';
import { operationsEndpoints, type Readiness } from './controllers/operations-controller.ts';
import { validateEndpoints } from './controllers/validate-controller.ts';
import { sessionCookies } from './authentication/cookies.ts';
import type { DialectName } from './dialects/dialect.ts';
import type { Endpoint } from './endpoint-spec.ts';
import { operationEndpoints } from './operation-endpoint.ts';
import { OPERATION_GROUPS } from '../operations/operations.ts';
import type { Guards } from './limits/guards.ts';
import type { MetricsForCallers, RequestMetrics } from './request-log.ts';
import type { SiteFiles } from './site.ts';

export interface AppConfig {
  /** Addresses and networks of the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
  readonly trustProxy: readonly string[];
  /** The address of this server in browsers, with its path behind a proxy; undefined: it is not known. */
  readonly publicUrl?: string | undefined;
  readonly dialect: DialectName;
  /** The version in answers; undefined: that of the dialect. */
  readonly serviceVersion: string | undefined;
  /** `off`: scripts of pages can read the cookie `admin_session`; default: on. */
  readonly sessionCookieHttpOnly?: 'on' | 'off';
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
  readonly readiness: () => Promise<Readiness>;
  readonly config: AppConfig;
  readonly metrics: AppMetrics;
  readonly guards: Guards;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  /** Waits some milliseconds; default: a timer. */
  readonly pause?: ((milliseconds: number) => Promise<unknown>) | undefined;
}

/** @returns every endpoint, once, in whatever dialect it is served; every other path is answered with 404 */
export function servedEndpoints(dependencies: AppDependencies): Endpoint[] {
  const { services, readiness, config, metrics, clock, guards } = dependencies;
  const { administrators, settings, singleSignOn } = services;
  const { documentedVersion } = config;
  const endpoints: Endpoint[] = [
    ...monitoringEndpoints(services.monitoring, config.monitoringPost),
    ...ocraEndpoints(services),
    ...adminEndpoints(
      services.enrolment,
      administrators,
      sessionCookies({
        asRecorded: config.dialect === 'linotp',
        httpOnly: config.sessionCookieHttpOnly !== 'off',
      }),
    ),
    ...loginEndpoints(services.logins, guards.logins),
    ...signInEndpoints(services, guards.logins),
    ...passkeyEndpoints(services.passkeys),
    ...(singleSignOn === undefined
      ? []
      : singleSignOnEndpoints(singleSignOn, config.consoleFiles !== undefined)),
    ...selfServiceEndpoints(services, guards.logins),
    ownPasswordEndpoint(administrators, guards.logins),
    rightsEndpoint(services.rights),
    resyncEndpoint(services.resynchronisation),
    loadTokensEndpoint(services.tokenImport),
    auditExportEndpoint(services, clock),
    ...validateEndpoints(services.validation),
    tokenListEndpoint(services),
    ...tokenEndpoints(services),
    userListEndpoint(services),
    ...policyEndpoints(services.policies),
    ...realmEndpoints(services),
    ...configurationEndpoints(services, settings),
    ...OPERATION_GROUPS.flatMap(({ operations }) => operations).flatMap((operation) =>
      operationEndpoints(operation, services),
    ),
    ...linotpEndpoints(services, readiness),
    ...operationsEndpoints(readiness, metrics),
    monitoringPostPage(),
    ...(documentedVersion === undefined
      ? []
      : documentationEndpoints({ version: documentedVersion, endpoints: () => endpoints })),
  ];
  return endpoints;
}
