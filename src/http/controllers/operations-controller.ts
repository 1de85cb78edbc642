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

/** Whether a server does its work, cannot with its database, or takes no more requests soon. */
export type Readiness = 'ready' | 'unavailable' | 'stopping';

/**
 * @param readiness a fault counts as `unavailable`
 * @returns the endpoints for liveness, the end of the start, readiness and measurements
 */
export function operationsEndpoints(
  readiness: () => Promise<Readiness>,
  metrics: MetricsForCallers,
): Endpoint[] {
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
    // While a start takes its time, startup-server.ts answers.
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
        summary:
          'readiness: the database serves requests with tables of this program, and the server is not about to stop',
        answers: inEveryDialect({
          others: [
            state(200, 'ready', 'the server does its work'),
            state(503, 'unavailable', 'the database does not answer, or not with the tables of this program'),
            state(503, 'stopping', 'the server takes no more requests soon'),
          ],
        }),
        requires: 'nothing',
      },
      async () => {
        const state = await readiness().catch(() => 'unavailable' as const);
        return stateReply(state === 'ready' ? 200 : 503, state);
      },
    ),
    metricsEndpoint(metrics),
  ];
}

function metricsEndpoint(metrics: MetricsForCallers): Endpoint {
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
