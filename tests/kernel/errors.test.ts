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

  it('carries the payload of its code, and when to try again, where that is known', () => {
    const bare = new ServiceError('server.busy', 'x');
    expect([bare.payload, bare.retryAfter, bare.detail, bare.cause]).toEqual([
      {},
      undefined,
      undefined,
      undefined,
    ]);
    expect(Object.hasOwn(bare, 'cause')).toBe(false);
    const limited = new ServiceError('too-many-requests', 'x', { limit: 'client-requests', retryAfter: 3 });
    expect([limited.payload, limited.retryAfter]).toEqual([{ limit: 'client-requests' }, 3]);
  });

  it('is told from other errors, by its code too', () => {
    const error = new ServiceError('token.unknown', 'x');
    expect(isServiceError(error)).toBe(true);
    expect(isServiceError(error, 'token.unknown')).toBe(true);
    expect(isServiceError(error, 'token.exists')).toBe(false);
    expect(isServiceError(new Error('x'))).toBe(false);
    expect(isServiceError(null)).toBe(false);
  });

  it('has a payload of a known type once its code is known', () => {
    const error: unknown = new ServiceError('user.unknown', 'x', { user: 'anna@a', login: 'anna' });
    expect(isServiceError(error, 'user.unknown') && error.payload.login).toBe('anna');
    expect(isServiceError(error) && error.code === 'user.unknown' && error.payload.user).toBe('anna@a');
    // @ts-expect-error -- the payload has members that must be given
    expect(new ServiceError('user.unknown', 'x').payload).toEqual({});
    // @ts-expect-error -- and no others
    expect(new ServiceError('server.busy', 'x', { user: 'anna' }).code).toBe('server.busy');
  });
});
