import type { IncomingMessage, ServerResponse } from 'node:http';
import { raw } from 'body-parser';
import { ServiceError } from '../../kernel/errors.ts';
import {
  type BodyInspection,
  countBytes,
  countJson,
  countParameters,
  countPieces,
  tooLarge,
} from './body-counting.ts';
import { parseJson } from './json-body.ts';
import { parseMultipart } from './multipart.ts';
import { type QueryEntry, parseForm } from './query-string.ts';

/** The limits on the content of a request. */
export interface BodyLimits {
  /** Bytes of the body; where one parameter may be larger, of each of the others. */
  readonly bytes: number;
  /** Parameters in the query string and the body together. */
  readonly parameters: number;
}

/** A parameter that may be larger than other bodies. */
export interface LargeParameter {
  /** In lower case. */
  readonly name: string;
  /** Bytes of a body that holds it. */
  readonly bytes: number;
}

/** The reading of one kind of body: the inspection of its pieces, and the parser of the whole or of the stream. */
type BodyForm = { readonly inspect: BodyInspection } & (
  { readonly parse: (body: Buffer) => QueryEntry[] } | { readonly read: () => Promise<QueryEntry[]> }
);

/** @returns true if the body of a request may exceed that many bytes, according to its headers */
export function mayExceed({ headers }: IncomingMessage, bytes: number): boolean {
  return headers['transfer-encoding'] !== undefined || announcedBytes(headers) > bytes;
}

/**
 * Reads the parameters in the body of a request: a form, JSON or multipart. They are counted on arrival, and beyond a
 * limit nothing more is read. A body whose headers already exceed a limit is refused unread.
 * @throws ServiceError 'request.too-large', 'request.media-type', 'request.malformed'
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  large?: LargeParameter,
): Promise<QueryEntry[]> {
  const max = large?.bytes ?? limits.bytes;
  if (announcedBytes(request.headers) > max) {
    throw tooLarge(max);
  }
  const form = bodyForm(request, limits);
  const count = countBytes(max);
  const pieces = countPieces();
  let isEmpty = true;
  const inspectAll: BodyInspection = (piece) => {
    isEmpty = false;
    return count(piece) ?? pieces(piece) ?? form.inspect(piece);
  };
  const body = 'parse' in form ? bodyThatIsHere(request) : undefined;
  const entries =
    'parse' in form && body !== undefined
      ? form.parse(inspectBody(body, inspectAll))
      : await readWatched(request, () => readForm(form, request, response), inspectAll).catch(
          (error: unknown) => {
            if (isEmpty && request.complete && request.readableLength === 0) {
              return [];
            }
            throw error;
          },
        );
  if (large !== undefined) {
    assertOthersShort(entries, limits, large);
  }
  return entries;
}

/**
 * Reads a body that came together with the headers, as those of most requests: without the many steps of a stream.
 * @returns undefined where parts are still to come
 */
function bodyThatIsHere(request: IncomingMessage): Buffer | undefined {
  const announced = announcedBytes(request.headers);
  if (announced === 0 || request.destroyed || !request.complete || request.readableLength !== announced) {
    return undefined;
  }
  const body: unknown = request.read();
  return Buffer.isBuffer(body) ? body : undefined;
}

function inspectBody(body: Buffer, inspect: BodyInspection): Buffer {
  const refusal = inspect(body);
  if (refusal !== undefined) {
    throw refusal;
  }
  return body;
}

async function readForm(
  form: BodyForm,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<QueryEntry[]> {
  return 'parse' in form ? form.parse(await readBytes(request, response)) : form.read();
}

function bodyForm(request: IncomingMessage, { parameters }: BodyLimits): BodyForm {
  const contentType = request.headers['content-type'] ?? '';
  const [mediaType = '', ...options] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const refusal = unreadable(request, options);
  switch (refusal === undefined ? mediaType : undefined) {
    case 'application/x-www-form-urlencoded':
      return {
        inspect: countParameters(parameters),
        parse: (body) => parseForm(body, parameters),
      };
    case 'application/json':
      return { inspect: countJson(parameters), parse: parseJson };
    case 'multipart/form-data':
      return {
        inspect: () => undefined,
        read: () => parseMultipart(contentType, request, parameters),
      };
    default:
      return refusedForm(request, refusal ?? unknownMediaType());
  }
}

/** Refuses a body. Where no length is announced, its first byte shows that there is one. */
function refusedForm(request: IncomingMessage, refusal: ServiceError): BodyForm {
  if (announcedBytes(request.headers) > 0) {
    throw refusal;
  }
  return {
    inspect: () => refusal,
    read: () =>
      new Promise((resolve) => {
        request.once('end', () => {
          resolve([]);
        });
      }),
  };
}

function unknownMediaType(): ServiceError {
  return new ServiceError(
    'request.media-type',
    'The body must be application/x-www-form-urlencoded, application/json or multipart/form-data',
  );
}

function unreadable({ headers }: IncomingMessage, options: readonly string[]): ServiceError | undefined {
  const charset = options.find((option) => option.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset.replaceAll('"', ''))) {
    return new ServiceError('request.media-type', 'The body must be in UTF-8');
  }
  return (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'
    ? undefined
    : new ServiceError('request.media-type', 'The body must not be compressed');
}

/** @returns the announced length; 0 where there is none */
function announcedBytes(headers: IncomingMessage['headers']): number {
  return Number(headers['content-length'] ?? 0);
}

/** Reads the body, and stops at the piece that is refused. */
async function readWatched(
  request: IncomingMessage,
  read: () => Promise<QueryEntry[]>,
  inspect: BodyInspection,
): Promise<QueryEntry[]> {
  if (request.destroyed) {
    throw broken();
  }
  const refused = new Promise<never>((_, reject) => {
    request.on('data', (piece: Buffer) => {
      const refusal = inspect(piece);
      if (refusal !== undefined) {
        stopReading(request);
        reject(refusal);
      }
    });
    request.once('close', () => {
      if (!request.complete) {
        reject(broken());
      }
    });
  });
  try {
    return await Promise.race([refused, read()]);
  } catch (error) {
    stopReading(request);
    throw error;
  }
}

function stopReading(request: IncomingMessage): void {
  request.removeAllListeners('data');
  request.unpipe();
  request.pause();
}

function broken(cause?: unknown): ServiceError {
  return new ServiceError('request.malformed', 'The body is shorter than announced', { cause });
}

/** Has no limit: body-parser would read a larger body to its end all the same. */
const readRaw = raw({ limit: Infinity, inflate: false, type: () => true });

async function readBytes(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- node's own request, by another name in connect's types
    readRaw(request, response, (error?: unknown) => {
      if (error === undefined) {
        resolve();
      } else {
        reject(bodyFailure(error));
      }
    });
  });
  const body = 'body' in request ? request.body : undefined;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function bodyFailure(cause: unknown): Error {
  const type = cause instanceof Error && 'type' in cause ? cause.type : undefined;
  return type === 'request.aborted' || type === 'request.size.invalid'
    ? broken(cause)
    : new Error('reading the body failed', { cause });
}

/** @throws ServiceError 'request.too-large' */
function assertOthersShort(
  entries: readonly QueryEntry[],
  { bytes }: BodyLimits,
  large: LargeParameter,
): void {
  for (const [name, value] of entries) {
    const length = Buffer.byteLength(name) + Buffer.byteLength(value);
    if (name.toLowerCase() !== large.name && length > bytes) {
      throw new ServiceError(
        'request.too-large',
        `The parameter '${name.slice(0, 50)}' is larger than ${bytes} bytes`,
      );
    }
  }
}
