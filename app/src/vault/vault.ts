import type { DeviceToken } from '../../../src/device/device-token.ts';

/** A token on this phone, with what its owner calls it. */
export interface StoredToken {
  readonly token: DeviceToken;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly addedAt: number;
}

/** What became of a response: the server's verdict, none that the app could read, or digits that were shown to be typed. */
export type HistoryOutcome = 'accepted' | 'refused' | 'unknown' | 'shown' | 'declined';

/** A challenge that was answered or declined on this phone. Holds the display data, never a response. */
export interface HistoryEntry {
  readonly id: string;
  readonly serial: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: string;
  readonly transactionId: string;
  readonly callbackUrl: string;
  readonly outcome: HistoryOutcome;
}

/** The settings that are kept with the tokens. */
export interface VaultSettings {
  /** Minutes without use after which the app locks itself. */
  readonly lockAfterMinutes: number;
  /** Wrong PINs after which everything is removed; null: never. */
  readonly wipeAfterWrongPins: number | null;
  /** A code without an address for the response is refused (true), or its digits are shown to be typed. */
  readonly requireCallback: boolean;
}

export type UnlockOutcome =
  | { readonly kind: 'open' }
  /** @property retryAt the earliest time of the next attempt, in milliseconds since 1970 */
  | { readonly kind: 'wrong'; readonly attemptsLeft: number | null; readonly retryAt: number }
  | { readonly kind: 'too-early'; readonly retryAt: number }
  | { readonly kind: 'wiped' };

/** `new`: no PIN was chosen yet. `unavailable`: this browser keeps no data (private mode, storage refused). */
export type VaultState = 'loading' | 'new' | 'locked' | 'open' | 'unavailable';

/** The codes of errors that the screens tell apart. */
export type VaultErrorCode =
  'storage-full' | 'storage-failed' | 'locked' | 'backup-invalid' | 'backup-passphrase';

export class VaultError extends Error {
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/**
 * The tokens, the history and the settings of this phone, encrypted. Every method that reads or writes them rejects with
 * VaultError 'locked' unless the state is `open`; what a method wrote is on disk when it resolves.
 */
export interface Vault {
  readonly state: VaultState;
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void;
  lock(): void;
  listTokens(): Promise<readonly StoredToken[]>;
  /** Adds the token or replaces that of its serial, keeping its name. */
  saveToken(token: DeviceToken): Promise<void>;
  renameToken(serial: string, name: string): Promise<void>;
  removeToken(serial: string): Promise<void>;
  addHistory(entry: HistoryEntry): Promise<void>;
  /** Sets the outcome of an entry that was added before. */
  updateHistory(id: string, outcome: HistoryOutcome): Promise<void>;
  /** @returns the newest entries first, at most 500 */
  listHistory(): Promise<readonly HistoryEntry[]>;
  settings(): Promise<VaultSettings>;
  changeSettings(change: Partial<VaultSettings>): Promise<void>;
}
