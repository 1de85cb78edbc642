import { createHash } from 'node:crypto';

/** Said where the server asks for another kind of login. */
export const UNKNOWN_LOGIN =
  'its database asks for a kind of login that is not known here: its user may log in by mysql_native_password, caching_sha2_password or ed25519';
/** The driver's code for it. */
export const UNKNOWN_LOGIN_CODE = 'AUTH_SWITCH_PLUGIN_ERROR';

interface LoginConnection {
  readonly connection: { readonly config: { readonly password?: string | undefined } };
}

/** The kinds of login that the driver lacks; caching_sha2_password is its own. */
export const LOGINS = {
  client_ed25519:
    ({ connection }: LoginConnection) =>
    (scramble: Buffer): Promise<Buffer> =>
      signScramble(connection.config.password ?? '', scramble.subarray(0, 32)),
};

/**
 * Signs as Ed25519 does (RFC 8032 §5.1.6), but from a password of any length in place of a key of 32 bytes: MariaDB's
 * ed25519. Node's crypto takes such keys alone.
 */
async function signScramble(password: string, scramble: Buffer): Promise<Buffer> {
  const { ed25519 } = await import('@noble/curves/ed25519.js');
  const { Point } = ed25519;
  const order = Point.Fn.ORDER;
  const expanded = sha512(Buffer.from(password, 'utf8'));
  const secret = expanded.subarray(0, 32);
  secret[0] = (secret[0] ?? 0) & 0xf8;
  secret[31] = ((secret[31] ?? 0) & 0x3f) | 0x40;
  const scalar = numberOf(secret) % order;
  const publicKey = Point.BASE.multiply(scalar).toBytes();
  const nonce = numberOf(sha512(expanded.subarray(32), scramble)) % order;
  const commitment = Point.BASE.multiply(nonce).toBytes();
  const challenge = numberOf(sha512(commitment, publicKey, scramble)) % order;
  return Buffer.concat([commitment, bytesOf((nonce + challenge * scalar) % order)]);
}

function sha512(...parts: readonly Uint8Array[]): Buffer {
  return parts.reduce((hash, part) => hash.update(part), createHash('sha512')).digest();
}

/** The lowest byte first. */
function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse();
}
