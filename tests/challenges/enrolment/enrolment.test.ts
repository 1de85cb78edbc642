import { describe, expect, it } from '@jest/globals';
import { assertSerial, keyOf, phaseOf, suiteOf } from '../../../src/challenges/enrolment/enrolment.ts';

const made = Buffer.alloc(20, 7);
const make = (size: number): Buffer => made.subarray(0, size);

describe('the phase of an enrolment', () => {
  it('follows from the parameters', () => {
    expect(phaseOf({ type: 'ocra', genkey: '1' })).toBe('plain');
    expect(phaseOf({ type: 'OCRA', genkey: '1', sharedsecret: '1' })).toBe('phase1');
    expect(phaseOf({ type: 'ocra2', sharedsecret: '2' })).toBe('plain');
    expect(phaseOf({ type: 'ocra', sharedsecret: '1', activationcode: '' })).toBe('phase2');
  });

  it('refuses a type that cannot be enrolled and a missing one', () => {
    expect(() => phaseOf({ type: 'hmac' })).toThrow(expect.objectContaining({ code: 'parameter.invalid' }));
    expect(() => phaseOf({})).toThrow(expect.objectContaining({ code: 'parameter.missing' }));
  });
});

describe('the key of a new token', () => {
  it('is made by the server or given', () => {
    expect(keyOf({ genkey: '1' }, make)).toEqual(made);
    expect(keyOf({ otpkey: '00'.repeat(32) }, make)).toEqual(Buffer.alloc(32));
    expect(keyOf({ genkey: '', otpkey: '00'.repeat(16) }, make)).toEqual(Buffer.alloc(16));
    expect(keyOf({ genkey: '0', otpkey: '00'.repeat(16) }, make)).toEqual(Buffer.alloc(16));
  });

  it.each([
    [{ genkey: '1', otpkey: '00'.repeat(20) }, 'parameter.invalid'],
    [{ genkey: '2' }, 'parameter.invalid'],
    [{}, 'parameter.missing'],
    [{ genkey: '1', otpkey: 'x' }, 'parameter.invalid'],
    [{ otpkey: 'xyz' }, 'parameter.invalid'],
    [{ otpkey: '00'.repeat(15) }, 'parameter.invalid'],
    [{ otpkey: '00'.repeat(129) }, 'parameter.invalid'],
  ])('is refused for %j', (request, code) => {
    expect(() => keyOf(request, make)).toThrow(expect.objectContaining({ code }));
  });

  it('never shows up in the error', () => {
    expect(() => keyOf({ otpkey: 'deadbeefzz' }, make)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('deadbeef') }),
    );
  });
});

describe('the suite of a new token', () => {
  it('is the one asked for, else that of the configuration', () => {
    expect(suiteOf({ ocrasuite: 'OCRA-1:HOTP-SHA1-6:QN08' }, 'x')).toBe('OCRA-1:HOTP-SHA1-6:QN08');
    expect(suiteOf({ ocrasuite: '' }, 'OCRA-1:HOTP-SHA256-8:C-QN08')).toBe('OCRA-1:HOTP-SHA256-8:C-QN08');
  });

  it('is refused with who is to blame', () => {
    expect(() => suiteOf({ ocrasuite: 'nonsense' }, 'x')).toThrow(
      expect.objectContaining({ code: 'suite.invalid' }),
    );
    expect(() => suiteOf({}, 'nonsense')).toThrow(expect.objectContaining({ code: 'configuration.invalid' }));
  });
});

describe('a serial', () => {
  it.each(['OCRA0001AAC4', 'a', '!'.repeat(64), '{}[]'])('may be %s', (serial) => {
    expect(() => {
      assertSerial(serial);
    }).not.toThrow();
  });

  it.each(['', ' ', 'a b', 'a\u0000', 'ä', 'x'.repeat(65), 'OCRA*', '*', 'a\n'])(
    'may not be %j',
    (serial) => {
      expect(() => {
        assertSerial(serial);
      }).toThrow(expect.objectContaining({ code: 'parameter.invalid' }));
    },
  );
});
