import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { LoginTokens } from '../../src/administrators/json-web-tokens.ts';
import { Vault } from '../../src/keys/vault.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const CLAIMS = {
  administrator: 'Jürgen',
  session: 's'.repeat(43),
  csrfToken: '00112233-4455-6677-8899-aabbccddeeff',
  expiresAt: new Date('2026-11-20T13:00:00Z'),
};
const [KEY, OTHER_KEY] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];

const vaultWith = (...keys: Buffer[]): Vault => new Vault({ keys, random: systemRandom });
const tokensWith = (...keys: Buffer[]): LoginTokens => new LoginTokens({ keys: vaultWith(...keys) });
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (text = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Record<string, unknown>;

let token: string;
let header: Record<string, unknown>;
let payload: Record<string, unknown>;
/** The key that the server signs with. */
let key: Uint8Array;

beforeAll(async () => {
  token = await tokensWith(KEY).sign(CLAIMS, NOW);
  const [first, second] = token.split('.');
  [header, payload] = [decode(first), decode(second)];
  key = vaultWith(KEY).derive('login tokens')[0].bytes;
});

/** Signed as the server signs, but for what is changed. */
function forged(changedHeader: object, changedPayload: object, secret = key, hash = 'sha256'): string {
  const text = `${part({ ...header, ...changedHeader })}.${part({ ...payload, ...changedPayload })}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}

const read = (text: string, now = NOW): Promise<unknown> => tokensWith(KEY).read(text, now);

describe('a login token', () => {
  it('says who logged in, on every server with the same key file', async () => {
    expect(await read(token)).toEqual(CLAIMS);
    expect(await read(forged({}, {}))).toEqual(CLAIMS);
  });

  it('is accepted until it expires', async () => {
    expect(await read(token, new Date('2026-11-20T12:59:59Z'))).toEqual(CLAIMS);
    expect(await read(token, new Date('2026-11-20T13:00:00Z'))).toBeUndefined();
  });

  it('outlives a change of keys, until its key is gone', async () => {
    expect(await tokensWith(OTHER_KEY, KEY).read(token, NOW)).toEqual(CLAIMS);
    expect(await tokensWith(OTHER_KEY).read(token, NOW)).toBeUndefined();
  });

  it('is not signed with a key that seals secrets, nor with one for another purpose', async () => {
    expect(await read(forged({}, {}, KEY))).toBeUndefined();
    expect(await read(forged({}, {}, vaultWith(KEY).derive('other')[0].bytes))).toBeUndefined();
  });
});

describe('what is no login token', () => {
  it.each(['', '.', '..', 'a.b.c', 'x', '\u{1f600}', 'null', '{}', 'a.b.c.d.e', `${'a'.repeat(4000)}.b.c`])(
    'is refused: %j',
    async (text) => {
      expect(await read(text)).toBeUndefined();
    },
  );

  it.each(['none', 'None', 'NONE', 'nOnE', '', null, 0])('is refused with the algorithm %j', async (alg) => {
    const unsigned = `${part({ ...header, alg })}.${part(payload)}.`;
    expect(await read(unsigned)).toBeUndefined();
    expect(await read(unsigned + (token.split('.')[2] ?? ''))).toBeUndefined();
    expect(await read(forged({ alg }, {}))).toBeUndefined();
  });

  it.each([
    ['HS384', 'sha384'],
    ['HS512', 'sha512'],
  ])('is refused with another algorithm, though signed with the right key: %s', async (alg, hash) => {
    expect(await read(forged({ alg }, {}, key, hash))).toBeUndefined();
  });

  it('is refused when somebody signed it with a key pair, and sent the public key along', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = pair.publicKey.export({ format: 'jwk' });
    const text = `${part({ ...header, alg: 'RS256', jwk })}.${part(payload)}`;
    const signature = signBytes('sha256', Buffer.from(text), pair.privateKey).toString('base64url');
    expect(await read(`${text}.${signature}`)).toBeUndefined();
  });

  it.each([
    ['an altered administrator', { sub: 'other' }],
    ['a later end', { exp: 4_000_000_000 }],
  ])('is refused with %s under the old signature', async (_what, change) => {
    const [first = '', , signature = ''] = token.split('.');
    expect(await read(`${first}.${part({ ...payload, ...change })}.${signature}`)).toBeUndefined();
  });

  it('is refused with another signature, or half of it', async () => {
    expect(await read(forged({}, {}, Buffer.alloc(32)))).toBeUndefined();
    expect(await read(token.slice(0, -10))).toBeUndefined();
    expect(await read(token.slice(0, token.lastIndexOf('.') + 1))).toBeUndefined();
  });

  it.each([
    ['no end', { exp: undefined }],
    ['an end that is text', { exp: '4000000000' }],
    ['no administrator', { sub: undefined }],
    ['an administrator that is a list', { sub: ['Jürgen'] }],
    ['no session', { jti: undefined }],
    ['no CSRF value', { csrf: undefined }],
    ['a CSRF value that is a number', { csrf: 1 }],
    ['another issuer', { iss: 'somebody' }],
    ['another audience', { aud: 'somebody' }],
    ['a beginning that is still to come', { nbf: 4_000_000_000 }],
  ])('is refused with %s, though signed with the right key', async (_what, change) => {
    expect(await read(forged({}, change))).toBeUndefined();
  });

  it.each([
    ['the id of an unknown key', { kid: '0'.repeat(16) }],
    ['no id of a key', { kid: undefined }],
    ['the name of a member of objects as id', { kid: '__proto__' }],
    ['another type', { typ: 'at+jwt' }],
    ['an extension that must be understood', { crit: ['x'], x: 1 }],
  ])('is refused with %s', async (_what, change) => {
    expect(await read(forged(change, {}))).toBeUndefined();
  });

  it('is refused when it was made for something else, with the same library and key', async () => {
    const other = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject('admin').sign(key);
    expect(await read(other)).toBeUndefined();
  });
});
