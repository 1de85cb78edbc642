import { createCipheriv, createHmac } from 'node:crypto';

/** The key of RFC 6030 §6.1, figure 6. */
export const PRE_SHARED_KEY = Buffer.from('12345678901234567890123456789012', 'hex');
/** The password of RFC 6030 §6.2, figure 7. */
export const PASSWORD = 'qwerty';
/** The secret of all examples of RFC 6030. */
export const SECRET = Buffer.from('12345678901234567890', 'ascii');

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';

/** The parts of a container; each one is XML. */
export interface ContainerParts {
  readonly head?: string;
  readonly algorithm?: string;
  readonly parameters?: string;
  readonly serial?: string;
  readonly data?: string;
  readonly packages?: string;
}

export const PLAIN_SECRET = `<Secret><PlainValue>${SECRET.toString('base64')}</PlainValue></Secret>`;

/** @returns one key package, in three lines */
export function keyPackage({
  algorithm = 'urn:ietf:params:xml:ns:keyprov:pskc:hotp',
  parameters = '<ResponseFormat Length="8" Encoding="DECIMAL"/>',
  serial = '987654321',
  data = `${PLAIN_SECRET}<Counter><PlainValue>0</PlainValue></Counter>`,
}: ContainerParts = {}): string {
  return `<KeyPackage><DeviceInfo><Manufacturer>Manufacturer</Manufacturer><SerialNo>${serial}</SerialNo></DeviceInfo>
<Key Id="12345678" Algorithm="${algorithm}"><Issuer>Issuer</Issuer>
<AlgorithmParameters>${parameters}</AlgorithmParameters><Data>${data}</Data></Key></KeyPackage>`;
}

/** @returns a key container, the head in line 4 and the first package after it */
export function container(parts: ContainerParts = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<KeyContainer Version="1.0" xmlns="urn:ietf:params:xml:ns:keyprov:pskc" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"
 xmlns:xenc="${XMLENC}" xmlns:xenc11="http://www.w3.org/2009/xmlenc11#" xmlns:pkcs5="urn:pkcs5">
${parts.head ?? ''}
${parts.packages ?? keyPackage(parts)}
</KeyContainer>`;
}

/** @returns an OCRA key with that secret, in clear */
export function ocraPackage(serial: string, suite: string, secret: Buffer, counter?: number): string {
  const more = counter === undefined ? '' : `<Counter><PlainValue>${counter}</PlainValue></Counter>`;
  return keyPackage({
    serial,
    algorithm: 'urn:ietf:params:xml:ns:keyprov:pskc:ocra',
    parameters: `<Suite>${suite}</Suite>`,
    data: `<Secret><PlainValue>${secret.toString('base64')}</PlainValue></Secret>${more}`,
  });
}

/** @returns `xenc:EncryptionMethod` and `xenc:CipherData` */
function encrypted(algorithm: string, value: string): string {
  return `<xenc:EncryptionMethod Algorithm="${XMLENC}${algorithm}"/><xenc:CipherData><xenc:CipherValue>
    ${value}
  </xenc:CipherValue></xenc:CipherData>`;
}

export function encryptedSecret(algorithm: string, value: string, mac?: string): string {
  const valueMac = mac === undefined ? '' : `<ValueMAC>${mac}</ValueMAC>`;
  return `<Secret><EncryptedValue>${encrypted(algorithm, value)}</EncryptedValue>${valueMac}</Secret>`;
}

export function macMethod(hash: string, key?: string): string {
  const macKey = key === undefined ? '' : `<MACKey>${encrypted('aes128-cbc', key)}</MACKey>`;
  return `<MACMethod Algorithm="http://www.w3.org/2000/09/xmldsig#hmac-${hash}">${macKey}</MACMethod>`;
}

const NAMED_KEY = '<EncryptionKey><ds:KeyName>Pre-shared-key</ds:KeyName></EncryptionKey>';

/** RFC 6030 §6.1, figure 6: AES-128-CBC with a pre-shared key. */
export const FIGURE_6 = container({
  head: NAMED_KEY + macMethod('sha1', 'ESIzRFVmd4iZABEiM0RVZgKn6WjLaTC1sbeBMSvIhRejN9vJa2BOlSaMrR7I5wSX'),
  data: encryptedSecret(
    'aes128-cbc',
    'AAECAwQFBgcICQoLDA0OD+cIHItlB3Wra1DUpxVvOx2lef1VmNPCMl8jwZqIUqGv',
    'Su+NvtQfmvfJzF6bmQiJqoLRExc=',
  ),
});

/** @returns an element for the derivation of a key from a password */
export function derivedKey(iterations: number | string, { prf = '<PRF/>', length = '16' } = {}): string {
  return `<EncryptionKey><xenc11:DerivedKey><xenc11:KeyDerivationMethod
    Algorithm="http://www.rsasecurity.com/rsalabs/pkcs/schemas/pkcs-5v2-0#pbkdf2">
    <pkcs5:PBKDF2-params><Salt><Specified>Ej7/PEpyEpw=</Specified></Salt>
    <IterationCount>${iterations}</IterationCount><KeyLength>${length}</KeyLength>${prf}</pkcs5:PBKDF2-params>
    </xenc11:KeyDerivationMethod><xenc:ReferenceList><xenc:DataReference URI="#ED"/></xenc:ReferenceList>
    <xenc11:MasterKeyName>My Password 1</xenc11:MasterKeyName></xenc11:DerivedKey></EncryptionKey>`;
}

/** RFC 6030 §6.2, figure 7: a key from a password. */
export const FIGURE_7 = container({
  head:
    derivedKey(1000) + macMethod('sha1', '2GTTnLwM3I4e5IO5FkufoOEiOhNj91fhKRQBtBJYluUDsPOLTfUvoU2dStyOwYZx'),
  data: encryptedSecret(
    'aes128-cbc',
    'oTvo+S22nsmS2Z/RtcoF8Hfh+jzMe0RkiafpoDpnoZTjPYZu6V+A4aEn032yCr4f',
    'LP6xMvjtypbfT9PdkJhBZ+D6O4w=',
  ),
});

/** @returns a container whose secret, and counter where one is given, is encrypted by another algorithm */
export function encryptedContainer(
  {
    cipher,
    algorithm,
    hash = 'sha256',
    counter,
  }: Record<'cipher' | 'algorithm', string> & {
    hash?: string;
    counter?: Buffer;
  },
  key: Buffer,
): string {
  const iv = cipher.includes('cbc')
    ? Buffer.alloc(cipher.includes('des') ? 8 : 16, 3)
    : Buffer.alloc(8, 0xa6);
  const seal = (plain: Buffer): Buffer => {
    const sealing = createCipheriv(cipher, key, iv);
    const sealed = Buffer.concat([sealing.update(plain), sealing.final()]);
    return cipher.includes('cbc') ? Buffer.concat([iv, sealed]) : sealed;
  };
  const element = (name: string, plain: Buffer): string => {
    const value = seal(plain);
    const mac = createHmac(hash, key).update(value).digest('base64');
    const inner = encryptedSecret(algorithm, value.toString('base64'), mac);
    return inner.replaceAll('Secret>', `${name}>`);
  };
  const secret = Buffer.concat([SECRET, Buffer.alloc(4)]);
  return container({
    head: NAMED_KEY + macMethod(hash),
    data: element('Secret', secret) + (counter === undefined ? '' : element('Counter', counter)),
  });
}
