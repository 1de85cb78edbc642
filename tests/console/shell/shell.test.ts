import { existsSync } from 'node:fs';
import { mock } from 'node:test';
import { describe, expect, it } from '@jest/globals';
import { PAGES } from '../../../console/src/shell/pages.ts';
import { ServerFailure } from '../../../console/src/api/server-failure.ts';
import { isReadAgain, pauseAfter, pauseBeforeNext } from '../../../console/src/shell/retries.ts';
import { waitBriefly } from '../../../console/src/design/brief-wait.ts';
import { failureWords } from '../../../console/src/design/failure-words.ts';
import { pageHash, readArrival } from '../../../console/src/sign-in/arrival.ts';
import { bytesOf, textOf } from '../../../console/src/sign-in/base64url.ts';

const guideOf = (name: string): string => `${import.meta.dirname}/../../../docs/guides/${name}.md`;

it('each page leads to a guide that exists', () => {
  const guides = PAGES.map(({ guide = 'console' }) => guide);
  expect(guides.filter((name) => !existsSync(guideOf(name)))).toEqual([]);
});

it('no two pages that the search offers have the same name', () => {
  const offered = PAGES.filter(({ path }) => !path.includes(':'));
  for (const language of ['en', 'de'] as const) {
    const names = offered.map(({ title }) => title[language].title);
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  }
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

describe('the pause before it is repeated', () => {
  const away = (retryAfter?: number): ServerFailure => new ServerFailure('', { status: 503, retryAfter });

  it('grows to five seconds', () => {
    expect([0, 1, 2, 9].map((failures) => pauseBeforeNext(failures, away(), 1))).toEqual([
      1_000, 2_000, 4_000, 5_000,
    ]);
  });

  it('is at least what the server asks for', () => {
    expect(pauseBeforeNext(0, away(30), 0)).toBe(30_000);
    expect(pauseBeforeNext(9, away(1), 1)).toBe(5_000);
  });

  it('is half a minute where the server asks for more, as it may be back sooner', () => {
    expect(pauseBeforeNext(0, away(3_600), 0)).toBe(30_000);
  });
});

describe('the pause of a page that asks by itself', () => {
  it('grows to half a minute, and differs from browser to browser', () => {
    expect([1, 2, 3, 9].map((failures) => pauseAfter(failures, 1))).toEqual([1_000, 2_000, 4_000, 30_000]);
    expect(pauseAfter(1, 0)).toBe(500);
  });
});

describe('what is read anew after an act', () => {
  it('is waited for, with no timer left', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    await waitBriefly(Promise.resolve());
    expect(timers()).toBeLessThanOrEqual(before);
    await expect(waitBriefly(Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('is waited for no longer than two seconds, as the server may be away', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let isOver = false;
      const waiting = waitBriefly(new Promise(() => undefined)).then(() => {
        isOver = true;
      });
      mock.timers.tick(1_900);
      await new Promise((resolve) => setImmediate(resolve));
      expect(isOver).toBe(false);
      mock.timers.tick(200);
      await waiting;
    } finally {
      mock.timers.reset();
    }
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

  it('are German alone where they say the same', () => {
    expect(failureWords(failure('Wrong password', 'confirmation.refused/password'), 'act', 'de')).toEqual({
      title: 'Das hat nicht geklappt.',
      text: 'Das Passwort ist falsch.',
      language: undefined,
    });
  });

  it('say that the page goes on, also after what the server says of itself', () => {
    const busy = failure('The database is away', 'database.unavailable', 503);
    expect(failureWords(busy, 'goes-on', 'en')).toMatchObject({
      title: undefined,
      text: 'The database is away',
      next: 'This page goes on as soon as that is over.',
    });
    expect(failureWords(busy, 'act', 'en').next).toBeUndefined();
    expect(failureWords(failure('No', 'right.missing'), 'goes-on', 'en').next).toBeUndefined();
  });

  it.each([
    [60, 'Try again in 60 seconds.', 'Versuchen Sie es in 60 Sekunden noch einmal.'],
    [600, 'Try again in 10 minutes.', 'Versuchen Sie es in 10 Minuten noch einmal.'],
  ])('say after too many attempts to go on in %d seconds', (retryAfter, english, german) => {
    const many = new ServerFailure('Too many', { status: 429, code: 'too-many-requests', retryAfter });
    expect([failureWords(many, 'act', 'en').next, failureWords(many, 'act', 'de').next]).toEqual([
      english,
      german,
    ]);
  });

  it('have no number in either language, and tell whom to ask for a missing right', () => {
    const unknown = failure('ERR1205: There is no user x', 'user.unknown');
    expect(failureWords(unknown, 'act', 'en').text).toBe('There is no such user, or you may not see them.');
    const refused = failure('ERR410: You do not have the right to remove tokens', 'right.missing');
    expect(failureWords(refused, 'act', 'en')).toMatchObject({
      title: 'You lack a right for this.',
      text: 'You do not have the right to remove tokens',
      next: 'Ask whoever may change policies (system:write) for the right.',
    });
    expect(failureWords(refused, 'act', 'de')).toMatchObject({
      title: 'Dazu fehlt Ihnen ein Recht.',
      next: expect.stringContaining('system:write'),
    });
    for (const language of ['en', 'de'] as const) {
      for (const code of ['parameter.missing', 'security-module.unavailable', 'other']) {
        expect(failureWords(failure('ERR77: Missing', code), 'act', language).text).not.toContain('ERR');
      }
    }
  });

  it('say of an act alone that it may have been done', () => {
    const away = new ServerFailure('', { status: 504 });
    const text = (kind: Parameters<typeof failureWords>[1]): string => failureWords(away, kind, 'en').text;
    expect(text('act')).toMatch(/Whether this was done/);
    expect(text('ended')).toBe('The server has not answered in time.');
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

describe('bytes of passkeys', () => {
  it('are base64url on the wire', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const text = Buffer.from(bytes).toString('base64url');
    expect(textOf(bytes.buffer)).toBe(text);
    expect(bytesOf(text)).toEqual(bytes);
  });
});
