import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeFault } from '../../src/kernel/fault.ts';

describe('describeFault', () => {
  it('never repeats a message, which may quote what a client sent', () => {
    const cause = Object.assign(new Error('invalid input: "topsecret"\n    at topsecret (x.ts:1:1)'), {
      code: '22P02',
    });
    const error = new ServiceError('internal', 'pass topsecret refused', { detail: 'vault of token', cause });
    const described = describeFault(error);
    expect(JSON.stringify(described)).not.toContain('topsecret');
    expect(described.fault).toBe('ServiceError internal < Error 22P02');
    expect(described.faultDetail).toBe('vault of token');
    expect(described.stack).toContain('fault.test.ts');
  });

  it('names no more than the kind of a code that is not a word', () => {
    const error = Object.assign(new Error('x'), { code: 'pass=topsecret' });
    expect(describeFault(error).fault).toBe('Error');
  });

  it.each([
    [undefined, 'undefined'],
    ['topsecret', 'string'],
    [null, 'object'],
  ])('describes %j that was thrown', (thrown, fault) => {
    expect(describeFault(thrown)).toEqual({ fault, faultDetail: undefined, stack: undefined });
  });

  it('comes to an end with causes in a circle', () => {
    const error = new Error('a');
    error.cause = error;
    expect(describeFault(error).fault).toMatch(/^Error( < Error){1,9}$/);
  });
});
