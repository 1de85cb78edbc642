import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { decodePskc, type KeyFileSecrets } from '../../src/tokens/key-file.ts';
import { pskcFileReader } from '../../src/tokens/pskc-file.ts';
import { eventualRefusal, refusalOf } from '../support/values/refusal.ts';
import {
  container,
  derivedKey,
  encryptedContainer,
  encryptedSecret,
  FIGURE_6,
  FIGURE_7,
  keyPackage,
  macMethod,
  ocraPackage,
  PASSWORD,
  PLAIN_SECRET,
  PRE_SHARED_KEY,
  SECRET,
} from '../support/values/pskc-documents.ts';

const read = (text: string, secrets: KeyFileSecrets = {}): ReturnType<typeof pskcFileReader.read> =>
  pskcFileReader.read(text, secrets);

async function refusal(text: string, secrets: KeyFileSecrets = {}): Promise<string> {
  const { code, message } = await eventualRefusal(read(text, secrets));
  return `${code}: ${message}`;
}

describe('a key container in clear (RFC 6030, figures 2 to 5)', () => {
  it('gives serial, algorithm, secret and counter', async () => {
    expect(await read(container())).toEqual([
      {
        place: 'key 1',
        serial: '987654321',
        algorithm: 'urn:ietf:params:xml:ns:keyprov:pskc:hotp',
        otplen: '8',
        secret: SECRET,
        counter: 0n,
        use: {},
      },
    ]);
  });

  it('gives all keys in their order (figure 10)', async () => {
    const packages = ['A1', 'A2', 'A3'].map((serial) => keyPackage({ serial })).join('\n');
    expect((await read(container({ packages }))).map(({ serial }) => serial)).toEqual(['A1', 'A2', 'A3']);
  });

  it('gives the id of the key where the device has no serial number', async () => {
    const bare = container().replace(/<DeviceInfo>.*<\/DeviceInfo>/s, '');
    expect((await read(bare))[0]?.serial).toBe('12345678');
  });

  it('gives digits, hash function and time step of HOTP and TOTP', async () => {
    const parameters = '<Suite>HMAC-SHA256</Suite><ResponseFormat Length="8" Encoding="DECIMAL"/>';
    const data = `${PLAIN_SECRET}<TimeInterval><PlainValue>60</PlainValue></TimeInterval>`;
    const algorithm = 'urn:ietf:params:xml:ns:keyprov:pskc:totp';
    const packages =
      keyPackage({ serial: 'A1', algorithm, parameters, data }) +
      keyPackage({ serial: 'A2', algorithm, parameters: '', data: PLAIN_SECRET }) +
      keyPackage({ serial: 'A3', parameters: '<Suite>SHA-512</Suite>' });
    expect(await read(container({ packages }))).toMatchObject([
      { otplen: '8', hashlib: 'sha256', timestep: '60', counter: undefined },
      { otplen: undefined, hashlib: undefined, timestep: undefined },
      { otplen: undefined, hashlib: 'sha512', timestep: undefined },
    ]);
    const hexadecimal = '<ResponseFormat Length="8" Encoding="HEXADECIMAL"/>';
    expect(await refusal(container({ parameters: hexadecimal }))).toMatch(/Encoding .* must be DECIMAL$/);
    const step = data.replace('60', '-1');
    expect(await refusal(container({ algorithm, data: step }))).toMatch(/a TimeInterval must be a whole/);
  });

  it('gives the suite of an OCRA key, from its parameters or from the name of its algorithm', async () => {
    const suite = 'OCRA-1:HOTP-SHA512-8:C-QN08';
    const named = keyPackage({ algorithm: `urn:ietf:params:xml:ns:keyprov:pskc#${suite}`, parameters: '' });
    const packages = `${ocraPackage('A1', suite, SECRET, 7)}${named}`;
    expect(await read(container({ packages }))).toMatchObject([{ suite, counter: 7n }, { suite }]);
  });

  it('may have prefixes, comments, CDATA, characters by number and Windows line ends', async () => {
    const text = container({ serial: '<!-- one < two -->A&#49;<![CDATA[B]]>&amp;' })
      .replace('xmlns="urn:ietf:params:xml:ns:keyprov:pskc"', 'xmlns:p="urn:ietf:params:xml:ns:keyprov:pskc"')
      .replaceAll(/<(\/?)(?=[A-Z])/g, '<$1p:')
      .replaceAll('\n', '\r\n');
    expect((await read(text))[0]).toMatchObject({ serial: 'A1B&', secret: SECRET });
  });
});

