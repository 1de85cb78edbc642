import { createDecipheriv, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';
import { ServiceError } from '../kernel/errors.ts';
import {
  type ImportedKey,
  type KeyFileReader,
  type KeyFileSecrets,
  wrongFile,
  wrongShape,
} from './key-file.ts';
import { MAX_STORED_COUNTER, MAX_USES, type TokenUse } from './token.ts';

const MAX_KEYS = 10_000;
const MAX_ITERATIONS = 2_000_000;
const derive = promisify(pbkdf2);
const OTP_ALGORITHM = /[:#](?:hotp|totp)$/i;

/** Elements with children; without any, the parser gives an empty text. */
function element<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess((value) => (value === '' ? {} : value), z.object(shape));
}

/** The text of an element, which may have attributes. */
const text = z.preprocess(
  (value) => (typeof value === 'object' && value !== null && '#text' in value ? value['#text'] : value),
  z.string('must be one element of text'),
);
const base64 = text
  .transform((value) => value.replace(/\s+/g, ''))
  .pipe(z.base64('must be Base64').min(1, 'must be Base64'))
  .transform((value) => Buffer.from(value, 'base64'));
const wholeNumber = (min: number, max: number) =>
  text
    .refine((value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
const named = (pattern: RegExp, what: string) => z.string().regex(pattern, `only ${what} is supported`);

/** A dateTime of XML; without a zone it is UTC (RFC 6030 §5). */
const time = text
  .pipe(z.iso.datetime({ offset: true, local: true, error: 'must be a time such as 2030-01-31T00:00:00Z' }))
  .transform((value) => new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`));
const period = { StartDate: time.optional(), ExpiryDate: time.optional() };

const hash = named(/#hmac-sha(?:1|224|256|384|512)$/i, 'HMAC with SHA-1, 224, 256, 384 or 512').transform(
  (name) => `sha${name.slice(name.lastIndexOf('sha') + 3)}`,
);
const encrypted = element({
  EncryptionMethod: element({
    Algorithm: named(/^http:\/\/www\.w3\.org\/2001\/04\/xmlenc#aes(?:128|192|256)-cbc$/, 'AES-CBC'),
  }),
  CipherData: element({ CipherValue: base64 }),
});
type Encrypted = z.output<typeof encrypted>;
const sealed = { EncryptedValue: encrypted.optional(), ValueMAC: base64.optional() };
const sealedNumber = element({ ...sealed, PlainValue: text.optional() });
type Sealed = Readonly<{ EncryptedValue?: Encrypted | undefined; ValueMAC?: Buffer | undefined }>;

/**
 * What RFC 6030 §5 demands of the use of a key, as far as this server can obey it. Where it cannot, the key must not be
 * loaded. A PIN that the device itself checks is none of the server's.
 */
const policy = z.preprocess(
  (value) => (value === '' ? {} : value),
  z.strictObject({
    ...period,
    KeyUsage: z.array(text).optional(),
    NumberOfTransactions: wholeNumber(1, MAX_USES).optional(),
    PINPolicy: z
      .looseObject({ PINUsageMode: z.literal('Local', 'only PINs that the device checks are supported') })
      .optional(),
  }),
);

const key = z
  .object({
    Id: z.string().min(1),
    Algorithm: z.string().min(1),
    AlgorithmParameters: element({
      Suite: text.optional(),
      ResponseFormat: element({ Length: z.string().optional(), Encoding: z.string().optional() }).optional(),
    }).optional(),
    Data: element({
      Secret: element({ ...sealed, PlainValue: base64.optional() }),
      Counter: sealedNumber.optional(),
      TimeInterval: sealedNumber.optional(),
    }),
    Policy: policy.optional(),
  })
  .refine(
    ({ Algorithm, Policy: { KeyUsage: usages } = {} }) =>
      usages === undefined || usages.includes(OTP_ALGORITHM.test(Algorithm) ? 'OTP' : 'CR'),
    { path: ['Policy', 'KeyUsage'], error: 'the key is for other uses' },
  );
type Key = z.output<typeof key>;

const container = z.object({
  KeyContainer: z.object({
    Version: z.literal('1.0'),
    Signature: z.undefined('a signature cannot be checked here: check it, then take it out').optional(),
    EncryptionKey: element({
      X509Data: z.undefined('keys encrypted for a certificate are not supported').optional(),
      DerivedKey: element({
        KeyDerivationMethod: element({
          Algorithm: named(/#pbkdf2$/i, 'PBKDF2'),
          'PBKDF2-params': element({
            Salt: element({ Specified: base64 }),
            IterationCount: wholeNumber(1, MAX_ITERATIONS),
            KeyLength: wholeNumber(16, 32).optional(),
            PRF: element({ Algorithm: hash.optional() }).optional(),
          }),
        }),
      }).optional(),
    }).optional(),
    MACMethod: element({ Algorithm: hash, MACKey: encrypted.optional() }).optional(),
    KeyPackage: z
      .array(
        element({
          DeviceInfo: element({ ...period, SerialNo: text.optional() }).optional(),
          Key: z.array(key),
        }),
      )
      .min(1)
      .max(MAX_KEYS),
  }),
});
type Container = z.output<typeof container>['KeyContainer'];

/**
 * Reads key containers of PSKC (RFC 6030): in clear, or encrypted by AES-CBC under a pre-shared key or a password. Keys
 * of the algorithm `pin`, the PINs that devices check, are left out.
 */
export const pskcFileReader = {
  read: async (document: string, secrets: KeyFileSecrets): Promise<readonly ImportedKey[]> => {
    const parsed = container.safeParse(parseXml(document));
    if (!parsed.success) {
      throw wrongShape(parsed.error, pathOf);
    }
    const { KeyContainer: file } = parsed.data;
    const open = await opening(file, secrets);
    const keys = file.KeyPackage.flatMap(({ DeviceInfo: device, Key }) =>
      Key.filter(({ Algorithm }) => !/[:#]pin$/i.test(Algorithm)).map((each) => ({ each, device })),
    );
    // Keys of one device have serials of their own, and the number that is printed on it must stay known.
    const sharing = new Map<string, number>();
    for (const { device } of keys) {
      const printed = device?.SerialNo?.toLowerCase() ?? '';
      sharing.set(printed, (sharing.get(printed) ?? 0) + 1);
    }
    return keys.map(({ each, device }, index) => {
      const { SerialNo: printed = '' } = device ?? {};
      const isOnly = sharing.get(printed.toLowerCase()) === 1;
      return {
        place: `key ${index + 1}`,
        serial: isOnly && printed !== '' ? printed : each.Id,
        ...(printed !== '' && !isOnly && { description: `device ${printed.slice(0, 64)}` }),
        algorithm: each.Algorithm,
        ...(OTP_ALGORITHM.test(each.Algorithm) ? otpOf(each, open) : { suite: suiteOf(each) }),
        secret: secretOf(each.Data.Secret, open, secrets),
        counter: each.Data.Counter && numberOf('Counter', each.Data.Counter, open),
        use: useOf(each.Policy, device),
      };
    });
  },
} satisfies KeyFileReader;

function pathOf(path: readonly PropertyKey[]): string {
  return path.map((step) => (typeof step === 'number' ? `[${step + 1}]` : `/${String(step)}`)).join('');
}

/** The suite of the parameters, else at the end of the algorithm (draft-hoyer-keyprov-pskc-algorithm-profiles §3). */
function suiteOf({ Algorithm, AlgorithmParameters: { Suite = '' } = {} }: Key): string | undefined {
  return Suite === '' ? /[:#](OCRA-\d+:[^:\s]+:[^:\s]+)$/.exec(Algorithm)?.[1] : Suite;
}

/** The hash function of HOTP and TOTP is their suite: `HMAC-SHA256`. */
function otpOf(
  { AlgorithmParameters: { Suite, ResponseFormat: format = {} } = {}, Data: { TimeInterval: step } }: Key,
  open: Open,
): Pick<ImportedKey, 'otplen' | 'hashlib' | 'timestep'> {
  if (format.Encoding !== undefined && format.Encoding !== 'DECIMAL') {
    throw wrongFile('the Encoding of HOTP and TOTP must be DECIMAL');
  }
  return {
    otplen: format.Length,
    hashlib: Suite?.toLowerCase().replace(/^(?:hmac-)?sha-?/, 'sha'),
    timestep: step && numberOf('TimeInterval', step, open).toString(),
  };
}

type Period = Readonly<Partial<Record<'StartDate' | 'ExpiryDate', Date | undefined>>>;

/** The latest start and the earliest end of key and device. */
function useOf(of: Key['Policy'], device: Period = {}): Partial<TokenUse> {
  const times = (name: keyof Period): number[] =>
    [of?.[name], device[name]].flatMap((at) => (at === undefined ? [] : [at.getTime()]));
  const [starts, ends] = [times('StartDate'), times('ExpiryDate')];
  return {
    ...(starts.length > 0 && { validFrom: new Date(Math.max(...starts)) }),
    ...(ends.length > 0 && { validUntil: new Date(Math.min(...ends)) }),
    ...(of?.NumberOfTransactions !== undefined && { maxUses: of.NumberOfTransactions }),
  };
}

/** @returns the bytes that were encrypted; undefined for a value in clear */
type Open = (value: Sealed) => Buffer | undefined;

function secretOf(value: Key['Data']['Secret'], open: Open, secrets: KeyFileSecrets): Buffer {
  const secret = open(value) ?? value.PlainValue;
  if (secret === undefined) {
    throw wrongFile('a Secret needs PlainValue or EncryptedValue');
  }
  if (value.EncryptedValue === undefined && (secrets.password ?? secrets.preSharedKey) !== undefined) {
    throw wrongFile('a Secret is in clear, though a key or password was given');
  }
  return secret;
}

/** Plain, a decimal number; encrypted, at most eight bytes, the highest first (RFC 6030 §4.2). */
function numberOf(what: string, value: NonNullable<Key['Data']['Counter']>, open: Open): bigint {
  const bytes = open(value);
  const digits = bytes === undefined ? value.PlainValue : `0x${bytes.toString('hex')}`;
  const number = /^(?:\d{1,19}|0x[\da-f]{2,16})$/.test(digits ?? '') ? BigInt(digits ?? '') : -1n;
  if (number < 0n || number > MAX_STORED_COUNTER) {
    throw wrongFile(`a ${what} must be a whole number below 2^63`);
  }
  return number;
}

/** @throws ServiceError 'key-file.secret' where the secret that the file needs is not given */
async function opening(
  { EncryptionKey, MACMethod: method }: Container,
  secrets: KeyFileSecrets,
): Promise<Open> {
  const key = EncryptionKey && (await encryptionKeyOf(EncryptionKey, secrets));
  // Without a key of its own the MAC uses the encryption key (RFC 6030 §6.1.1).
  const macKey = key && method?.MACKey ? decrypt(method.MACKey, key) : key;
  return ({ EncryptedValue: value, ValueMAC: mac }) => {
    if (value === undefined) {
      return undefined;
    }
    if (key === undefined || macKey === undefined || method === undefined || mac === undefined) {
      throw wrongFile('encrypted values need EncryptionKey, MACMethod and ValueMAC');
    }
    // The MAC first: an altered value is never decrypted.
    const expected = createHmac(method.Algorithm, macKey).update(value.CipherData.CipherValue).digest();
    if (expected.length !== mac.length || !timingSafeEqual(expected, mac)) {
      throw wrongSecret('The key or password is wrong, or the file was altered');
    }
    return decrypt(value, key);
  };
}

/** By PBKDF2 (RFC 6030 §6.2, RFC 8018), by default with HMAC-SHA-1, or as both sides agreed. */
async function encryptionKeyOf(
  { DerivedKey: derived }: NonNullable<Container['EncryptionKey']>,
  { password, preSharedKey }: KeyFileSecrets,
): Promise<Buffer> {
  const secret = derived === undefined ? preSharedKey : password;
  if (secret === undefined) {
    const needed = derived === undefined ? 'pre-shared key' : 'password';
    throw wrongSecret(`The key file is encrypted with a ${needed}: give it`);
  }
  if (derived === undefined || Buffer.isBuffer(secret)) {
    return Buffer.from(secret);
  }
  const { Salt, IterationCount, KeyLength = 16, PRF } = derived.KeyDerivationMethod['PBKDF2-params'];
  return derive(secret, Salt.Specified, IterationCount, KeyLength, PRF?.Algorithm ?? 'sha1');
}

function decrypt({ EncryptionMethod, CipherData }: Encrypted, key: Buffer): Buffer {
  const bits = EncryptionMethod.Algorithm.slice(-7, -4);
  if (key.length !== Number(bits) / 8) {
    throw wrongSecret(`The encryption takes a key of ${Number(bits) / 8} bytes, not ${key.length}`);
  }
  const bytes = CipherData.CipherValue;
  try {
    const decipher = createDecipheriv(`aes-${bits}-cbc`, key, bytes.subarray(0, 16));
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  } catch (cause) {
    throw wrongSecret('The key or password is wrong, or the file was altered', cause);
  }
}

function wrongSecret(message: string, cause?: unknown): ServiceError {
  return new ServiceError('key-file.secret', message, { cause });
}

/** Of each mark: ten thousand keys with everything have fewer. */
const MAX_MARKS = 400_000;
/** Maximum number of characters from one `<` to the next: a certificate has some thousands. */
const MAX_PIECE_LENGTH = 65_536;
/** Maximum number of `=` in such a piece: an element has some attributes, and the parser is slow with thousands. */
const MAX_PIECE_MARKS = 64;
const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  ignoreDeclaration: true,
  maxNestedTags: 32,
  htmlEntities: true,
  isArray: (name) => ['KeyPackage', 'Key', 'KeyUsage'].includes(name),
});

/**
 * A parser takes many times the length of a document in memory and time, and document types define or fetch entities:
 * such a document is refused before.
 */
function parseXml(document: string): unknown {
  const isLarge = ['<', '=', '\r', '&'].some(
    (mark) => document.split(mark, MAX_MARKS + 1).length > MAX_MARKS,
  );
  const hasLarge = document
    .split('<')
    .some((piece) => piece.length > MAX_PIECE_LENGTH || piece.split('=').length > MAX_PIECE_MARKS);
  if (isLarge || hasLarge) {
    throw wrongFile('it has more, or longer, parts than any file of keys');
  }
  if (
    /<!(?!--|\[CDATA\[)|<\?(?!xml\s)|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/i.test(document)
  ) {
    throw wrongFile('document types, processing instructions and entities of its own are not allowed');
  }
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- its replacement is another package for the same code
    if (XMLValidator.validate(document) === true) {
      return PARSER.parse(document);
    }
  } catch {
    // Its message quotes supposed names, which may be a key behind a missing bracket.
  }
  throw wrongFile('it is not well-formed XML');
}
