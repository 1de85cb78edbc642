import type { RequestListener, ServerResponse } from 'node:http';
import { type Log, describeFault } from '../../kernel/log.ts';
import { OPERATIONS_PATHS } from '../request-log.ts';
import { type Reply, send, textReply } from '../reply.ts';

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
    return textReply('Not found\n', 404);
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { ...textReply('Method not allowed\n', 405), headers: { Allow: 'GET, HEAD' } };
  }
  try {
    return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
  } catch (error) {
    log.error('The metrics could not be collected', { ...describeFault(error) });
    return textReply('Internal server error\n', 500);
  }
}

function sendPlain(response: ServerResponse, reply: Reply): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  send(response, reply);
}
