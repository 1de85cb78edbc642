import { describe, expect, it } from '@jest/globals';
import { csvKeyFileReader } from '../../src/tokens/csv-key-file.ts';
import { eventualRefusal } from '../support/values/refusal.ts';

const HEX = '3132333435363738393031323334353637383930';
const BASE32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const SECRET = Buffer.from('12345678901234567890', 'latin1');

const read = (text: string, secrets = {}): ReturnType<typeof csvKeyFileReader.read> =>
  csvKeyFileReader.read(text, secrets);
const refusal = (text: string, secrets = {}): Promise<unknown> =>
  eventualRefusal((async () => read(text, secrets))());

describe('a table of keys', () => {
  it('has a line for each key, columns in any order, some of them empty', async () => {
    const text =
      '\ufeffUser,serial, Key ,suite,counter,description,pin,ocra_pin,realm,type\r\n' +
      `anna, K1 ,${HEX},OCRA-1:HOTP-SHA1-6:QN08,7,"red, ""big""", 12 ,34,office,\r\n` +
      '\r\n' +
      `,K2,${HEX.toUpperCase()},,,,,,,HOTP\r\n`;
    const key = { secret: SECRET, algorithm: 'urn:ietf:params:xml:ns:keyprov:pskc:ocra' };
    expect(await read(text)).toEqual([
      {
        ...key,
        place: 'line 2',
        serial: 'K1',
        suite: 'OCRA-1:HOTP-SHA1-6:QN08',
        counter: 7n,
        description: 'red, "big"',
        pin: ' 12 ',
        ocraPin: '34',
        user: 'anna',
        realm: 'office',
      },
      {
        place: 'line 4',
        serial: 'K2',
        secret: SECRET,
        suite: undefined,
        counter: undefined,
        algorithm: 'urn:ietf:params:xml:ns:keyprov:pskc:hotp',
      },
    ]);
  });

  it('has digits, time step and hash function of HOTP and TOTP', async () => {
    const text = `serial,key,type,otplen,timestep,hashlib\nK1,${HEX},totp,8,60,sha512\nK2,${HEX},hmac,,,`;
    const algorithm = 'urn:ietf:params:xml:ns:keyprov:pskc:';
    expect(await read(text)).toMatchObject([
      { algorithm: `${algorithm}totp`, otplen: '8', timestep: '60', hashlib: 'sha512' },
      { algorithm: `${algorithm}hmac`, otplen: undefined, timestep: undefined, hashlib: undefined },
    ]);
  });

  it('without a header line has the columns of LinOTP, in their order', async () => {
    const keys = [HEX, HEX.repeat(2).slice(0, 64), HEX.repeat(4).slice(0, 128)];
    const suite = 'OCRA-1:HOTP-SHA256-8:C-QN08';
    const lines = [
      ...keys.map((key, index) => `K${index}, ${key}`),
      `K3, ${HEX}, totp, 8, 60, sha256`,
      `K4,${keys[1] ?? ''},TOTP,,,sha1`,
      `K5,${keys[1] ?? ''},ocra,${suite}`,
    ];
    const [hotp, totp, ocra] = ['hotp', 'totp', 'ocra'].map((type) => ({
      algorithm: `urn:ietf:params:xml:ns:keyprov:pskc:${type}`,
    }));
    const keysRead = await read(lines.join('\r\n'));
    expect(keysRead).toMatchObject([
      { ...hotp, place: 'line 1', serial: 'K0', secret: SECRET, otplen: undefined, hashlib: undefined },
      { ...hotp, otplen: undefined, hashlib: 'sha256' },
      { ...hotp, hashlib: 'sha512' },
      { ...totp, place: 'line 4', otplen: '8', timestep: '60', hashlib: 'sha256' },
      { ...totp, otplen: undefined, timestep: undefined, hashlib: 'sha1' },
      { ...ocra, suite },
    ]);
    expect(keysRead[5]).not.toHaveProperty('otplen');
    expect(await read(`K1;"${HEX}";totp`)).toMatchObject([{ ...totp, serial: 'K1', secret: SECRET }]);
  });

  it.each([BASE32, BASE32.toLowerCase(), 'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ', `${BASE32}======`])(
    'has keys in base32: %s',
    async (key) => {
      expect(await read(`serial,key_base32\nK1,${key}`)).toMatchObject([{ secret: SECRET }]);
    },
  );

  it.each([
    [';', 'a, b'],
    ['\t', 'a, b; c'],
  ])('has the separator of its header: %j', async (separator, description) => {
    const text = [
      ['serial', 'key', 'description'],
      ['K1', HEX, description],
    ]
      .map((fields) => fields.join(separator))
      .join('\n');
    expect(await read(text)).toMatchObject([{ serial: 'K1', description }]);
  });

  it('is refused with what is wrong in each line, without the key', async () => {
    const lines = [
      'serial,key,counter',
      `K1,${HEX}0,`,
      'K2,,',
      'K3,geheim,',
      `K5,${HEX},-1`,
      `K6,${HEX},9223372036854775808`,
      `K7,${HEX},9223372036854775807`,
    ];
    const digits = 'must be hexadecimal digits, an even number of them';
    const number = 'must be a whole number below 2^63';
    expect(await refusal(lines.join('\n'))).toMatchObject({
      code: 'key-file.invalid',
      message:
        `The key file is wrong: line 2, key: ${digits}; line 3, key: ${digits}; line 4, key: ${digits}; ` +
        `line 5, counter: ${number}; line 6, counter: ${number}`,
    });
    expect(await refusal('serial,key_base32\nK1,geheim189')).toMatchObject({
      message: 'The key file is wrong: line 2, key_base32: must be base32 (RFC 4648)',
    });
  });

  it.each(['1.23E+12', '"1,23E+12"', '3E+39', '#####', '"=""0012345"""', "'-5"])(
    'is refused with a serial that a spreadsheet has rewritten: %s',
    async (serial) => {
      expect(await refusal(`serial,key\n${serial},${HEX}`)).toMatchObject({
        message: expect.stringMatching(/line 2, serial: a spreadsheet has rewritten it/),
      });
    },
  );

  it('takes serials that only look like numbers as they are', async () => {
    const text = `serial,key\n12E4,${HEX}\n00123,${HEX}\n1e10,${HEX}`;
    expect((await read(text)).map(({ serial }) => serial)).toEqual(['12E4', '00123', '1e10']);
  });

  const HEADER = /: the header needs the columns serial and either key or key_base32, and may have/;
  const LINES = /: there must be a header line and 1 to 100000 lines with keys$/;
  const line = (number: number): RegExp => new RegExp(`: line ${number} is not CSV`);
  it.each([
    [`sep=;\nserial;key\nK1;${HEX}`, HEADER],
    [`serial;;key\nK1;;${HEX}`, HEADER],
    [`serial\nK1`, HEADER],
    [`key\n${HEX}`, HEADER],
    [`serial,key,key_base32\nK1,,`, HEADER],
    [`serial,key,KEY\nK1,,`, HEADER],
    [`K1,${HEX.slice(0, 18)}\nK2,${HEX}`, HEADER],
    [`K1,${HEX}\nK2,${HEX},hotp,6,30,sha1,x\n`, line(2)],
    ['', LINES],
    ['serial,key\n', LINES],
    [`serial,key\n${'A,00\n'.repeat(100_001)}`, LINES],
    [`serial,key\nK1,"${HEX}`, line(2)],
    [`serial,key\nK1,"${HEX}"x\n`, line(2)],
    [`serial,key\nK1,x"${HEX}"\n`, line(2)],
    [`serial,key\nK1,${'0'.repeat(20_000)}\n`, line(2)],
    [`serial,key\nK1,${HEX}\nK2,${HEX},x\n`, line(3)],
    [`serial,key\nK1\n`, line(2)],
  ])('is refused as a whole: %#', async (text, reason) => {
    const refused = (await refusal(text)) as { code: string; message: string };
    expect([refused.code, refused.message]).toEqual(['key-file.invalid', expect.stringMatching(reason)]);
    expect(refused.message).not.toContain(HEX);
  });

  it('is not encrypted', async () => {
    const text = `serial,key\nK1,${HEX}`;
    const refused = { code: 'key-file.secret' };
    expect(await refusal(text, { password: 'x' })).toMatchObject(refused);
    expect(await refusal(text, { preSharedKey: SECRET })).toMatchObject(refused);
  });
});
