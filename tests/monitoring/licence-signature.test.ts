import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { LicenceSignature } from '../../src/monitoring/licence.ts';
import { CLAIMS, licenceVendor, signedWith, tampered } from '../support/values/signed-licence.ts';

const NOT_SIGNED = 'it is not signed with the key of LICENCE_PUBLIC_KEY_FILE';
const vendor = licenceVendor();
const rsaVendor = licenceVendor('RS256');

/** @returns a text in the form of a JWS, signed by nobody */
function unsigned(header: unknown, payload: unknown = CLAIMS, signature = ''): string {
  const encoded = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...encoded, signature].join('.');
}

describe.each([
  ['EdDSA', vendor, rsaVendor],
  ['RS256', rsaVendor, vendor],
] as const)('a licence under %s', (algorithm, signer, other) => {
  it('is read when the key fits', async () => {
    const licence = await signer.sign(CLAIMS);
    expect(await signer.signature.read(licence)).toEqual({ kind: 'verified', claims: CLAIMS });
  });

  it('is verified with the key as a JWK just as well', async () => {
    const publicKey = JSON.stringify(createPublicKey(signer.publicKey).export({ format: 'jwk' }));
    const signature = new LicenceSignature({ publicKey });
    expect(await signature.read(await signer.sign(CLAIMS))).toMatchObject({ kind: 'verified' });
  });

  it('is not verified with another key of that kind', async () => {
    const licence = await licenceVendor(algorithm).sign(CLAIMS);
    expect(await signer.signature.read(licence)).toEqual({ kind: 'unverified', why: NOT_SIGNED });
  });

  it('is not verified when a claim was changed', async () => {
    const licence = tampered(await signer.sign(CLAIMS), { ...CLAIMS, 'token-num': 500 });
    expect(await signer.signature.read(licence)).toEqual({ kind: 'unverified', why: NOT_SIGNED });
  });

  it('is not verified when its signature was cut off or changed', async () => {
    const licence = await signer.sign(CLAIMS);
    const changed = licence.replace(
      /\.(.)([^.]*)$/,
      (_, first: string, rest: string) => `.${first === 'A' ? 'B' : 'A'}${rest}`,
    );
    for (const text of [licence.replace(/[^.]*$/, ''), licence.slice(0, -8), changed]) {
      expect(await signer.signature.read(text)).toEqual({ kind: 'unverified', why: NOT_SIGNED });
    }
  });

  it('is not verified under the other algorithm', async () => {
    const why = `takes ${algorithm}`;
    const read = await signer.signature.read(await other.sign(CLAIMS));
    expect(read).toEqual({ kind: 'unverified', why: expect.stringContaining(why) });
  });

  it('is not verified when it asks for more than a signature', async () => {
    const licence = await signer.sign(CLAIMS, { crit: ['b64'], b64: true });
    expect(await signer.signature.read(licence)).toEqual({
      kind: 'unverified',
      why: "its header has 'crit'",
    });
  });

  it('is not verified with the public key as a shared secret', async () => {
    const secret = createSecretKey(Buffer.from(signer.publicKey, 'utf8'));
    const licence = await signedWith(secret, CLAIMS, { alg: 'HS256' });
    expect(await signer.signature.read(licence)).toMatchObject({ kind: 'unverified' });
  });

  it('brings no key of its own', async () => {
    const forger = licenceVendor(algorithm);
    const jwk = createPublicKey(forger.publicKey).export({ format: 'jwk' });
    const licence = await forger.sign(CLAIMS, { jwk, kid: 'x', jku: 'https://localhost/keys' });
    expect(await signer.signature.read(licence)).toEqual({ kind: 'unverified', why: NOT_SIGNED });
  });

  it.each(['none', 'None', 'NONE', 'nOnE', '', 'HS256', null, 1, undefined])(
    'is not verified as %p, with a signature or without',
    async (alg) => {
      expect(await signer.signature.read(unsigned({ alg }))).toMatchObject({ kind: 'unverified' });
      expect(await signer.signature.read(unsigned({ alg }, CLAIMS, 'AAAA'))).toMatchObject({
        kind: 'unverified',
      });
    },
  );
});

describe('what is no licence', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'garbage'],
    ['two parts', 'e30.e30'],
    ['five parts', 'e30.e30.e30.e30.e30'],
    ['blanks within', 'e30 .e30.e30'],
    ['a header that is no JSON', 'AAAA.e30.AAAA'],
    ['a header that is a list', unsigned([])],
    ['a JWS in JSON', JSON.stringify({ protected: 'e30', payload: 'e30', signature: 'AAAA' })],
  ])('cannot be read: %s', async (_title, text) => {
    expect(await vendor.signature.read(text)).toEqual({
      kind: 'unreadable',
      why: 'it is no JWS in compact form',
    });
  });

  it('cannot be read either where the vendor signed something else', async () => {
    expect(await vendor.signature.read(await vendor.sign('{"token-num":'))).toEqual({
      kind: 'unreadable',
      why: 'what is signed is not JSON',
    });
  });
});

describe('the key for licences', () => {
  const jwkOf = (key: KeyObject): string => JSON.stringify(key.export({ format: 'jwk' }));
  const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
  const ed25519 = generateKeyPairSync('ed25519');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

  it.each([
    [
      'a private key',
      ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'holds a secret key',
    ],
    [
      'an old private key',
      rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      'holds a secret key',
    ],
    ['a private JWK', jwkOf(ed25519.privateKey), 'holds a secret key'],
    ['a shared secret', jwkOf(createSecretKey(Buffer.alloc(32))), 'holds a secret key'],
    [
      'a short RSA key',
      pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey),
      'another key than is allowed',
    ],
    [
      'a key of another curve',
      pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey),
      'another key than is allowed',
    ],
    ['an Ed448 key', pemOf(generateKeyPairSync('ed448').publicKey), 'another key than is allowed'],
    [
      'a key that only agrees on keys',
      jwkOf(generateKeyPairSync('x25519').publicKey),
      'another key than is allowed',
    ],
    ['rubbish', 'rubbish', 'neither PEM with BEGIN PUBLIC KEY nor a JWK'],
    [
      'rubbish between the lines',
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
      'no key that can be read',
    ],
    ['broken JSON', '{', 'is not JSON'],
    ['an empty object', '{}', 'no public key that can be read'],
  ])('is not %s', (_title, publicKey, why) => {
    expect(() => new LicenceSignature({ publicKey })).toThrow(
      expect.objectContaining({
        code: 'configuration.invalid',
        message: expect.stringContaining(why),
      }),
    );
  });

  it('may have blanks around it', () => {
    const publicKey = `\n${pemOf(rsa.publicKey)}\n\n`;
    expect(() => new LicenceSignature({ publicKey })).not.toThrow();
  });
});
