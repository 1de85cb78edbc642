import { describe, expect, it } from '@jest/globals';
import { ServerFailure } from '../../../console/src/api/server-failure.ts';
import { failureWords } from '../../../console/src/design/failure-words.ts';

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
    expect(failureWords(busy, 'act', 'en')).not.toHaveProperty('next');
    expect(failureWords(failure('No', 'right.missing'), 'goes-on', 'en')).not.toHaveProperty('next');
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
