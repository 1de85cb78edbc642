import type { ServerResponse } from 'node:http';
import { EventChannel } from './event-channel.ts';
import type { EventReply } from './reply.ts';
import type { Exchange } from './request/exchange.ts';

/**
 * Sends events until either side ends. The time does not count as that of the request, and the client may leave at any
 * moment.
 * @throws ServiceError before anything is sent
 */
export async function sendEvents(
  response: ServerResponse,
  { headers, open }: EventReply,
  exchange: Exchange,
): Promise<void> {
  const isBodyless = response.req.method === 'HEAD';
  const stream = isBodyless ? undefined : await open();
  const begun = performance.now();
  let hasLeft = false;
  const leave = (): void => {
    if (!hasLeft) {
      hasLeft = true;
      stream?.left();
    }
  };
  exchange.isStream = true;
  // Before the listeners that measure the request.
  response.prependOnceListener('close', () => {
    exchange.waitedMs = performance.now() - begun;
    leave();
  });
  response.statusCode = 200;
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value);
  }
  response.setHeader('Content-Type', 'text/event-stream');
  // Proxies must pass on each event at once.
  response.setHeader('X-Accel-Buffering', 'no');
  if (stream === undefined) {
    response.end();
  } else if (response.destroyed || response.socket?.destroyed === true) {
    // It may have been closed before anybody listened.
    response.destroy();
    leave();
  } else {
    response.flushHeaders();
    stream.begin(new EventChannel(response));
  }
}
