import type { IncomingMessage, ServerResponse } from 'node:http';

/** Milliseconds that a client has to close its side after an answer that it did not wait for. */
export const LINGER_MS = 1_000;

/** @returns true if a request has a body, according to its headers */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** @returns true if a part of the body has not arrived yet, or is still unread */
export function isBodyUnread(request: IncomingMessage): boolean {
  return announcesBody(request) && !request.complete;
}

/**
 * Delivers an answer to a client that is still sending its body. Closing a socket with unread bytes resets the
 * connection and loses an answer in transit; so only one side is closed, and further bytes are dropped for a while.
 * To be called when the answer is complete.
 * @param timeoutMs milliseconds that the client has to close its side; default: 1 second
 */
export function lingerAfterUnreadBody(request: IncomingMessage, timeoutMs = LINGER_MS): void {
  if (!isBodyUnread(request)) {
    return;
  }
  const { socket } = request;
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => {
    socket.end();
    request.removeAllListeners('data').resume();
    const deadline = setTimeout(() => socket.destroy(), timeoutMs).unref();
    socket.once('close', () => {
      clearTimeout(deadline);
    });
  };
}

/**
 * Answers `Expect: 100-continue` when the server begins to read the body, and not before: a refused client need not
 * send its body (RFC 9110 §10.1.1).
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const goOn = (): void => {
    // Behind another answer, node would put it between the headers and the body of this one; it may be left out.
    if (response.socket !== null && !response.headersSent) {
      response.writeContinue();
    }
  };
  if (announcesBody(request)) {
    request.once('resume', goOn);
  } else {
    goOn();
  }
}
