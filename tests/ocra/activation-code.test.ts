import { describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../src/kernel/system-random.ts';
import {
  decodeActivationCode,
  deriveTokenKey,
  encodeActivationCode,
  normalizeActivationCode,
  randomActivationCode,
} from '../../src/ocra/key-derivation.ts';
import { refusalOf } from '../support/values/refusal.ts';

describe('activation codes', () => {
  it('are base32 with the XOR of the bytes', () => {
    expect(encodeActivationCode(Buffer.from('1234567890'))).toBe('GEZDGNBVGY3TQOJQ01');
    expect(encodeActivationCode(Buffer.from('None'))).toBe('JZXW4ZI=2A');
  });

  it('are read however they are typed', () => {
    for (const typed of [
      'GEZDGNBVGY3TQOJQ01',
      'gezd-gnbv-gy3t-qojq-01',
      'GEZDGNBVGY3TQ0JQO1',
      '-gezdgnbvgy3tq0jqo1',
    ]) {
      expect(Buffer.from(decodeActivationCode(normalizeActivationCode(typed))).toString()).toBe('1234567890');
    }
  });

  it.each([
    ['', /too short/],
    ['-', /too short/],
    ['1', /too short/],
    ['01', /checksum/],
    ['GEZDGNBVGY3TQOJQ02', /checksum/],
    ['GEZDGNBVGY3TQOJQ0l', /checksum/],
    ['EGZDGNBVGY3TQOJQ01', /checksum/],
    ['GEZDGNBVGY3TQOJQ0', /missing or too many/],
    ['JZXW4ZI2A', /missing or too many/],
    ['JZXW4ZI==2A', /missing or too many/],
    ['A=======00', /missing or too many/],
    ['=00', /missing or too many/],
    ['gezdgnbvgy3tqojq01', /capital letters/],
    ['181818181818181800', /capital letters/],
    ['GEZD=NBVGY3TQOJQ01', /capital letters/],
    ['ÄÖÜÄÖÜÄÖ00', /capital letters/],
    ['GEZDGNBV GY3TQOJQ01', /capital letters/],
  ])('%j is refused, and the error does not quote it', (code, message) => {
    const error = refusalOf(() => decodeActivationCode(code));
    expect(error.code).toBe('activation-code.invalid');
    expect(error.message).toMatch(message);
    expect(code.length > 2 && error.message.includes(code)).toBe(false);
  });

  it('are read whatever the bits are that fill up the last letter', () => {
    const read = ['JZXW4ZI=2A', 'JZXW4ZJ=2A', 'ME======61', 'MF======61'].map(decodeActivationCode);
    expect(read.map((bytes) => Buffer.from(bytes).toString())).toEqual(['None', 'None', 'a', 'a']);
  });

  it('random ones are valid, hold 80 bits and never come twice', () => {
    const codes = Array.from({ length: 100 }, () => randomActivationCode(systemRandom));
    expect(codes.every((code) => decodeActivationCode(code).length === 10)).toBe(true);
    expect(codes.every((code) => /^[A-Z2-7]{16}[0-9A-F]{2}$/.test(code))).toBe(true);
    expect(new Set(codes).size).toBe(100);
  });
});

describe('deriveTokenKey', () => {
  const ingredients = {
    sharedSecret: Buffer.alloc(20, 'a'),
    activationCode: 'GEZDGNBVGY3TQOJQ01',
    nonce: Buffer.alloc(64, 7),
  };

  it('gives 32 bytes unless told otherwise', async () => {
    expect(await deriveTokenKey(ingredients)).toHaveLength(32);
    expect(await deriveTokenKey({ ...ingredients, length: 20 })).toHaveLength(20);
  });

  it('depends on each of its ingredients', async () => {
    const keys = await Promise.all(
      [
        ingredients,
        { ...ingredients, sharedSecret: Buffer.alloc(20, 'b') },
        { ...ingredients, activationCode: Buffer.from('1234567891') },
        { ...ingredients, nonce: Buffer.from([...ingredients.nonce.subarray(1), 8]) },
        { ...ingredients, nonce: Buffer.from([8, ...ingredients.nonce.subarray(1)]) },
      ].map(async (each) => Buffer.from(await deriveTokenKey(each)).toString('hex')),
    );
    expect(new Set(keys).size).toBe(5);
  });

  it('leaves what it was given as it was', async () => {
    await deriveTokenKey(ingredients);
    expect(ingredients.sharedSecret).toEqual(Buffer.alloc(20, 'a'));
    expect(ingredients.nonce).toEqual(Buffer.alloc(64, 7));
  });

  it('refuses a mistyped code', async () => {
    await expect(
      deriveTokenKey({ ...ingredients, activationCode: 'GEZDGNBVGY3TQOJQ02' }),
    ).rejects.toMatchObject({ code: 'activation-code.invalid' });
  });

  it('does not hide what PBKDF2 itself refuses', async () => {
    await expect(deriveTokenKey({ ...ingredients, iterations: 0 })).rejects.toThrow(/iterations/);
  });
});
