import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { failureStatus, toServiceError } from '../../src/http/answer-failure.ts';
import { failureForm } from '../../src/http/failures.ts';

describe('failureForm', () => {
  it.each([
    ['right.missing', 410, 'ERR410: ', 200],
    ['parameter.missing', 77, 'ERR77: ', 200],
    ['user.unknown', 1205, 'ERR1205: ', 200],
    ['security-module.unavailable', 707, 'ERR707: ', 200],
    ['token.ambiguous', -311, '', 200],
    ['authentication.required', -311, '', 401],
    ['cross-site.refused', -311, '', 403],
    ['path.unknown', -311, '', 404],
    ['path.not-served', -311, '', 404],
    ['method.not-allowed', -311, '', 405],
    ['request.too-large', -311, '', 413],
    ['request.media-type', -311, '', 415],
    ['request.malformed', -311, '', 400],
    ['too-many-requests', -311, '', 429],
    ['database.unavailable', -311, '', 503],
    ['internal', -311, '', 500],
  ] as const)('shows %s as %i, %j, status %i', (code, legacyCode, prefix, status) => {
    expect(failureForm(code)).toMatchObject({ legacyCode, prefix, status });
  });

  it('says when to come back', () => {
    expect(failureForm('database.unavailable').headers).toHaveProperty('Retry-After');
    expect(failureForm('too-many-requests').headers).toHaveProperty('Retry-After');
  });
});

describe('failureStatus', () => {
  const plain = failureForm('right.missing');

  it.each([
    [undefined, 200],
    ['400', 400],
    ['599', 599],
    [' 418 ', 418],
    ['399', 500],
    ['600', 500],
    ['200', 500],
    ['204', 500],
    ['', 500],
    ['abc', 500],
    ['-1', 500],
    ['4e2', 500],
    ['404.0', 500],
    ['99999999999999999999', 500],
  ])('with httperror %j is %i', (httpError, status) => {
    expect(failureStatus(plain, { httpError, restrictedTo: '' })).toBe(status);
  });

  it('keeps a status that has a meaning of its own', () => {
    expect(
      failureStatus(failureForm('authentication.required'), { httpError: '444', restrictedTo: '' }),
    ).toBe(401);
  });

  it.each([
    ['77, 410', 444],
    ['410', 444],
    [',', 444],
    ['77', 200],
    ['4100, 41', 200],
  ])('with the codes %j in the configuration is %i', (restrictedTo, status) => {
    expect(failureStatus(plain, { httpError: '444', restrictedTo })).toBe(status);
  });
});

describe('toServiceError', () => {
  it('hides the details of an unexpected fault', () => {
    const fault = new Error('relation "tokens" does not exist: pass=secret');
    expect(toServiceError(fault)).toMatchObject({
      code: 'internal',
      message: 'Internal server error',
      cause: fault,
    });
    expect(toServiceError('text')).toMatchObject({ code: 'internal' });
  });

  it.each(['EMFILE', 'ENFILE'])(
    'makes a passing refusal of %s, also as the cause of another fault',
    (code) => {
      const fault = Object.assign(new Error('too many open files'), { code });
      for (const thrown of [fault, new Error('cannot open', { cause: fault })]) {
        const error = toServiceError(thrown);
        expect([error.code, failureForm(error.code).status]).toEqual(['server.busy', 503]);
      }
    },
  );

  it('leaves errors of the domain as they are', () => {
    const error = new ServiceError('token.unknown', 'No token');
    expect(toServiceError(error)).toBe(error);
  });
});
