import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { parseMultipart } from '../../../src/http/request/request-body.ts';
import { clientAddress } from '../../../src/http/limits/networks.ts';
import {
  mergeParameters,
  parseForm,
  parseQueryString,
  pickParameters,
} from '../../../src/http/request/parameters.ts';
import { refusalOf } from '../../support/values/refusal.ts';
import { decodeUtf8 } from '../../../src/http/request/charsets.ts';
import type { Random } from '../../../src/kernel/clock.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { requestIds } from '../../../src/http/request/exchange.ts';
import { parseAuthorization } from '../../../src/http/authentication/authenticate.ts';
import { readCookie } from '../../../src/http/authentication/credentials.ts';
import { basic } from '../../support/values/basic.ts';

describe('clientAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::1', '::1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['1', 'unknown'],
    ['0300.0.2.1', 'unknown'],
    [undefined, 'unknown'],
    ['', 'unknown'],
    ['unknown', 'unknown'],
    ['<script>', 'unknown'],
    ['192.0.2.1:443', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
    ['192.0.2.1:', 'unknown'],
    ['[192.0.2.1]', '192.0.2.1'],
    ['2001:db8::1:443x', 'unknown'],
  ])('writes %j as %s', (address, written) => {
    expect(clientAddress(address)).toBe(written);
  });
});

const TYPE = 'multipart/form-data; boundary=b';
const malformed = { code: 'request.malformed' };

function part(name: string, value: string): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

async function parse(body: string | Buffer): Promise<unknown> {
  return parseMultipart(TYPE, Buffer.from(body), 10);
}

describe('parseMultipart', () => {
  it('reads text fields in their order, repeated ones too', async () => {
    const body = `${part('a', 'ä\r\n&=+%41')}${part('a', '')}${part('b', 'x')}--b--\r\n`;
    await expect(parse(body)).resolves.toEqual([
      ['a', 'ä\r\n&=+%41'],
      ['a', ''],
      ['b', 'x'],
    ]);
  });

  it.each([
    ['no boundary anywhere', 'x'],
    ['another boundary than announced', '--c\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--c--'],
    ['an end in the middle of the headers', '--b\r\nContent-Disp'],
    ['an end in the middle of a part', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'],
    ['no closing boundary', part('a', 'x')],
    ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--'],
    [
      'a name that is not UTF-8',
      Buffer.concat([
        Buffer.from('--b\r\nContent-Disposition: form-data; name="'),
        Buffer.from([0xff]),
        Buffer.from('"\r\n\r\nx\r\n--b--'),
      ]),
    ],
  ])('refuses %s', async (_what, body) => {
    await expect(parse(body)).rejects.toMatchObject(malformed);
  });

  it('always comes to an end, whatever the bytes', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '--b',
        '--b--',
        '\r\n',
        '\r\n\r\n',
        'Content-Disposition: form-data; name="a"',
        'b',
        '-',
        ':',
      ),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const outcome = await parse(pieces.join('')).catch((error: unknown) => error);
        expect(Array.isArray(outcome) || (outcome as { code?: string }).code === 'request.malformed').toBe(
          true,
        );
      }),
    );
  });
});

