import { describe, expect, it } from '@jest/globals';
import { isIssuerLogo, isIssuerName } from '../../src/ocra/issuer.ts';
import { issuerLogo } from '../support/values/issuer-logo.ts';

const PICTURE = Buffer.from(issuerLogo(), 'base64url');
/** The end of the header: signature, and the chunk IHDR. */
const HEADER = 33;

function withChunk(name: string, at = HEADER): string {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(name), Buffer.alloc(4)]);
  return Buffer.concat([PICTURE.subarray(0, at), chunk, PICTURE.subarray(at)]).toString('base64url');
}

describe('the logo of an issuer', () => {
  it.each([16, 17, 32, 64])('may be a picture of %i pixels a side', (side) => {
    expect(isIssuerLogo(issuerLogo(side))).toBe(true);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a larger picture', issuerLogo(65)],
    ['a smaller picture', issuerLogo(15)],
    ['one of more bytes', issuerLogo(64, true)],
    ['another kind of file', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64url')],
    ['an address', 'https://bank.example/logo.png'],
    ['a picture with a text', withChunk('tEXt')],
    ['a picture with a colour profile', withChunk('iCCP')],
    ['a picture that moves', withChunk('acTL')],
    ['two pictures in one', withChunk('IHDR')],
    ['a picture that does not begin with its header', withChunk('IDAT', 8)],
    ['a picture and something after it', Buffer.concat([PICTURE, PICTURE]).toString('base64url')],
    ['a torn picture', PICTURE.subarray(0, -1).toString('base64url')],
    ['a picture without its end', PICTURE.subarray(0, -12).toString('base64url')],
    ['a header alone', PICTURE.subarray(0, 8).toString('base64url')],
    ['a chunk that claims more than there is', Buffer.from(PICTURE).fill(0xff, 33, 37).toString('base64url')],
    ['another alphabet', `${issuerLogo()}+/`],
    ['a text that ends within a byte', `${issuerLogo()}A`],
  ])('is not %s', (_what, text) => {
    expect(isIssuerLogo(text)).toBe(false);
  });
});

describe('the name of an issuer', () => {
  it.each(['Musterbank', 'Bank für Gemeinwohl eG', 'O’Neill & Söhne (Nord)', 'みずほ銀行', 'x'.repeat(40)])(
    'may be %s',
    (name) => {
      expect(isIssuerName(name)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    ' Bank',
    'Bank ',
    'x'.repeat(41),
    'two\nlines',
    'a\u202Eb',
    'a\u200Bb',
    'a\u0000b',
    'a\tb',
  ])('is not %j', (name) => {
    expect(isIssuerName(name)).toBe(false);
  });
});
