import type { Act } from '../policy/caller.ts';
import type { ProvenPassword } from './ports.ts';
import type { SecondFactor } from './second-factor.ts';

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

/** A passkey that has signed a challenge. */
export interface UsedPasskey {
  /** base64url. */
  readonly credentialId: string;
  /** The signature counters before and after (WebAuthn level 3, section 6.1.1). */
  readonly counterBefore: number;
  readonly counter: number;
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

/** Sign-ins that are under way. Each ends once: when it succeeds, is consumed, is replaced or expires. */
export interface SignInStore {
  /**
   * Removes expired ones on the way, and the oldest beyond a few of the same administrator.
   * @returns false where the password or the second factor has changed meanwhile, the login is not confirmed, the
   *   replaced link has ended, or the administrator is gone
   */
  begin(attempt: NewAttempt, now: Date, act: Act): Promise<boolean>;
  /** @returns the sign-in, unless it has ended by `now` or is of another kind */
  find(hash: Buffer, kinds: readonly SignInKind[], now: Date): Promise<Attempt | undefined>;
  /** As `find`, and ends it: of several at once, one gets it. */
  consume(hash: Buffer, kinds: readonly SignInKind[], now: Date): Promise<Attempt | undefined>;
  /**
   * Ends the sign-in and opens its session, both or none.
   * @returns false where the sign-in has ended, the password or the second factor has changed, the passkey was used
   *   meanwhile, or the administrator is gone
   */
  complete(hash: Buffer, proof: CompleteProof, session: SignInSession, act: Act): Promise<boolean>;
  /**
   * Opens a session of a person who has no account here, and remembers the sign-on that it came from, both or none.
   * @param signOn names the sign-on, which opens one session at most, whichever server is asked
   * @returns false where it has opened one before
   */
  openForPerson(
    person: { readonly name: string; readonly groups: readonly string[] },
    session: SignInSession,
    signOn: { readonly hash: Buffer; readonly now: Date; readonly rememberedUntil: Date },
    act: Act,
  ): Promise<boolean>;
}

/** Logins whose owner has proven a moment ago, by password and second factor, to be the one who signed in. */
export interface ConfirmationStore {
  /**
   * @param login the hash of its session
   * @returns true if it is confirmed at that time
   */
  isConfirmed(login: Buffer, now: Date): Promise<boolean>;
  /**
   * Confirms a login of the administrator until then, and ends the attempt, both or none.
   * @param attempt the hash of the attempt that proved the second factor; undefined: the administrator has none
   * @returns false where the login or the attempt has ended, the password or the second factor has changed, the passkey
   *   was used meanwhile, or the login is another administrator's
   */
  confirm(
    login: Buffer,
    proof: Omit<CompleteProof, 'factor'> & { readonly factor: SecondFactor | undefined },
    confirmed: { readonly attempt: Buffer | undefined; readonly until: Date },
    act: Act,
  ): Promise<boolean>;
}

/** Changes the second factors of administrators. */
export interface SecondFactorStore {
  /**
   * Also ends all sessions of the administrator and the sign-ins under way. Without a factor, and with a token, removes
   * the passkeys.
   * @returns false for an unknown administrator
   */
  set(administrator: string, factor: SecondFactor | undefined, act: Act): Promise<boolean>;
}

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

export interface PasskeyStore {
  list(administrator: string): Promise<readonly Passkey[]>;
  credentials(administrator: string): Promise<readonly PasskeyCredential[]>;
  /**
   * Ends the registration and stores its passkey. The first one becomes the second factor, in place of a token, and
   * ends all sessions but the kept one.
   * @param hash of the registration
   * @returns false where the registration or the kept session has ended, the administrator is gone, or the passkey is
   *   known
   */
  register(
    hash: Buffer,
    registered: PasskeyCredential & { readonly name: string; readonly administrator: string },
    keeps: Buffer | undefined,
    act: Act,
  ): Promise<boolean>;
  /**
   * Also ends the sign-ins under way, and all sessions but the kept one: the passkey may have opened them.
   * @throws ServiceError 'passkey.invalid' for the last one
   * @returns false for an unknown one
   */
  remove(administrator: string, id: string, keeps: Buffer | undefined, act: Act): Promise<boolean>;
}

/** The cryptography and the formats of WebAuthn. */
export interface WebAuthn {
  creationOptions(user: {
    readonly administrator: string;
    readonly known: readonly PasskeyCredential[];
    readonly challenge: Buffer;
  }): Promise<object>;
  requestOptions(known: readonly PasskeyCredential[], challenge: Buffer): Promise<object>;
  /**
   * @param challenge base64url
   * @returns undefined for a credential that is not to be accepted
   */
  verifyCreation(credential: string, challenge: string): Promise<PasskeyCredential | undefined>;
  /** @returns undefined for an assertion that is not to be accepted */
  verifyAssertion(
    credential: string,
    challenge: string,
    known: readonly PasskeyCredential[],
  ): Promise<UsedPasskey | undefined>;
}

/** Verifies the passkeys of administrators. */
export interface PasskeyAssertions {
  /** @returns the options for `navigator.credentials.get`, as JSON, and their challenge, base64url */
  request(administrator: string): Promise<{ readonly options: object; readonly challenge: string }>;
  /**
   * @param credential JSON
   * @returns undefined unless a passkey of the administrator has signed the challenge
   */
  verify(administrator: string, challenge: string, credential: string): Promise<UsedPasskey | undefined>;
}

/** Challenges for the tokens of administrators. */
export interface SecondFactorTokens {
  /** @throws ServiceError 'second-factor.unusable' where the token cannot answer: removed, disabled, locked, … */
  issue(
    serial: string,
    text: string,
    act: Act,
  ): Promise<{ readonly transactionId: string; readonly url: string }>;
  /** @returns true if the response was accepted now */
  check(transactionId: string, response: string, act: Act): Promise<boolean>;
  /** @returns `answered` after a right response, `over` where none is accepted, also of a locked token */
  state(transactionId: string, act: Act): Promise<'waiting' | 'answered' | 'over'>;
  /** @returns true if there is such a token */
  exists(serial: string): Promise<boolean>;
}
