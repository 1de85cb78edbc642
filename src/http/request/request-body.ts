import type { IncomingMessage, ServerResponse } from 'node:http';
import { raw } from 'body-parser';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { ServiceError } from '../../kernel/errors.ts';
import { announcedBytes } from './body-headers.ts';
import {
  charsetOption,
  type Decoder,
  decoderOf,
  decoderOfFile,
  decoderOfParts,
  decodeUtf8,
  decodeUtf8OrLatin1,
  type FileParameter,
  unknownCharset,
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

/** The reading of one kind of body: the inspection of its pieces, and the parser of the whole or of the stream. */
type BodyForm = { readonly inspect: BodyInspection } & (
  { readonly parse: (body: Buffer) => QueryEntry[] } | { readonly read: () => Promise<QueryEntry[]> }
);

/**
 * Reads the parameters in the body of a request: a form, JSON or multipart. They are counted on arrival, and beyond a
 * limit nothing more is read. A body whose headers already exceed a limit is refused unread.
 * @throws ServiceError 'request.too-large', 'request.media-type', 'request.malformed'
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  { large, syntax = {} }: { readonly large?: LargeParameter | undefined; readonly syntax?: FormSyntax } = {},
): Promise<QueryEntry[]> {
  const max = large?.bytes ?? limits.bytes;
  if (announcedBytes(request.headers) > max) {
    throw tooLarge(max);
  }
  const form = bodyForm(request, limits, { ...syntax, file: large });
  const count = countBytes(max);
  const pieces = countPieces();
  let isEmpty = true;
  const inspectAll: BodyInspection = (piece) => {
    isEmpty = false;
    return count(piece) ?? pieces(piece) ?? form.inspect(piece);
  };
  const entries =
    'parse' in form && isBodyHere(request)
      ? form.parse(inspectBody(await takeBody(request), inspectAll))
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

/** @returns true if every announced byte of a body has come, as with the headers of most requests */
export function isBodyHere(request: IncomingMessage): boolean {
  const announced = announcedBytes(request.headers);
  return announced > 0 && !request.destroyed && request.readableLength === announced;
}

/** Takes a body that is here, without the many steps of a stream. */
async function takeBody(request: IncomingMessage): Promise<Buffer> {
  const body: unknown = request.read();
  if (!request.complete) {
    // Node notes the end a moment after the last byte: an answer before it would close the connection.
    await new Promise(setImmediate);
  }
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
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

function bodyForm(request: IncomingMessage, { parameters }: BodyLimits, syntax: FormSyntax): BodyForm {
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const charset = decoderOf(charsetOption(contentType));
  const decode = charset === 'unknown' ? undefined : charset;
  const refusal = unreadable(request, charset);
  switch (refusal === undefined ? mediaType : undefined) {
    case 'application/x-www-form-urlencoded':
      return {
        inspect: countParameters(parameters),
        parse: (body) => parseForm(body, parameters, { ...syntax, ...(decode && { decode }) }),
      };
    case 'application/json':
      return { inspect: countJson(parameters), parse: (body) => parseJson(body, decode) };
    case 'multipart/form-data':
      return {
        inspect: () => undefined,
        read: () => parseMultipart(contentType, request, parameters, decode, syntax.file),
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

function unreadable(
  { headers }: IncomingMessage,
  charset: ReturnType<typeof decoderOf>,
): ServiceError | undefined {
  if (charset === 'unknown') {
    return unknownCharset();
  }
  return (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'
    ? undefined
    : new ServiceError('request.media-type', 'The body must not be compressed');
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

const FREE_PIECES = 256;
const BYTES_A_PIECE = 64;

/** Inspects each piece of a body on arrival. @returns the refusal of the body as soon as it exceeds a limit */
export type BodyInspection = (piece: Buffer) => ServiceError | undefined;

const AMPERSAND = 0x26;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The deepest nesting that is parsed. Parameters are texts; a member nested less deeply gets a message with its name.
 */
const MAX_JSON_DEPTH = 8;

/**
 * Counts the pieces in which a body arrives: each is kept as a buffer of its own, which takes some 200 bytes even for
 * one byte.
 * @returns an inspection that refuses a body in more pieces than 256 and one for each 64 bytes
 */
export function countPieces(): BodyInspection {
  let pieces = 0;
  let bytes = 0;
  return (piece) => {
    pieces += 1;
    bytes += piece.length;
    return pieces > FREE_PIECES + bytes / BYTES_A_PIECE
      ? new ServiceError('request.malformed', 'The body comes in too small pieces')
      : undefined;
  };
}

/** @returns an inspection that counts bytes */
export function countBytes(max: number): BodyInspection {
  let received = 0;
  return (piece) => {
    received += piece.length;
    return received > max ? tooLarge(max) : undefined;
  };
}

/** @returns the refusal of a body that has, or announces, more bytes */
function tooLarge(max: number): ServiceError {
  return new ServiceError('request.too-large', `The body is larger than ${max} bytes`);
}

/** @returns an inspection that counts the parameters of a form, including empty ones */
export function countParameters(max: number): BodyInspection {
  let ends = 0;
  return (piece) => {
    for (let index = piece.indexOf(AMPERSAND); index !== -1; index = piece.indexOf(AMPERSAND, index + 1)) {
      ends += 1;
      if (ends > max) {
        return tooManyParameters(max);
      }
    }
    return undefined;
  };
}

/**
 * @param max members and elements at all depths together
 * @returns an inspection that counts the structure of JSON (RFC 8259), before a parser makes an object of it
 */
export function countJson(max: number): BodyInspection {
  const structure = new JsonStructure();
  return (piece) => {
    for (const byte of piece) {
      structure.follow(byte);
      if (structure.commas >= max) {
        return malformed(`The JSON body has more than ${max} members`);
      }
      if (structure.depth > MAX_JSON_DEPTH) {
        return malformed(`The JSON body is nested deeper than ${MAX_JSON_DEPTH} levels`);
      }
    }
    return undefined;
  };
}

class JsonStructure {
  commas = 0;
  depth = 0;
  #state: 'structure' | 'text' | 'escape' = 'structure';

  follow(byte: number): void {
    if (this.#state === 'structure') {
      this.#count(byte);
    } else if (this.#state === 'escape' || byte === BACKSLASH) {
      this.#state = this.#state === 'escape' ? 'text' : 'escape';
    } else if (byte === QUOTE) {
      this.#state = 'structure';
    }
  }

  #count(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#state = 'text';
        break;
      case 0x2c: // ,
        this.commas += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        this.depth += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        this.depth -= 1;
        break;
    }
  }
}

function malformed(message: string): ServiceError {
  return new ServiceError('request.malformed', message);
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

/** Bytes that are parsed at once. After a refusal the rest of the piece is not parsed. */
const PORTION = 1_024;

interface Part {
  readonly name: string;
  readonly decode: Decoder;
  readonly chunks: Buffer[];
}

/**
 * Reads `multipart/form-data` (RFC 7578) from a stream. Every part is read as text, also one with a file name: in the
 * charset of its own `Content-Type`, else in that of the body, else in UTF-8 or Latin-1.
 * After an error the caller must stop the stream.
 * @param maxParts parts; a further one is refused as soon as it begins
 * @param decodeBody decodes parts without a charset
 * @param file says its encoding itself where it has no charset
 * @throws ServiceError 'request.malformed', 'request.media-type' for an unknown charset
 */
export async function parseMultipart(
  contentType: string,
  body: Readable,
  maxParts: number,
  decodeBody: Decoder = decodeUtf8OrLatin1,
  file?: FileParameter,
): Promise<QueryEntry[]> {
  const parts: Part[] = [];
  await new Promise<void>((resolve, reject) => {
    let isOver = false;
    const refuseBy = (refusal: ServiceError): void => {
      isOver = true;
      reject(refusal);
    };
    const refuse = (cause?: unknown): void => {
      refuseBy(new ServiceError('request.malformed', 'The multipart body is malformed', { cause }));
    };
    try {
      const parser = new Busboy({
        headers: { 'content-type': contentType },
        // As files the parts come as bytes, which are decoded strictly below.
        isPartAFile: () => true,
        limits: { parts: maxParts, headerPairs: 20, headerSize: 4_096 },
      });
      const decoderOfPart = decoderOfParts(parser);
      parser.on('file', (name: string | undefined, content) => {
        const decode = decoderOfPart() ?? decoderOfFile(name, file) ?? decodeBody;
        if (decode === 'unknown') {
          refuseBy(unknownCharset());
          return;
        }
        if (name === undefined || name.includes('\ufffd')) {
          refuse();
        }
        const part: Part = { name: name ?? '', decode, chunks: [] };
        parts.push(part);
        content.on('data', (chunk: Buffer) => part.chunks.push(chunk));
        content.on('error', refuse);
      });
      parser.on('partsLimit', () => {
        refuseBy(tooManyParameters(maxParts));
      });
      parser.on('error', refuse);
      parser.on('finish', resolve);
      body.on('data', (piece: Buffer) => {
        for (let start = 0; start < piece.length && !isOver; start += PORTION) {
          parser.write(piece.subarray(start, start + PORTION));
        }
      });
      body.once('end', () => {
        if (!isOver) {
          parser.end();
        }
      });
    } catch (error) {
      refuse(error);
    }
  });
  return parts.map(({ name, decode, chunks }) => [name, decode(Buffer.concat(chunks))]);
}
