import express, { type Express, type Router } from 'express';
import { answerFailure, refuseBrokenPath, refuseUnknownPath } from './answer-failure.ts';
import { createDialect } from './dialects/dialects.ts';
import { serveEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint-spec.ts';
import { setFixedHeaders } from './fixed-headers.ts';
import { beginExchange, prefixReader, senderReader } from './request/exchange.ts';
import { networkMatcher } from './limits/networks.ts';
import { logRequests, measureRequests, OPERATIONS_PATHS } from './request-log.ts';
import type { BodyLimits } from './request/request-body.ts';
import { APP_SITE, CONSOLE_SITE, serveRoot, serveSite } from './sites/serve-site.ts';
import { type AppDependencies, servedEndpoints } from './served-endpoints.ts';
import type { ServerContext } from './steps.ts';

const BODY_LIMITS: BodyLimits = { bytes: 65_536, parameters: 250 };

/** @returns the whole HTTP interface; every request passes these handlers from top to bottom */
export function createApp(dependencies: AppDependencies): Express {
  const { services, config, metrics, guards, log, clock, random } = dependencies;
  const dialect = createDialect(config.dialect, config.serviceVersion);
  const { administrators: credentials, logins, refusals, rights } = services;
  const { appOrigins, monitoringPostSunset } = config;
  const context = {
    dialect,
    rights,
    credentials,
    logins,
    limits: BODY_LIMITS,
    guards,
    refusals,
    appOrigins,
    monitoringPostSunset,
  };
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.enable('strict routing').enable('case sensitive routing');
  app.set('trust proxy', networkMatcher(config.trustProxy));

  const senderOf = senderReader({ trustProxy: config.trustProxy, log });
  app.use(beginExchange({ clock, random, senderOf, prefixOf: prefixReader(config) }));
  app.use(logRequests(log, clock, Object.values(OPERATIONS_PATHS)));
  app.use(measureRequests(metrics));
  app.use(setFixedHeaders());
  app.use(refuseBrokenPath(guards));
  const endpoints = servedEndpoints(dependencies);
  for (const endpoint of endpoints) {
    // `app.all` would make a handler for each method.
    app.route(dialect.routes(endpoint.path)).all(serveEndpoint(endpoint, context));
  }
  if (config.appFiles !== undefined) {
    app.use(serveSite(APP_SITE, config.appFiles, guards));
  }
  const failing = { configuration: services.configuration, log, refusals, clock };
  if (config.consoleFiles !== undefined) {
    const documented = createDialect('documented', config.serviceVersion);
    app.use(`${CONSOLE_SITE.path}/api`, consoleInterface(endpoints, { ...context, dialect: documented }));
    app.use(
      `${CONSOLE_SITE.path}/api`,
      answerFailure({ ...failing, dialect: documented.failures, isForPages: true }),
    );
    app.use(serveSite(CONSOLE_SITE, config.consoleFiles, guards));
    app.use(serveRoot(CONSOLE_SITE, guards));
  }
  app.use(refuseUnknownPath(guards));
  app.use(answerFailure({ ...failing, dialect: dialect.failures }));
  return app;
}

/** The groups of endpoints that the console calls. */
const GROUPS = /^\/(?:admin|audit|ocra|system)\//;

/** @returns true for the path of an endpoint that the console may call */
export function isConsolePath(path: string): boolean {
  return GROUPS.test(path);
}

/**
 * @param endpoints those of the server
 * @returns a router for those that the console calls. They are the same as elsewhere, but in one dialect whatever that
 *   of the server, so that there is one console
 */
function consoleInterface(endpoints: readonly Endpoint[], context: ServerContext): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const endpoint of endpoints.filter(({ path }) => isConsolePath(path))) {
    router.all(endpoint.path, serveEndpoint(endpoint, context));
  }
  router.use(refuseUnknownPath(context.guards));
  return router;
}
