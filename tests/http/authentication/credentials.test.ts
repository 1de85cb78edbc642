import { describe, expect, it } from '@jest/globals';
import { parseAuthorization } from '../../../src/http/authentication/authenticate.ts';
import { readCookie } from '../../../src/http/authentication/credentials.ts';
import { basic } from '../../support/values/basic.ts';
import { refusalOf } from '../../support/values/refusal.ts';

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
