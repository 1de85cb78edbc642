import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeFault } from '../../src/kernel/log.ts';

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
    expect(described.stack).toContain('log.test.ts');
  });

  it('gives the details of all errors that are ours, and nothing in the place of one that has none', () => {
    const last = new ServiceError('internal', 'x', { detail: 'row 7' });
    const middle = new ServiceError('internal', 'x', { cause: last });
    const error = new ServiceError('internal', 'x', { detail: 'vault', cause: middle });
    expect(describeFault(error)).toMatchObject({
      fault: 'ServiceError internal < ServiceError internal < ServiceError internal',
      faultDetail: 'vault < row 7',
    });
    expect(describeFault(middle).faultDetail).toBe('row 7');
    expect(describeFault(new ServiceError('internal', 'x')).faultDetail).toBeUndefined();
  });

  it('says where the innermost error was made, in twenty frames at most, each a line', () => {
    const cause = errorWith('Error: inner\n    at one (a.ts:1:1)\n\tat two (b.ts:2:2)\nno at frame', 'inner');
    const error = Object.assign(errorWith('Error: outer\n    at outer (o.ts:1:1)', 'outer'), { cause });
    expect(describeFault(error).stack).toBe('    at one (a.ts:1:1)\n\tat two (b.ts:2:2)');
    const frames = Array.from({ length: 30 }, (_, index) => `    at f${index} (a.ts:1:1)`);
    const deep = errorWith(`Error: x\n${frames.join('\n')}`, 'x');
    expect(describeFault(deep).stack).toBe(frames.slice(0, 20).join('\n'));
  });

  it('passes over what a message without an end has in common with frames', () => {
    const error = errorWith(
      'Error: x\n    at topsecret (x.ts:1:1)\n    at real (r.ts:1:1)',
      'x\n    at topsecret (x.ts:1:1)',
    );
    expect(describeFault(error).stack).toBe('    at real (r.ts:1:1)');
    expect(describeFault(errorWith('    at first (f.ts:1:1)\n    at next (n.ts:1:1)', '')).stack).toBe(
      '    at first (f.ts:1:1)\n    at next (n.ts:1:1)',
    );
  });

  it('describes an error that has no stack', () => {
    expect(describeFault(errorWith(undefined, 'x'))).toEqual({
      fault: 'Error',
      faultDetail: undefined,
      stack: undefined,
    });
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
    expect(describeFault(error).fault).toBe('Error < Error < Error < Error < Error');
  });
});

function errorWith(stack: string | undefined, message: string): Error {
  const error = new Error(message);
  Object.defineProperty(error, 'stack', { value: stack });
  return error;
}
