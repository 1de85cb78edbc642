import { describe, expect, it } from '@jest/globals';
import { isServiceError, ServiceError } from '../../src/kernel/errors.ts';

describe('a service error', () => {
  it('carries a code and a public message apart from the private detail', () => {
    const cause = new Error('low level');
    const error = new ServiceError('token.unknown', 'No token found', { detail: 'row 7', cause });
    expect(error).toMatchObject({
      name: 'ServiceError',
      code: 'token.unknown',
      message: 'No token found',
      detail: 'row 7',
      cause,
    });
    expect(String(error)).not.toContain('row 7');
  });

  it('says what it is about and when to try again, where that is known', () => {
    const bare = new ServiceError('server.busy', 'x');
    expect([bare.about, bare.retryAfter, bare.detail, bare.cause]).toEqual([
      [],
      undefined,
      undefined,
      undefined,
    ]);
    expect(Object.hasOwn(bare, 'cause')).toBe(false);
    const told = new ServiceError('server.busy', 'x', { about: ['connections'], retryAfter: 3 });
    expect([told.about, told.retryAfter]).toEqual([['connections'], 3]);
  });

  it('is told from other errors, by its code too', () => {
    const error = new ServiceError('token.unknown', 'x');
    expect(isServiceError(error)).toBe(true);
    expect(isServiceError(error, 'token.unknown')).toBe(true);
    expect(isServiceError(error, 'token.exists')).toBe(false);
    expect(isServiceError(new Error('x'))).toBe(false);
    expect(isServiceError(null)).toBe(false);
  });
});
