import type { ImportedKey, KeyFileReader, KeyFileSecrets, UnreadableKey } from './key-file.ts';
import { MAX_STORED_COUNTER } from './token.ts';
import { type KeyPolicy, type PinPolicy, PolicyFault, readPolicy } from './pskc-policy.ts';
import { invalid, parseXml, type XmlElement } from './pskc-xml.ts';
import { createDecipheriv, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '../kernel/errors.ts';

const NAMESPACE = 'urn:ietf:params:xml:ns:keyprov:pskc';
const MAX_KEYS = 10_000;
const PIN_ALGORITHM = /[:#]pin$/i;
/** The suite at the end of an algorithm's name (draft-hoyer-keyprov-pskc-algorithm-profiles §3). */
const NAMED_SUITE = /[:#](OCRA-\d+:[^:\s]+:[^:\s]+)$/;

/** Reads key containers of PSKC (RFC 6030): in clear, or encrypted with a pre-shared key or a password. */
export const pskcFileReader = {
  read: async (text: string, secrets: KeyFileSecrets): Promise<readonly (ImportedKey | UnreadableKey)[]> => {
    const container = parseXml(text);
    assertContainer(container);
    const packages = container.children.filter(({ name }) => name === 'KeyPackage');
    assertNumber(container, packages.length);
    const keys = packages.flatMap(keysOf);
    assertNumber(container, keys.length);
    const decryption = await openPskcEncryption(container, secrets);
    return readKeys(keys, (holder) => readValue(holder, decryption, secrets));
  },
} satisfies KeyFileReader;

function assertNumber({ line, name }: XmlElement, found: number): void {
  if (found === 0 || found > MAX_KEYS) {
    throw invalid(line, name, `it must hold 1 to ${MAX_KEYS} KeyPackage, not ${found}`);
  }
}

function assertContainer(container: XmlElement): void {
  const { name, line, attributes } = container;
  const namespaces = [...attributes].filter(([key]) => key === 'xmlns' || key.startsWith('xmlns:'));
  if (name !== 'KeyContainer' || !namespaces.some(([, value]) => value === NAMESPACE)) {
    throw invalid(line, name, `the root must be KeyContainer of the namespace ${NAMESPACE}`);
  }
  if (requiredAttribute(container, 'Version') !== '1.0') {
    throw invalid(line, name, 'only version 1.0 is supported');
  }
  const signature = optionalChild(container, 'Signature');
  if (signature !== undefined) {
    throw invalid(
      signature.line,
      signature.name,
      'signatures cannot be checked here: check it, then take it out',
    );
  }
}

interface DeviceKey {
  readonly key: XmlElement;
  readonly id: string;
  readonly algorithm: string;
  readonly device: XmlElement | undefined;
  /** The serial number of the device, which is printed on it. */
  readonly deviceSerial: string | undefined;
}

/** The schema allows one key a package; earlier drafts, and some vendors, have all of a device in one. */
function keysOf(element: XmlElement): DeviceKey[] {
  const device = optionalChild(element, 'DeviceInfo');
  const serial = device && optionalChild(device, 'SerialNo')?.text;
  const several = element.children.filter(({ name }) => name === 'Key');
  return (several.length > 1 ? several : [onlyChild(element, 'Key')]).map((key) => ({
    key,
    id: requiredAttribute(key, 'Id'),
    algorithm: requiredAttribute(key, 'Algorithm'),
    device,
    deviceSerial: serial === '' ? undefined : serial,
  }));
}

type ValueReader = (holder: XmlElement) => DataValue;

/** Keys of the algorithm `pin` are no tokens but the PINs of the keys that name them (RFC 6030 §5, PINPolicy). */
function readKeys(all: readonly DeviceKey[], value: ValueReader): (ImportedKey | UnreadableKey)[] {
  const isPin = ({ algorithm }: DeviceKey): boolean => PIN_ALGORITHM.test(algorithm);
  const pins = all.filter((each) => isPin(each));
  const keys = all.filter((each) => !isPin(each));
  const counts = new Map<string, number>();
  for (const { deviceSerial = '' } of keys) {
    counts.set(deviceSerial.toLowerCase(), (counts.get(deviceSerial.toLowerCase()) ?? 0) + 1);
  }
  const named = new Set<DeviceKey>();
  const pinOf = (policy: PinPolicy): string | undefined => {
    const found = pins.filter(({ id }) => id === policy.keyId);
    found.forEach((pin) => named.add(pin));
    return readPin(policy, found, value);
  };
  const read = keys.map((each) => {
    const isOnly = counts.get(each.deviceSerial?.toLowerCase() ?? '') === 1;
    return readKey(each, { isOnly, value, pinOf });
  });
  const unnamed = pins.filter((pin) => !named.has(pin));
  return [...read, ...unnamed.map(({ key, id }) => faulty(key, id, 'it is a PIN that no PINKeyId names'))];
}

interface KeySurroundings {
  /** True if the device has no other key: then its serial number names the key, too. */
  readonly isOnly: boolean;
  readonly value: ValueReader;
  readonly pinOf: (policy: PinPolicy) => string | undefined;
}

function readKey(
  { key, id, algorithm, device, deviceSerial }: DeviceKey,
  { isOnly, value, pinOf }: KeySurroundings,
): ImportedKey | UnreadableKey {
  const serial = isOnly ? (deviceSerial ?? id) : id;
  const data = onlyChild(key, 'Data');
  const counter = optionalChild(data, 'Counter');
  const suite = suiteOf(key, algorithm);
  const fields = {
    place: placeOf(key),
    serial,
    algorithm,
    suite,
    secret: secretOf(value(onlyChild(data, 'Secret'))),
    counter: counter && counterOf(counter, value(counter)),
    // The number that is printed on the device must stay known.
    ...(serial === id &&
      deviceSerial !== undefined &&
      deviceSerial !== id && { description: `device ${deviceSerial.slice(0, 64)}` }),
  };
  try {
    const policy = readPolicy(key, device, algorithm);
    const pin = policy.pin && pinOf(policy.pin);
    return { ...fields, ...demandsOf(policy, pin, suite) };
  } catch (error) {
    if (error instanceof PolicyFault) {
      return faulty(key, serial, error.message);
    }
    throw error;
  }
}

const PIN_FIELDS: Readonly<Record<PinPolicy['mode'], (pin: string) => Partial<ImportedKey>>> = {
  Local: () => ({}),
  Prepend: (pin) => ({ pin }),
  Algorithmic: (ocraPin) => ({ ocraPin }),
};

/** @throws PolicyFault where the suite contradicts the use of the PIN */
function demandsOf(
  { use, pin: policy }: KeyPolicy,
  pin: string | undefined,
  suite: string | undefined,
): Partial<ImportedKey> {
  if (policy?.mode === 'Algorithmic' && suite !== undefined && !/[:-]P(?:SHA|-|$)/i.test(suite)) {
    throw new PolicyFault(`${policy.place}: PINUsageMode is Algorithmic, but the suite has no P`);
  }
  const maxFail = policy?.maxFail;
  return {
    ...(Object.keys(use).length > 0 && { use }),
    ...(maxFail !== undefined && { maxFail }),
    ...(policy && pin !== undefined && PIN_FIELDS[policy.mode](pin)),
  };
}

function readPin(
  policy: PinPolicy,
  [found, other]: readonly DeviceKey[],
  value: ValueReader,
): string | undefined {
  if (policy.keyId === undefined) {
    return undefined;
  }
  if (found === undefined || other !== undefined) {
    const what = found === undefined ? 'no key' : 'several keys';
    throw new PolicyFault(`${policy.place}: PINKeyId names ${what} of the algorithm pin`);
  }
  if (optionalChild(found.key, 'Policy') !== undefined) {
    throw new PolicyFault(`${policy.place}: the PIN that PINKeyId names has a policy of its own`);
  }
  const bytes = secretOf(value(onlyChild(onlyChild(found.key, 'Data'), 'Secret')));
  const pin = bytes.toString('utf8');
  if (policy.mode !== 'Local') {
    if (/[\p{Cc}\ufffd]/u.test(pin)) {
      throw new PolicyFault(`${policy.place}: the PIN that PINKeyId names is no text`);
    }
    policy.assertFits(pin);
  }
  return pin;
}

function placeOf({ line, name }: XmlElement): string {
  return `line ${line}, element ${name}`;
}

function faulty(key: XmlElement, serial: string, fault: string): UnreadableKey {
  return { place: placeOf(key), serial, fault };
}

function suiteOf(key: XmlElement, algorithm: string): string | undefined {
  const parameters = optionalChild(key, 'AlgorithmParameters');
  const suite = parameters && optionalChild(parameters, 'Suite')?.text;
  return suite === undefined || suite === '' ? NAMED_SUITE.exec(algorithm)?.[1] : suite;
}

/** A value of `Data`: the plain element of the file, or the bytes that were encrypted. */
type DataValue = { readonly plain: XmlElement } | { readonly bytes: Buffer };

function readValue(
  holder: XmlElement,
  decryption: PskcDecryption | undefined,
  { preSharedKey, password }: KeyFileSecrets,
): DataValue {
  const plain = optionalChild(holder, 'PlainValue');
  const encrypted = optionalChild(holder, 'EncryptedValue');
  if ((plain === undefined) === (encrypted === undefined)) {
    throw invalid(holder.line, holder.name, 'it needs either PlainValue or EncryptedValue');
  }
  if (encrypted !== undefined) {
    if (decryption === undefined) {
      throw invalid(encrypted.line, encrypted.name, 'the file has no EncryptionKey that says with what');
    }
    return { bytes: decryption.open(holder) };
  }
  const isSecret = holder.name === 'Secret';
  if (isSecret && (preSharedKey !== undefined || password !== undefined)) {
    throw invalid(holder.line, holder.name, 'it is in clear, though a key or password was given');
  }
  return { plain: plain ?? holder };
}

function secretOf(value: DataValue): Buffer {
  return 'plain' in value ? bytesOf(value.plain) : value.bytes;
}

/** Reads a counter: plain, a decimal number; encrypted, at most eight bytes, the highest first (RFC 6030 §4.2). */
function counterOf(holder: XmlElement, value: DataValue): bigint {
  const counter =
    'plain' in value
      ? /^\d{1,19}$/.test(value.plain.text) && BigInt(value.plain.text)
      : value.bytes.length > 0 && value.bytes.length <= 8 && BigInt(`0x${value.bytes.toString('hex')}`);
  if (counter === false || counter > MAX_STORED_COUNTER) {
    throw invalid(holder.line, holder.name, 'not a counter');
  }
  return counter;
}

/** Opens and checks encrypted values of one key container (RFC 6030 §6). */
interface PskcDecryption {
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
async function openPskcEncryption(
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

/**
 * @returns the child of that name, undefined where there is none
 * @throws ServiceError 'key-file.invalid' where there are several
 */
function optionalChild(parent: XmlElement, name: string): XmlElement | undefined {
  const [child, other] = parent.children.filter((element) => element.name === name);
  if (other !== undefined) {
    throw invalid(other.line, other.name, `only one is allowed in ${parent.name}`);
  }
  return child;
}

function onlyChild(parent: XmlElement, name: string): XmlElement {
  const child = optionalChild(parent, name);
  if (child === undefined) {
    throw invalid(parent.line, parent.name, `${name} is missing in it`);
  }
  return child;
}

function requiredAttribute(element: XmlElement, name: string): string {
  const value = element.attributes.get(name)?.trim() ?? '';
  if (value === '') {
    throw invalid(element.line, element.name, `the attribute ${name} is missing`);
  }
  return value;
}

/** @throws ServiceError 'key-file.invalid' where it is empty or, line breaks apart, no Base64 (RFC 4648 §4) */
function bytesOf(element: XmlElement): Buffer {
  const text = element.text.replace(/\s+/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw invalid(element.line, element.name, 'not Base64');
  }
  return Buffer.from(text, 'base64');
}

function numberOf(element: XmlElement, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(element.text) ? Number(element.text) : Number.NaN;
  if (Number.isNaN(value) || value < min || value > max) {
    throw invalid(element.line, element.name, `not a whole number from ${min} to ${max}`);
  }
  return value;
}
