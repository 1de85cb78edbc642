import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { ImportedKey, KeyFileSecrets } from '../../src/tokens/key-file.ts';
import { pskcFileReader } from '../../src/tokens/pskc-file.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
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

const readAll = (text: string, secrets: KeyFileSecrets = {}): ReturnType<typeof pskcFileReader.read> =>
  pskcFileReader.read(text, secrets);

async function read(text: string, secrets: KeyFileSecrets = {}): Promise<readonly ImportedKey[]> {
  return (await readAll(text, secrets)).map((key) => {
    if ('fault' in key) {
      throw new Error(key.fault);
    }
    return key;
  });
}

async function refusal(text: string, secrets: KeyFileSecrets = {}): Promise<string> {
  const { code, message } = await eventualRefusal(readAll(text, secrets));
  return `${code}: ${message}`;
}

describe('a key container in clear (RFC 6030, figures 2 to 5)', () => {
  it('gives serial, algorithm, secret and counter', async () => {
    expect(await read(container())).toEqual([
      {
        place: 'line 6, element Key',
        serial: '987654321',
        algorithm: 'urn:ietf:params:xml:ns:keyprov:pskc:hotp',
        suite: undefined,
        secret: SECRET,
        counter: 0n,
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

  it('gives the suite of an OCRA key, from its parameters or from the name of its algorithm', async () => {
    const suite = 'OCRA-1:HOTP-SHA512-8:C-QN08';
    const named = keyPackage({ algorithm: `urn:ietf:params:xml:ns:keyprov:pskc#${suite}`, parameters: '' });
    const packages = `${ocraPackage('A1', suite, SECRET, 7)}${named}`;
    expect(await read(container({ packages }))).toMatchObject([{ suite, counter: 7n }, { suite }]);
  });

  it('may have prefixes, comments, CDATA, characters by number and Windows line ends', async () => {
    const text = container({ serial: '<!-- one < two -->A&#49;<![CDATA[&B]]>&amp;' })
      .replace('xmlns="urn:ietf:params:xml:ns:keyprov:pskc"', 'xmlns:p="urn:ietf:params:xml:ns:keyprov:pskc"')
      .replaceAll(/<(\/?)(?=[A-Z])/g, '<$1p:')
      .replaceAll('\n', '\r\n');
    expect((await read(text))[0]).toMatchObject({
      serial: 'A1&B&',
      secret: SECRET,
      place: 'line 6, element Key',
    });
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
    ['tripledes-cbc', 'des-ede3-cbc', 24],
    ['kw-aes128', 'id-aes128-wrap', 16],
    ['kw-aes192', 'id-aes192-wrap', 24],
    ['kw-aes256', 'id-aes256-wrap', 32],
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
    expect(await refusal(altered, { preSharedKey: key })).toMatch(/^key-file.secret: .*altered: MAC in line/);
  });

  it('may have an encrypted counter', async () => {
    const key = randomBytes(16);
    const kind = { algorithm: 'aes128-cbc', cipher: 'aes-128-cbc', counter: Buffer.from('0102', 'hex') };
    expect((await read(encryptedContainer(kind, key), { preSharedKey: key }))[0]?.counter).toBe(258n);
  });

  it('is refused where the value was altered, before it is decrypted', async () => {
    const altered = FIGURE_6.replace('AAECAwQFBgcI', 'AAECAwQFBgcJ');
    const message = await refusal(altered, { preSharedKey: PRE_SHARED_KEY });
    expect(message).toMatch(/^key-file.secret: The key or password is wrong, or the file was altered: MAC/);
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
    expect(await refusal(bare, secrets)).toMatch(/element Secret: ValueMAC is missing/);
    const unchecked = FIGURE_6.replace(/<MACMethod.*<\/MACMethod>/s, '');
    expect(await refusal(unchecked, secrets)).toMatch(/element ValueMAC: the file has no MACMethod/);
  });

  it('is refused with an encryption or MAC that is not known', async () => {
    const secrets = { preSharedKey: PRE_SHARED_KEY };
    const cipher = FIGURE_6.replaceAll('aes128-cbc', 'aes128-xyz');
    expect(await refusal(cipher, secrets)).toMatch(
      /element EncryptionMethod: this encryption is not supported/,
    );
    expect(await refusal(FIGURE_6.replace('hmac-sha1', 'hmac-md5'), secrets)).toMatch(/element MACMethod/);
  });

  it('is not passed off as encrypted: a secret in clear is refused where a key was given', async () => {
    expect(await refusal(container(), { preSharedKey: PRE_SHARED_KEY })).toMatch(/Secret: it is in clear/);
    expect(await refusal(container(), { password: 'x' })).toMatch(/Secret: it is in clear/);
  });

  it('is refused where nothing says with which key', async () => {
    const data = encryptedSecret('aes128-cbc', 'AAAA', 'AAAA');
    const head = macMethod('sha1');
    expect(await refusal(container({ head, data }))).toMatch(/EncryptedValue: the file has no EncryptionKey/);
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
    expect(message).toMatch(`key-file.invalid: The key file is wrong in line`);
    expect(message).toMatch(`element ${element}: `);
  });
});

describe('a key file that is wrong', () => {
  it.each([
    ['no XML', 'hello', /not one XML document|not well-formed/],
    ['empty', '', /not one XML document|not well-formed/],
    ['cut off', container().slice(0, -20), /line 7: not well-formed/],
    ['of two roots', `${container()}<KeyContainer/>`, /wrong in line/],
    ['of another root', '<KeyFile xmlns="urn:x"/>', /line 1, element KeyFile: the root must be KeyContainer/],
    ['of another namespace', container().replace(':pskc"', ':pskc:1.0"'), /line 2, element KeyContainer/],
    ['of another version', container().replace('Version="1.0" xml', 'Version="2.0" xml'), /only version 1.0/],
    ['without keys', container({ packages: ' ' }), /element KeyContainer: it must hold 1 to 10000/],
    [
      'signed',
      container({ head: '<ds:Signature/>' }),
      /line 4, element Signature: signatures cannot be checked/,
    ],
    [
      'without Key',
      container({ packages: '<KeyPackage>\n</KeyPackage>' }),
      /line 5, element KeyPackage: Key is/,
    ],
    ['without Id', container().replace('Id="12345678"', ''), /line 6, element Key: the attribute Id/],
    ['without Algorithm', container({ algorithm: '' }), /line 6, element Key: the attribute Algorithm/],
    ['without Secret', container({ data: '' }), /line 7, element Data: Secret is missing/],
    ['of two secrets', container({ data: PLAIN_SECRET + PLAIN_SECRET }), /line 7, element Secret: only one/],
    ['of no value', container({ data: '<Secret/>' }), /line 7, element Secret: it needs either/],
    [
      'of no Base64',
      container({ data: PLAIN_SECRET.replace('M', '*') }),
      /line 7, element PlainValue: not Base64/,
    ],
    ['of a short Base64', container({ data: PLAIN_SECRET.replace('=', '') }), /PlainValue: not Base64/],
    [
      'of a counter below 0',
      container({ data: `${PLAIN_SECRET}<Counter><PlainValue>-1</PlainValue></Counter>` }),
      /element Counter: not a counter/,
    ],
    [
      'of a counter beyond 2^63',
      container({ data: `${PLAIN_SECRET}<Counter><PlainValue>9223372036854775808</PlainValue></Counter>` }),
      /element Counter: not a counter/,
    ],
  ])('is refused: %s', async (_what, text, message) => {
    const said = await refusal(text);
    expect(said).toMatch(/^key-file.invalid: /);
    expect(said).toMatch(message);
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
  ])('is refused before it is read: %s', async (_what, text) => {
    expect(await refusal(text)).toMatch(/line 1: a document type is not allowed/);
  });

  it('does not know entities of its own', async () => {
    for (const serial of ['A&nbsp;', 'A&b', '&', '&#0;', '&#x110000;', '&#xzz;']) {
      expect(await refusal(container({ serial }))).toMatch(
        /line 5(?:, element SerialNo: an entity that XML|: not well-formed)/,
      );
    }
  });

  it.each([
    ['tags', '<a/>'.repeat(400_001), /more than 400000 tags/],
    ['lines', '\r'.repeat(1_000_001), /more than 1000000 lines/],
    ['attributes', `<a ${'b="" '.repeat(9_000)}/>`.repeat(12), /more than 100000 attributes/],
    ['characters in one piece', `<a>${'x'.repeat(65_537)}</a>`, /more than 65536 characters in one piece/],
    ['blanks in a tag', `<a${' '.repeat(65_537)}/>`, /more than 65536 characters in one piece/],
    ['levels', `${'<a>'.repeat(40)}${'</a>'.repeat(40)}`, /nested/],
    ['processing instructions', '<?x y?>', /processing instruction is not allowed/],
  ])('is refused for too many %s', async (_what, head, message) => {
    expect(await refusal(container({ head }))).toMatch(message);
  });

  it('is refused for more keys than may be loaded at once', async () => {
    const packages = '<KeyPackage/>'.repeat(10_001);
    expect(await refusal(container({ packages }))).toMatch(/it must hold 1 to 10000 KeyPackage, not 10001/);
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

describe('a PIN that a key names', () => {
  const pinKey = deviceKey('P1', { algorithm: 'pin', secret: 'MTIzNA==' });
  const withPolicy = (attributes: string, more = pinKey, suite = SUITE): string =>
    container({
      packages: deviceKey('K1', { inner: `<Policy><PINPolicy ${attributes}/></Policy>`, suite }) + more,
    });

  it.each([
    ['stays in the device that checks it', 'Local', SUITE, {}],
    ['is typed before the response', 'Prepend', SUITE, { pin: '1234' }],
    ['is part of the calculation', 'Algorithmic', `${SUITE}-PSHA1`, { ocraPin: '1234' }],
  ])('is no token: it %s (%s)', async (_what, mode, suite, pins) => {
    const attributes = `PINUsageMode="${mode}" PINKeyId="P1" MinLength="4" MaxLength="4" PINEncoding="DECIMAL"`;
    const [key, ...others] = await read(withPolicy(attributes, pinKey, suite));
    const { pin, ocraPin, serial } = key ?? {};
    expect({ serial, others, ...(pin && { pin }), ...(ocraPin && { ocraPin }) }).toEqual({
      serial: 'DEV2',
      others: [],
      ...pins,
    });
  });

  it('lowers the wrong responses that lock the token, where the server checks it', async () => {
    const limit = 'PINKeyId="P1" MaxFailedAttempts="3"';
    expect(await read(withPolicy(`PINUsageMode="Prepend" ${limit}`))).toMatchObject([{ maxFail: 3 }]);
    expect((await read(withPolicy(`PINUsageMode="Local" ${limit}`)))[0]).not.toHaveProperty('maxFail');
  });

  it.each([
    ['PINUsageMode="Local" PINKeyId="P2"', pinKey, /PINPolicy in line 7: PINKeyId names no key/],
    ['PINUsageMode="Local" PINKeyId="P1"', pinKey + pinKey, /PINKeyId names several keys/],
    ['PINUsageMode="Append" PINKeyId="P1"', pinKey, /must be Local, Prepend, Algorithmic, not Append/],
    ['PINKeyId="P1"', pinKey, /PINUsageMode must be/],
    ['PINUsageMode="Prepend"', '', /PINKeyId is missing/],
    ['PINUsageMode="Algorithmic" PINKeyId="P1"', pinKey, /the suite has no P/],
    ['PINUsageMode="Prepend" PINKeyId="P1" MinLength="5"', pinKey, /does not fit MinLength/],
    ['PINUsageMode="Prepend" PINKeyId="P1" MaxFailedAttempts="0"', pinKey, /MaxFailedAttempts is not/],
    ['PINUsageMode="Local" Colour="red"', '', /the attribute Colour is not known/],
  ])('is refused by name, without the PIN: %s', async (attributes, more, message) => {
    const [key] = await readAll(withPolicy(attributes, more));
    expect(key).toMatchObject({ serial: 'DEV2', fault: expect.stringMatching(message) });
    expect(JSON.stringify(key)).not.toContain('1234');
  });

  it('is refused where no key names it', async () => {
    expect(await readAll(container({ packages: deviceKey('K1') + pinKey }))).toMatchObject([
      { serial: 'DEV2' },
      { serial: 'P1', fault: 'it is a PIN that no PINKeyId names' },
    ]);
  });
});

describe('the policy of a key (RFC 6030, 5)', () => {
  const first = async (policy: string, algorithm = 'ocra'): Promise<object | undefined> => {
    const inner = `<Policy>${policy}</Policy>`;
    return (await readAll(container({ packages: deviceKey('K1', { inner, algorithm }) })))[0];
  };

  it.each([
    ['<ExpiryDate>2031-02-30T00:00:00Z</ExpiryDate>', /^ExpiryDate in line 7: not a date and time/],
    ['<ExpiryDate>31/12/2031 18:00</ExpiryDate>', /^ExpiryDate in line 7: not a date and time/],
    ['<StartDate>tomorrow</StartDate>', /^StartDate in line 7: not a date and time/],
    [
      '<StartDate>2031-01-01T00:00:00Z</StartDate><ExpiryDate>2031-01-01T00:00:00Z</ExpiryDate>',
      /^ExpiryDate in line 7: the key would end before it begins/,
    ],
    ['<NumberOfTransactions>0</NumberOfTransactions>', /^NumberOfTransactions in line 7: not a whole number/],
    [
      '<NumberOfTransactions>2147483648</NumberOfTransactions>',
      /^NumberOfTransactions in line 7: not a whole/,
    ],
    ['<KeyUsage>OTP</KeyUsage>', /^KeyUsage in line 7: the key is for other uses: it would need CR/],
    ['<KeyUsage>CR</KeyUsage><KeyUsage>Any</KeyUsage>', /^KeyUsage in line 7: this usage is not known/],
    ['<Extension><Geo/></Extension>', /^Extension in line 7: this element of a policy is not known/],
    ['<PINPolicy PINUsageMode="Local"><X/></PINPolicy>', /^X in line 7: this element/],
  ])('refuses the key by the name of what cannot be obeyed: %s', async (policy, message) => {
    expect(await first(policy)).toMatchObject({ serial: 'DEV2', fault: expect.stringMatching(message) });
  });

  it('lets a key in that it allows to be used so', async () => {
    expect(await first('<KeyUsage>CR</KeyUsage><KeyUsage>OTP</KeyUsage>')).not.toHaveProperty('fault');
    expect(await first('<KeyUsage>OTP</KeyUsage>', 'hotp')).not.toHaveProperty('fault');
    expect(await first('<KeyUsage>CR</KeyUsage>')).not.toHaveProperty('use');
  });

  it.each([
    ['2030-01-31T12:00:00+01:00', '2030-01-31T11:00:00Z', '2030-01-31T11:00:00Z'],
    ['2030-01-31T12:00:00.5', '2030-01-31T12:00:00Z', '2030-01-31T12:00:00Z'],
    ['2030-01-31', '2030-01-31T00:00:00Z', '2030-02-01T00:00:00Z'],
    ['2030-01-31+02:00', '2030-01-30T22:00:00Z', '2030-01-31T22:00:00Z'],
  ])('bounds the period of the token: %s, where a date means the whole day', async (date, from, until) => {
    expect(await first(`<StartDate>${date}</StartDate>`)).toMatchObject({
      use: { validFrom: new Date(from) },
    });
    expect(await first(`<ExpiryDate>${date}</ExpiryDate>`)).toMatchObject({
      use: { validUntil: new Date(until) },
    });
  });

  it('bounds the number of uses of the token', async () => {
    expect(await first('<NumberOfTransactions>5</NumberOfTransactions>')).toMatchObject({
      use: { maxUses: 5 },
    });
  });

  it('includes the dates of the device: the latest start and the earliest end count', async () => {
    const inner =
      '<Policy><StartDate>2030-01-01T00:00:00Z</StartDate><ExpiryDate>2032-01-01T00:00:00Z</ExpiryDate></Policy>';
    const text = container({ packages: deviceKey('K1', { inner }) }).replace(
      '</SerialNo>',
      '</SerialNo><StartDate>2030-06-01T00:00:00Z</StartDate><ExpiryDate>2031-01-01T00:00:00Z</ExpiryDate>',
    );
    expect((await readAll(text))[0]).toMatchObject({
      use: { validFrom: new Date('2030-06-01T00:00:00Z'), validUntil: new Date('2031-01-01T00:00:00Z') },
    });
  });
});
