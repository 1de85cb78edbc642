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
