import { TextDecoder } from 'node:util';
import { ServiceError } from '../../kernel/errors.ts';
import { decodeLatin1 } from '../../kernel/text.ts';

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

/** @returns a decoder of UTF-8; of what is none, or holds U+0000 as UTF-16 does, the other one */
function utf8Or(other: Decoder): Decoder {
  return (bytes) => {
    if (bytes.includes(0)) {
      return other(bytes);
    }
    try {
      return UTF_8.decode(bytes);
    } catch {
      return other(bytes);
    }
  };
}

/** Decodes UTF-8, and Latin-1 where the bytes are not UTF-8. */
export const decodeUtf8OrLatin1 = utf8Or(decodeLatin1);

/** A parameter with a file that says its encoding itself. */
export interface FileParameter {
  /** In lower case. */
  readonly name: string;
  readonly decode?: Decoder;
}

/** @returns the decoder of a part; undefined: it is no such file */
export function decoderOfFile(
  name: string | undefined,
  file: FileParameter | undefined,
): Decoder | undefined {
  return name?.toLowerCase() === file?.name ? file?.decode : undefined;
}

/** @returns the decoder of a value of a form: its sender may have made UTF-8 of a file, whatever that says */
export function decoderInForm(name: string, file: FileParameter | undefined): Decoder {
  const decode = decoderOfFile(name, file);
  return decode === undefined ? decodeUtf8OrLatin1 : utf8Or(decode);
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

/**
 * @param contentType a media type with its options
 * @returns the decoder of its charset; undefined: none is declared
 * @throws ServiceError 'request.media-type' for a charset that is not read here
 */
export function decoderOf(contentType: string): Decoder | undefined {
  const option = contentType
    .split(';')
    .slice(1)
    .find((one) => /^\s*charset\s*=/i.test(one));
  if (option === undefined) {
    return undefined;
  }
  const charset = withoutQuotes(option.slice(option.indexOf('=') + 1)).toLowerCase();
  if (!Object.hasOwn(DECODERS, charset)) {
    throw new ServiceError(
      'request.media-type',
      'The body must be in UTF-8, ISO-8859-1 or windows-1252, as its Content-Type says',
    );
  }
  return DECODERS[charset];
}

function withoutQuotes(value: string): string {
  return value
    .trim()
    .replace(/^["']|["']$/g, '')
    .trim();
}
