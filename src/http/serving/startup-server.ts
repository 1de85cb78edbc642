import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { OPERATIONS_PATHS } from '../request-log.ts';

/** Few: probes, and clients that try. */
const MAX_CONNECTIONS = 100;
/** Milliseconds for the headers of a request. */
const HEADERS_MS = 5_000;

/** A server that answers until the service itself does. */
export interface StartupServer {
  /** Frees the port. May be called again. */
  close(): Promise<void>;
}

/**
 * Answers while a start takes its time: /healthz with 200, all else, /startupz included, with 503. Before, connections
 * are refused, so that a proxy passes requests on to another server. A port that is taken is left to the start of the
 * service, which reports it.
 */
export async function startStartupServer({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<StartupServer> {
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: HEADERS_MS }, answerStarting);
  server.maxConnections = MAX_CONNECTIONS;
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch {
    return { close: () => Promise.resolve() };
  }
  // A probe alone keeps no process.
  server.unref();
  let closing: Promise<void> | undefined;
  return {
    close: () =>
      (closing ??= new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      })),
  };
}

/** Answers a request to a server whose start is not over. */
export function answerStarting({ url }: IncomingMessage, response: ServerResponse): void {
  const isHealth = url?.split('?')[0] === OPERATIONS_PATHS.health;
  response.writeHead(isHealth ? 200 : 503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // The next request is one to the service.
    Connection: 'close',
    ...(!isHealth && { 'Retry-After': '5' }),
  });
  response.end(JSON.stringify({ status: isHealth ? 'ok' : 'starting' }));
}
