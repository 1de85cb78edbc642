import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** Flags of authenticator data (WebAuthn level 3, section 6.1). */
const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };

interface Deviations {
  /** Default: the origin of the authenticator. */
  readonly origin?: string;
  readonly relyingParty?: string;
  readonly isVerified?: boolean;
  readonly type?: string;
  /** Default: one more than before. */
  readonly counter?: number;
}

/** An authenticator and the browser in front of it, for one server. Signs with ECDSA on P-256. */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32).toString('base64url');
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /**
   * @param options of `navigator.credentials.create`, as JSON
   * @returns the credential, as JSON
   */
  create(options: { readonly challenge: string }, deviations: Deviations = {}): string {
    const data = this.#authenticatorData(FLAGS.attested, deviations, this.#attestedCredential());
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
      data,
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, deviations).toString(
        'base64url',
      ),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /**
   * @param options of `navigator.credentials.get`, as JSON
   * @returns the assertion, as JSON
   */
  get(options: { readonly challenge: string }, deviations: Deviations = {}): string {
    const authenticatorData = this.#authenticatorData(0, deviations);
    const clientData = this.#clientData('webauthn.get', options.challenge, deviations);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#keys.privateKey).toString('base64url'),
    });
  }

  #credential(response: object): string {
    const id = this.credentialId;
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  #clientData(type: string, challenge: string, { origin, type: other }: Deviations): Buffer {
    return Buffer.from(
      JSON.stringify({ type: other ?? type, challenge, origin: origin ?? this.#origin, crossOrigin: false }),
    );
  }

  #authenticatorData(
    more: number,
    { relyingParty, isVerified = true, counter }: Deviations,
    attested: Buffer = Buffer.alloc(0),
  ): Buffer {
    this.#counter = counter ?? this.#counter + 1;
    const host = relyingParty ?? new URL(this.#origin).hostname;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#counter);
    const flags = FLAGS.present | (isVerified ? FLAGS.verified : 0) | more;
    return Buffer.concat([createHash('sha256').update(host).digest(), Buffer.from([flags]), count, attested]);
  }

  #attestedCredential(): Buffer {
    const id = Buffer.from(this.credentialId, 'base64url');
    return Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(this.#keys.publicKey)]);
  }
}

/** @returns a COSE_Key for ES256 (RFC 9053 section 2.1) */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
}
