import { type Bytes, randomBytes } from './sealing.ts';
import type { PasskeySecret, PasskeySlot } from './protection.ts';
import type { PasskeyFault } from './vault.ts';

/** The part of `navigator.credentials` that is used. */
export type Credentials = Pick<CredentialsContainer, 'create' | 'get'>;

export type PasskeyResult =
  | { readonly kind: 'secret'; readonly secret: PasskeySecret }
  | { readonly kind: 'passkey'; readonly fault: PasskeyFault };

/** ES256 and RS256 (RFC 9053 §2.1, RFC 8812 §2). No signature is verified: the secret proves the authenticator. */
const ALGORITHMS = [-7, -257];
const TIMEOUT = 120_000;

/**
 * @returns true if this browser has passkeys at this address; whether they have the extension shows at the first one
 */
export async function passkeysPossible(): Promise<boolean> {
  if (typeof PublicKeyCredential === 'undefined') {
    return false;
  }
  const reader = PublicKeyCredential as { getClientCapabilities?: () => Promise<Record<string, boolean>> };
  const capabilities = (await reader.getClientCapabilities?.().catch(() => undefined)) ?? {};
  return capabilities['extension:prf'] !== false;
}

/**
 * Makes a passkey, and evaluates its pseudo-random function (WebAuthn Level 3 §10.1.4) at a random salt. The relying
 * party is the host of the page.
 */
export function createPasskey(credentials: Credentials | undefined): Promise<PasskeyResult> {
  return withoutExceptions(async () => {
    if (credentials === undefined) {
      return { kind: 'passkey', fault: 'unsupported' };
    }
    const salt = randomBytes(32);
    const created = await credentials.create({
      publicKey: {
        rp: { name: 'Tankeeper' },
        user: { id: randomBytes(16), name: 'Tankeeper', displayName: 'Tankeeper' },
        challenge: randomBytes(32),
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        timeout: TIMEOUT,
        extensions: { prf: { eval: { first: salt } } },
      },
    });
    const credential = created as PublicKeyCredential | null;
    if (credential === null) {
      return { kind: 'passkey', fault: 'cancelled' };
    }
    const { prf } = credential.getClientExtensionResults();
    const credentialId = new Uint8Array(credential.rawId);
    if (prf?.results !== undefined) {
      return secretOf(credentialId, salt, prf.results.first);
    }
    // Many authenticators evaluate the function only when the passkey is used.
    return prf?.enabled === true
      ? usePasskey(credentials, { credentialId, salt })
      : { kind: 'passkey', fault: 'unsupported' };
  });
}

/** Asks the authenticator for the secret of a passkey. */
export function usePasskey(
  credentials: Credentials | undefined,
  { credentialId, salt }: Pick<PasskeySlot, 'credentialId' | 'salt'>,
): Promise<PasskeyResult> {
  return withoutExceptions(async () => {
    const credential = (await credentials?.get({
      publicKey: {
        challenge: randomBytes(32),
        allowCredentials: [{ type: 'public-key', id: credentialId }],
        userVerification: 'required',
        timeout: TIMEOUT,
        extensions: { prf: { eval: { first: salt } } },
      },
    })) as PublicKeyCredential | null | undefined;
    const output = credential?.getClientExtensionResults().prf?.results?.first;
    return output === undefined
      ? { kind: 'passkey', fault: 'unsupported' }
      : secretOf(credentialId, salt, output);
  });
}

function secretOf(credentialId: Bytes, salt: Bytes, output: BufferSource): PasskeyResult {
  const bytes = ArrayBuffer.isView(output)
    ? new Uint8Array(output.buffer, output.byteOffset, output.byteLength)
    : new Uint8Array(output);
  return { kind: 'secret', secret: { credentialId, salt, output: bytes } };
}

async function withoutExceptions(work: () => Promise<PasskeyResult>): Promise<PasskeyResult> {
  try {
    return await work();
  } catch (error) {
    return { kind: 'passkey', fault: faultOf(error) };
  }
}

function faultOf(error: unknown): PasskeyFault {
  switch (error instanceof Error ? error.name : '') {
    case 'SecurityError':
      return 'address';
    case 'NotSupportedError':
    case 'ConstraintError':
    case 'TypeError':
      return 'unsupported';
    default:
      return 'cancelled';
  }
}
