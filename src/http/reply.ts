import type { ServerResponse } from 'node:http';
import { hash } from 'node:crypto';
import type { Refused } from './refused-requests.ts';
import type { ExchangeResponse } from './request/exchange.ts';

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
  /** The transaction that the answer is about, for the log. */
  readonly transaction?: string | undefined;
  /** The refusal that this answer reports, where it is no failure. For the audit. */
  readonly refused?: Refused;
}

/** @returns a reply with a page */
export function htmlReply(body: string | Buffer, status = 200): Reply {
  return { status, contentType: 'text/html; charset=utf-8', body };
}

/** @returns a reply with a plain text */
export function textReply(body: string, status = 200): Reply {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

/** @returns the reply with the header `Set-Cookie`, or several */
export function withCookies(reply: Reply, cookies: string | readonly string[]): Reply {
  return { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookies } };
}

/**
 * Sends a reply, when the rest of a body that nobody reads has come and is dropped. Express's own `send` would answer
 * `If-None-Match: *` with an empty 304, though no answer may be cached.
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
  if (contentType !== undefined) {
    response.setHeader('Content-Type', contentType);
    response.setHeader('Content-Length', length);
  }
  const { req } = response;
  if (!req.complete) {
    // A connection that closes with unread bytes is reset, which loses the answer.
    req.once('end', () => {
      end(response, body, length);
    });
    req.resume();
  } else {
    end(response, body, length);
  }
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

/** A content that is the same for every client until the server is replaced. */
export interface FixedContent {
  readonly contentType: string;
  /** In the memory once, for all answers. */
  readonly body: Buffer;
  /** An entity tag (RFC 9110 §8.8.3). */
  readonly tag: string;
}

/** @returns the content with the tag of its bytes */
export function fixedContent(contentType: string, content: string | Buffer): FixedContent {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  return { contentType, body, tag: tagOf(body) };
}

/**
 * @param ifNoneMatch the header of that name (RFC 9110 §13.1.2)
 * @returns the content, or 304 where the client has it. Caches may store it, and ask before they use it
 */
export function conditionalReply(
  { contentType, body, tag }: FixedContent,
  ifNoneMatch: string | undefined,
): Reply {
  const headers = { ETag: tag, 'Cache-Control': 'no-cache' };
  return isKnown(tag, ifNoneMatch) ? { status: 304, headers } : { status: 200, contentType, body, headers };
}

/**
 * @param ifNoneMatch the header of that name
 * @returns the reply with the tag of its body, or 304 where the client that asks again has it. No cache may store it
 */
export function unlessKnown(reply: Reply, ifNoneMatch: string | undefined): Reply {
  const tag = tagOf(reply.body ?? '');
  const headers = { ...reply.headers, ETag: tag };
  return isKnown(tag, ifNoneMatch) ? { status: 304, headers } : { ...reply, headers };
}

/** @returns an entity tag (RFC 9110 §8.8.3) */
export function tagOf(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

function isKnown(tag: string, ifNoneMatch = ''): boolean {
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** @returns the text, escaped for use between tags and in quoted attributes */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** @returns a whole page; `body` is markup */
export function htmlPage(title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body>
${body}
</body>
</html>
`;
}

/** The content of an envelope besides its head. The order of keys is that on the wire. */
export type EnvelopeResult =
  | { readonly status: true; readonly [key: string]: unknown }
  | { readonly status: false; readonly error: Readonly<Record<string, unknown>> }
  | { readonly status: false; readonly value: false };

/** @returns JSON indented by three, in ASCII: other characters as \uXXXX, so that no charset can break them */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value, null, 3).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