describe('a key container encrypted with a pre-shared key', () => {
  it('is opened as in figure 6', async () => {
    expect((await read(FIGURE_6, { preSharedKey: PRE_SHARED_KEY }))[0]?.secret).toEqual(SECRET);
  });

  it.each([
    ['aes128-cbc', 'aes-128-cbc', 16],
    ['aes192-cbc', 'aes-192-cbc', 24],
    ['aes256-cbc', 'aes-256-cbc', 32],
  ])('is opened with %s', async (algorithm, cipher, size) => {
    const key = randomBytes(size);
    const text = encryptedContainer({ algorithm, cipher }, key);
    const [found] = await read(text, { preSharedKey: key });
    expect(found?.secret.subarray(0, 20)).toEqual(SECRET);
  });

  it.each(['sha1', 'sha224', 'sha256', 'sha384', 'sha512'])('is checked by HMAC with %s', async (hash) => {
    const key = randomBytes(16);
    const kind = { algorithm: 'aes128-cbc', cipher: 'aes-128-cbc', hash };
    const text = encryptedContainer(kind, key);
    expect(await read(text, { preSharedKey: key })).toHaveLength(1);
    const altered = text.replace(/<ValueMAC>(.)/, (_all, first) => `<ValueMAC>${first === 'A' ? 'B' : 'A'}`);
    expect(await refusal(altered, { preSharedKey: key })).toMatch(/^key-file.secret: .*altered/);
  });

  it('may have an encrypted counter', async () => {
    const key = randomBytes(16);
    const kind = { algorithm: 'aes128-cbc', cipher: 'aes-128-cbc', counter: Buffer.from('0102', 'hex') };
    expect((await read(encryptedContainer(kind, key), { preSharedKey: key }))[0]?.counter).toBe(258n);
  });

  it('is refused where the value was altered, before it is decrypted', async () => {
    const altered = FIGURE_6.replace('AAECAwQFBgcI', 'AAECAwQFBgcJ');
    const message = await refusal(altered, { preSharedKey: PRE_SHARED_KEY });
    expect(message).toMatch(/^key-file.secret: The key or password is wrong, or the file was altered$/);
  });

  it('is refused with another key, a key of another length and no key, and the key is not quoted', async () => {
    const wrong = Buffer.alloc(16, 0x5a);
    expect(await refusal(FIGURE_6, { preSharedKey: wrong })).toMatch(/^key-file.secret: The key or password/);
    expect(await refusal(FIGURE_6, { preSharedKey: wrong })).not.toMatch(/5a5a/);
    expect(await refusal(FIGURE_6, { preSharedKey: Buffer.alloc(32) })).toMatch(
      /takes a key of 16 bytes, not 32/,
    );
    expect(await refusal(FIGURE_6)).toMatch(/^key-file.secret: .*pre-shared key: give it/);
    expect(await refusal(FIGURE_6, { password: 'x' })).toMatch(/^key-file.secret/);
  });

  it('is refused where the MAC is missing that its encryption needs', async () => {
    const secrets = { preSharedKey: PRE_SHARED_KEY };
    const bare = FIGURE_6.replace(/<ValueMAC>.*<\/ValueMAC>/s, '');
    expect(await refusal(bare, secrets)).toMatch(/encrypted values need .* ValueMAC/);
    const unchecked = FIGURE_6.replace(/<MACMethod.*<\/MACMethod>/s, '');
    expect(await refusal(unchecked, secrets)).toMatch(/encrypted values need .* MACMethod/);
  });

  it('is refused with an encryption or MAC that is not known', async () => {
    const secrets = { preSharedKey: PRE_SHARED_KEY };
    const cipher = FIGURE_6.replaceAll('aes128-cbc', 'aes128-xyz');
    expect(await refusal(cipher, secrets)).toMatch(/EncryptionMethod\/Algorithm: only AES-CBC is supported/);
    const hash = FIGURE_6.replace('hmac-sha1', 'hmac-md5');
    expect(await refusal(hash, secrets)).toMatch(/\/MACMethod\/Algorithm: only HMAC/);
  });

  it('is not passed off as encrypted: a secret in clear is refused where a key was given', async () => {
    expect(await refusal(container(), { preSharedKey: PRE_SHARED_KEY })).toMatch(/a Secret is in clear/);
    expect(await refusal(container(), { password: 'x' })).toMatch(/a Secret is in clear/);
  });

  it('is refused where nothing says with which key', async () => {
    const data = encryptedSecret('aes128-cbc', 'AAAA', 'AAAA');
    const head = macMethod('sha1');
    expect(await refusal(container({ head, data }))).toMatch(/encrypted values need EncryptionKey/);
  });
});

