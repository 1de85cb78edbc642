import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ActivationCodeEntry,
  type EnteredCharacter,
  inspectActivationCode,
} from '../../src/device/activation-code-entry.ts';
import { isServiceError } from '../../src/kernel/errors.ts';
import {
  decodeActivationCode,
  encodeActivationCode,
  normalizeActivationCode,
} from '../../src/ocra/key-derivation.ts';

const CODE = 'GEZDGNBVGY3TQOJQ01';
const CORRECTED: EnteredCharacter = { typed: '0', read: 'O', state: 'corrected' };

/** The states as letters: kept, corrected, separator, impossible. */
function states({ characters }: ActivationCodeEntry): string {
  return characters.map(({ state }) => state.charAt(0)).join('');
}

function summary(typed: string) {
  const { code, formatted, missing, isComplete, checksum } = inspectActivationCode(typed);
  return { code, formatted, missing, isComplete, checksum };
}

describe('an activation code while it is typed', () => {
  it('is put right letter by letter, and shown in groups', () => {
    const entry = inspectActivationCode('gEZd-GNBV GY3T–Q0JQ\u00a0O1');
    expect(states(entry)).toBe('ckkcskkkkskkkkskckksck');
    expect(entry).toMatchObject({
      code: CODE,
      formatted: 'GEZD GNBV GY3T QOJQ 01',
      missing: 0,
      isComplete: true,
      checksum: 'right',
    });
    expect(entry.characters[16]).toEqual(CORRECTED);
  });

  it.each([
    ['1EZD', 'ikkk'],
    ['GE8D', 'kkik'],
    ['Ää', 'ii'],
    ['ß', 'i'],
    ['ı', 'i'],
    ['\u212a', 'i'],
    ['👍', 'i'],
    ['\ud800', 'i'],
    ['GEZDGNBVGY3TQOJQG1', 'kkkkkkkkkkkkkkkkik'],
    ['GEZDGNBVGY3TQOJQ0x', 'kkkkkkkkkkkkkkkkki'],
    [`${CODE}A`, 'kkkkkkkkkkkkkkkkkki'],
  ])('has impossible characters: %j', (typed, expected) => {
    const entry = inspectActivationCode(typed);
    expect(states(entry)).toBe(expected);
    expect(entry).toMatchObject({ isComplete: false, checksum: 'unknown' });
  });

  it('says when something is mistyped', () => {
    expect(summary('GEZDGNBVGY3TQOJQ02')).toMatchObject({ isComplete: true, checksum: 'wrong' });
    expect(summary('EGZDGNBVGY3TQOJQ01')).toMatchObject({ isComplete: true, checksum: 'wrong' });
    expect(summary('GEZD=NBVGY3TQOJQ01')).toMatchObject({ isComplete: true, checksum: 'wrong' });
  });

  it('knows shorter and longer codes by their checksum', () => {
    expect(summary('jzxw4zi=2a')).toEqual({
      code: 'JZXW4ZI=2A',
      formatted: 'JZXW 4ZI= 2A',
      missing: 0,
      isComplete: true,
      checksum: 'right',
    });
    expect(summary('JZXW4ZI=2B')).toMatchObject({ missing: 8, isComplete: false, checksum: 'unknown' });
    const long = encodeActivationCode(Buffer.from('fifteen letters'));
    expect(summary(long)).toMatchObject({ code: long, isComplete: true, checksum: 'right' });
    expect(summary(`${long}A`)).toMatchObject({ missing: 0, isComplete: false });
    expect(summary('00')).toMatchObject({ missing: 16, isComplete: false });
  });

  it('takes every code however it is typed, as the roll-out does', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
    const style = fc.array(fc.constantFrom('', '-', ' ', 'small', 'confused'), {
      minLength: 80,
      maxLength: 80,
    });
    fc.assert(
      fc.property(bytes, style, (given, styles) => {
        const code = encodeActivationCode(given);
        const typed = Array.from(code, (letter, place) =>
          typedAs(letter, styles[place] ?? '', place < code.length - 2),
        );
        const entry = inspectActivationCode(typed.join(''));
        expect(entry).toMatchObject({ code, missing: 0, isComplete: true, checksum: 'right' });
        expect(entry.formatted.replaceAll(' ', '')).toBe(code);
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with the roll-out about any text', () => {
    const almost = fc.string({
      unit: fc.constantFrom('A', 'G', 'O', '0', '1', '7', '=', 'z', '-', ' '),
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.oneof(almost, fc.string()), (typed) => {
        const { checksum, code, characters } = inspectActivationCode(typed);
        expect(characters.map((character) => character.typed).join('')).toBe(typed);
        expect(checksum === 'right').toBe(
          isTaken(typed.replaceAll(/[\s\p{Pd}\u2212]/gu, '')) && code.length > 2,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['A', 'A='])('takes a megabyte of %j within the time limit of a test', (unit) => {
    expect(inspectActivationCode(unit.repeat(Math.ceil(1_000_002 / unit.length))).isComplete).toBe(false);
  });
});

function typedAs(letter: string, style: string, isLetter: boolean): string {
  switch (style) {
    case 'small':
      return letter.toLowerCase();
    case 'confused':
      return isLetter ? letter.replace('O', '0') : letter.replace('0', 'O');
    default:
      return letter + style;
  }
}

function isTaken(text: string): boolean {
  try {
    decodeActivationCode(normalizeActivationCode(text));
    return true;
  } catch (error) {
    expect(isServiceError(error, 'activation-code.invalid')).toBe(true);
    return false;
  }
}
