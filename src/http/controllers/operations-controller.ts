import { z } from 'zod';
import type { Caller } from '../../policy/caller.ts';
import { administratorEndpoint, type Endpoint, openEndpoint } from '../endpoint-spec.ts';
import { OPERATIONS_PATHS } from '../operations-paths.ts';
import type { Reply } from '../reply.ts';
import type { MetricsText } from '../request-metrics.ts';

const spec = {
  methods: ['GET'],
  family: 'linotp2',
  usage: '',
  changesState: false,
  answersAlways: true,
  parameters: z.object({}),
} as const;

/**
 * @param ready yields true if the server can do its work, the database included; a fault counts as false
 * @returns the endpoints for liveness, the end of the start, and readiness
 */
export function operationsEndpoints(ready: () => Promise<boolean>): Endpoint[] {
  return [
    openEndpoint(
      {
        ...spec,
        path: OPERATIONS_PATHS.health,
        summary: 'liveness; does not use the database',
        requires: 'nothing',
      },
      () => stateReply(200, 'ok'),
    ),
    // Until the start is over, startup-server.ts answers.
    openEndpoint(
      {
        ...spec,
        path: OPERATIONS_PATHS.startup,
        summary: 'whether the server has started; 503 until then',
        requires: 'nothing',
      },
      () => stateReply(200, 'started'),
    ),
    openEndpoint(
      {
        ...spec,
        path: OPERATIONS_PATHS.readiness,
        summary: 'readiness: the database answers',
        requires: 'nothing',
      },
      async () =>
        (await ready().catch(() => false)) ? stateReply(200, 'ready') : stateReply(503, 'unavailable'),
    ),
  ];
}

/**
 * @param authorize throws where the caller lacks the right to the metrics
 * @returns the endpoint of the metrics
 */
export function metricsEndpoint(
  metrics: MetricsText,
  authorize: (caller: Caller) => Promise<void>,
): Endpoint {
  return administratorEndpoint(
    {
      ...spec,
      path: OPERATIONS_PATHS.metrics,
      summary: 'measurements of the server for Prometheus',
      requires: 'monitoring:metrics',
    },
    async ({ caller }) => {
      await authorize(caller);
      return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
    },
  );
}

function stateReply(status: 200 | 503, state: string): Reply {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ status: state }),
    ...(status === 503 && { headers: { 'Retry-After': '5' } }),
  };
}
