import type { EventEmitter } from 'node:events';
import { TextDecoder } from 'node:util';
import type { Busboy } from '@fastify/busboy';
import { ServiceError } from '../../kernel/errors.ts';

// Keeps no state between texts; a new one for each text would cost more than the decoding.
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8.
 * @throws ServiceError 'request.malformed' where the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw new ServiceError('request.malformed', 'The request is not in UTF-8', { cause });
  }
}

/** The characters of windows-1252 in place of the controls 0x80 to 0x9f; browsers read Latin-1 so, too. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

const CODES = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252.charCodeAt(byte - 0x80) : byte,
);

/** Decodes ISO-8859-1 and windows-1252 (https://encoding.spec.whatwg.org/#names-and-labels makes them one). */
function decodeLatin1(bytes: Uint8Array): string {
  const units = Buffer.alloc(2 * bytes.length);
  for (let place = 0; place < bytes.length; place += 1) {
    units.writeUInt16LE(CODES[bytes[place] ?? 0] ?? 0, 2 * place);
  }
  return units.toString('utf16le');
}

/** Decodes UTF-8, and Latin-1 where the bytes are not UTF-8. */
export function decodeUtf8OrLatin1(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return decodeLatin1(bytes);
  }
}

/** The decoders of bodies by charset. */
const DECODERS: Readonly<Record<string, Decoder>> = {
  'utf-8': decodeUtf8,
  utf8: decodeUtf8,
  'us-ascii': decodeUtf8OrLatin1,
  ascii: decodeUtf8OrLatin1,
  'iso-8859-1': decodeLatin1,
  'iso8859-1': decodeLatin1,
  iso_8859_1: decodeLatin1,
  'iso_8859-1': decodeLatin1,
  latin1: decodeLatin1,
  'latin-1': decodeLatin1,
  'windows-1252': decodeLatin1,
  cp1252: decodeLatin1,
};

/** Makes a text of bytes. @throws ServiceError 'request.malformed' where they are none */
export type Decoder = (bytes: Uint8Array) => string;

/** @returns `charset=…` of a media type; undefined: it has none */
export function charsetOption(contentType = ''): string | undefined {
  const [, ...options] = contentType.split(';').map((option) => option.trim());
  return options.find((option) => /^charset\s*=/i.test(option));
}

/**
 * @param option `charset=…` of a media type; undefined: there is none
 * @returns undefined: no charset is declared; 'unknown': a charset that is not read here
 */
export function decoderOf(option: string | undefined): Decoder | undefined | 'unknown' {
  if (option === undefined) {
    return undefined;
  }
  const charset = /=\s*["']?([^"']*?)\s*["']?\s*$/.exec(option)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(DECODERS, charset) ? DECODERS[charset] : 'unknown';
}

/** @returns the refusal of a body in an unknown charset */
export function unknownCharset(): ServiceError {
  return new ServiceError(
    'request.media-type',
    'The body must be in UTF-8, ISO-8859-1 or windows-1252, as its Content-Type says',
  );
}

/** The headers of a part by name in lower case. */
type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;
/** The parser below Busboy, which keeps the charset of a part to itself where it gives the bytes. */
interface PartSource {
  readonly _parser: {
    readonly parser: { prependListener(event: 'part', listener: (part: EventEmitter) => void): unknown };
  };
}

/** @returns a function that tells the decoder of the part that has begun last; undefined: it has no charset */
export function decoderOfParts(parser: InstanceType<typeof Busboy>): () => Decoder | undefined | 'unknown' {
  let decoder: Decoder | undefined | 'unknown';
  (parser as unknown as PartSource)._parser.parser.prependListener('part', (part) => {
    part.on('header', (headers: PartHeaders) => {
      decoder = decoderOf(charsetOption(headers['content-type']?.[0]));
    });
  });
  return () => decoder;
}
