import type { RequestListener, ServerResponse } from 'node:http';
import { type Log, describeFault } from '../../kernel/log.ts';
import { OPERATIONS_PATHS } from '../request-log.ts';
import { type Reply, send } from '../reply.ts';

const PLAIN = 'text/plain; charset=utf-8';

/** The measurements as text, for the collector. */
interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** @returns the listener of the port for metrics: GET /metrics and nothing else, without authentication */
export function metricsListener(metrics: MetricsText, log: Log): RequestListener {
  return (request, response) => {
    void answer(request.url ?? '', request.method ?? '', metrics, log).then((reply) => {
      sendPlain(response, reply);
    });
  };
}

async function answer(url: string, method: string, metrics: MetricsText, log: Log): Promise<Reply> {
  if (url.replace(/\?.*$/s, '') !== OPERATIONS_PATHS.metrics) {
    return { status: 404, contentType: PLAIN, body: 'Not found\n' };
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, contentType: PLAIN, body: 'Method not allowed\n', headers: { Allow: 'GET, HEAD' } };
  }
  try {
    return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
  } catch (error) {
    log.error('The metrics could not be collected', { ...describeFault(error) });
    return { status: 500, contentType: PLAIN, body: 'Internal server error\n' };
  }
}

function sendPlain(response: ServerResponse, reply: Reply): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  send(response, reply);
}