describe('a key container encrypted with a password', () => {
  it('is opened as in figure 7', async () => {
    expect((await read(FIGURE_7, { password: PASSWORD }))[0]?.secret).toEqual(SECRET);
  });

  it('is refused with another password or none, and the password is not quoted', async () => {
    expect(await refusal(FIGURE_7, { password: 'asdfgh' })).toMatch(/^key-file.secret/);
    expect(await refusal(FIGURE_7, { password: 'asdfgh' })).not.toMatch(/asdfgh/);
    expect(await refusal(FIGURE_7)).toMatch(/^key-file.secret: .*password: give it/);
  });

  it.each([
    ['IterationCount', derivedKey(0)],
    ['IterationCount', derivedKey(2_000_001)],
    ['IterationCount', derivedKey('1e3')],
    ['KeyLength', derivedKey(1, { length: '1000000' })],
    ['PRF', derivedKey(1, { prf: '<PRF Algorithm="urn:md5"/>' })],
    ['KeyDerivationMethod', derivedKey(1).replace('#pbkdf2', '#pbkdf1')],
  ])('is refused for a %s that is out of bounds', async (element, head) => {
    const message = await refusal(container({ head }), { password: PASSWORD });
    expect(message).toMatch(/^key-file.invalid: The key file is wrong: /);
    expect(message).toMatch(`/${element}`);
  });
});

describe('a key file that is wrong', () => {
  it.each([
    ['no XML', 'hello', /: it is not well-formed XML$/],
    ['empty', '', /: it is not well-formed XML$/],
    ['cut off', container().slice(0, -20), /: it is not well-formed XML$/],
    ['of two roots', `${container()}<KeyContainer/>`, /: \/KeyContainer: /],
    ['of another root', '<KeyFile xmlns="urn:x"/>', /: \/KeyContainer: /],
    [
      'of another version',
      container().replace('Version="1.0" xml', 'Version="2.0" xml'),
      /KeyContainer\/Version: /,
    ],
    ['without keys', container({ packages: ' ' }), /\/KeyContainer\/KeyPackage: /],
    ['signed', container({ head: '<ds:Signature/>' }), /\/Signature: a signature cannot be checked here/],
    ['without Key', container({ packages: '<KeyPackage>\n</KeyPackage>' }), /\/KeyPackage\[1\]\/Key: /],
    ['without Id', container().replace('Id="12345678"', ''), /\/KeyPackage\[1\]\/Key\[1\]\/Id: /],
    ['without Algorithm', container({ algorithm: '' }), /\/Key\[1\]\/Algorithm: /],
    ['without Secret', container({ data: '' }), /\/Key\[1\]\/Data\/Secret: /],
    ['of two secrets', container({ data: PLAIN_SECRET + PLAIN_SECRET }), /\/Data\/Secret: /],
    ['of no value', container({ data: '<Secret/>' }), /: a Secret needs PlainValue or EncryptedValue$/],
    [
      'of no Base64',
      container({ data: PLAIN_SECRET.replace('M', '*') }),
      /\/Secret\/PlainValue: must be Base64/,
    ],
    ['of a short Base64', container({ data: PLAIN_SECRET.replace('=', '') }), /PlainValue: must be Base64/],
    [
      'of a counter below 0',
      container({ data: `${PLAIN_SECRET}<Counter><PlainValue>-1</PlainValue></Counter>` }),
      /a Counter must be a whole number/,
    ],
    [
      'of a counter beyond 2^63',
      container({ data: `${PLAIN_SECRET}<Counter><PlainValue>9223372036854775808</PlainValue></Counter>` }),
      /a Counter must be a whole number/,
    ],
    [
      'with names of prototypes',
      container({ head: '<__proto__><a/></__proto__><constructor/>' }),
      /not well-formed/,
    ],
  ])('is refused: %s', async (_what, text, message) => {
    const said = await refusal(text);
    expect(said).toMatch(/^key-file.invalid: /);
    expect(said).toMatch(message);
  });

  it('is refused with the first ten of its faults', async () => {
    const packages = keyPackage({ data: PLAIN_SECRET.replace('M', '*') }).repeat(12);
    const said = await refusal(container({ packages }));
    expect(said.match(/must be Base64/g)).toHaveLength(10);
    expect(said).toMatch(/KeyPackage\[10\].*; 2 more faults$/);
  });

  it.each([
    [
      'an entity bomb',
      `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;">]>${container().slice(39)}`,
    ],
    [
      'a file to be fetched',
      `<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>${container().slice(39)}`,
    ],
    ['an outer document type', `<!doctype a SYSTEM "http://127.0.0.1/x.dtd">${container().slice(39)}`],
    ['a processing instruction', container({ head: '<?x y?>' })],
    ...['A&nbsp;', 'A&b', '&', '&#xzz;'].map(
      (serial) => [`the entity ${serial}`, container({ serial })] as const,
    ),
  ])('is refused before it is read: %s', async (_what, text) => {
    expect(await refusal(text)).toMatch(
      /: document types, processing instructions and entities of its own are/,
    );
  });

  it.each([
    ['tags', '<a/>'.repeat(400_001)],
    ['lines', '\r'.repeat(400_001)],
    ['attributes', `<a ${'b="" '.repeat(64)}/>`],
    ['characters in one piece', `<a>${'x'.repeat(65_537)}</a>`],
    ['blanks in a tag', `<a${' '.repeat(65_537)}/>`],
  ])('is refused for too many %s', async (_what, head) => {
    expect(await refusal(container({ head }))).toMatch(
      /: it has more, or longer, parts than any file of keys$/,
    );
  });

  it('is refused for too many levels and keys', async () => {
    const head = `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`;
    expect(await refusal(container({ head }))).toMatch(/not well-formed/);
    const packages = keyPackage().repeat(10_001);
    expect(await refusal(container({ packages }))).toMatch(/\/KeyPackage: Too big/);
  });
});

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

