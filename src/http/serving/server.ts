import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as eventsRead } from 'node:timers/promises';
import type { Express } from 'express';
import { Reported } from '../../kernel/bounded-work.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type ConnectionLimits, Connections } from './connections.ts';

declare module '../../kernel/errors.ts' {
  interface ErrorPayloads {
    'address.unavailable': NoPayload;
  }
}

/**
 * Milliseconds in which the headers and the whole of a request must come, and for which a connection is kept: between
 * requests, and without a byte in either direction, as where an answer is not taken. No request waits as long.
 */
const TIME = { headers: 10_000, request: 30_000, keepAlive: 65_000, silence: 120_000 };
/** Milliseconds between checks for connections that exceed their time. */
const CONNECTION_CHECK = 1_000;
/** Milliseconds between a closing server's checks for idle connections. */
const IDLE_CHECK = 50;

/** A server that accepts requests. */
export interface RunningServer {
  /** The port on which it listens; a free one where 0 was requested. */
  readonly port: number;
  /**
   * Accepts no more connections and lets the current requests finish.
   * @param grace milliseconds after which the remaining requests are cut off
   * @returns true if all requests finished
   */
  close(grace: number, closing?: Closing): Promise<boolean>;
}

/** The way in which a server closes. */
interface Closing {
  /**
   * Milliseconds for which a connection must be at rest to be closed; one that is in use gets a last answer that
   * announces the close. Default 0: its client may send a request in the moment of the close.
   */
  readonly rest?: number;
  /** Its abort cuts requests off at once. */
  readonly urgent?: AbortSignal | undefined;
}

/** Is told of a request that cannot be read. @param client the address of the connection */
type UnreadableNote = (reason: string, client: string) => void;

/** @returns a note that logs each reason of each client once a minute, and nothing that a client has sent */
export function logUnreadable({ log, clock }: { readonly log: Log; readonly clock: Clock }): UnreadableNote {
  const reported = new Reported({ clock });
  return (reason, client) => {
    if (reported.isNew(`${reason} ${client}`)) {
      log.warn('A request could not be read and was refused', { reason, client });
    }
  };
}

/** The address and the limits of a server. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds in which a request must be complete; default: 30 s. */
  readonly requestTimeout?: number;
  /** Milliseconds for which a connection is kept without a byte in either direction; default: 2 minutes. */
  readonly silence?: number;
  /** Undefined: connections are limited by the system alone. */
  readonly connections?: ConnectionLimits;
  /** Is told of each request that no listener gets; default: nobody is. */
  readonly unreadable?: UnreadableNote;
  /** The app of Express to which the listener passes requests. */
  readonly app?: ExpressPrototypes;
}

/**
 * Starts to listen.
 * @throws ServiceError 'address.unavailable' with the address and the reason
 */
export async function startServer(
  listener: RequestListener,
  {
    host,
    port,
    requestTimeout = TIME.request,
    silence = TIME.silence,
    connections: limits,
    unreadable = () => undefined,
    app,
  }: ServerOptions,
): Promise<RunningServer> {
  const server = createServer({
    ...messageClasses(app),
    headersTimeout: Math.min(TIME.headers, requestTimeout),
    requestTimeout,
    keepAliveTimeout: TIME.keepAlive,
    connectionsCheckingInterval: CONNECTION_CHECK,
    // Node itself would answer any number of such requests, before those that are not served.
    requireHostHeader: false,
  });
  server.timeout = silence;
  const connections = new Connections(server, limits);
  // Any expectation but 100-continue, which Node meets, may be ignored (RFC 9110 §10.1.1).
  for (const event of ['request', 'checkExpectation']) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      if (!connections.admit(request, response)) {
        return;
      }
      if (lacksHost(request)) {
        unreadable('The header Host is missing', request.socket.remoteAddress ?? '');
        response.writeHead(400, { Connection: 'close', 'Content-Length': 0 }).end();
        return;
      }
      request.url = originForm(request.url ?? '');
      listener(request, response);
    });
  }
  server.on('clientError', (error: NodeJS.ErrnoException & { readonly reason?: string }, socket: Socket) => {
    const { code = '', reason = code } = error;
    if (code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, why] = REFUSALS[code] ?? ['400 Bad Request', `The request is not HTTP: ${reason}`];
    unreadable(why, socket.remoteAddress ?? '');
    connections.refuse(socket, status);
  });
  await listen(server, host, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: (grace, closing) => closeGracefully(server, connections, grace, closing),
  };
}

