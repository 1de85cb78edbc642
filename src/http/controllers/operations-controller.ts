import { z } from 'zod';
import { type Endpoint, openEndpoint } from '../endpoint.ts';
import type { Reply } from '../reply.ts';

/** Asked by those who keep the server running, many times a minute. */
export const OPERATIONS_PATHS = { health: '/healthz', readiness: '/readyz' } as const;

/**
 * @param ready whether the server can do its work, the database included; a fault counts as no
 * @returns the endpoints that tell whether the process lives and whether it can work
 */
export function operationsEndpoints(ready: () => Promise<boolean>): Endpoint[] {
  const face = { methods: ['GET'] as const, usage: '', changesState: false, parameters: z.object({}) };
  return [
    openEndpoint({ ...face, path: OPERATIONS_PATHS.health }, () => stateReply(200, 'ok')),
    openEndpoint({ ...face, path: OPERATIONS_PATHS.readiness }, async () =>
      (await ready().catch(() => false)) ? stateReply(200, 'ready') : stateReply(503, 'unavailable'),
    ),
  ];
}

function stateReply(status: 200 | 503, state: string): Reply {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ status: state }),
    ...(status === 503 && { headers: { 'Retry-After': '5' } }),
  };
}
