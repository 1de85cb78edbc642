import { bytesOf, textOf } from './base64url.ts';

/** The options of the server: those of WebAuthn (level 3, section 5.1), with base64url in place of bytes. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly [member: string]: unknown;
}

interface Described {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** @returns false for a browser without passkeys, or an address that is not secure */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function';
}

/**
 * Lets a passkey sign the challenge.
 * @returns the assertion, as JSON
 * @throws DOMException 'NotAllowedError' if the person cancels, or there is no such passkey
 */
export async function assertPasskey(options: PasskeyOptions, signal?: AbortSignal): Promise<string> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: describedOf(options.allowCredentials),
  } as unknown as PublicKeyCredentialRequestOptions;
  const credential = await navigator.credentials.get({ publicKey, ...(signal !== undefined && { signal }) });
  const made = credential as PublicKeyCredential;
  const { authenticatorData, clientDataJSON, signature, userHandle } =
    made.response as AuthenticatorAssertionResponse;
  return asJson(made, {
    authenticatorData: textOf(authenticatorData),
    clientDataJSON: textOf(clientDataJSON),
    signature: textOf(signature),
    ...(userHandle !== null && { userHandle: textOf(userHandle) }),
  });
}

/**
 * Makes a passkey.
 * @returns the credential, as JSON
 * @throws DOMException 'NotAllowedError' if the person cancels, 'InvalidStateError' if it has one for this server
 */
export async function createPasskey(options: PasskeyOptions): Promise<string> {
  const user = options.user as Described;
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: describedOf(options.excludeCredentials),
  } as unknown as PublicKeyCredentialCreationOptions;
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const response = made.response as AuthenticatorAttestationResponse;
  return asJson(made, {
    attestationObject: textOf(response.attestationObject),
    clientDataJSON: textOf(response.clientDataJSON),
    transports: response.getTransports(),
  });
}

function asJson({ id, rawId, type }: PublicKeyCredential, response: object): string {
  return JSON.stringify({ id, rawId: textOf(rawId), type, response, clientExtensionResults: {} });
}

function describedOf(list: unknown): readonly object[] {
  return ((list ?? []) as readonly Described[]).map((one) => ({ ...one, id: bytesOf(one.id) }));
}
