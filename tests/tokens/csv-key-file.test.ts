import { describe, expect, it } from '@jest/globals';
import { csvKeyFileReader } from '../../src/tokens/csv-key-file.ts';
import { csvLine } from '../../src/kernel/text.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';

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

  it('tells what is wrong in each line, without the key', async () => {
    const lines = [
      'serial,key,counter',
      `K1,${HEX}0,`,
      'K2,,',
      'K3,geheim,',
      `K4,${HEX}`,
      `K5,${HEX},-1`,
      `K6,${HEX},9223372036854775808`,
      `K7,${HEX},9223372036854775807`,
    ];
    const digits = 'the key must be hexadecimal digits, an even number of them';
    const number = 'the counter must be a whole number below 2^63';
    expect(await read(lines.join('\n'))).toEqual([
      { place: 'line 2', serial: 'K1', fault: digits },
      { place: 'line 3', serial: 'K2', fault: digits },
      { place: 'line 4', serial: 'K3', fault: digits },
      { place: 'line 5', serial: 'K4', fault: 'it has 2 fields, the header 3' },
      { place: 'line 6', serial: 'K5', fault: number },
      { place: 'line 7', serial: 'K6', fault: number },
      expect.objectContaining({ serial: 'K7', counter: 9223372036854775807n }),
    ]);
    expect(await read('serial,key_base32\nK1,geheim189')).toEqual([
      { place: 'line 2', serial: 'K1', fault: 'the key must be base32 (RFC 4648)' },
    ]);
  });

  it.each([
    ['K1,1.23E+12', 'the key'],
    ['1.23E+12,HEX', 'the serial'],
    ['"1,23E+12",HEX', 'the serial'],
    ['3E+39,HEX', 'the serial'],
    ['#####,HEX', 'the serial'],
    ['K1,HEX,1.2E+5', 'the counter'],
    ['K1,HEX,,9.9E+11', 'the pin'],
    ['K1,313233343536373000000000000000000000000000', 'the key'],
  ])('names a number that a spreadsheet has rewritten, and the remedy: %s', async (line, what) => {
    const columns = ['serial', 'key', 'counter', 'pin'].slice(0, line.replace(/".*"/, '').split(',').length);
    const text = `${columns.join(',')}\n${line.replace('HEX', HEX)}`;
    expect(await read(text)).toMatchObject([
      {
        place: 'line 2',
        fault:
          `a spreadsheet has made a number of ${what}, such as 1.23E+12: ` +
          'give the column the format text, fill it in from the original and export it anew',
      },
    ]);
  });

  it('takes serials that only look like numbers as they are', async () => {
    const text = `serial,key\n12E4,${HEX}\n00123,${HEX}\n1e10,${HEX}`;
    expect((await read(text)).map((key) => [key.serial, 'fault' in key])).toEqual([
      ['12E4', false],
      ['00123', false],
      ['1e10', false],
    ]);
  });

  it.each(['"=""0012345"""', '="0012345"', '"0012345"', '0012345'])(
    'takes a text that a spreadsheet wrote as a formula: %s',
    async (serial) => {
      const text = `description,serial,key\n"a,=""b"",c",${serial},="${HEX}"\n`;
      expect(await read(text)).toMatchObject([
        { serial: '0012345', secret: SECRET, description: 'a,="b",c' },
      ]);
    },
  );

  it.each([',', ';'] as const)(
    'takes off the apostrophes that our tables have, separated by %s',
    async (separator) => {
      const texts = ['=1+1', `'-5`, 'x;=cmd();y', `a, "@b`, `''+`, `'plain`, 'a-b', '="x"', `x|'="y"`];
      const lines = texts.map((text) => csvLine([text, HEX, text], separator));
      const found = await read(`serial${separator}key${separator}description\r\n${lines.join('')}`);
      expect(found).toMatchObject(texts.map((text) => ({ serial: text, description: text })));
    },
  );

  it('leaves the apostrophes of PINs', async () => {
    const pins = ["'-1234", "x;'=y", "'+", '="0012"'];
    const lines = pins.map((pin, place) => `S${place},${HEX},"${pin.replaceAll('"', '""')}"\n`);
    const found = await read(`serial,key,pin\n${lines.join('')}`);
    expect(found.map((key) => 'pin' in key && key.pin)).toEqual([...pins.slice(0, 3), '0012']);
  });

  it('names surplus, foreign and lonely separators', async () => {
    const text = `\n\nserial;key\nK1;${HEX};;\nK2,${HEX}\n;\nK3;${HEX};x`;
    expect((await read(text)).map((key) => 'fault' in key && key.fault)).toEqual([
      'it has 4 fields, the header 2: take out the separators at its end',
      "it has 1 fields, the header 2: separate it as the header, by ';', not by ','",
      'it has nothing but separators: take it out',
      'it has 3 fields, the header 2: enclose a field that has the separator in quotation marks',
    ]);
  });

  it.each([
    [`sep=;\nserial;key\nK1;${HEX}`, 1, /^'sep=' is a note for spreadsheets: take the line out/],
    [`\ufeffsep=,\nserial,key\nK1,${HEX}`, 1, /^'sep=' is a note for spreadsheets: take the line out/],
    [`serial;;key\nK1;;${HEX}`, 1, /^column 2 of the header has no name/],
    [`serial;key;;\nK1;${HEX};;`, 1, /^column 3 of the header has no name/],
    ['', 1, 'there must be a header line and 1 to 100000 lines with keys'],
    ['serial,key\n', 1, 'there must be a header line and 1 to 100000 lines with keys'],
    [
      `serial,key\n${'A,00\n'.repeat(100_001)}`,
      1,
      'there must be a header line and 1 to 100000 lines with keys',
    ],
    [`serial\nK1`, 1, 'the header needs the columns serial and either key or key_base32'],
    [`key\n${HEX}`, 1, 'the header needs the columns serial and either key or key_base32'],
    [`serial,key,key_base32\nK1,,`, 1, 'the header needs the columns serial and either key or key_base32'],
    [`serial,key,KEY\nK1,,`, 1, 'the header has a column twice'],
    [`K1,${HEX}\nK2,${HEX}`, 1, /^the header has an unknown column; known are serial, key, key_base32, type/],
    [`serial,key\nK1,"${HEX}`, 2, 'a quotation mark is not closed'],
    [`serial,key\nK1,"${HEX}"x\n`, 2, 'a separator must follow a closing quotation mark'],
    [`serial,key\nK1,x"${HEX}"\n`, 2, /^a quotation mark within a field/],
    [`serial,key\nK1,${'0'.repeat(20_000)}\n`, 2, 'a line has more than 16384 characters'],
  ])('is refused as a whole: %#', async (text, line, reason) => {
    const refused = (await refusal(text)) as { code: string; message: string };
    const [, place, message = ''] = /^The key file is wrong in line (\d+): (.*)$/.exec(refused.message) ?? [];
    expect([refused.code, Number(place)]).toEqual(['key-file.invalid', line]);
    expect(message).toMatch(
      typeof reason === 'string' ? new RegExp(`^${reason.replace(/[()]/g, String.raw`\$&`)}$`) : reason,
    );
    expect(refused.message).not.toContain(HEX);
  });

  it('is not encrypted', async () => {
    const text = `serial,key\nK1,${HEX}`;
    const refused = { code: 'key-file.secret' };
    expect(await refusal(text, { password: 'x' })).toMatchObject(refused);
    expect(await refusal(text, { preSharedKey: SECRET })).toMatchObject(refused);
  });
});
