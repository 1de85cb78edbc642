import type { NewToken, TokenChange } from '../../tokens/token.ts';
import type { Act } from '../../policy/caller.ts';

/** What opens the secrets of a key file; at most one of them. */
export interface KeyFileSecrets {
  /** The key itself, where it was agreed on before. */
  readonly preSharedKey?: Buffer | undefined;
  /** What the key is derived from. */
  readonly password?: string | undefined;
}

/** A key as a key file gives it. */
export interface ImportedKey {
  /** Where it stands in the file, for messages: `line 12, element Key`. */
  readonly place: string;
  readonly serial: string;
  /** The algorithm that the key is for, as the file names it. */
  readonly algorithm: string;
  /** The OCRA suite, where the file names one. */
  readonly suite: string | undefined;
  readonly secret: Buffer;
  /** The next counter; undefined: the file says nothing. */
  readonly counter: bigint | undefined;
}

/** Reads files of keys. */
export interface KeyFileReader {
  /** @throws ServiceError 'key-file.invalid' with line and element, 'key-file.secret' where the secrets do not fit */
  read(text: string, secrets: KeyFileSecrets): Promise<readonly ImportedKey[]>;
}

/** Stores many tokens at once. */
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
}
