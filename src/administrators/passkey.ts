/** A passkey without its key. */
export interface Passkey {
  readonly id: string;
  /** Given by its owner. */
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The public part of a passkey (WebAuthn level 3). */
export interface PasskeyCredential {
  /** base64url. */
  readonly credentialId: string;
  /** COSE_Key (RFC 9052 section 7). */
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** A passkey that has signed a challenge. */
export interface UsedPasskey {
  /** base64url. */
  readonly credentialId: string;
  /** The signature counters before and after (WebAuthn level 3, section 6.1.1). */
  readonly counterBefore: number;
  readonly counter: number;
}
