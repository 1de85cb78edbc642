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
