import type { IncomingMessage, ServerResponse } from 'node:http';

const LINGER = 1_000;

/** @returns whether a request has a body, as far as its headers say */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** @returns whether some of the body of a request has not come yet, or waits unread */
export function isBodyUnread(request: IncomingMessage): boolean {
  return announcesBody(request) && !request.complete;
}

/**
 * Lets an answer get to a client that is still sending its body: a socket that is closed with bytes unread resets the
 * connection, and with it goes an answer that was not taken yet. So only one side is closed, and what still comes is dropped
 * for a while.
 * @param patience milliseconds that the client may take to close its side; a second unless told
 */
export function lingerAfterUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
  patience = LINGER,
): void {
  response.once('prefinish', () => {
    if (!isBodyUnread(request)) {
      return;
    }
    const { socket } = request;
    // What node calls when the last answer of a connection is out.
    socket.destroySoon = () => {
      socket.end();
      request.removeAllListeners('data').resume();
      const deadline = setTimeout(() => socket.destroy(), patience).unref();
      socket.once('close', () => {
        clearTimeout(deadline);
      });
    };
  });
}

/**
 * Tells a client that asks with `Expect: 100-continue` to go on when its body begins to be read, and not before: who is
 * refused need not send it (RFC 9110 §10.1.1).
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const goOn = (): void => {
    // Behind another answer node would put it between the headers of this one and its body; it may be left out.
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
