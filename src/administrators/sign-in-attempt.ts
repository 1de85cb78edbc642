import type { ProvenPassword } from './administrator.ts';
import type { UsedPasskey } from './passkey.ts';
import type { SecondFactor } from './second-factor.ts';
import { secretHash } from './session.ts';

/** Seconds from the password to the second factor. */
export const SIGN_IN_LIFETIME = 300;

/** @returns the values that the database keeps of the secret of a sign-in */
export function attemptHash(secret: string): Buffer {
  return secretHash(`sign-in ${secret}`);
}

/** A second factor that was asked for. */
export type RequestedFactor =
  | { readonly kind: 'token'; readonly serial: string; readonly transactionId: string }
  | { readonly kind: 'passkey'; readonly challenge: string };

/** The event that a sign-in that is under way waits for. */
export type SignInContent =
  | RequestedFactor
  /** A login whose owner proves to be the one who signed in. `login`: the hash of its session, base64. */
  | { readonly kind: 'confirmation'; readonly login: string; readonly factor: RequestedFactor }
  /** The registration of a passkey. `keeps`: the hash of the session that stays open, base64; undefined: none. */
  | { readonly kind: 'registration'; readonly challenge: string; readonly keeps?: string | undefined }
  /** A link by which a passkey may be registered. */
  | { readonly kind: 'link' };

export type SignInKind = SignInContent['kind'];

/** A new sign-in. Its secret is stored as a hash. */
export interface NewAttempt {
  readonly hash: Buffer;
  readonly content: SignInContent;
  readonly expiresAt: Date;
  /** The address that began it. */
  readonly client: string;
  /** The administrator; with the password that was proven, if one was. */
  readonly owner: ProvenPassword | { readonly administrator: string };
  /** The hash of the session of a login that must be confirmed. */
  readonly login?: Buffer | undefined;
  /** The hash of a link, which ends with it. */
  readonly replaces?: Buffer | undefined;
}

/** A sign-in that is under way. */
export interface Attempt {
  readonly content: SignInContent;
  readonly administrator: string;
  /** The password that was proven, if one was. */
  readonly proven: ProvenPassword | undefined;
}

/** The password and the second factor of a sign-in. */
export interface CompleteProof {
  readonly proven: ProvenPassword;
  readonly factor: SecondFactor;
  /** For a passkey. */
  readonly used?: UsedPasskey | undefined;
}

/** A session that a sign-in opens; always of the kind `login`. */
export interface SignInSession {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}
