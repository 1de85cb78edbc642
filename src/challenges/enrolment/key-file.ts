import type { NewToken, TokenChange } from '../../tokens/token.ts';
import type { Act } from '../../policy/caller.ts';

/** Secrets that open a key file; at most one of them. */
export interface KeyFileSecrets {
  /** The key itself, where both sides agreed on one before. */
  readonly preSharedKey?: Buffer | undefined;
  /** The password that the key is derived from. */
  readonly password?: string | undefined;
}

/** A key of a key file. */
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
}

/** Reader of key files. */
export interface KeyFileReader {
  /** @throws ServiceError 'key-file.invalid' with line and element, 'key-file.secret' where the secrets do not fit */
  read(text: string, secrets: KeyFileSecrets): Promise<readonly ImportedKey[]>;
}

/** Storage of many tokens at once. */
export interface TokenLoading {
  /**
   * Stores all of them or none, in one transaction with their audit rows.
   * @param change realms for all of them
   * @throws ServiceError 'token.exists' that names a serial, 'realm.unknown'
   */
  insertAll(
    tokens: readonly NewToken[],
    change: Required<Pick<TokenChange, 'realms'>>,
    act: Act,
  ): Promise<void>;
  /** @returns those of the serials that are in use, compared case-insensitively; in lower case */
  taken(serials: readonly string[]): Promise<ReadonlySet<string>>;
}
