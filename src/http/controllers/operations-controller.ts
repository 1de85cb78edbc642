import { z } from 'zod';
import type { Caller } from '../../policy/caller.ts';
import { administratorEndpoint, type Endpoint, openEndpoint } from '../endpoint-spec.ts';
import type { Reply } from '../reply.ts';
import type { MetricsText } from '../request-metrics.ts';
import { inEveryDialect, type OtherAnswer } from '../answers.ts';

/** The paths that monitoring systems request many times a minute. */
export const OPERATIONS_PATHS = { health: '/healthz', readiness: '/readyz', metrics: '/metrics' } as const;

const spec = {
  methods: ['GET'],
  family: 'linotp2',
  usage: '',
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
 * @returns the endpoints for liveness and readiness
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
      answers: inEveryDialect({
        others: [
          { contentType: 'text/plain', meaning: 'the measurements, in the text format of Prometheus' },
        ],
      }),
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
