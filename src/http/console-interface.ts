import express, { type Router } from 'express';
import { refuseUnknownPath } from './answer-failure.ts';
import { serveEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint-spec.ts';
import type { ServerContext } from './steps/step.ts';

/** The groups of endpoints that the console calls. */
const GROUPS = /^\/(?:admin|audit|ocra|system)\//;

/** @returns true for the path of an endpoint that the console may call */
export function isConsolePath(path: string): boolean {
  return GROUPS.test(path);
}

/**
 * @param endpoints those of the server, in the dialect of the console
 * @returns a router for those that the console calls. They are the same as elsewhere, but in one dialect whatever that
 *   of the server, so that there is one console
 */
export function consoleInterface(endpoints: readonly Endpoint[], context: ServerContext): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const endpoint of endpoints.filter(({ path }) => isConsolePath(path))) {
    router.all(endpoint.path, serveEndpoint(endpoint, context));
  }
  router.use(refuseUnknownPath(context.guards));
  return router;
}
