import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../../kernel/errors.ts';
import type { ConnectionGuard } from '../limits/connection-guard.ts';
import { ServedConnections } from './served-connections.ts';
import { continueWhenRead, lingerAfterUnreadBody } from '../request/unread-body.ts';

/** How long a client may take for the headers, and keep a connection that it does not use; in milliseconds. */
const TIME = { headers: 10_000, keepAlive: 65_000 };
/** How often connections are looked at that take too long, in milliseconds. */
const CONNECTION_CHECK = 1_000;
const REQUEST_TIMEOUT = 30_000;
/** How long a client that was told of a broken request may take to close its side, in milliseconds. */
const LINGER = 1_000;
/** How often a closing server looks for connections that have become idle, in milliseconds. */
const IDLE_CHECK = 50;

/** A server that takes requests. */
export interface RunningServer {
  /** The port it listens on; a free one where 0 was asked for. */
  readonly port: number;
  /**
   * Takes no more requests and lets those at work finish.
   * @param grace milliseconds after which those still at work are cut off
   * @param urgent cuts them off at once when it is aborted
   * @returns whether all could finish
   */
  close(grace: number, urgent?: AbortSignal): Promise<boolean>;
}

/** Where a server listens, and what it bears. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds in which a request must have come whole, and again in which its answer must be taken; 30 s by default. */
  readonly requestTimeout?: number;
  /** Milliseconds for which a connection is kept that is not used; 65 s by default. */
  readonly keepAlive?: number;
  /** Undefined: as many connections as the system allows. */
  readonly connections?: ConnectionGuard;
}

/**
 * Starts to listen.
 * @throws ServiceError 'address.unavailable' with the address and the reason
 */
export async function startServer(
  listener: RequestListener,
  { host, port, requestTimeout = REQUEST_TIMEOUT, keepAlive = TIME.keepAlive, connections }: ServerOptions,
): Promise<RunningServer> {
  const headersTimeout = Math.min(TIME.headers, requestTimeout);
  const served = new ServedConnections(keepAlive + headersTimeout);
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    request.url = originForm(request.url ?? '');
    cutOffSlowReader(response, requestTimeout);
    lingerAfterUnreadBody(request, response);
    served.begin(request, response, () => {
      if (connections?.isCrowded === true) {
        response.shouldKeepAlive = false;
      }
      listener(request, response);
    });
  };
  const server = createServer({
    headersTimeout,
    requestTimeout,
    keepAliveTimeout: keepAlive,
    connectionsCheckingInterval: CONNECTION_CHECK,
  });
  // What a client expects beyond 100-continue may be ignored (RFC 9110 §10.1.1).
  server.on('request', serve).on('checkExpectation', serve);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    continueWhenRead(request, response);
    serve(request, response);
  });
  server.on('clientError', brokenRequestAnswer());
  served.watch(server);
  connections?.watch(server);
  await listen(server, host, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: (grace, urgent) => {
      served.end();
      return closeGracefully(server, grace, urgent);
    },
  };
}

/**
 * A target may name the server (RFC 9112 §3.2.2), or bear a fragment though it must not. Neither matters here, and there
 * are names at which those who take targets apart give up.
 */
function originForm(target: string): string {
  const bare = target.replace(/#.*$/s, '');
  const rest = /^[a-z][a-z\d+.-]*:\/\/[^/?]*(.*)$/is.exec(bare)?.[1];
  return rest === undefined ? bare : rest.replace(/^(?!\/)/, '/');
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException): void => {
      const reason = cause.code === 'EADDRINUSE' ? 'another program listens there' : (cause.code ?? 'failed');
      reject(
        new ServiceError('address.unavailable', `Cannot listen on ${host} port ${port}: ${reason}`, {
          cause,
        }),
      );
    };
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.removeListener('error', refuse);
      resolve();
    });
  });
}

async function closeGracefully(server: Server, grace: number, urgent?: AbortSignal): Promise<boolean> {
  let finished = true;
  const idleCheck = setInterval(() => {
    server.closeIdleConnections();
  }, IDLE_CHECK);
  const cutOff = (): void => {
    finished = false;
    server.closeAllConnections();
  };
  const deadline = setTimeout(cutOff, urgent?.aborted === true ? 0 : grace);
  urgent?.addEventListener('abort', cutOff);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
  } finally {
    clearInterval(idleCheck);
    clearTimeout(deadline);
    urgent?.removeEventListener('abort', cutOff);
  }
  return finished;
}

/** An answer that a client does not take would be kept for it for ever. */
function cutOffSlowReader(response: ServerResponse, patience: number): void {
  response.once('prefinish', () => {
    const deadline = setTimeout(() => response.destroy(), patience).unref();
    response.once('close', () => {
      clearTimeout(deadline);
    });
  });
}

const BROKEN_REQUEST: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is no HTTP never becomes a request, so no handler sees it. @returns the handler of node's `clientError` */
function brokenRequestAnswer(): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const answered = new WeakSet<Socket>();
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !(socket.writable || answered.has(socket))) {
      socket.destroy();
      return;
    }
    if (answered.has(socket)) {
      return;
    }
    answered.add(socket);
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      // What comes too late must not be done after all.
      socket.pause();
    }
    const status = BROKEN_REQUEST[error.code ?? ''] ?? '400 Bad Request';
    socket.end(
      `HTTP/1.1 ${status}\r\nConnection: close\r\nCache-Control: no-store\r\nPragma: no-cache\r\nContent-Length: 0\r\n\r\n`,
    );
    // Not at once: the answer would get lost where the client is still sending. But it need not ever close its side.
    const deadline = setTimeout(() => socket.destroy(), LINGER).unref();
    socket.once('close', () => {
      clearTimeout(deadline);
    });
  };
}