/** The answers to what cannot be read, and their reasons for the log, by Node's code. */
const REFUSALS: Readonly<Record<string, readonly [status: string, reason: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  HPE_INVALID_URL: [
    '400 Bad Request',
    'The URL holds a blank, a control or a letter such as ä that is not percent-encoded',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come in time'],
};

/** @returns true for a request of HTTP/1.1 that names no host (RFC 9112 §3.2) */
function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

/**
 * Removes the server's name, which a target may contain (RFC 9112 §3.2.2), and a fragment, which it must not. Neither
 * is used, and some names make URL parsers fail.
 */
function originForm(target: string): string {
  const bare = target.replace(/#.*$/s, '');
  const rest = /^[a-z][a-z\d+.-]*:\/\/[^/?]*(.*)$/is.exec(bare)?.[1];
  return rest === undefined ? bare : rest.replace(/^(?!\/)/, '/');
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException): void => {
      reject(addressUnavailable(cause, host, port));
    };
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.removeListener('error', refuse);
      resolve();
    });
  });
}

async function closeGracefully(
  server: Server,
  connections: Connections,
  grace: number,
  { rest = 0, urgent }: Closing = {},
): Promise<boolean> {
  connections.end();
  if (rest > 0) {
    // The connections and requests that the system has taken by now are then seen.
    await eventsRead();
  }
  // Node's own, which its `close` calls, would cut off answers that their clients are still taking.
  server.closeIdleConnections = () => {
    connections.closeResting(rest);
  };
  let finished = true;
  const idleCheck = setInterval(() => {
    // After the requests that have come meanwhile are read.
    setImmediate(() => {
      server.closeIdleConnections();
    });
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

/** Reasons by system code, each with its remedy. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there. Stop it, or choose another port (PORT, METRICS_PORT)',
  EACCES:
    'this account may not use the port. Choose one from 1024 on (PORT, METRICS_PORT), or grant CAP_NET_BIND_SERVICE',
  EADDRNOTAVAIL: 'this machine has no such address. Correct HOST',
  ENOTFOUND: 'the host name is unknown. Correct HOST',
};

/** @returns the failure to listen, with its reason and remedy */
export function addressUnavailable(cause: NodeJS.ErrnoException, host: string, port: number): ServiceError {
  const reason = REASONS[cause.code ?? ''] ?? cause.code ?? 'failed';
  return new ServiceError('address.unavailable', `Cannot listen on ${host} port ${port}: ${reason}`, {
    cause,
  });
}

/** The prototypes of the messages of an app. */
type ExpressPrototypes = Pick<Express, 'request' | 'response'>;

/**
 * Makes the classes of the requests and responses of a server. Express gives each message the prototype of the app; a
 * change of prototype after the construction makes every later access slow. These messages have it from the start.
 */
function messageClasses(app?: ExpressPrototypes): {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      if (socket.destroyed) {
        endParsing(this);
      }
    }
  }
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  if (app !== undefined) {
    app.request = Object.setPrototypeOf(AppRequest.prototype, app.request) as Express['request'];
    app.response = Object.setPrototypeOf(AppResponse.prototype, app.response) as Express['response'];
  }
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Stops Node's parser at a request of a closed connection, as at one that asks for another protocol. Else it makes
 * objects of all that it has read, up to 3 600 requests of a connection.
 */
function endParsing(request: IncomingMessage): void {
  Object.defineProperty(request, 'upgrade', { get: () => true, set: () => undefined });
}
