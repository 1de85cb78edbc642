import { createHash } from 'node:crypto';
import type { Reply } from './reply.ts';

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
  return {
    contentType,
    body,
    tag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  };
}

/**
 * @param ifNoneMatch the header of that name (RFC 9110 §13.1.2)
 * @returns the content, or 304 where the client has it. Caches may store it, and ask before they use it
 */
export function conditionalReply({ contentType, body, tag }: FixedContent, ifNoneMatch = ''): Reply {
  const headers = { ETag: tag, 'Cache-Control': 'no-cache' };
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*')
    ? { status: 304, headers }
    : { status: 200, contentType, body, headers };
}
