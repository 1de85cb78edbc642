import type { DeviceToken } from '../../../src/device/device-token.ts';
import type { DeclineKind } from '../../../src/ocra/decline.ts';

/** A token on this phone, with what its owner calls it. */
export interface StoredToken {
  readonly token: DeviceToken;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly addedAt: number;
  readonly restored?: RestoredState | undefined;
}

/** Of a token with a counter that a backup brought, until a response is accepted: its counter may be behind. */
export interface RestoredState {
  /** Since the restore, or since the counter was moved ahead. */
  readonly refusals: number;
  /** True once the user has moved the counter ahead of all that was confirmed since the backup. */
  readonly isAhead: boolean;
}

/** What the server said to a decline: it took it (the kind alone), it did not, or nothing that the app could read. */
export type DeclinedOutcome = DeclineKind | `${DeclineKind}-${'refused' | 'unknown'}`;

/**
 * The outcome of a response: the server's verdict, none that the app could read, or digits that were shown to be typed;
 * or that of a decline.
 */
export type HistoryOutcome = 'accepted' | 'refused' | 'unknown' | 'shown' | DeclinedOutcome;

/** @returns true for the outcome of a decline, whatever the server said */
export function isDecline(outcome: HistoryOutcome): outcome is DeclinedOutcome {
  return /^(?:declined|reported)/.test(outcome);
}

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
  /** Tokens that were added before are in a backup, or the user wants none. Milliseconds since 1970. */
  readonly backupSettledAt: number;
}

/** The reason why a passkey did not open the vault, or was not set up. */
export type PasskeyFault =
  /** The browser or the authenticator has no pseudo-random function (WebAuthn Level 3 §10.1.4). */
  | 'unsupported'
  /** Passkeys need a host name: this address is an IP address, or no secure context. */
  | 'address'
  /** The user declined, or no authenticator answered in time. */
  | 'cancelled'
  /** The authenticator answered with another secret. */
  | 'wrong';

export type UnlockOutcome =
  | { readonly kind: 'open' }
  /** @property retryAt the earliest time of the next attempt, in milliseconds since 1970 */
  | { readonly kind: 'wrong'; readonly attemptsLeft: number | null; readonly retryAt: number }
  | { readonly kind: 'too-early'; readonly retryAt: number }
  | { readonly kind: 'wiped' }
  | { readonly kind: 'passkey'; readonly fault: PasskeyFault };

/** `new`: no PIN was chosen yet. `unavailable`: this browser keeps no data (private mode, storage refused). */
export type VaultState = 'loading' | 'new' | 'locked' | 'open' | 'unavailable';

/** The codes of errors that the screens tell apart. */
export type VaultErrorCode =
  | 'storage-full'
  /** A read or a write failed, or a record was damaged. */
  | 'storage-failed'
  /** There is no IndexedDB, or the browser refuses it. */
  | 'storage-missing'
  /** A newer version of the app has changed the data. */
  | 'storage-newer'
  | 'locked'
  /** The token's counter was used already, by another tab for example: its response must not be shown. */
  | 'counter-used'
  | 'token-unknown'
  /** The PIN or the passphrase is too easy to guess. */
  | 'pin-refused'
  /** No backup of this app, or a torn one. */
  | 'backup-invalid'
  | 'backup-newer'
  | 'backup-too-large'
  /** A wrong passphrase, or a file that was changed: the two cannot be told apart. */
  | 'backup-passphrase';