/** @returns a package of one key; `inner` follows its data */
function deviceKey(
  id: string,
  { inner = '', serial = 'DEV2', suite = SUITE, secret = SECRET.toString('base64'), algorithm = 'ocra' } = {},
): string {
  const device = serial === '' ? '' : `<DeviceInfo><SerialNo>${serial}</SerialNo></DeviceInfo>`;
  return `<KeyPackage>${device}<Key Id="${id}" Algorithm="urn:ietf:params:xml:ns:keyprov:pskc:${algorithm}">
<AlgorithmParameters><Suite>${suite}</Suite></AlgorithmParameters>
<Data><Secret><PlainValue>${secret}</PlainValue></Secret></Data>${inner}</Key></KeyPackage>
`;
}

describe('a device with several keys', () => {
  it('gives each key under its own id, and tells the number of the device', async () => {
    const packages =
      deviceKey('DEV2-login') +
      deviceKey('DEV2-sign', { serial: 'dev2' }) +
      deviceKey('x', { serial: 'DEV3' });
    expect(await read(container({ packages }))).toMatchObject([
      { serial: 'DEV2-login', description: 'device DEV2' },
      { serial: 'DEV2-sign', description: 'device dev2' },
      { serial: 'DEV3' },
    ]);
  });

  it('may have them in one package', async () => {
    const packages = (deviceKey('A') + deviceKey('B')).replace(
      /<\/KeyPackage>\s*<KeyPackage><DeviceInfo>.*?<\/DeviceInfo>/s,
      '',
    );
    expect((await read(container({ packages }))).map(({ serial }) => serial)).toEqual(['A', 'B']);
  });
});

