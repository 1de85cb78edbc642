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
function tagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

function isKnown(tag: string, ifNoneMatch = ''): boolean {
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}
