import { z } from 'zod';
import { administratorEndpoint, type Endpoint, openEndpoint } from '../endpoint-spec.ts';
import { type MetricsForCallers, OPERATIONS_PATHS } from '../request-log.ts';
import type { Reply } from '../reply.ts';
import { inEveryDialect, type OtherAnswer } from '../answers.ts';

const spec = {
  methods: ['GET'],
  changesState: false,
  answersAlways: true,
  parameters: z.object({}),
} as const;

/** @returns the answer that reports that state */
function state(status: 200 | 503, name: string, meaning: string): OtherAnswer {
  return {
    status,
    contentType: 'application/json',
    meaning,
    body: z.strictObject({ status: z.literal(name) }),
    ...(status === 503 && { headers: { 'Retry-After': 'seconds to wait' } }),
  };
}

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
        answers: inEveryDialect({ others: [state(200, 'ok', 'the server answers')] }),
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
        answers: inEveryDialect({
          others: [
            state(200, 'started', 'the server has started'),
            state(503, 'starting', 'the start is not over'),
          ],
        }),
        requires: 'nothing',
      },
      () => stateReply(200, 'started'),
    ),
    openEndpoint(
      {
        ...spec,
        path: OPERATIONS_PATHS.readiness,
        summary: 'readiness: the database answers',
        answers: inEveryDialect({
          others: [
            state(200, 'ready', 'the server does its work'),
            state(503, 'unavailable', 'the database does not answer'),
          ],
        }),
        requires: 'nothing',
      },
      async () =>
        (await ready().catch(() => false)) ? stateReply(200, 'ready') : stateReply(503, 'unavailable'),
    ),
  ];
}

/** @returns the endpoint of the metrics */
export function metricsEndpoint(metrics: MetricsForCallers): Endpoint {
  return administratorEndpoint(
    {
      ...spec,
      path: OPERATIONS_PATHS.metrics,
      summary:
        'measurements of the server for Prometheus; with a right that is bound to realms, those by realm alone',
      answers: inEveryDialect({
        others: [
          { contentType: 'text/plain', meaning: 'the measurements, in the text format of Prometheus' },
        ],
      }),
      requires: 'monitoring:metrics',
    },
    async ({ caller }) => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.textFor(caller),
    }),
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