describe('the policy of a key (RFC 6030, 5)', () => {
  const withPolicy = (policy: string, algorithm = 'ocra', more = ''): string =>
    container({ packages: deviceKey('K1', { inner: `<Policy>${policy}</Policy>`, algorithm }) + more });
  const useOf = async (policy: string, algorithm?: string): Promise<unknown> =>
    (await read(withPolicy(policy, algorithm)))[0]?.use;

  it.each([
    ['<ExpiryDate>2031-02-30T00:00:00Z</ExpiryDate>', /\/Policy\/ExpiryDate: must be a time/],
    ['<StartDate>tomorrow</StartDate>', /\/Policy\/StartDate: must be a time/],
    ['<NumberOfTransactions>0</NumberOfTransactions>', /\/NumberOfTransactions: must be a whole number/],
    ['<NumberOfTransactions>2147483648</NumberOfTransactions>', /\/NumberOfTransactions: must be a whole/],
    ['<KeyUsage>OTP</KeyUsage>', /\/Policy\/KeyUsage: the key is for other uses/],
    ['<Extension><Geo/></Extension>', /\/Policy: it has parts that are not known here$/],
    [
      '<PINPolicy PINUsageMode="Prepend" PINKeyId="P1"/>',
      /\/PINPolicy\/PINUsageMode: only PINs that the device/,
    ],
    ['<PINPolicy PINUsageMode="Algorithmic"/>', /\/PINPolicy\/PINUsageMode: only PINs that the device/],
    ['<PINPolicy MinLength="4"/>', /\/PINPolicy\/PINUsageMode: only PINs that the device/],
  ])('refuses the key by the place of what cannot be obeyed: %s', async (policy, message) => {
    expect(await refusal(withPolicy(policy))).toMatch(message);
  });

  it('lets a key in that it allows to be used so', async () => {
    expect(await useOf('<KeyUsage>CR</KeyUsage><KeyUsage>OTP</KeyUsage>')).toEqual({});
    expect(await useOf('<KeyUsage>OTP</KeyUsage>', 'hotp')).toEqual({});
    expect(await useOf('')).toEqual({});
  });

  it('leaves out the PIN that the device checks (figure 5)', async () => {
    const pin = deviceKey('P1', { algorithm: 'pin', secret: 'MTIzNA==' });
    const text = withPolicy('<PINPolicy PINUsageMode="Local" PINKeyId="P1" MinLength="4"/>', 'ocra', pin);
    expect((await read(text)).map(({ serial }) => serial)).toEqual(['DEV2']);
  });

  it.each([
    ['2030-01-31T12:00:00+01:00', '2030-01-31T11:00:00Z'],
    ['2030-01-31T12:00:00.5', '2030-01-31T12:00:00.500Z'],
  ])('bounds period and uses of the token: %s', async (at, instant) => {
    const policy = `<StartDate>${at}</StartDate><NumberOfTransactions>5</NumberOfTransactions>`;
    expect(await useOf(policy)).toEqual({ validFrom: new Date(instant), maxUses: 5 });
    expect(await useOf(`<ExpiryDate>${at}</ExpiryDate>`)).toEqual({ validUntil: new Date(instant) });
  });

  it('includes the dates of the device: the latest start and the earliest end count', async () => {
    const policy = '<StartDate>2030-01-01T00:00:00Z</StartDate><ExpiryDate>2032-01-01T00:00:00Z</ExpiryDate>';
    const text = withPolicy(policy).replace(
      '</SerialNo>',
      '</SerialNo><StartDate>2030-06-01T00:00:00Z</StartDate><ExpiryDate>2031-01-01T00:00:00Z</ExpiryDate>',
    );
    expect((await read(text))[0]).toMatchObject({
      use: { validFrom: new Date('2030-06-01T00:00:00Z'), validUntil: new Date('2031-01-01T00:00:00Z') },
    });
  });
});

describe('the encoding of a PSKC file', () => {
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  const declaring = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?><ä/>`;

  it.each<[string, string, (text: string) => Buffer]>([
    ['UTF-8', '<ä/>', (text) => Buffer.from(text)],
    ['UTF-8 with its mark', '\ufeff<ä/>', (text) => Buffer.from(text)],
    ['ISO-8859-1', declaring('ISO-8859-1'), (text) => Buffer.from(text, 'latin1')],
    ['UTF-16 with its mark', `\ufeff${declaring('UTF-16')}`, utf16],
    ['UTF-16 in the other order', '\ufeff<ä/>', (text) => utf16(text).swap16()],
  ])('%s is read', (_what, text, encode) => {
    expect(decodePskc(encode(text))).toBe(text.replace('\ufeff', ''));
  });

  it.each<[string, Buffer, RegExp]>([
    [
      'an unknown encoding',
      Buffer.from(declaring('x-klingon')),
      /no text in x-klingon, or that is not known/,
    ],
    ['bytes that are not UTF-8', Buffer.from('<a>\n\xe4', 'latin1'), /no text in utf-8/],
    ['half a character', utf16('\ufeff<ä/>').subarray(0, -1), /no text in utf-16le/],
  ])('%s is refused', (_what, file, message) => {
    const refused = refusalOf(() => decodePskc(file));
    expect([refused.code, refused.message]).toEqual(['key-file.invalid', expect.stringMatching(message)]);
  });
});
