import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  exceeds,
  lastDayOf,
  type Licence,
  readLicence,
  LicenceSignature,
} from '../../src/monitoring/licence.ts';
import { CLAIMS, licenceVendor, signedWith, tampered } from '../support/values/signed-licence.ts';
import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

const WITHOUT_NUMBERS = { licensee: CLAIMS.licensee, number: CLAIMS.number };

function read(claims: object): Licence {
  return readLicence({ ...CLAIMS, ...claims });
}

describe('the content of a licence', () => {
  it('is every claim, and the number of licensed tokens', () => {
    expect(readLicence(CLAIMS)).toEqual({
      fields: CLAIMS,
      unit: 'token',
      licensed: 5,
      startsAt: undefined,
      endsAt: new Date('2028-01-01T00:00:00Z'),
    });
  });

  it('may be for users', () => {
    const claims = { ...WITHOUT_NUMBERS, expire: '2027-12-31', 'user-num': 1 };
    expect(readLicence(claims)).toMatchObject({ unit: 'user', licensed: 1 });
  });

  it.each([
    ['a day, which counts whole', { expire: '2024-02-29' }, '2024-03-01T00:00:00.000Z'],
    ['the end of a year', { expire: '9999-12-31' }, '+010000-01-01T00:00:00.000Z'],
    ['seconds', { expire: undefined, exp: 1_542_585_600.5 }, '2018-11-19T00:00:00.500Z'],
    ['the earlier of two: the day', { expire: '2018-11-19', exp: 1_800_000_000 }, '2018-11-20T00:00:00.000Z'],
    ['the earlier of two: the seconds', { expire: '2030-01-01', exp: 0 }, '1970-01-01T00:00:00.000Z'],
  ])('ends with %s', (_title, claims, end) => {
    const given = JSON.parse(JSON.stringify({ ...CLAIMS, ...claims })) as object;
    expect(readLicence(given).endsAt.toISOString()).toBe(end);
  });

  it('may begin later', () => {
    expect(read({ nbf: 1_800_000_000 }).startsAt?.toISOString()).toBe('2027-01-15T08:00:00.000Z');
  });
});

describe('a licence is refused', () => {
  it.each([
    ['no object', null, 'not a JSON object'],
    ['a list', [CLAIMS], 'not a JSON object'],
    ['a text', 'token-num', 'not a JSON object'],
    [
      'neither number',
      { ...WITHOUT_NUMBERS, expire: '2027-12-31' },
      "exactly one of the claims 'user-num' and 'token-num'",
    ],
    ['both numbers', { ...CLAIMS, 'user-num': 4 }, "exactly one of the claims 'user-num' and 'token-num'"],
    ['no end', { ...WITHOUT_NUMBERS, 'token-num': 5 }, "the claim 'expire' is missing"],
    ['an object among its claims', { ...CLAIMS, contact: { name: 'x' } }, "claim 'contact'"],
    ['null among its claims', { ...CLAIMS, contact: null }, "claim 'contact'"],
    ['a claim as long as a book', { ...CLAIMS, contact: 'x'.repeat(1001) }, "claim 'contact'"],
    ['a name as long as a book', { ...CLAIMS, ['y'.repeat(1001)]: '' }, `claim '${'y'.repeat(100)}'`],
    ['a number that would be shown as another one', { ...CLAIMS, number: 2 ** 53 }, "claim 'number'"],
    ['a number beyond all numbers', { ...CLAIMS, number: JSON.parse('1e999') as unknown }, "claim 'number'"],
    [
      'claims without number',
      { ...CLAIMS, ...Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`c${i}`, i])) },
      'more than 64',
    ],
  ])('with %s', (_title, claims, why) => {
    expect(() => readLicence(claims)).toThrow(
      expect.objectContaining({ code: 'licence.invalid', message: expect.stringContaining(why) }),
    );
  });

  it.each([0, -1, 2.5, '5', true, 2 ** 53, 1e300])('for %p tokens', (number) => {
    expect(() => read({ 'token-num': number })).toThrow("claim 'token-num' is no whole number from 1");
  });

  it.each(['2027-02-29', '2027-13-01', '2027-12-31T00:00:00Z', '31.12.2027', '', 20271231, '0000-00-00'])(
    'that ends on %p',
    (expire) => {
      expect(() => read({ expire })).toThrow("claim 'expire' is no date");
    },
  );

  it.each([
    ['exp', '2027-12-31'],
    ['exp', -1],
    ['exp', 1e15],
    ['nbf', true],
  ])('with %s %p', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(`claim '${name}' is no number of seconds`);
  });
});

describe('the numbers of a licence', () => {
  it('let two more through than are licensed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 2e9 }), (licensed, active) => {
        expect(exceeds(active, { licensed })).toBe(active - licensed > 2);
      }),
    );
  });

  it('end on the day that was signed, whichever it is', () => {
    const days = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(days, (day) => {
        const expire = day.toISOString().slice(0, 10);
        expect(lastDayOf(read({ expire }))).toBe(expire);
      }),
    );
  });
});

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
