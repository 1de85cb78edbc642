import { describe, expect, it } from '@jest/globals';
import { pageHash, readArrival } from '../../../console/src/sign-in/arrival.ts';
import { bytesOf, textOf } from '../../../console/src/sign-in/base64url.ts';

describe('the reason for which the console is opened', () => {
  it.each([
    ['#link=AbC_-9', { kind: 'link', secret: 'AbC_-9' }],
    ['#single-sign-on=groups', { kind: 'single-sign-on', word: 'groups' }],
    ['#/account', undefined],
    ['', undefined],
    ['#link=', undefined],
    ['#link=a&b', undefined],
    ['#link=<script>', undefined],
    [`#single-sign-on=${'x'.repeat(65)}`, undefined],
  ])('%j', (hash, arrival) => {
    expect(readArrival(hash)).toEqual(arrival);
  });
});

describe('the page after a sign-in', () => {
  it.each(['#/', '#/account', '#/administrators/anna'])('may be %s', (hash) => {
    expect(pageHash(hash)).toBe(hash);
  });

  it.each([null, '', '/', '#', '#//evil.example', 'https://evil.example', '//evil.example', 'javascript:x'])(
    'is never %j',
    (hash) => {
      expect(pageHash(hash)).toBeUndefined();
    },
  );
});

describe('bytes of passkeys', () => {
  it('are base64url on the wire', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const text = Buffer.from(bytes).toString('base64url');
    expect(textOf(bytes.buffer)).toBe(text);
    expect(bytesOf(text)).toEqual(bytes);
  });
});