describe('mergeParameters', () => {
  it('takes the last of a repeated name, in any case of letters', () => {
    const given = mergeParameters(
      [
        ['Serial', '1'],
        ['SERIAL', '2'],
        ['serial', '3'],
      ],
      10,
    );
    expect([...given]).toEqual([['serial', '3']]);
  });

  it('reads session only as it stands', () => {
    expect(mergeParameters([['SESSION', 'x']], 10).has('session')).toBe(false);
    expect(
      mergeParameters(
        [
          ['session', 'right'],
          ['Session', 'wrong'],
        ],
        10,
      ).get('session'),
    ).toBe('right');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'takes %s as a name like any other',
    (name) => {
      const given = mergeParameters([[name, 'x']], 10);
      expect(given.get(name.toLowerCase())).toBe('x');
      expect({}).not.toHaveProperty('x');
    },
  );

  it.each(['a\0b', '\ud800', 'x\udfff'])('refuses the text %j in names and values', (text) => {
    expect(refusalOf(() => mergeParameters([['a', text]], 10)).code).toBe('request.malformed');
    expect(refusalOf(() => mergeParameters([[text, 'a']], 10)).code).toBe('request.malformed');
  });

  it('refuses more parameters than allowed', () => {
    expect(() =>
      mergeParameters(
        Array.from({ length: 11 }, (_, index) => [`p${index}`, '']),
        10,
      ),
    ).toThrow('The request has more than 10 parameters');
  });
});

describe('pickParameters', () => {
  const schema = z.object({
    pass: z.string(),
    transactionid: z.string(),
    count: z.string().regex(/^\d+$/).optional(),
  });

  it('leaves out parameters that are not of the endpoint', () => {
    const given = new Map([
      ['pass', ''],
      ['transactionid', 't'],
      ['__proto__', 'x'],
    ]);
    expect(pickParameters(schema, given)).toStrictEqual({ pass: '', transactionid: 't' });
  });

  it('names the first parameter that is missing', () => {
    expect(() => pickParameters(schema, new Map())).toThrow("Missing parameter 'pass'.");
    expect(() => pickParameters(schema, new Map([['pass', 'x']]))).toThrow(
      "Missing parameter 'transactionid'.",
    );
  });

  it('distinguishes a wrong value from a missing one', () => {
    const given = new Map([
      ['pass', 'x'],
      ['transactionid', 't'],
      ['count', 'many'],
    ]);
    const refusal = refusalOf(() => pickParameters(schema, given));
    expect(refusal.code).toBe('parameter.invalid');
    expect(refusal.message).toContain("'count'");
  });
});

describe('parseQueryString', () => {
  it.each([
    ['', []],
    ['&&', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=b', [['', 'b']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      'a=1&a=2',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['a=x+y%20z%2B', [['a', 'x y z+']]],
    ['a=%C3%A4ü', [['a', 'äü']]],
    [
      'a=M%FCller&%E4=%80',
      [
        ['a', 'Müller'],
        ['ä', '€'],
      ],
    ],
    [
      'a=%C3%A4&b=%E4',
      [
        ['a', 'ä'],
        ['b', 'ä'],
      ],
    ],
    ['a=%C0%80', [['a', 'À€']]],
    ['a=1;b=2', [['a', '1;b=2']]],
  ])('reads %j', (text, entries) => {
    expect(parseQueryString(text)).toEqual(entries);
  });

  it.each(['%', '%4', '%zz', 'ok=1&bad=%'])('refuses %j and never guesses', (text) => {
    expect(refusalOf(() => parseQueryString(text)).code).toBe('request.malformed');
  });

  it('reads every text as URLSearchParams wrote it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }))),
        (entries) => {
          expect(parseQueryString(new URLSearchParams(entries).toString())).toEqual(entries);
        },
      ),
    );
  });
});

describe('decodeUtf8', () => {
  it('refuses bytes that are not UTF-8', () => {
    expect(refusalOf(() => decodeUtf8(Buffer.from([0x61, 0xff]))).code).toBe('request.malformed');
  });
});

it('makes ids of 32 hexadecimal digits, none twice', () => {
  const newId = requestIds(systemRandom);
  const ids = Array.from({ length: 1_000 }, newId);
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
});

it('uses each random byte once, in their order', () => {
  let next = 0;
  const counting: Pick<Random, 'bytes'> = {
    bytes: (size) => Buffer.from(Array.from({ length: size }, () => next++ % 256)),
  };
  const newId = requestIds(counting);
  const bytes = Buffer.from(Array.from({ length: 300 }, newId).join(''), 'hex');
  expect(bytes).toEqual(Buffer.from(Array.from({ length: 4_800 }, (_, index) => index % 256)));
});

