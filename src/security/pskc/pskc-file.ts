import type {
  ImportedKey,
  KeyFileReader,
  KeyFileSecrets,
} from '../../challenges/enrolment/token-key-file.ts';
import { MAX_STORED_COUNTER } from '../../tokens/token.ts';
import { bytesOf, onlyChild, optionalChild, requiredAttribute } from './element-access.ts';
import { openPskcEncryption, type PskcDecryption } from './pskc-encryption.ts';
import { parseXml, type XmlElement } from './xml-element.ts';
import { invalid } from './xml-place.ts';

const NAMESPACE = 'urn:ietf:params:xml:ns:keyprov:pskc';
const MAX_KEYS = 10_000;
/** The suite at the end of an algorithm's name (draft-hoyer-keyprov-pskc-algorithm-profiles §3). */
const NAMED_SUITE = /[:#](OCRA-\d+:[^:\s]+:[^:\s]+)$/;

/** Reads key containers of PSKC (RFC 6030): in clear, or encrypted with a pre-shared key or a password. */
export const pskcFileReader = {
  read: async (text: string, secrets: KeyFileSecrets): Promise<readonly ImportedKey[]> => {
    const container = parseXml(text);
    assertContainer(container);
    const packages = container.children.filter(({ name }) => name === 'KeyPackage');
    if (packages.length === 0 || packages.length > MAX_KEYS) {
      throw invalid(
        container.line,
        container.name,
        `it must hold 1 to ${MAX_KEYS} KeyPackage, not ${packages.length}`,
      );
    }
    const decryption = await openPskcEncryption(container, secrets);
    return packages.map((each) => readPackage(each, decryption, secrets));
  },
} satisfies KeyFileReader;

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

function readPackage(
  element: XmlElement,
  decryption: PskcDecryption | undefined,
  secrets: KeyFileSecrets,
): ImportedKey {
  const key = onlyChild(element, 'Key');
  const algorithm = requiredAttribute(key, 'Algorithm');
  const id = requiredAttribute(key, 'Id');
  const data = onlyChild(key, 'Data');
  const counter = optionalChild(data, 'Counter');
  const value = (holder: XmlElement): DataValue => readValue(holder, decryption, secrets);
  return {
    place: `line ${key.line}, element ${key.name}`,
    serial: serialOf(element) ?? id,
    algorithm,
    suite: suiteOf(key, algorithm),
    secret: secretOf(value(onlyChild(data, 'Secret'))),
    counter: counter && counterOf(counter, value(counter)),
  };
}

/** The serial number of the device, which is printed on it; the key's id where there is none. */
function serialOf(element: XmlElement): string | undefined {
  const device = optionalChild(element, 'DeviceInfo');
  const serial = device && optionalChild(device, 'SerialNo')?.text;
  return serial === '' ? undefined : serial;
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
