import { createHash } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { ServiceError } from '../kernel/errors.ts';
import { readAddress } from '../kernel/networks.ts';
import { parseJsonObject } from '../kernel/text.ts';

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

/** Why a server has no passkeys: PUBLIC_URL is not set, or has an address in place of a name. */
export const PASSKEYS_OFF = {
  unset: 'Passkeys need PUBLIC_URL, the address that browsers open',
  address:
    'Passkeys need a name in PUBLIC_URL, such as https://tan.example.com: browsers bind none to an IP address',
} as const;

/** @returns the reason; undefined where passkeys work (WebAuthn level 3, section 5.1.3: the relying party is a domain) */
export function passkeysOff(publicUrl: string | undefined): keyof typeof PASSKEYS_OFF | undefined {
  if (publicUrl === undefined) {
    return 'unset';
  }
  return readAddress(new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1')) && 'address';
}

/** @throws ServiceError 'configuration.invalid' with the reason */
export function assertPasskeys(publicUrl: string | undefined): asserts publicUrl is string {
  const off = passkeysOff(publicUrl);
  if (off !== undefined) {
    throw new ServiceError('configuration.invalid', PASSKEYS_OFF[off]);
  }
}

/** What a browser asks the authenticator, as JSON. */
export type PasskeyOptions = Readonly<Record<'challenge', string>>;

/** Milliseconds that browsers give the person. */
const TIMEOUT_MS = 120_000;
/** Characters; with `attestation: none` a credential has about a thousand. */
const MAX_CREDENTIAL_LENGTH = 20_000;
const NAME = 'Tankeeper';

/**
 * WebAuthn (level 3) by @simplewebauthn/server, which is loaded on use: it takes most of a second. Attestations are not
 * asked for; the authenticator must verify the person.
 */
export class WebAuthn {
  readonly #origin: string;
  readonly #host: string;

  /** @param publicUrl the address of the server in browsers, an origin */
  constructor({ publicUrl }: { publicUrl: string }) {
    const { origin, hostname } = new URL(publicUrl);
    this.#origin = origin;
    this.#host = hostname;
  }

  async creationOptions(
    administrator: string,
    known: readonly PasskeyCredential[],
    challenge: Buffer,
  ): Promise<PasskeyOptions> {
    const { generateRegistrationOptions } = await import('@simplewebauthn/server');
    return generateRegistrationOptions({
      rpName: NAME,
      rpID: this.#host,
      userName: administrator,
      userDisplayName: administrator,
      // The same for each passkey of an administrator, so that an authenticator keeps one of them for this server.
      userID: new Uint8Array(createHash('sha256').update(`administrator ${administrator}`).digest()),
      challenge: new Uint8Array(challenge),
      timeout: TIMEOUT_MS,
      attestationType: 'none',
      excludeCredentials: known.map(toDescriptor),
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
    });
  }

  async requestOptions(known: readonly PasskeyCredential[], challenge: Buffer): Promise<PasskeyOptions> {
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    return generateAuthenticationOptions({
      rpID: this.#host,
      allowCredentials: known.map(toDescriptor),
      challenge: new Uint8Array(challenge),
      timeout: TIMEOUT_MS,
      userVerification: 'required',
    });
  }

  /**
   * @param challenge base64url
   * @returns undefined for a credential that is not to be accepted
   */
  async verifyCreation(credential: string, challenge: string): Promise<PasskeyCredential | undefined> {
    const response = readCredential(credential) as RegistrationResponseJSON | undefined;
    if (response === undefined) {
      return undefined;
    }
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: this.#origin,
      expectedRPID: this.#host,
      requireUserVerification: true,
    }).catch(refused);
    if (!verified.verified) {
      return undefined;
    }
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    return { credentialId: id, publicKey, counter, transports: transports.filter(isTransport) };
  }

  /** @returns undefined for an assertion that is not to be accepted */
  async verifyAssertion(
    credential: string,
    challenge: string,
    known: readonly PasskeyCredential[],
  ): Promise<UsedPasskey | undefined> {
    const response = readCredential(credential) as AuthenticationResponseJSON | undefined;
    const passkey = known.find(({ credentialId }) => credentialId === response?.id);
    if (response === undefined || passkey === undefined) {
      return undefined;
    }
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: this.#origin,
      expectedRPID: this.#host,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
      requireUserVerification: true,
    }).catch(refused);
    return 'authenticationInfo' in verified && verified.verified
      ? {
          credentialId: passkey.credentialId,
          counterBefore: passkey.counter,
          counter: verified.authenticationInfo.newCounter,
        }
      : undefined;
  }
}

function toDescriptor({ credentialId, transports }: PasskeyCredential): { id: string; transports: string[] } {
  return { id: credentialId, transports: [...transports] };
}

/** The library checks the fields it reads; every fault of a credential is an error that it throws. */
function readCredential(text: string): object | undefined {
  return text.length > MAX_CREDENTIAL_LENGTH ? undefined : parseJsonObject(text);
}

/** A hint for browsers of the way to an authenticator; whatever else a client sends is not stored. */
function isTransport(text: string): boolean {
  return ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'].includes(text);
}

/** The library throws for each kind of mismatch. */
function refused(): { readonly verified: false } {
  return { verified: false };
}
