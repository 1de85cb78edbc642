import type { ServerResponse } from 'node:http';
import type { Refused } from './refused-requests.ts';
import { isBodyUnread } from './request/unread-body.ts';

/** An answer, ready to be sent but for `later`. */
export interface Reply {
  /**
   * Present: the answer is not known yet. Called outside of the limits on work.
   * @param gone aborted when the client leaves
   * @returns the answer in place of this one, without `later`
   */
  readonly later?: (gone: AbortSignal) => Promise<Reply>;
  readonly status: number;
  /** Undefined: there is no body. */
  readonly contentType?: string;
  readonly body?: string | Buffer;
  /**
   * Present: writes the body piece by piece, in place of `body`. Called outside of the limits on work. Status and
   * headers are sent with the first piece: a failure before it is answered as any other.
   * @param write resolves when the client has taken enough of it to be sent more; rejects when the client has left
   */
  readonly stream?: (write: (text: string) => Promise<void>) => Promise<void>;
  /** Further headers, by name; a list is sent as a header each. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** True if a response was accepted; left out where none was verified. The client reads it in the body. */
  readonly accepted?: boolean;
  /** The refusal that this answer reports, where it is no failure. For the audit. */
  readonly refused?: Refused;
}

/** @returns a reply with a page */
export function htmlReply(body: string | Buffer): Reply {
  return { status: 200, contentType: 'text/html; charset=utf-8', body };
}

/**
 * Sends a reply. Express's own `send` would answer `If-None-Match: *` with an empty 304, though no answer may be
 * cached.
 */
export function send(
  response: ServerResponse,
  { status, contentType, body = '', headers = {} }: Reply,
): void {
  const length = Buffer.byteLength(body);
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value);
  }
  if (isBodyUnread(response.req)) {
    // The rest of the body is not read.
    response.setHeader('Connection', 'close');
  }
  if (contentType !== undefined) {
    response.setHeader('Content-Type', contentType);
    response.setHeader('Content-Length', length);
  }
  end(response, body, length);
}

function end(response: ServerResponse, body: string | Buffer, length: number): void {
  if (response.socket?.destroyed === true) {
    // The client has left: a text that is ended now would count as sent.
    response.destroy();
  } else if (typeof body === 'string' && length === body.length) {
    // Node sends a text together with the headers, in one write and one encoding: that of headers is Latin-1.
    response.end(body, 'latin1');
  } else {
    response.end(typeof body === 'string' ? Buffer.from(body) : body);
  }
}
