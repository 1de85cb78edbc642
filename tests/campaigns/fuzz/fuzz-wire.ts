import fc from 'fast-check';
import { once } from 'node:events';
import { connect } from 'node:net';

/** A request that any HTTP server must understand. */
export interface WholeRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Sends the body in chunks instead of with its length. */
  readonly chunked: boolean;
}

export type Pairs = readonly (readonly [name: string, value: string])[];

/** @returns the bytes of a text; lone surrogates as three bytes each, which are invalid UTF-8 */
export function wildBytes(text: string): Buffer {
  return Buffer.concat(
    Array.from(text, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return code >= 0xd800 && code <= 0xdfff
        ? Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)])
        : Buffer.from(character, 'utf8');
    }),
  );
}

/** @returns `application/x-www-form-urlencoded` */
export function encodeForm(pairs: Pairs): string {
  return pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
}

function percentEncode(text: string): string {
  return wildBytes(text)
    .toString('latin1')
    .replace(/[^\w.-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** @returns `multipart/form-data`; names and values are not escaped, so they may break it */
export function encodeMultipart(pairs: Pairs, boundary: string, partHead: string): Buffer {
  const parts = pairs.flatMap(([name, value]) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="`),
    wildBytes(name),
    Buffer.from(`"${partHead}\r\n\r\n`),
    wildBytes(value),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

/** @returns the bytes of the request */
export function serialise({ method, target, headers, body, chunked }: WholeRequest): Buffer {
  const framing: Pairs =
    body.length === 0 && method !== 'POST'
      ? []
      : chunked
        ? [['Transfer-Encoding', 'chunked']]
        : [['Content-Length', String(body.length)]];
  const head = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1'),
    chunked && framing.length > 0 ? inChunks(body) : body,
  ]);
}

function inChunks(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += 1_000) {
    const piece = body.subarray(at, at + 1_000);
    pieces.push(Buffer.from(`${piece.length.toString(16)};x=y\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\nTrailer: x\r\n\r\n')]);
}

/** Turns a request into bytes that are no HTTP, or not all of it. */
export type Broken = (request: Buffer) => Buffer;

const END_OF_LINE = '\r\n';

const editHead =
  (edit: (head: string) => string): Broken =>
  (request) => {
    const end = request.indexOf('\r\n\r\n');
    return Buffer.concat([
      Buffer.from(edit(request.subarray(0, end).toString('latin1')), 'latin1'),
      request.subarray(end),
    ]);
  };

const addLine = (line: string): Broken => editHead((head) => `${head}${END_OF_LINE}${line}`);

const startLine = (change: (line: string) => string): Broken =>
  editHead((head) => {
    const [first = '', ...rest] = head.split(END_OF_LINE);
    return [change(first), ...rest].join(END_OF_LINE);
  });

const withLength = (value: string): Broken =>
  editHead(
    (head) =>
      `${head.replaceAll(/\r\n(?:Content-Length|Transfer-Encoding):[^\r]*/gi, '')}${END_OF_LINE}${value}`,
  );

/** Attacks on parsers: two lengths, two framings, malformed lines. */
// prettier-ignore
const EDITS: readonly Broken[] = [
  ...[
    '0', '1', '-1', '+5', '0x10', '5, 5', '5, 6', '99999999999999999999', '17000000', '', ' ', '1e3',
    '5\r\nContent-Length: 7',
  ].map((length) => withLength(`Content-Length: ${length}`)),
  ...[
    'chunked', 'chunked, chunked', 'gzip, chunked', 'xchunked', 'chunked\r\nContent-Length: 4', ' chunked',
    'identity', '\vchunked', 'chunked\0',
  ].map((coding) => withLength(`Transfer-Encoding: ${coding}`)),
  ...[
    'no colon', ': no name', 'Na me: x', 'Name : x', ' folded', 'X: a\0b', 'X: a\rb', 'X: a\nb', 'H\xe9: x',
    'Host: a\r\nHost: b', 'Host:', 'Content-Length', `X: ${'x'.repeat(20_000)}`, 'X: y\r\n'.repeat(3_000),
  ].map(addLine),
  ...[
    'HTTP/0.9', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/9', 'http/1.1', 'HTTP/1.1 ', '', 'ICE/1.0',
    'HTTP/1.1\r\nHTTP/1.1',
  ].map((version) => startLine((line) => line.replace('HTTP/1.1', version))),
  ...['CONNECT', 'get', 'PRI', 'G\0T', '', 'BREW', 'X'.repeat(9_000), 'GET GET', '\r\n\r\nGET'].map(
    (method) => startLine((line) => line.replace(/^\S+/, method)),
  ),
  ...[
    ' ', '\t', '\xff', '/\0', '/ x', `/${'a'.repeat(20_000)}`, '?', 'x', ':80', 'other.invalid:443',
    '/\r\nX: y', '/%',
  ].map((target) => startLine((line) => line.replace(/ \S+ /, () => ` ${target} `))),
  (request) => Buffer.concat([request, request]),
  (request) => Buffer.concat([request, Buffer.from('0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')]),
  (request) => Buffer.from(request.toString('latin1').replaceAll(END_OF_LINE, '\n'), 'latin1'),
  () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1'),
  () => Buffer.from('16030100f1010000ed0303', 'hex'),
  () => Buffer.alloc(0),
  () => Buffer.from(END_OF_LINE.repeat(5_000)),
  ...['fffffffffffffffff\r\nx', '-1\r\nx\r\n0\r\n\r\n', `1;${'x'.repeat(20_000)}\r\nx\r\n`].map(
    (chunk) => () => Buffer.from(`POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`),
  ),
];

const cutOff: fc.Arbitrary<Broken> = fc
  .double({ min: 0, max: 1, noNaN: true })
  .map((share) => (request) => request.subarray(0, Math.floor(request.length * share)));

const flipped: fc.Arbitrary<Broken> = fc
  .array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 })
  .map((changes) => (request) => {
    const changed = Buffer.from(request);
    for (const [at, byte] of changes) {
      changed[at % Math.max(1, changed.length)] = byte;
    }
    return changed;
  });

const rubbish: fc.Arbitrary<Broken> = fc
  .uint8Array({ maxLength: 400 })
  .map((bytes) => () => Buffer.from(bytes));

const unflipped = [
  { weight: 4, arbitrary: fc.constantFrom(...EDITS) },
  { weight: 2, arbitrary: cutOff },
  { weight: 1, arbitrary: rubbish },
];

/** @returns ways to break a request that leave its values unchanged */
export const cutOrReframe: fc.Arbitrary<Broken> = fc.oneof(...unflipped);

/** @returns ways to break a request */
export const breakRequest: fc.Arbitrary<Broken> = fc.oneof(...unflipped, { weight: 2, arbitrary: flipped });

/** Lines of headers that may disturb a server, none of which breaks HTTP. */
// prettier-ignore
const STRANGE: readonly string[] = [
  'Content-Encoding: gzip', 'Content-Encoding: identity', 'Content-Encoding: br, gzip, x',
  'Accept-Encoding: gzip;q=9,*;q=x', `Accept-Language: ${'de-'.repeat(300)},*;q=1.5`,
  'Accept-Language: de;q=,,;;=x', 'Accept: \xff/\xfe', 'Expect: 100-continue', 'Expect: nothing',
  'Range: bytes=0-,-1', 'If-None-Match: *', 'If-Modified-Since: never',
  'Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Key: x',
  'Upgrade: h2c\nConnection: Upgrade, HTTP2-Settings\nHTTP2-Settings: AAMAAABk',
  'Connection: close', 'Connection: keep-alive, te, cookie, authorization',
  'X-Forwarded-For: 1.2.3.4, ::1, unknown, "_x", 127.0.0.1', `X-Forwarded-For: ${','.repeat(2_000)}`,
  'X-Forwarded-Proto: https,x\nX-Forwarded-Host: <b>\nForwarded: for="[::1]:x";;=',
  'X-HTTP-Method-Override: DELETE', "X-Request-Id: x' OR 1=1 --", `X-Request-Id: ${'a'.repeat(65)}`,
  'Origin: null', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Site: same-origin\nSec-Fetch-Mode: navigate',
  'Authorization: Basic Og==\nAuthorization: Bearer x', 'Authorization: Basic /zAA:/g==',
  `Authorization: Bearer ${'x'.repeat(6_000)}`, 'Authorization: Negotiate TlRMTVNTUAAB',
  'Cookie: ;;=;admin_session;=x; admin_session=; __proto__=1', 'Cookie: access_token_cookie=e30.e30.x',
  'Cookie: access_token_cookie=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.',
  `Cookie: admin_session=${'x'.repeat(9_000)}`, 'X-CSRF-TOKEN: \nX-CSRF-TOKEN: x',
  'Content-Type: application/json', 'Content-Type: multipart/form-data', 'Content-Type: ',
  `Content-Type: multipart/form-data; boundary=${'-'.repeat(300)}`,
  '__proto__: x\nconstructor: y\ntoString: z', 'Max-Forwards: -1\nVia: 1.1 x',
  'Trailer: Content-Length\nTE: trailers', Array.from({ length: 150 }, (_, at) => `X-${at}: x`).join('\n'),
];

/** @returns one or two sets of strange headers */
export const strangeHeaders: fc.Arbitrary<Pairs> = fc
  .array(fc.constantFrom(...STRANGE), { minLength: 1, maxLength: 2 })
  .map((sets) =>
    sets
      .flatMap((lines) => lines.split('\n'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
  );

/** An answer, complete or not. */
export interface FuzzAnswer {
  readonly status: number;
  /** Headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * Milliseconds without an answer after which the server counts as hanging: fewer than the 30 s after which it gives up a
 * request by itself.
 */
const TIMEOUT_MS = 25_000;

/**
 * Sends bytes over a connection of their own.
 * @param request its method, if they are one whole request; else they may be no HTTP
 * @returns the answer to the request; else all answers until the server closes the connection, possibly none
 * @throws Error without an answer to the request, with more than one, or if the server does not close the connection
 */
export async function ask(port: number, bytes: Buffer, request?: string): Promise<readonly FuzzAnswer[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  // Only the received bytes count; a reset by the server after its answer is ignored.
  socket.on('error', () => undefined);
  let received = Buffer.alloc(0);
  const over = new AbortController();
  socket.on('data', (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    if (request !== undefined && parseAnswer(received, request) !== undefined) {
      over.abort();
    }
  });
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const closed = once(socket, 'close', { signal });
  if (request === undefined) {
    socket.end(bytes);
  } else {
    // Not its end: who hangs up no longer waits for an answer.
    socket.write(bytes);
  }
  await closed.catch(() => undefined);
  const isClosed = socket.destroyed;
  socket.destroy();
  const answers = answersIn(received, request);
  if (request === undefined ? !isClosed : answers.length !== 1) {
    throw new Error(
      request === undefined
        ? 'the connection stays open'
        : `${answers.length} answers in ${received.length} bytes`,
    );
  }
  return answers;
}

function answersIn(received: Buffer, method: string | undefined): readonly FuzzAnswer[] {
  const answers: FuzzAnswer[] = [];
  let rest = received;
  for (;;) {
    // The bytes may have been a HEAD: then the head is the whole answer.
    const parsed = parseAnswer(rest, method ?? 'GET') ?? parseAnswer(rest, method ?? 'HEAD');
    if (parsed === undefined) {
      return answers;
    }
    answers.push(parsed.answer);
    rest = rest.subarray(rest.length - parsed.left);
  }
}

interface Parsed {
  readonly answer: FuzzAnswer;
  /** The number of bytes after it. */
  readonly left: number;
}

/** @returns undefined while it is incomplete */
function parseAnswer(received: Buffer, method: string): Parsed | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) {
    return undefined;
  }
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? Number.NaN);
  if (status === 100) {
    return parseAnswer(received.subarray(end + 4), method);
  }
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const from = end + 4;
  const to = method === 'HEAD' || status === 204 || status === 304 ? from : bodyEnd(received, from, headers);
  return to === undefined
    ? undefined
    : { answer: { status, headers, body: received.subarray(from, to) }, left: received.length - to };
}

/** Answers in chunks are Node's own, with none (417), and exports. */
function bodyEnd(received: Buffer, from: number, headers: FuzzAnswer['headers']): number | undefined {
  if (headers.get('transfer-encoding') === 'chunked') {
    const last = received.indexOf('0\r\n\r\n', from);
    return last === -1 ? undefined : last + 5;
  }
  const to = from + Number(headers.get('content-length') ?? 0);
  return to > received.length ? undefined : to;
}
