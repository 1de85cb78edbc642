import express, { type Express } from 'express';
import { refuseBrokenPath, refuseUnknownPath } from './unserved-paths.ts';
import { answerFailure } from './answer-failure.ts';
import { createDialect } from './dialects/dialects.ts';
import { type ServerContext, serveEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint-spec.ts';
import {
  beginExchange,
  type ExchangeHandler,
  type ExchangeRequest,
  type ExchangeResponse,
  prefixReader,
  senderReader,
  type ExchangeBeginning,
} from './request/exchange.ts';
import { networkMatcher } from './limits/networks.ts';
import { followRequests, OPERATIONS_PATHS } from './request-log.ts';
import type { BodyLimits } from './request/request-body.ts';
import { APP_SITE, CONSOLE_SITE, serveRoot, serveSite } from './site.ts';
import { type AppDependencies, servedEndpoints } from './served-endpoints.ts';
import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

const BODY_LIMITS: BodyLimits = { bytes: 65_536, parameters: 250 };

/** @returns the whole HTTP interface; every request passes these handlers from top to bottom */
export function createApp(dependencies: AppDependencies): Express {
  const { services, config, metrics, guards, log, clock, random, pause } = dependencies;
  const dialect = createDialect(config.dialect, config.serviceVersion);
  const { administrators: credentials, logins, refusals, rights } = services;
  const context = {
    dialect,
    rights,
    credentials,
    logins,
    limits: BODY_LIMITS,
    guards,
    refusals,
    appOrigins: config.appOrigins,
    monitoringPostSunset: config.monitoringPostSunset,
    pause,
  };
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.enable('strict routing').enable('case sensitive routing');
  app.set('trust proxy', networkMatcher(config.trustProxy));

  const senderOf = senderReader({ trustProxy: config.trustProxy, log });
  const beginnings = [
    beginExchange({ clock, random, senderOf, prefixOf: prefixReader(config) }),
    followRequests({ log, clock, metrics, quiet: Object.values(OPERATIONS_PATHS) }),
    setFixedHeaders(),
  ];
  app.use((request: ExchangeRequest, response: ExchangeResponse, next) => {
    beginnings.forEach((begin) => {
      begin(request, response);
    });
    next();
  });
  const endpoints = servedEndpoints(dependencies);
  const served = handlersByPath(endpoints, context);
  // For the campaign that asks every path that is served.
  app.set('served paths', [...served.keys()]);
  app.use(handlePaths(served));
  app.use(refuseBrokenPath(guards));
  for (const [path, handler] of [...served].filter(([one]) => one.includes(':'))) {
    // `app.all` would make a handler for each method.
    app.route(path).all(handler);
  }
  if (config.appFiles !== undefined) {
    app.use(serveSite(APP_SITE, config.appFiles, guards));
  }
  const failing = { configuration: services.configuration, log, refusals, clock };
  if (config.consoleFiles !== undefined) {
    const documented = createDialect('documented', config.serviceVersion);
    // The same endpoints as elsewhere, but in one dialect whatever that of the server, so that there is one console.
    const called = endpoints.filter(({ path }) => isConsolePath(path));
    app.use(
      `${CONSOLE_SITE.path}/api`,
      handlePaths(handlersByPath(called, { ...context, dialect: documented })),
      refuseUnknownPath(guards),
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

/** @returns the handlers of endpoints by their paths, and patterns of paths, in the dialect */
function handlersByPath(
  endpoints: readonly Endpoint[],
  context: ServerContext,
): Map<string, ExchangeHandler> {
  return new Map(
    endpoints.flatMap((endpoint) => {
      const handler = serveEndpoint(endpoint, context);
      return context.dialect.routes(endpoint.path).map((path) => [path, handler] as const);
    }),
  );
}

/** @returns a handler that finds the one of a path at once: Express compares a path with every route */
function handlePaths(handlers: ReadonlyMap<string, ExchangeHandler>): ExchangeHandler {
  return (request, response, next) => {
    const handler = handlers.get(request.path);
    if (handler === undefined) {
      next();
      return undefined;
    }
    return handler(request, response, next);
  };
}

/** Forbids caches to store an answer: each is for one moment and one client. */
const UNCACHED = [
  ['Cache-Control', 'no-store'],
  ['Pragma', 'no-cache'],
] as const;

/** Sets the headers that are the same in all answers: those of helmet, and that no cache stores the answer. */
function setFixedHeaders(): ExchangeBeginning {
  const headers = [...helmetHeaders(), ...UNCACHED];
  return (_request, response) => {
    for (const [name, value] of headers) {
      response.setHeader(name, value);
    }
  };
}

/** Runs helmet once: with its default options it sets the same headers in each answer, by a dozen handlers. */
function helmetHeaders(): (readonly [name: string, value: string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const headers: (readonly [name: string, value: string])[] = [];
  response.setHeader = (name, value) => {
    headers.push([name, String(value)]);
    return response;
  };
  helmet()(request, response, (error) => {
    if (error !== undefined) {
      throw new Error('helmet has failed', { cause: error });
    }
  });
  return headers;
}
