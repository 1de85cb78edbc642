import type { ServerResponse } from 'node:http';
import type { Reply } from './reply.ts';
import type { ExchangeResponse } from './request/exchange.ts';

/** The longest wait for a client that takes nothing, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** The reason for which a stream ends early; the client gets no more. */
class ClientLeft extends Error {}

/**
 * Sends a reply whose body is made piece by piece, in bounded memory. A client that leaves, or takes nothing for a
 * minute, ends the work at its next piece. A body that ends early lacks its last chunk, so that the client notices it.
 */
export async function sendStream(
  response: ExchangeResponse,
  { status, contentType, headers = {} }: Reply,
  stream: NonNullable<Reply['stream']>,
): Promise<void> {
  const begin = (): void => {
    if (response.headersSent) {
      return;
    }
    response.statusCode = status;
    const all = { ...headers, ...(contentType !== undefined && { 'Content-Type': contentType }) };
    for (const [name, value] of Object.entries(all)) {
      response.setHeader(name, value);
    }
    // The answer is as long as its body takes: its connection is not kept for another request.
    response.shouldKeepAlive = false;
    response.flushHeaders();
  };
  const { exchange } = response.locals;
  const begun = performance.now();
  // Before the listeners that measure the request: the client decides on the time of its body.
  response.prependOnceListener('close', () => {
    exchange.waitedMs += performance.now() - begun;
  });
  try {
    await stream(async (text) => {
      begin();
      await write(response, text);
    });
    begin();
    response.end();
  } catch (error) {
    if (!(error instanceof ClientLeft)) {
      throw error;
    }
    response.destroy();
  }
}

function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (hasLeft(response)) {
      reject(new ClientLeft());
      return;
    }
    if (response.write(text)) {
      resolve();
      return;
    }
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      response.off('drain', drained).off('close', left);
      settle();
    };
    const drained = (): void => {
      end(resolve);
    };
    const left = (): void => {
      end(() => {
        reject(new ClientLeft());
      });
    };
    const timer = setTimeout(left, TIMEOUT_MS);
    response.once('drain', drained).once('close', left);
  });
}

function hasLeft(response: ServerResponse): boolean {
  return response.destroyed || response.socket?.destroyed === true;
}
