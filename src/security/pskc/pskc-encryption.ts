import { createDecipheriv, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '../../kernel/errors.ts';
import type { KeyFileSecrets } from '../../challenges/enrolment/token-key-file.ts';
import { bytesOf, numberOf, onlyChild, optionalChild, requiredAttribute } from './element-access.ts';
import type { XmlElement } from './xml-element.ts';
import { invalid } from './xml-place.ts';

/** Opens and checks encrypted values of one key container (RFC 6030 §6). */
export interface PskcDecryption {
  /**
   * @param holder the element with `EncryptedValue` and `ValueMAC`
   * @throws ServiceError 'key-file.invalid', 'key-file.secret' where MAC or padding show that the key is another one
   */
  open(holder: XmlElement): Buffer;
}

interface Cipher {
  readonly cipher: string;
  readonly keyBytes: number;
  readonly ivBytes: number;
  /** True if decryption itself detects an altered ciphertext. */
  readonly authenticated: boolean;
}

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';
const cbc = (cipher: string, keyBytes: number, ivBytes: number): Cipher => ({
  cipher,
  keyBytes,
  ivBytes,
  authenticated: false,
});
const wrap = (cipher: string, keyBytes: number): Cipher => ({
  cipher,
  keyBytes,
  ivBytes: 0,
  authenticated: true,
});
/** RFC 6030 §6.1. */
const CIPHERS: ReadonlyMap<string, Cipher> = new Map([
  [`${XMLENC}aes128-cbc`, cbc('aes-128-cbc', 16, 16)],
  [`${XMLENC}aes192-cbc`, cbc('aes-192-cbc', 24, 16)],
  [`${XMLENC}aes256-cbc`, cbc('aes-256-cbc', 32, 16)],
  [`${XMLENC}tripledes-cbc`, cbc('des-ede3-cbc', 24, 8)],
  [`${XMLENC}kw-aes128`, wrap('id-aes128-wrap', 16)],
  [`${XMLENC}kw-aes192`, wrap('id-aes192-wrap', 24)],
  [`${XMLENC}kw-aes256`, wrap('id-aes256-wrap', 32)],
]);
/** RFC 3394 §2.2.3.1. */
const WRAP_IV = Buffer.alloc(8, 0xa6);
const MAX_ITERATIONS = 2_000_000;
const derive = promisify(pbkdf2);

/**
 * @param container the root element, which names the encryption of its values
 * @throws ServiceError 'key-file.invalid', 'key-file.secret' where the required secret is not given
 */
export async function openPskcEncryption(
  container: XmlElement,
  secrets: KeyFileSecrets,
): Promise<PskcDecryption | undefined> {
  const encryption = optionalChild(container, 'EncryptionKey');
  if (encryption === undefined) {
    return undefined;
  }
  const key = await encryptionKey(encryption, secrets);
  const mac = macOf(container, key);
  return { open: (holder) => openValue(holder, key, mac) };
}

async function encryptionKey(encryption: XmlElement, secrets: KeyFileSecrets): Promise<Buffer> {
  const derived = optionalChild(encryption, 'DerivedKey');
  if (derived === undefined) {
    if (optionalChild(encryption, 'X509Data') !== undefined) {
      throw invalid(encryption.line, encryption.name, 'keys encrypted for a certificate are not supported');
    }
    if (secrets.preSharedKey === undefined) {
      throw wrongSecret('The key file is encrypted with a pre-shared key: give it');
    }
    return secrets.preSharedKey;
  }
  if (secrets.password === undefined) {
    throw wrongSecret('The key file is encrypted with a password: give it');
  }
  return deriveKey(derived, secrets.password);
}

/** Derives the key by PBKDF2 (RFC 6030 §6.2, RFC 8018), by default with HMAC-SHA-1. */
async function deriveKey(derived: XmlElement, password: string): Promise<Buffer> {
  const method = onlyChild(derived, 'KeyDerivationMethod');
  if (!/#pbkdf2$/i.test(requiredAttribute(method, 'Algorithm'))) {
    throw invalid(method.line, method.name, 'only PBKDF2 is supported');
  }
  const parameters = onlyChild(method, 'PBKDF2-params');
  const salt = bytesOf(onlyChild(onlyChild(parameters, 'Salt'), 'Specified'));
  const iterations = numberOf(onlyChild(parameters, 'IterationCount'), 1, MAX_ITERATIONS);
  const length = optionalChild(parameters, 'KeyLength');
  const keyBytes = length === undefined ? 16 : numberOf(length, 16, 32);
  const prf = optionalChild(parameters, 'PRF');
  const hash = prf?.attributes.has('Algorithm') === true ? hmacHash(prf) : 'sha1';
  return derive(password, salt, iterations, keyBytes, hash);
}

type ValueMac = (value: Buffer) => Buffer;

/** Reads the MAC method; without a key of its own the MAC uses the encryption key (RFC 6030 §6.1.1). */
function macOf(container: XmlElement, key: Buffer): ValueMac | undefined {
  const method = optionalChild(container, 'MACMethod');
  if (method === undefined) {
    return undefined;
  }
  const hash = hmacHash(method);
  const encrypted = optionalChild(method, 'MACKey');
  const macKey = encrypted === undefined ? key : decrypt(encrypted, key).plain;
  return (value) => createHmac(hash, macKey).update(value).digest();
}

function hmacHash(element: XmlElement): string {
  const [, bits = ''] = /#hmac-sha(1|224|256|384|512)$/i.exec(requiredAttribute(element, 'Algorithm')) ?? [];
  if (bits === '') {
    throw invalid(
      element.line,
      element.name,
      'the algorithm is none of HMAC with SHA-1, 224, 256, 384 or 512',
    );
  }
  return `sha${bits}`;
}

/** Checks the MAC first: an altered value is never decrypted. */
function openValue(holder: XmlElement, key: Buffer, mac: ValueMac | undefined): Buffer {
  const encrypted = onlyChild(holder, 'EncryptedValue');
  const stored = optionalChild(holder, 'ValueMAC');
  if (stored !== undefined && mac === undefined) {
    throw invalid(stored.line, stored.name, 'the file has no MACMethod to check it with');
  }
  if (
    stored !== undefined &&
    mac !== undefined &&
    !equal(mac(cipherText(encrypted).bytes), bytesOf(stored))
  ) {
    throw wrongSecret(`The key or password is wrong, or the file was altered: MAC in line ${stored.line}`);
  }
  const { plain, authenticated } = decrypt(encrypted, key);
  if (!authenticated && stored === undefined) {
    throw invalid(
      holder.line,
      holder.name,
      'ValueMAC is missing: this encryption needs it (RFC 6030, 6.1.1)',
    );
  }
  return plain;
}

function cipherText(encrypted: XmlElement): { bytes: Buffer; line: number } {
  const value = onlyChild(onlyChild(encrypted, 'CipherData'), 'CipherValue');
  return { bytes: bytesOf(value), line: value.line };
}

function decrypt(encrypted: XmlElement, key: Buffer): { plain: Buffer; authenticated: boolean } {
  const method = onlyChild(encrypted, 'EncryptionMethod');
  const algorithm = CIPHERS.get(requiredAttribute(method, 'Algorithm'));
  if (algorithm === undefined) {
    throw invalid(method.line, method.name, 'this encryption is not supported');
  }
  const { cipher, keyBytes, ivBytes, authenticated } = algorithm;
  if (key.length !== keyBytes) {
    throw wrongSecret(
      `The encryption in line ${method.line} takes a key of ${keyBytes} bytes, not ${key.length}`,
    );
  }
  const { bytes, line } = cipherText(encrypted);
  try {
    const decipher = createDecipheriv(cipher, key, ivBytes === 0 ? WRAP_IV : bytes.subarray(0, ivBytes));
    return {
      plain: Buffer.concat([decipher.update(bytes.subarray(ivBytes)), decipher.final()]),
      authenticated,
    };
  } catch (cause) {
    throw wrongSecret(`The key or password is wrong, or the file was altered: value in line ${line}`, cause);
  }
}

function equal(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function wrongSecret(message: string, cause?: unknown): ServiceError {
  return new ServiceError('key-file.secret', message, { cause });
}
