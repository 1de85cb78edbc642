import type { z } from 'zod';
import { ServiceError } from '../kernel/errors.ts';
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
  /** Its position in the file, for messages: `line 12`, `key 3`. */
  readonly place: string;
  readonly serial: string;
  /** The algorithm of the key, as the file names it. */
  readonly algorithm: string;
  /** The OCRA suite, where the file names one. */
  readonly suite?: string | undefined;
  /** Digits, hash function and seconds of a step of HOTP and TOTP, as in an enrolment, where the file names them. */
  readonly otplen?: string | undefined;
  readonly hashlib?: string | undefined;
  readonly timestep?: string | undefined;
  readonly secret: Buffer;
  /** The next counter; undefined where the file has none. */
  readonly counter?: bigint | undefined;
  readonly description?: string | undefined;
  readonly pin?: string | undefined;
  /** The PIN of a suite with P. */
  readonly ocraPin?: string | undefined;
  /** When, and how often, the key may be used. */
  readonly use?: Partial<TokenUse>;
  readonly user?: string | undefined;
  /** The realm of the token, or of its owner; else the one of the request. */
  readonly realm?: string | undefined;
}

/** `pskc`: RFC 6030. `csv`: a table (docs/guides/enrolment.md). */
export type KeyFileFormat = 'pskc' | 'csv';

export interface KeyFileReader {
  /** @throws ServiceError 'key-file.invalid' with its place, 'key-file.secret' where the secrets do not fit */
  read(text: string, secrets: KeyFileSecrets): Promise<readonly ImportedKey[]>;
}

/** Faults that one refusal names. */
const MOST_FAULTS = 10;

/**
 * @param placeOf the place of an issue in the file, by its path
 * @returns the refusal of a file that has not the expected shape; it quotes nothing of the file, which has keys
 */
export function wrongShape(
  { issues }: z.ZodError,
  placeOf: (path: readonly PropertyKey[]) => string,
): ServiceError {
  const faults = issues.slice(0, MOST_FAULTS).map(({ code, message, path }) => {
    const fault = code === 'unrecognized_keys' ? 'it has parts that are not known here' : message;
    return `${placeOf(path)}: ${fault}`;
  });
  const more = issues.length > MOST_FAULTS ? [`${issues.length - MOST_FAULTS} more faults`] : [];
  return wrongFile([...faults, ...more].join('; '));
}

export function wrongFile(message: string): ServiceError {
  return new ServiceError('key-file.invalid', `The key file is wrong: ${message}`);
}

/** In the first bytes; UTF-16 shows itself by its byte order mark. */
const DECLARATION = /^<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/;

/**
 * Decodes a PSKC file: by its byte order mark, else as its XML declaration says, by default as UTF-8.
 * @throws ServiceError 'key-file.invalid' for an unknown encoding, and for bytes that are no text in it
 */
export function decodePskc(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 300)).toString('latin1');
  const marked = head.startsWith('\xff\xfe') ? 'utf-16le' : head.startsWith('\xfe\xff') && 'utf-16be';
  const encoding = marked || (DECLARATION.exec(head)?.[1] ?? 'utf-8');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw wrongFile(`it is no text in ${encoding}, or that is not known here: store it as UTF-8`);
  }
}
