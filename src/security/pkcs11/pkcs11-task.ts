/** Bytes, and the id of the key of the vault that they belong to. */
export interface KeyBytes {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** What the process that speaks to the module is to do, in one session. */
export interface Pkcs11Task {
  /** The path of the module's library. */
  readonly library: string;
  /** The token's label. */
  readonly token: string;
  /** The label of the AES-256 key that wraps. */
  readonly key: string;
  readonly pin: string;
  /** Whether to make the key that wraps where there is none of that label. */
  readonly createKey: boolean;
  /** Keys to wrap. Each is unwrapped again before it counts as wrapped. */
  readonly wrap: readonly KeyBytes[];
  /** Keys to unwrap. */
  readonly unwrap: readonly KeyBytes[];
}

export interface Pkcs11Result {
  readonly wrapped: readonly KeyBytes[];
  readonly unwrapped: readonly KeyBytes[];
  /** Whether the key that wraps was made just now. */
  readonly keyCreated: boolean;
  /** What operators should mend, in words for the log. */
  readonly warnings: readonly string[];
}

/** Why it was not done. */
export type Pkcs11Reason =
  | 'package-missing'
  | 'library-unusable'
  | 'token-missing'
  | 'token-ambiguous'
  | 'pin-refused'
  | 'pin-locked'
  | 'pin-last-try'
  | 'key-missing'
  | 'key-ambiguous'
  | 'key-unsuitable'
  | 'not-opened'
  | 'fault';

export type Pkcs11Answer =
  | { readonly done: true; readonly result: Pkcs11Result }
  | { readonly done: false; readonly reason: Pkcs11Reason; readonly detail: string };

/** A task that failed. The detail names calls and codes, never a PIN or a key. */
export class Pkcs11Fault extends Error {
  readonly reason: Pkcs11Reason;

  constructor(reason: Pkcs11Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
