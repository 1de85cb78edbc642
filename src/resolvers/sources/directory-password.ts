import { createHash } from 'node:crypto';
import { isShaCrypt, type PasswordHasher, shaCrypt } from '../../users/password-hash.ts';
import { equalBytes, equalText } from '../../kernel/constant-time.ts';

/** Entries in place of a password hash that permit no login: `x`, `*`, `!`, `!!`, `*LK*`, `!$6$…`. */
const LOCKED = /^(?:|x|\*.*|!.*)$/;
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./0-9A-Za-z]{53}$/;
/** Maximum cost: 2^16 rounds take seconds; more would block the server. */
const MAX_BCRYPT_COST = 15;
/** Forms of RFC 2307 and of OpenLDAP's pw-sha2: the digest, followed by the salt. */
const DIGEST = /^\{(SSHA|SHA|SSHA256|SHA256|SSHA384|SHA384|SSHA512|SHA512)\}([A-Za-z0-9+/]+={0,2})$/i;
const DIGEST_SIZES: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };
const CRYPT = /^\{CRYPT\}/i;
const ARGON2 = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$/;
/** Maximum memory of one login, in KiB. */
const MAX_ARGON2_MEMORY = 262_144;
/** Maximum length, in bytes: each round of SHA-crypt takes longer with a longer password. */
const MAX_PASSWORD_LENGTH = 1_024;

/** `unknown`: the stored password has an unsupported form. */
type PasswordVerdict = 'match' | 'mismatch' | 'unknown';

/**
 * Verifies passwords against the hashes of databases and passwd files.
 * @param stored the stored hash; null, or the mark of a locked account, matches nothing
 */
export async function verifyStored(
  hasher: PasswordHasher,
  stored: string | null,
  password: string,
): Promise<PasswordVerdict> {
  const hash = (stored ?? '').replace(CRYPT, '');
  const size = Buffer.byteLength(password, 'utf8');
  if (LOCKED.test(hash) || size === 0 || size > MAX_PASSWORD_LENGTH) {
    await hasher.verifyNothing(password, hash);
    return 'mismatch';
  }
  const memory = ARGON2.exec(hash)?.[1];
  if (memory !== undefined && Number(memory) <= MAX_ARGON2_MEMORY) {
    return verdict(await hasher.verify(hash, password));
  }
  if (DIGEST.test(hash)) {
    return verifyDigest(hash, password);
  }
  return isShaCrypt(hash) ? verifyShaCrypt(hash, password) : verifyBcrypt(hash, password);
}

async function verifyBcrypt(hash: string, password: string): Promise<PasswordVerdict> {
  const cost = Number(BCRYPT.exec(hash)?.[1] ?? Infinity);
  if (cost > MAX_BCRYPT_COST) {
    return 'unknown';
  }
  // Loaded on use: few directories have such hashes.
  const { default: bcrypt } = await import('bcryptjs');
  return verdict(await bcrypt.compare(password, hash));
}

async function verifyShaCrypt(hash: string, password: string): Promise<PasswordVerdict> {
  const digests = await shaCrypt(hash, password);
  return verdict(digests !== undefined && equalText(digests.made, digests.stored));
}

function verifyDigest(hash: string, password: string): PasswordVerdict {
  const [, scheme = '', base64 = ''] = DIGEST.exec(hash) ?? [];
  const algorithm = scheme
    .toLowerCase()
    .replace(/^s?sha/, 'sha')
    .replace(/^sha$/, 'sha1');
  const size = DIGEST_SIZES[algorithm] ?? 0;
  const bytes = Buffer.from(base64, 'base64');
  const salt = bytes.subarray(size);
  const isSalted = scheme.toLowerCase().startsWith('ss');
  if (bytes.length < size || salt.length > 0 !== isSalted) {
    return 'unknown';
  }
  const made = createHash(algorithm).update(password, 'utf8').update(salt).digest();
  return verdict(equalBytes(made, bytes.subarray(0, size)));
}

function verdict(isRight: boolean): PasswordVerdict {
  return isRight ? 'match' : 'mismatch';
}
