import { ServiceError } from '../kernel/errors.ts';
import { decodeLatin1 } from '../kernel/text.ts';
import type { TokenUse } from './token.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'key-file.invalid': NoPayload;
    'key-file.secret': NoPayload;
  }
}

/** Secrets that open a key file; at most one of them. */
export interface KeyFileSecrets {
  /** The key itself, where both sides agreed on one before. */
  readonly preSharedKey?: Buffer | undefined;
  /** The password that the key is derived from. */
  readonly password?: string | undefined;
}

export interface ImportedKey {
  /** Its position in the file, for messages: `line 12, element Key`. */
  readonly place: string;
  readonly serial: string;
  /** The algorithm of the key, as the file names it. */
  readonly algorithm: string;
  /** The OCRA suite, where the file names one. */
  readonly suite: string | undefined;
  readonly secret: Buffer;
  /** The next counter; undefined where the file has none. */
  readonly counter: bigint | undefined;
  readonly description?: string;
  readonly pin?: string;
  /** The PIN of a suite with P. */
  readonly ocraPin?: string;
  /** Wrong responses that the token bears; undefined: as many as the settings say. */
  readonly maxFail?: number;
  /** When, and how often, the key may be used. */
  readonly use?: Partial<TokenUse>;
  readonly user?: string;
  /** The realm of the token, or of its owner; else the one of the request. */
  readonly realm?: string;
}

/** A key of a file that can be read but for this key. */
export interface UnreadableKey extends Pick<ImportedKey, 'place' | 'serial'> {
  /** The fault. Never a secret. */
  readonly fault: string;
}

/** `pskc`: RFC 6030. `csv`: a table with a header line (docs/guides/enrolment.md). */
export type KeyFileFormat = 'pskc' | 'csv';

export interface KeyFileReader {
  /** @throws ServiceError 'key-file.invalid' with its place, 'key-file.secret' where the secrets do not fit */
  read(text: string, secrets: KeyFileSecrets): Promise<readonly (ImportedKey | UnreadableKey)[]>;
}

/** The first bytes of a document by encoding: a byte order mark, or in UTF-16 the `<` of an element. */
const BEGINNINGS: readonly (readonly [beginning: string, encoding: string])[] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
  ['3c00', 'utf-16le'],
  ['003c', 'utf-16be'],
];
/** At the beginning, in so many bytes. */
const DECLARATION = /^<\?xml(?=\s)[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']/;
const MAX_DECLARATION = 1_024;

/**
 * Decodes a PSKC file by its first bytes or else as its XML declaration says, by default as UTF-8 (XML 1.0 §4.3.3).
 * @throws ServiceError 'key-file.invalid' for an unknown encoding, another one than the first bytes show, or bytes that
 *   are no text in it
 */
export function decodePskc(bytes: Uint8Array): string {
  const beginning = Buffer.from(bytes.subarray(0, 3)).toString('hex');
  const marked = BEGINNINGS.find(([mark]) => beginning.startsWith(mark))?.[1];
  const head = new TextDecoder(marked).decode(bytes.subarray(0, MAX_DECLARATION));
  const name = DECLARATION.exec(head)?.[1]?.trim() ?? marked ?? 'utf-8';
  const declared = encodingOf(name);
  if (!isPossible(declared, name, marked)) {
    throw wrong(`it declares the encoding ${shown(name)}, and does not begin so`);
  }
  const text = decodeAs(marked ?? declared, name, bytes);
  if (text.includes('\0')) {
    throw wrong(`it is no text in ${shown(name)}`);
  }
  return text;
}

/** @param marked the encoding that the first bytes show; undefined: another than UTF-16 */
function isPossible(declared: string, name: string, marked: string | undefined): boolean {
  if (marked === undefined) {
    return !declared.startsWith('utf-16');
  }
  // The name UTF-16 leaves the byte order to the first bytes.
  return declared === marked || (/^utf-?16$/i.test(name) && marked.startsWith('utf-16'));
}

/** @returns the canonical name of an encoding */
function encodingOf(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw wrong(`the encoding ${shown(name)} is not known here: store it as UTF-8`);
  }
}

function decodeAs(encoding: string, name: string, bytes: Uint8Array): string {
  if (encoding === 'windows-1252') {
    const isAscii = /ascii$/i.test(name);
    if (isAscii && bytes.some((byte) => byte > 0x7f)) {
      throw wrong(`it is no text in ${shown(name)}`);
    }
    // Node reads the characters from 0x80 to 0x9f as controls.
    return decodeLatin1(bytes);
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw wrong(`it is no text in ${shown(name)}: see line ${lineNotIn(encoding, bytes)}`);
  }
}

/** @returns the first line with bytes that are no text in the encoding, from 1 */
export function lineNotIn(encoding: string, bytes: Uint8Array): number {
  const known = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  return known.slice(0, known.indexOf('\ufffd')).split(/\r\n?|\n/).length;
}

function shown(name: string): string {
  return name.replaceAll(/[^\w.:-]/g, '?').slice(0, 40);
}

function wrong(message: string): ServiceError {
  return new ServiceError('key-file.invalid', `The key file is wrong: ${message}`);
}