const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');

describe('parseAuthorization', () => {
  it('finds nothing where nothing is given', () => {
    expect(parseAuthorization(undefined)).toBeUndefined();
    expect(parseAuthorization([])).toBeUndefined();
  });

  it.each([
    [basic('admin', 'secret'), 'admin', 'secret'],
    [basic('admin', ''), 'admin', ''],
    [basic('admin', 'a:b::c'), 'admin', 'a:b::c'],
    [basic('Jörg', 'pä ss€'), 'Jörg', 'pä ss€'],
    [`Basic ${base64(Buffer.from('Jörg:pä\x80', 'latin1'))}`, 'Jörg', 'pä€'],
    [basic('admin', 'secret').replace('Basic', 'bAsIc  '), 'admin', 'secret'],
    [basic('admin', 'secre').replaceAll('=', ''), 'admin', 'secre'],
  ])('reads %s', (header, name, password) => {
    expect(parseAuthorization([header])).toEqual({ scheme: 'basic', name, password });
  });

  it('reads a bearer token', () => {
    expect(parseAuthorization(['Bearer tk_a-b_c'])).toEqual({ scheme: 'bearer', token: 'tk_a-b_c' });
  });

  it.each([
    '',
    'Basic',
    'Basic ',
    'Bearer',
    'Digest username="x"',
    `Basic ${base64('nocolon')}`,
    `Basic ${base64(':noname')}`,
    `Basic ${base64('a\0b:c')}`,
    'Basic YTpi!',
    'Basic YTp',
    'Basic YT pi',
    'Bearer a b',
    `${basic('a', 'b')}, ${basic('a', 'b')}`,
  ])('refuses %j', (header) => {
    expect(refusalOf(() => parseAuthorization([header])).code).toBe('authentication.required');
  });

  it('refuses the header when it comes twice, even with the same value', () => {
    const twice = [basic('a', 'b'), basic('a', 'b')];
    expect(refusalOf(() => parseAuthorization(twice)).code).toBe('authentication.required');
  });
});

describe('readCookie', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['other=1', undefined],
    ['admin_session', undefined],
    ['xadmin_session=1', undefined],
    ['admin_session=', ''],
    ['a=b; admin_session=abc=; c=d', 'abc='],
    ['admin_session=abc;admin_session=abc', 'abc'],
    ['$Version="1"; admin_session="abc" ; $Path="/"', 'abc'],
    ['admin_session=abc; admin_session="abc"', 'abc'],
    ['admin_session=""', ''],
    ['admin_session="', '"'],
    ['admin_session="a"b"', '"a"b"'],
  ])('reads %j', (header, value) => {
    expect(readCookie(header, 'admin_session')).toBe(value);
  });

  it('refuses a cookie that is there twice with different values', () => {
    const twice = 'admin_session=a; admin_session=b';
    expect(refusalOf(() => readCookie(twice, 'admin_session')).code).toBe('authentication.required');
  });
});

describe('a file that says its encoding itself', () => {
  const file = { name: 'file', decode: (bytes: Uint8Array) => new TextDecoder('iso-8859-2').decode(bytes) };
  const parts = Buffer.from(`${part('File', '\xb5')}${part('a', '\xb5')}--b--`, 'latin1');

  it('is decoded so in a part', async () => {
    const read = parseMultipart(TYPE, parts, 10, file);
    expect(await read).toEqual([
      ['File', 'ľ'],
      ['a', 'µ'],
    ]);
  });

  it.each([
    ['bytes that are not UTF-8', 'FILE=%b5&a=%b5', ['ľ', 'µ']],
    ['the UTF-8 that its sender made of it', 'file=%c4%be&a=%c4%be', ['ľ', 'ľ']],
  ])('in a form, %s', (_what, form, values) => {
    expect(parseForm(Buffer.from(form), 10, { file }).map(([, value]) => value)).toEqual(values);
  });
});
