import fc from 'fast-check';

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
const EDITS: readonly Broken[] = [
  ...[
    '0',
    '1',
    '-1',
    '+5',
    '0x10',
    '5, 5',
    '5, 6',
    '99999999999999999999',
    '17000000',
    '',
    ' ',
    '1e3',
    '5\r\nContent-Length: 7',
  ].map((length) => withLength(`Content-Length: ${length}`)),
  ...[
    'chunked',
    'chunked, chunked',
    'gzip, chunked',
    'xchunked',
    'chunked\r\nContent-Length: 4',
    ' chunked',
    'identity',
    '\vchunked',
    'chunked\0',
  ].map((coding) => withLength(`Transfer-Encoding: ${coding}`)),
  ...[
    'no colon',
    ': no name',
    'Na me: x',
    'Name : x',
    ' folded',
    'X: a\0b',
    'X: a\rb',
    'X: a\nb',
    'H\xe9: x',
    'Host: a\r\nHost: b',
    'Host:',
    'Content-Length',
    `X: ${'x'.repeat(20_000)}`,
    'X: y\r\n'.repeat(3_000),
  ].map(addLine),
  ...[
    'HTTP/0.9',
    'HTTP/1.0',
    'HTTP/1.2',
    'HTTP/2.0',
    'HTTP/9',
    'http/1.1',
    'HTTP/1.1 ',
    '',
    'ICE/1.0',
    'HTTP/1.1\r\nHTTP/1.1',
  ].map((version) => startLine((line) => line.replace('HTTP/1.1', version))),
  ...['CONNECT', 'get', 'PRI', 'G\0T', '', 'BREW', 'X'.repeat(9_000), 'GET GET', '\r\n\r\nGET'].map(
    (method) => startLine((line) => line.replace(/^\S+/, method)),
  ),
  ...[
    ' ',
    '\t',
    '\xff',
    '/\0',
    '/ x',
    `/${'a'.repeat(20_000)}`,
    '?',
    'x',
    ':80',
    'other.invalid:443',
    '/\r\nX: y',
    '/%',
  ].map((target) => startLine((line) => line.replace(/ \S+ /, () => ` ${target} `))),
  (request) => Buffer.concat([request, request]),
  (request) => Buffer.concat([request, Buffer.from('0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')]),
  (request) => Buffer.from(request.toString('latin1').replaceAll(END_OF_LINE, '\n'), 'latin1'),
  () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1'),
  () => Buffer.from('16030100f1010000ed0303', 'hex'),
  () => Buffer.alloc(0),
  () => Buffer.from(END_OF_LINE.repeat(5_000)),
  () =>
    Buffer.from(
      'POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx',
      'latin1',
    ),
  () =>
    Buffer.from(
      'POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n',
      'latin1',
    ),
  () =>
    Buffer.from(
      `POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\nx\r\n`,
      'latin1',
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