export class VaultError extends Error {
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/**
 * The tokens, the history and the settings of this phone, encrypted. Every method that reads or writes them rejects
 * with VaultError 'locked' unless the state is `open`; what a method wrote is on disk when it resolves. Nothing is
 * cached: other tabs may have changed it.
 */
export interface Vault {
  readonly state: VaultState;
  /** The reason why the state is `unavailable`; else null. */
  readonly problem: VaultErrorCode | null;
  /**
   * Calls the listener when the state changes, and when a tab has written something.
   * @returns a function that ends the subscription
   */
  subscribe(listener: () => void): () => void;
  /** Locks the vault, in every tab. */
  lock(): void;
  listTokens(): Promise<readonly StoredToken[]>;
  /**
   * Adds the token, or replaces that of its serial and keeps its name. A new token is named by its serial. Resolves
   * when the token is on disk. A response may be shown only afterwards.
   * @throws VaultError 'counter-used' unless the counter of the same key rises. So a token without change is refused,
   *   too, if its suite has a counter and it has a key: of two tabs that use one counter, one gets the error
   */
  saveToken(token: DeviceToken): Promise<void>;
  renameToken(serial: string, name: string): Promise<void>;
  /** @param restored undefined: its counter is in step. A token that is gone meanwhile stays so */
  noteRestored(serial: string, restored: RestoredState | undefined): Promise<void>;
  removeToken(serial: string): Promise<void>;
  addHistory(entry: HistoryEntry): Promise<void>;
  /** Sets the outcome of an entry that was added before. */
  updateHistory(id: string, outcome: HistoryOutcome): Promise<void>;
  /** @returns the newest entries first, at most 500 */
  listHistory(): Promise<readonly HistoryEntry[]>;
  settings(): Promise<VaultSettings>;
  changeSettings(change: Partial<VaultSettings>): Promise<void>;
}

/** The proof that the owner of the phone is there. */
export type Proof = { readonly kind: 'pin'; readonly pin: string } | { readonly kind: 'passkey' };

/** The attempts with the PIN. */
export interface AttemptState {
  /** Milliseconds since 1970; in the past if an attempt is allowed now. */
  readonly retryAt: number;
  /** Null: wrong PINs remove nothing. */
  readonly attemptsLeft: number | null;
}

/** The outcome for a token of a backup. */
export type RestoredToken =
  | { readonly kind: 'added'; readonly stored: StoredToken }
  /** On the phone with the same key. The greater counter of both stays. */
  | { readonly kind: 'merged'; readonly stored: StoredToken }
  /** On the phone with another key, which stays. */
  | { readonly kind: 'kept'; readonly stored: StoredToken };

/** The content of a backup: no history, and nothing of what protects this phone (PIN, passkey, wiping). */
export interface BackupContent {
  /** The time of the backup, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly tokens: readonly StoredToken[];
  readonly settings: Omit<VaultSettings, 'wipeAfterWrongPins' | 'backupSettledAt'>;
}

/** A backup that was read, and what restoring it does. Nothing is stored yet. Holds secrets. */
export interface RestorePlan {
  readonly content: BackupContent;
  readonly tokens: readonly RestoredToken[];
}

/** The file, or why the owner's proof failed. */
export type BackupOutcome =
  { readonly kind: 'file'; readonly text: string } | Exclude<UnlockOutcome, { kind: 'open' }>;

/** True if the browser promised to keep the data when its disk is full; `unknown` where it cannot be asked. */
export type Persistence = 'kept' | 'at-risk' | 'unknown';

/** The vault with what protects it: its screens' part. */
export interface ProtectedVault extends Vault {
  readonly hasPasskey: boolean;
  /** True if the PIN has digits only: which keyboard the phone shows. */
  readonly hasDigitPin: boolean;
  /** True if wrong PINs have removed everything, since the app was started. */
  readonly wasWiped: boolean;
  /**
   * Makes the vault and opens it.
   * @throws VaultError 'pin-refused'; 'locked' if another tab has made one
   */
  create(pin: string): Promise<void>;
  unlock(proof: Proof): Promise<UnlockOutcome>;
  attempts(): Promise<AttemptState>;
  /** @throws VaultError 'pin-refused' */
  changePin(proof: Proof, pin: string): Promise<UnlockOutcome>;
  /** Sets up a passkey in place of a former one. Stores nothing unless the outcome is `open`. */
  addPasskey(proof: Proof): Promise<UnlockOutcome>;
  removePasskey(): Promise<void>;
  /** @throws VaultError 'pin-refused' for a weak passphrase */
  exportBackup(proof: Proof, passphrase: string): Promise<BackupOutcome>;
  /** @throws VaultError 'backup-invalid', 'backup-newer', 'backup-too-large', 'backup-passphrase' */
  planRestore(file: string, passphrase: string): Promise<RestorePlan>;
  /**
   * Stores all of the plan or nothing, compared anew with what is on the phone. The backup's settings are taken if the
   * phone has no token yet.
   */
  restore(plan: RestorePlan): Promise<void>;
  /** Removes tokens, history, settings, PIN and passkey, whatever the state. */
  removeEverything(): Promise<void>;
  persistence(): Promise<Persistence>;
  /** Locks this tab only, and closes the database. */
  close(): void;
}
