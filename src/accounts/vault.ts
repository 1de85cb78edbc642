declare const sealed: unique symbol;

/** A secret as the database keeps it: encrypted, with the id of its key. Never mixed up with plain bytes. */
export type Sealed = Buffer & { readonly [sealed]: true };

/** What a sealed secret is for. Bound to it, so that one cannot be put in another's place. */
export type SecretPurpose = 'seed' | 'shared-secret' | 'nonce' | 'pin' | 'ocra-pin' | 'resolver' | 'probe';

/** Keeps secrets at rest. */
export interface Vault {
  /**
   * @param subject what the secret belongs to: a token's serial, a resolver's name
   * @returns the secret, encrypted, its purpose and subject authenticated with it
   */
  seal(plain: Uint8Array, purpose: SecretPurpose, subject: string): Sealed;
  /**
   * @returns the plain bytes
   * @throws ServiceError 'key.unavailable' when its key is not loaded, 'secret.unreadable' when it was altered or moved
   */
  open(secret: Sealed, purpose: SecretPurpose, subject: string): Buffer;
}
