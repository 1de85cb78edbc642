import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PAGES } from '../../../console/src/shell/pages.ts';
import { ServerFailure } from '../../../console/src/api/server-failure.ts';
import { isReadAgain } from '../../../console/src/shell/retries.ts';
import { failureWords } from '../../../console/src/design/failure-words.ts';
import { pageHash, readArrival } from '../../../console/src/sign-in/arrival.ts';

const guideOf = (name: string): string => `${import.meta.dirname}/../../../docs/guides/${name}.md`;

it('each page leads to a guide that exists', () => {
  const guides = PAGES.map(({ guide = 'console' }) => guide);
  expect(guides.filter((name) => !existsSync(guideOf(name)))).toEqual([]);
});

describe('a read that has failed', () => {
  it.each([0, 502, 503])('is repeated after %d as long as it takes', (status) => {
    expect(isReadAgain(99, new ServerFailure('', { status }))).toBe(true);
  });

  it('is repeated twice where a proxy does not wait for it', () => {
    const slow = new ServerFailure('', { status: 504 });
    expect([0, 1, 2, 3].map((failures) => isReadAgain(failures, slow))).toEqual([true, true, false, false]);
  });

  it('is not repeated after a refusal or a fault of the page', () => {
    expect(isReadAgain(0, new ServerFailure('no', { status: 403 }))).toBe(false);
    expect(isReadAgain(0, new Error('fault'))).toBe(false);
  });
});

const failure = (message: string, code: string, status = 403): ServerFailure =>
  new ServerFailure(message, { status, code });

describe('the words for a failure', () => {
  it.each([
    ['confirmation.refused/second-factor', 'The token T1 is locked'],
    ['sign-in.ended', 'This link has been used or has expired: ask for another one'],
    ['confirmation.required', 'This confirmation has ended: begin again with the password'],
    ['token.state', "The roll-out of the token 'T1' is not finished: it cannot be enabled"],
  ])('keep what only the server says below a German heading: %s', (code, message) => {
    const { title, text, language } = failureWords(failure(message, code), 'act', 'de');
    expect({ text, language }).toEqual({ text: message, language: 'en' });
    expect(title).toBeDefined();
    expect(title).not.toMatch(/falsch|geändert|Bestätigen Sie zuerst/);
  });
});

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
