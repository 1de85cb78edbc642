/** Bytes, and the id of their key of the vault. */
export interface KeyBytes {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** The work of the process that uses the module, in one session. */
export interface Pkcs11Task {
  /** The path of the module's library. */
  readonly library: string;
  /** The token's label. */
  readonly token: string;
  /** The label of the wrapping AES-256 key. */
  readonly key: string;
  readonly pin: string;
  /** Makes the wrapping key if none has that label. */
  readonly createKey: boolean;
  /** Keys to wrap. Each is unwrapped again as a proof. */
  readonly wrap: readonly KeyBytes[];
  /** Keys to unwrap. */
  readonly unwrap: readonly KeyBytes[];
}

export interface Pkcs11Result {
  readonly wrapped: readonly KeyBytes[];
  readonly unwrapped: readonly KeyBytes[];
  /** True if the wrapping key was made just now. */
  readonly keyCreated: boolean;
  /** Faults that operators should correct, in words for the log. */
  readonly warnings: readonly string[];
}

/** Reason of a failure. */
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
