import type { IncomingMessage, ServerResponse } from 'node:http';
import { raw } from 'body-parser';
import { ServiceError } from '../kernel/errors.ts';
import { parseMultipart } from './multipart.ts';
import { decodeUtf8, type Entry, parseQueryString } from './query-string.ts';

/** How much a request may carry. */
export interface BodyLimits {
  /** Bytes of the body. */
  readonly bytes: number;
  /** Parameters in the query string and the body together. */
  readonly parameters: number;
}

/**
 * Reads the parameters in the body of a request: a form, JSON or multipart.
 * @throws ServiceError 'request.too-large', 'request.media-type', 'request.malformed'
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<Entry[]> {
  const body = await readBytes(request, response, limits.bytes);
  if (body.length === 0) {
    return [];
  }
  const contentType = request.headers['content-type'] ?? '';
  const [mediaType = '', ...options] = contentType.split(';').map((part) => part.trim().toLowerCase());
  assertUtf8(options);
  switch (mediaType) {
    case 'application/x-www-form-urlencoded':
      return parseQueryString(decodeUtf8(body));
    case 'application/json':
      return parseJson(decodeUtf8(body));
    case 'multipart/form-data':
      return parseMultipart(contentType, body, limits.parameters);
    default:
      throw new ServiceError(
        'request.media-type',
        'The body must be application/x-www-form-urlencoded, application/json or multipart/form-data',
      );
  }
}

async function readBytes(request: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- node's own request, by another name in connect's types
    raw({ limit, inflate: false, type: () => true })(request, response, (error?: unknown) => {
      if (error === undefined) {
        resolve();
      } else {
        reject(bodyFailure(error, limit));
      }
    });
  });
  const body = 'body' in request ? request.body : undefined;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function bodyFailure(cause: unknown, limit: number): Error {
  const type = cause instanceof Error && 'type' in cause ? cause.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new ServiceError('request.too-large', `The body is larger than ${limit} bytes`, { cause });
    case 'encoding.unsupported':
      return new ServiceError('request.media-type', 'The body must not be compressed', { cause });
    case 'request.aborted':
    case 'request.size.invalid':
      return new ServiceError('request.malformed', 'The body is shorter than announced', { cause });
    default:
      return cause instanceof Error ? cause : new Error('reading the body failed', { cause });
  }
}

function assertUtf8(options: readonly string[]): void {
  const charset = options.find((option) => option.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset.replaceAll('"', ''))) {
    throw new ServiceError('request.media-type', 'The body must be in UTF-8');
  }
}

/** A flat object of texts, numbers and booleans; null counts as not given. */
function parseJson(text: string): Entry[] {
  const value = parseAnyJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('request.malformed', 'The JSON body must be an object');
  }
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    member === null ? [] : [[name, jsonText(name, member)] as const],
  );
}

function parseAnyJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('request.malformed', 'The body is not JSON', { cause, about: ['body'] });
  }
}

function jsonText(name: string, member: unknown): string {
  if (typeof member === 'string') {
    return member;
  }
  // A longer whole number would have lost digits on its way through a floating point number.
  if (
    typeof member === 'boolean' ||
    (typeof member === 'number' && Math.abs(member) <= Number.MAX_SAFE_INTEGER)
  ) {
    return String(member);
  }
  throw new ServiceError(
    'request.malformed',
    `The member '${name.slice(0, 50)}' of the JSON body must be a text, a boolean or a number of at most 15 digits`,
  );
}
