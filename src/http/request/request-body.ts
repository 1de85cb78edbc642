import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import {
  type Decoder,
  decoderOf,
  decoderOfFile,
  decodeUtf8,
  decodeUtf8OrLatin1,
  type FileParameter,
} from './charsets.ts';
import { type FormSyntax, parseForm, type QueryEntry, tooManyParameters } from './parameters.ts';

/** The limits on the content of a request. */
export interface BodyLimits {
  /** Bytes of the body; where one parameter may be larger, of each of the others. */
  readonly bytes: number;
  /** Parameters in the query string and the body together. */
  readonly parameters: number;
}

/** A parameter that may be larger than other bodies. */
export interface LargeParameter extends FileParameter {
  /** Bytes of a body that holds it. */
  readonly bytes: number;
}

/**
 * Reads the parameters in the body of a request: a form, JSON or multipart.
 * @throws ServiceError 'request.too-large', 'request.media-type', 'request.malformed'
 */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  { large, syntax = {} }: { readonly large?: LargeParameter | undefined; readonly syntax?: FormSyntax } = {},
): Promise<readonly QueryEntry[]> {
  const body = await readBytes(request, large?.bytes ?? limits.bytes);
  // One without a byte needs no type.
  const entries = body.length === 0 ? [] : await parseBody(body, request, limits, { ...syntax, file: large });
  if (large !== undefined) {
    assertOthersShort(entries, limits, large);
  }
  return entries;
}

/** The bytes for which room is made first; twice as many whenever it is full. */
const FIRST_ROOM = 1_024;

/**
 * Joins the pieces of a body as they come: each kept by itself would take some 200 bytes, even for one byte. Beyond the
 * limit nothing more is kept.
 */
async function readBytes(request: IncomingMessage, max: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > max) {
    throw tooLarge(max);
  }
  let room = Buffer.allocUnsafe(FIRST_ROOM);
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const take = (piece: Buffer): void => {
      const end = length + piece.length;
      if (end > max) {
        request.off('data', take).pause();
        reject(tooLarge(max));
        return;
      }
      if (end > room.length) {
        const wider = Buffer.allocUnsafe(Math.max(end, 2 * room.length));
        room.copy(wider, 0, 0, length);
        room = wider;
      }
      length += piece.copy(room, length);
    };
    finished(request, { writable: false }, (cause) => {
      if (cause === undefined || cause === null) {
        resolve();
      } else {
        reject(new ServiceError('request.malformed', 'The body is shorter than announced', { cause }));
      }
    });
    request.on('data', take);
  });
  return room.subarray(0, length);
}

/** @returns the refusal of a body that has, or announces, more bytes */
function tooLarge(max: number, what = 'body'): ServiceError {
  return new ServiceError('request.too-large', `The ${what} is larger than ${max} bytes`);
}

function parseBody(
  body: Buffer,
  { headers }: IncomingMessage,
  { bytes, parameters }: BodyLimits,
  syntax: FormSyntax,
): QueryEntry[] | Promise<QueryEntry[]> {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ServiceError('request.media-type', 'The body must not be compressed');
  }
  const contentType = headers['content-type'] ?? '';
  const decode = decoderOf(contentType);
  switch ((contentType.split(';')[0] ?? '').trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return parseForm(body, parameters, { ...syntax, ...(decode && { decode }) });
    case 'application/json':
      if (body.length > bytes) {
        throw tooLarge(bytes, 'JSON body');
      }
      return parseJson(body, decode);
    case 'multipart/form-data':
      return parseMultipart(contentType, body, parameters, syntax.file);
    default:
      throw new ServiceError(
        'request.media-type',
        'The body must be application/x-www-form-urlencoded, application/json or multipart/form-data',
      );
  }
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

/**
 * Reads a flat object of texts, numbers and booleans; null counts as not given.
 * @throws ServiceError 'request.malformed'
 */
function parseJson(body: Buffer, decode: Decoder = decodeUtf8): QueryEntry[] {
  const value = parseAnyJson(decode(body).replace(/^\uFEFF/, ''));
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
    throw new ServiceError('request.malformed', 'The body is not JSON', { cause, syntax: 'json' });
  }
}

function jsonText(name: string, member: unknown): string {
  if (typeof member === 'string') {
    return member;
  }
  // A longer whole number would have lost digits in a floating point number.
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

/** Bytes that are parsed at once. After a refusal the rest is not parsed. */
const PORTION = 1_024;

/**
 * Reads `multipart/form-data` (RFC 7578). Every part is read as text, also one with a file name: in UTF-8, or in
 * Latin-1 where it is none, whatever charset it declares.
 * @param maxParts parts; a further one is refused as soon as it begins
 * @param file says its encoding itself
 * @throws ServiceError 'request.malformed'
 */
export async function parseMultipart(
  contentType: string,
  body: Buffer,
  maxParts: number,
  file?: FileParameter,
): Promise<QueryEntry[]> {
  const parts: { readonly name: string; readonly chunks: Buffer[] }[] = [];
  let isRefused = false;
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: unknown): void => {
      isRefused = true;
      reject(
        isServiceError(cause)
          ? cause
          : new ServiceError('request.malformed', 'The multipart body is malformed', { cause }),
      );
    };
    try {
      const parser = new Busboy({
        headers: { 'content-type': contentType },
        // As files the parts come as bytes, which are decoded strictly below.
        isPartAFile: () => true,
        limits: { parts: maxParts, headerPairs: 20, headerSize: 4_096 },
      });
      parser.on('file', (name: string | undefined, content) => {
        if (name === undefined || name.includes('\ufffd')) {
          refuse(undefined);
        }
        const chunks: Buffer[] = [];
        parts.push({ name: name ?? '', chunks });
        content.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', refuse);
      });
      parser.on('partsLimit', () => {
        refuse(tooManyParameters(maxParts));
      });
      parser.on('error', refuse).on('finish', resolve);
      for (let start = 0; start < body.length && !isRefused; start += PORTION) {
        parser.write(body.subarray(start, start + PORTION));
      }
      if (!isRefused) {
        parser.end();
      }
    } catch (error) {
      refuse(error);
    }
  });
  return parts.map(({ name, chunks }) => [
    name,
    (decoderOfFile(name, file) ?? decodeUtf8OrLatin1)(Buffer.concat(chunks)),
  ]);
}
