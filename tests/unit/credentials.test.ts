import { describe, expect, it } from '@jest/globals';
import { parseAuthorization, readCookie } from '../../src/http/credentials.ts';
import { basic } from '../support/http-app.ts';

const refused = expect.objectContaining({ code: 'authentication.required' }) as Error;
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
    `Basic ${base64(Buffer.from([0x61, 0x3a, 0xff]))}`,
    'Basic YTpi!',
    'Basic YTp',
    'Basic YT pi',
    'Bearer a b',
    `${basic('a', 'b')}, ${basic('a', 'b')}`,
  ])('refuses %j', (header) => {
    expect(() => parseAuthorization([header])).toThrow(refused);
  });

  it('refuses the header when it comes twice, even with the same value', () => {
    expect(() => parseAuthorization([basic('a', 'b'), basic('a', 'b')])).toThrow(refused);
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
  ])('reads %j', (header, value) => {
    expect(readCookie(header, 'admin_session')).toBe(value);
  });

  it('refuses a cookie that is there twice with different values', () => {
    expect(() => readCookie('admin_session=a; admin_session=b', 'admin_session')).toThrow(refused);
  });
});
