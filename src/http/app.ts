import express, { type Express } from 'express';
import { answerFailure, refuseBrokenPath, refuseUnknownPath } from './answer-failure.ts';
import { consoleInterface } from './console-interface.ts';
import { announceDeprecatedPost } from './deprecation.ts';
import { createDialect } from './dialects/dialects.ts';
import { serveEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint-spec.ts';
import { setFixedHeaders } from './fixed-headers.ts';
import { beginExchange, type ExchangeHandler } from './request/exchange.ts';
import { networkMatcher } from './limits/networks.ts';
import { OPERATIONS_PATHS } from './operations-paths.ts';
import { senderReader } from './request/request-sender.ts';
import type { BodyLimits } from './request/request-body.ts';
import { logRequests } from './request-log.ts';
import { measureRequests } from './request-metrics.ts';
import { APP_SITE, CONSOLE_SITE, serveSite } from './sites/serve-site.ts';
import { type AppDependencies, servedEndpoints } from './served-endpoints.ts';

const BODY_LIMITS: BodyLimits = { bytes: 65_536, parameters: 250 };

/** @returns the whole HTTP interface; every request passes these handlers from top to bottom */
export function createApp(dependencies: AppDependencies): Express {
  const { services, config, metrics, guards, log, clock, random } = dependencies;
  const dialect = createDialect(config.dialect, config.serviceVersion);
  const { administrators: credentials, logins, refusals } = services;
  const context = {
    credentials,
    logins,
    limits: BODY_LIMITS,
    guards,
    refusals,
    appOrigins: config.appOrigins,
  };
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.enable('strict routing').enable('case sensitive routing');
  app.set('trust proxy', networkMatcher(config.trustProxy));

  const senderOf = senderReader({ trustProxy: config.trustProxy, log });
  app.use(beginExchange({ clock, random, senderOf }));
  app.use(logRequests(log, clock, Object.values(OPERATIONS_PATHS)));
  app.use(measureRequests(metrics));
  app.use(setFixedHeaders());
  app.use(refuseBrokenPath(guards));
  for (const endpoint of servedEndpoints(dependencies, dialect)) {
    // `app.all` would make a handler for each method.
    app
      .route(dialect.routes(endpoint.path))
      .all(...deprecations(endpoint, config.monitoringPostSunset), serveEndpoint(endpoint, context));
  }
  if (config.appFiles !== undefined) {
    app.use(serveSite(APP_SITE, config.appFiles, guards));
  }
  const failing = { configuration: services.configuration, log, refusals, clock };
  if (config.consoleFiles !== undefined) {
    const documented = createDialect('documented', config.serviceVersion);
    const endpoints = servedEndpoints(dependencies, documented);
    app.use(`${CONSOLE_SITE.path}/api`, consoleInterface(endpoints, context));
    app.use(
      `${CONSOLE_SITE.path}/api`,
      answerFailure({ ...failing, dialect: documented.failures, isForPages: true }),
    );
    app.use(serveSite(CONSOLE_SITE, config.consoleFiles, guards));
  }
  app.use(refuseUnknownPath(guards));
  app.use(answerFailure({ ...failing, dialect: dialect.failures }));
  return app;
}

function deprecations({ isPostDeprecated }: Endpoint, sunset: Date | undefined): ExchangeHandler[] {
  return isPostDeprecated === true ? [announceDeprecatedPost(sunset)] : [];
}
